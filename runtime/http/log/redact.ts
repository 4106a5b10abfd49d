/** What never reaches a log, a trace or an error page. Source: rules.md, Security requirements; rules.md, Easy to miss;
 *  decisions/http.md, Server and connections: names are compared decoded, and the whole value goes. */
import { errorName } from '../../errors.ts'

/** What must be masked (rules.md, Security requirements), and what else is a bearer. */
export const maskedByDefault: readonly string[] = [
  'code',
  'code_verifier',
  'refresh_token',
  'state',
  'access_token',
  'csrf_token',
  'client_secret',
  'token',
  'nonce',
  'id_token',
]

/** Headers that hold credentials; names in lower case. */
export const secretHeaders: readonly string[] = ['authorization', 'cookie', 'set-cookie', 'x-api-key']

export const redacted = '[FILTERED]'

/** The address with the whole value of every masked parameter replaced, in its query and in its fragment. */
export function maskUrl(url: string, names: ReadonlySet<string>): string {
  const mark = url.search(/[?#]/)
  return mark === -1 ? url : url.slice(0, mark + 1) + maskForm(url.slice(mark + 1), names)
}

/** Form fields (`a=1&b=2`) with the masked values replaced. */
function maskForm(fields: string, names: ReadonlySet<string>): string {
  return fields
    .split('&')
    .map((pair) => maskPair(pair, names))
    .join('&')
}

/** A field may also begin behind `#` or `?`, in the value of another; a masked value reaches to the end. */
function maskPair(pair: string, names: ReadonlySet<string>): string {
  const parts = pair.split(/([#?])/)
  const first = parts.findIndex((part) => part.includes('=') && names.has(decodeName(nameOf(part))))
  const shown = (first === -1 ? parts : parts.slice(0, first)).map((part) => maskEncoded(part, names))
  return [...shown, ...(first === -1 ? [] : [`${nameOf(parts[first] ?? '')}=${redacted}`])].join('')
}

/** A value that holds a masked field in an encoded form goes as a whole. */
function maskEncoded(field: string, names: ReadonlySet<string>): string {
  const at = field.indexOf('=')
  if (at === -1 || !field.includes('%', at)) return field
  return holdsMasked(field.slice(at + 1), names) ? `${field.slice(0, at)}=${redacted}` : field
}

/** What is longer, or encoded more often, is nothing to show. */
const longestValue = 4096
const mostEncodings = 5

function holdsMasked(value: string, names: ReadonlySet<string>): boolean {
  let text = value
  for (let round = 0; text.length <= longestValue && round < mostEncodings; round += 1) {
    const decoded = decodeName(text.replaceAll('&', '%26').replaceAll('=', '%3D'))
    if (decoded === text) return false
    text = decoded
    for (const [, name = ''] of text.matchAll(/(?<![^?&#\s])([^?&#=\s]+)=/g)) {
      if (names.has(decodeName(name))) return true
    }
  }
  return true
}

const nameOf = (field: string): string => field.slice(0, field.indexOf('='))

function decodeName(raw: string): string {
  const name = new URLSearchParams(`${raw}=`).keys().next().value
  return name ?? raw
}

/** `name=value` as in an address or a form, and `"name":"value"` as in JSON. */
// the name begins where no letter of one stands before it: long texts take no longer than short ones
const inAddress = /(?<![\w.%+~-])([\w.%+~-]+)=([^&\s"'<>()]+)/g
const inJson = /"([^"\\]+)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}\]"]+)/g

/** The text with the whole value of every named parameter replaced; names are compared decoded. */
export function maskText(text: string, names: ReadonlySet<string>): string {
  return text
    .replace(inAddress, (pair) => maskPair(pair, names))
    .replace(inJson, (pair, name: string) => (names.has(name) ? `"${name}":"${redacted}"` : pair))
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
  copy.name = errorName(error)
  copy.stack = stack
  return copy
}
