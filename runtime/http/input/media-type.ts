/** Media types as they stand in `Content-Type`. Source: RFC 9110, section 8.3.1. */

/** `type/subtype` in lower case, without parameters. */
export function essence(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g

/** The `charset` parameter in lower case, or null. */
function charsetOf(contentType: string): string | null {
  if (!contentType.includes(';')) return null
  for (const [, name = '', quoted, plain = ''] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() === 'charset') return (quoted ?? plain).replace(/\\(.)/g, '$1').toLowerCase()
  }
  return null
}

/** Whether text in this type may be read as UTF-8, the only encoding that is read. */
export function isUtf8(contentType: string): boolean {
  const charset = charsetOf(contentType)
  return charset === null || charset === 'utf-8' || charset === 'utf8'
}

/** Whether `name` is a media type without parameters and without wildcards, in lower case. */
export function isMediaType(name: string): boolean {
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(name)
}

const jsonType = /^[^\s/]+\/(?:[^\s/]+\+)?json$/
/** Text by its top level or suffix, and what was registered before there were suffixes, or never was. */
const textType =
  /^(?:text\/.+|[^\s/]+\/[^\s/]+\+(?:xml|yaml|json-seq)|application\/(?:x-)?(?:xml|yaml|javascript|ecmascript|ndjson|jsonl|jsonlines|json-seq|json5|toml|sql|graphql|sh|www-form-urlencoded))$/

/** Whether what has the type (an `essence`) is JSON. Source: RFC 6839, 3.1. */
export const isJsonType = (type: string): boolean => jsonType.test(type)

/** Whether it is text, JSON too. */
export const isTextType = (type: string): boolean => textType.test(type) || jsonType.test(type)

/** The bytes of a text of this type as UTF-8; as they are where the type names no other encoding, or none that is known. JSON is UTF-8
 *  whatever its type says (RFC 8259, 8.1). `isWhole`: they do not end within a character. */
export function asUtf8(bytes: Buffer, contentType: string, isWhole: boolean): Buffer {
  const charset = charsetOf(contentType)
  const type = essence(contentType)
  if (charset === null || isUtf8(contentType) || !isTextType(type) || isJsonType(type)) return bytes
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes, { stream: !isWhole }))
  } catch {
    return bytes // a name of its own
  }
}

/** A text as it is sent in this type: in the encoding that the type names where that is ASCII or Latin-1 and has all of its characters,
 *  else as UTF-8, which the type then says. */
export function encodedText(text: string, contentType: string): EncodedText {
  const charset = isUtf8(contentType) ? null : charsetOf(contentType)
  if (charset === null) return { contentType, body: text }
  if (lacking.get(charset)?.test(text) === false) return { contentType, body: Buffer.from(text, 'latin1') }
  return { contentType: `${essence(contentType)}; charset=utf-8`, body: text }
}

interface EncodedText {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** What the encoding has no byte for. */
const lacking: ReadonlyMap<string, RegExp> = new Map([
  ['iso-8859-1', /[\u{100}-\u{10ffff}]/u],
  ['latin1', /[\u{100}-\u{10ffff}]/u],
  ['us-ascii', /[\u{80}-\u{10ffff}]/u],
  ['ascii', /[\u{80}-\u{10ffff}]/u],
])
