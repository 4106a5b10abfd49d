/** JSON text whose every string is Unicode: half of a surrogate pair, which `JSON.stringify` writes as an escape, is U+FFFD. Parsers of
 *  Python and Rust refuse the whole message for it. Source: RFC 8259, 8.2; RFC 7493, 2.1; rules.md, half surrogates. */

/** An escape: a pair, half of one, or any other, so that `\\ud83d` in a text is none. */
const escapes =
  /\\(?:u[dD][89aAbB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/gs

const isHalf = (escaped: string): boolean => escaped.length === '\\ud83d'.length

/** Most texts hold none, and are only looked through. */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud') || json.includes('\\uD')
    ? json.replace(escapes, (escaped) => (isHalf(escaped) ? '\ufffd' : escaped))
    : json
