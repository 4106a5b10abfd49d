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
