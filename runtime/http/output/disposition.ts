/** `Content-Disposition` with file names in any script. Source: RFC 6266, section 4; RFC 8187, section 3.2. */

/** `attachment` with `name`, whose folders are dropped; names beyond ASCII in both forms. */
export function attachment(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const file = Buffer.from(last.replace(/\p{Cc}/gu, '')).toString() // no lone surrogates
  if (file === '') return 'attachment'
  const plain = file.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
  const isPlain = /^[\x20-\x7e]*$/.test(file) && !/%[0-9a-f]{2}/i.test(file) // browsers decode a % of the plain form
  return isPlain ? `attachment; filename="${plain}"` : `attachment; filename="${plain}"; ${extended(file)}`
}

/** Everything but `attr-char` is percent-encoded. */
function extended(file: string): string {
  const encoded = encodeURIComponent(file).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename*=UTF-8''${encoded}`
}
