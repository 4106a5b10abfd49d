/** What never reaches a log, a trace or an error page. Source: rules.md, Security requirements; rules.md, Easy to miss;
 *  decisions/http.md, Server and connections: names are compared decoded, and the whole value goes. */
import { percentDecoded } from '../../utf8.ts'
/** What must be masked (rules.md, Security requirements), and what else is a bearer. */
export const maskedByDefault: readonly string[] = [
  'code',
  'code_verifier',
  'refresh_token',
  'state',
  'access_token',
  'csrf_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'token',
  'nonce',
  'id_token',
  'logout_token',
]

/** Headers that hold credentials; names in lower case. */
export const secretHeaders: readonly string[] = ['authorization', 'cookie', 'set-cookie', 'x-api-key']

export const redacted = '[FILTERED]'

/** Longer texts are cut here: readers stop long before. */
const shownLength = 8192

/** What `mask` leaves of a text that is first cut behind so many characters: of a value that is cut it must leave nothing. */
function masked(text: string, length: number, mask: (text: string) => string): string {
  if (text.length <= length) return mask(text)
  return `${mask(text.slice(0, length))}… (${text.length - length} more characters)`
}

/** The address as a log shows it: without the values of masked parameters in its path, its query and its fragment, and cut.
 *  `params`: those of its path. */
export const redactUrl = (url: string, names: ReadonlySet<string>, params: unknown = null): string =>
  masked(maskPath(url, names, params), shownLength, (start) => maskUrl(start, names))

/** The text as a log shows it: without the values of named parameters, and cut; names are compared decoded. */
export const redactText = (text: string, names: ReadonlySet<string>, length: number = shownLength): string =>
  masked(text, length, (start) => maskText(start, names))

/** Such a value is a whole segment. */
function maskPath(url: string, names: ReadonlySet<string>, params: unknown): string {
  const values = Object.entries(params ?? {}).flatMap(([name, value]) =>
    names.has(name) && value !== '' ? [String(value)] : [],
  )
  if (values.length === 0) return url
  const [path = ''] = url.split(/[?#]/, 1)
  const [rest = ''] = names.has('*') ? Object.entries(params ?? {}).flatMap(isRest) : []
  const segments = withoutRest(path.split('/'), rest).map((segment) =>
    values.includes(percentDecoded(segment) ?? segment) ? redacted : segment,
  )
  return segments.join('/') + url.slice(path.length)
}

const isRest = ([name, value]: readonly [string, unknown]): readonly string[] =>
  name === '*' ? [String(value)] : []

/** The rest of a path is as many segments as it has texts, at the end. */
function withoutRest(segments: readonly string[], rest: string): readonly string[] {
  const kept = [...segments]
  let left = rest.split('/').filter((text) => text !== '').length
  if (left === 0) return kept
  while (left > 0 && kept.length > 0) if (kept.pop() !== '') left -= 1
  return [...kept, redacted]
}

function maskUrl(url: string, names: ReadonlySet<string>): string {
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
  if (!/[#?%+]/.test(pair))
    return pair.includes('=') && isMasked(nameOf(pair), names) ? filtered(nameOf(pair)) : pair
  const parts = pair.split(/([#?])/)
  const first = parts.findIndex((part) => part.includes('=') && isMasked(decodeName(nameOf(part)), names))
  const shown = (first === -1 ? parts : parts.slice(0, first)).map((part) => maskEncoded(part, names))
  return [...shown, ...(first === -1 ? [] : [filtered(nameOf(parts[first] ?? ''))])].join('')
}

const filtered = (name: string): string => `${name}=${redacted}`

/** A value that holds a masked field in an encoded form goes as a whole. */
function maskEncoded(field: string, names: ReadonlySet<string>): string {
  const at = field.indexOf('=')
  if (at === -1 || !field.includes('%', at)) return field
  return holdsMasked(field.slice(at + 1), names) ? filtered(field.slice(0, at)) : field
}

/** What is longer, or encoded more often, is nothing to show. */
const longestValue = 4096
const maxEncodings = 5

function holdsMasked(value: string, names: ReadonlySet<string>): boolean {
  let text = value
  for (let round = 0; text.length <= longestValue && round < maxEncodings; round += 1) {
    const decoded = decodeName(text.replaceAll('&', '%26').replaceAll('=', '%3D'))
    if (decoded === text) return false
    text = decoded
    for (const [, name = ''] of text.matchAll(/(?<![^?&#\s])([^?&#=\s]+)=/g)) {
      if (isMasked(decodeName(name), names)) return true
    }
  }
  return true
}

const lowered = new WeakMap<ReadonlySet<string>, ReadonlySet<string>>()

/** Also in letters of another case, in brackets or before them (`code[0]`), and behind the rest of an `&amp;`: such a parameter is none of
 *  ours, but what its sender holds. */
function isMasked(name: string, names: ReadonlySet<string>): boolean {
  if (names.has(name)) return true
  if (!/[A-Z[.;]/.test(name)) return false
  const lower = lowered.get(names) ?? new Set([...names].map((known) => known.toLowerCase()))
  lowered.set(names, lower)
  return name
    .toLowerCase()
    .split(/[[\].;]/)
    .some((word) => lower.has(word))
}

const nameOf = (field: string): string => field.slice(0, field.indexOf('='))

function decodeName(raw: string): string {
  const name = new URLSearchParams(`${raw}=`).keys().next().value
  return name ?? raw
}

/** `name=value` as in an address or a form, and `"name":"value"` as in JSON. */
// the name begins where no letter of one stands before it: long texts take no longer than short ones
const inAddress = /(?<![\w.%+~[\]-])([\w.%+~[\]-]+)=([^&\s"'<>()]+)/g
// a value that was cut has no end
const inJson = /"([^"\\]+)"\s*:\s*("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s,}\]"]+)/g

function maskText(text: string, names: ReadonlySet<string>): string {
  return text
    .replace(inAddress, (pair) => maskPair(pair, names))
    .replace(inJson, (pair, name: string) => (isMasked(name, names) ? `"${name}":"${redacted}"` : pair))
}
