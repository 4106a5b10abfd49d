/** Keeps the values of masked parameters out of traces and error pages. Source: decisions.md, Easy to miss; specification,
 *  Security requirements. */

const filtered = '[FILTERED]'

/** `name=value` as in an address or a form, and `"name":"value"` as in JSON. */
const inAddress = /([\w.%+~-]+)=([^&\s"'<>()]+)/g
const inJson = /"([^"\\]+)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}\]"]+)/g

/** The text with the whole value of every named parameter replaced; names are compared decoded. */
export function maskText(text: string, names: ReadonlySet<string>): string {
  return text
    .replace(inAddress, (pair, name: string) => (names.has(decoded(name)) ? `${name}=${filtered}` : pair))
    .replace(inJson, (pair, name: string) => (names.has(name) ? `"${name}":"${filtered}"` : pair))
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

const deepestCause = 10

/** The exception, or a copy with its texts masked, causes included, when they hold such a value. */
export function maskError(error: unknown, names: ReadonlySet<string>, depth = 0): unknown {
  if (typeof error === 'string') return maskText(error, names)
  if (!(error instanceof Error) || depth > deepestCause) return error
  const message = maskText(String(error.message), names)
  const stack = maskText(String(error.stack ?? ''), names)
  const cause = error.cause === undefined ? undefined : maskError(error.cause, names, depth + 1)
  if (message === error.message && stack === (error.stack ?? '') && cause === error.cause) return error
  const copy = cause === undefined ? new Error(message) : new Error(message, { cause })
  copy.name = error.name
  copy.stack = stack
  return copy
}
