/** The log for people: pino's JSON lines as `12:00:00.123 INFO  GET /notes 200 1.23ms`. */

const levels: ReadonlyMap<unknown, string> = new Map([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO '],
  [40, 'WARN '],
  [50, 'ERROR'],
  [60, 'FATAL'],
])

/** One line of the log as text, without its end; a line that is no object as it is. */
export function readableLine(line: string): string {
  const entry = parsed(line)
  if (entry === null) return printable(line.trimEnd())
  const { level, time, msg, ...fields } = entry
  const at = new Date(Number(time)).toTimeString().slice(0, 8)
  const ms = String(Number(time) % 1000).padStart(3, '0')
  const text =
    fields.event === 'response' ? responseText(fields) : `${String(msg ?? '')}${fieldsText(fields)}`
  return `${at}.${ms} ${levels.get(level) ?? String(level)} ${printable(text)}`
}

/** A terminal obeys control characters, and turns writing around, whatever their sender; no text begins a line of ours. */
const printable = (text: string): string =>
  text.replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?').replaceAll('\n', '\n    ')

type Fields = Readonly<Record<string, unknown>>

function parsed(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Fields) : null // an object, by name
  } catch {
    return null
  }
}

function responseText({ method, path, status, duration, ms, location }: Fields): string {
  const time = typeof ms === 'number' ? `${ms}ms` : String(duration ?? '')
  const to = typeof location === 'string' ? `-> ${location}` : ''
  return [method, path, status, to, time].filter((part) => part !== '').join(' ')
}

/** The trace of an error stands below its line. */
function fieldsText({ err, ...fields }: Fields): string {
  const pairs = Object.entries(fields).map(
    ([name, value]) =>
      ` ${name}=${typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value)}`,
  )
  const { stack, message } = (err ?? {}) as { readonly stack?: unknown; readonly message?: unknown } // of our serializer
  const trace = err === undefined ? '' : `\n${String(stack ?? message)}`
  return `${pairs.join('')}${trace}`
}
