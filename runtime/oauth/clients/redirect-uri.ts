/** Where an authorization response may be sent. Source: rules.md, Register; rules.md, OAuth; RFC 8252, 7. */
import { isUrlText } from '../../text-formats.ts'
import { liftedBy, type Profile } from '../profile.ts'

const loopback = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d+)?(?=[/?]|$)/i

/** A fragment, white space, control and formatting characters (what would hide or reorder the address on the consent
 *  page), and the backslash, which no URI has and browsers read as a slash. */
const refused = /[#\\\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a client may be sent to `uri`: https anywhere, http on the three loopback names only, never a fragment.
 *  Loopback is decided on the raw string: a URL parser would turn `http://127.1` into it. Source: rules.md, Register. */
export function isSafeRedirectUri(uri: string): boolean {
  if (refused.test(uri) || !isUrlText(uri)) return false
  return /^https:\/\//i.test(uri) || isLoopbackRedirectUri(uri)
}

/** Whether `uri` is for an app of the device: a private-use scheme that has a dot or is one of `schemes`, something behind it, never a scheme
 *  that a browser itself acts on. Source: RFC 8252, 7.1. */
export function isNativeRedirectUri(uri: string, schemes: NativeSchemes): boolean {
  if (schemes === null || refused.test(uri) || !isUrlText(uri)) return false
  const scheme = schemeOf(uri)
  return (
    (scheme.includes('.') || schemes.has(scheme)) &&
    !isForbiddenScheme(scheme) &&
    uri.length > scheme.length + 1
  )
}

/** Why `uri`, which is neither safe nor native, is refused, as the end of a sentence. */
export function redirectUriDefect(uri: string): string {
  if (refused.test(uri)) return 'has a fragment, white space, a backslash or an invisible character'
  if (!isUrlText(uri)) return 'is not a URL'
  const scheme = schemeOf(uri)
  if (!isForbiddenScheme(scheme) && uri.length === scheme.length + 1) return 'has nothing behind its scheme'
  return 'is neither https, http on loopback, nor of a scheme that is allowed here'
}

/** The scheme in small letters, without its colon. Source: RFC 3986, 3.1. */
export const schemeOf = (uri: string): string => (/^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1] ?? '').toLowerCase()

/** Private-use schemes that redirect URIs may have, beside those with a dot; null = no private-use scheme is taken. */
export type NativeSchemes = ReadonlySet<string> | null

/** Those of known hosts: Cursor, VS Code and Claude. */
export const knownNativeSchemes = ['cursor', 'vscode', 'vscode-insiders', 'claude'] as const

const forbiddenSchemes: ReadonlySet<string> = new Set(
  'http https javascript data file blob vbscript about ws wss ftp mailto'.split(' '),
)

/** The setting with which this server would take `uris`, which are not taken now; null = none would. */
export function settingForSchemes(
  uris: readonly string[],
  { takesNativeRedirects }: Pick<Profile, 'takesNativeRedirects'>,
): string | null {
  if (!uris.every((uri) => isNativeRedirectUri(uri, new Set([schemeOf(uri)])))) return null
  const schemes = [...new Set(uris.map(schemeOf))]
  const added = schemes.filter((scheme) => !scheme.includes('.') && !knownSchemes.has(scheme))
  if (added.length === 0) return takesNativeRedirects ? null : liftedBy
  const named = added
    .map((scheme) => `'${scheme}'`)
    .join(', ')
    .slice(0, 200)
  const list = `oauth.nativeSchemes: [${named}]`
  return takesNativeRedirects
    ? `${list} in app/config.ts takes this`
    : `oauth.profile: 'compatible' and ${list} in app/config.ts take this`
}

const knownSchemes: ReadonlySet<string> = new Set(knownNativeSchemes)

export const isForbiddenScheme = (scheme: string): boolean => forbiddenSchemes.has(scheme)

/** Whether `uri` is http on `localhost`, `127.0.0.1` or `[::1]`, by its text. Source: RFC 8252, 7.3 and 8.3. */
export function isLoopbackRedirectUri(uri: string): boolean {
  return loopback.test(uri)
}

/** Whether `uri` is one of `registered`: the same text, or on loopback the same but for the port (RFC 8252, 7.3). */
export function isRegisteredRedirectUri(
  uri: string,
  registered: readonly string[],
  schemes: NativeSchemes,
): boolean {
  if (isNativeRedirectUri(uri, schemes)) return registered.includes(uri)
  if (!isSafeRedirectUri(uri)) return false
  return registered.includes(uri) || (isLoopbackRedirectUri(uri) && registered.some(sameButForPort(uri)))
}

/** `uri` with `parameters` added to the query it already has; empty values are left out. The answer is ASCII, fit for a
 *  `Location` header. Source: rules.md, Authorize. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const added = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString()
  const ascii = /^[\x21-\x7e]*$/.test(uri) ? uri : new URL(uri).href
  if (added === '') return ascii
  if (!ascii.includes('?')) return `${ascii}?${added}`
  return /[?&]$/.test(ascii) ? ascii + added : `${ascii}&${added}`
}

function sameButForPort(uri: string): (registered: string) => boolean {
  const wanted = withoutPort(uri)
  return (registered) => isLoopbackRedirectUri(registered) && withoutPort(registered) === wanted
}

function withoutPort(uri: string): string {
  return uri.replace(loopback, '$1')
}
