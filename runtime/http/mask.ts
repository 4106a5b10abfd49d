/** What never reaches a log. Source: specification, Security requirements (masking); reference/pipeline-and-exceptions,
 *  W11: names are compared decoded, and the whole value goes. */

/** What the specification requires, and what else is a bearer. */
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

const filtered = '[FILTERED]'

/** The address with the whole value of every masked parameter replaced, in its query and in its fragment. */
export function maskUrl(url: string, names: ReadonlySet<string>): string {
  const mark = url.search(/[?#]/)
  return mark === -1 ? url : url.slice(0, mark + 1) + maskForm(url.slice(mark + 1), names)
}

/** Form fields (`a=1&b=2`) with the masked values replaced. */
export function maskForm(fields: string, names: ReadonlySet<string>): string {
  return fields
    .split('&')
    .map((pair) => maskPair(pair, names))
    .join('&')
}

function maskPair(pair: string, names: ReadonlySet<string>): string {
  const [rawName = ''] = pair.split('=', 1)
  const isField = rawName.length < pair.length
  if (isField && names.has(decodeName(rawName))) return `${rawName}=${filtered}`
  const mark = pair.indexOf('#')
  return mark === -1 ? pair : `${pair.slice(0, mark + 1)}${maskPair(pair.slice(mark + 1), names)}`
}

function decodeName(raw: string): string {
  const name = new URLSearchParams(`${raw}=`).keys().next().value
  return name ?? raw
}
