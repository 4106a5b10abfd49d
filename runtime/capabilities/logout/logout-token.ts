/** Whom an identity provider has signed out: its logout token, checked by the list below in this order. The log has the reason, the provider
 *  one answer. Source: OpenID Connect Back-Channel Logout, 2.4 and 2.6; RFC 8725; decisions/oauth.md, Back-channel logout. */
import type { Clock } from '../../contract/store.ts'
import {
  audienceIn,
  checkSignature,
  type JwtFault,
  JwtRefused,
  readJwt,
  timeIn,
} from '../../oauth/assertions/signed-jwt.ts'
import { type AssertionAlgorithm, assertionAlgorithms } from '../../oauth/assertions/verifying-keys.ts'
import { toVisibleText } from '../../oauth/clients/visible-text.ts'
import type { ProviderSigning } from '../../oauth/providers/provider-signing.ts'
import type { Members } from '../../oauth/tokens/foreign-jwt.ts'

/** What is wrong, in the log. */
export type LogoutFault =
  | JwtFault
  | 'request'
  | 'aud'
  | 'events'
  | 'nonce'
  | 'sub'
  | 'sid'
  | 'nobody'
  | 'keys_unavailable'
  | 'iss'
  | 'jti_replayed'

export class LogoutRefused extends JwtRefused<LogoutFault> {}

/** Of `sub` and `sid` at least one. */
export interface LogoutToken {
  readonly sub: string | null
  readonly sid: string | null
  readonly jti: string
  /** From when on the token is refused whatever it says, in milliseconds. */
  readonly endsAt: number
}

const maxAgeSeconds = 5 * 60
/** By so much the provider's clock may be wrong. */
const skewSeconds = 60
const maxText = 255
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** A type is recommended, no more: what is not a logout token has a nonce, or no event. */
const types: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'])

/** All but whether it has been used before. What costs the provider a question comes last. Throws `LogoutRefused`. */
export async function checkLogoutToken(
  jwt: string,
  { signing, clock }: { readonly signing: ProviderSigning; readonly clock: Clock },
): Promise<LogoutToken> {
  const { header, claims } = readJwt(jwt, refuse)
  const algorithm = algorithmIn(header)
  if (audienceIn(claims) !== signing.clientId) refuse('aud')
  const iat = checkTimes(claims, clock() / 1000)
  if (!isObject(claims.get('events')) || !isObject(Object(claims.get('events'))[logoutEvent]))
    refuse('events')
  if (claims.has('nonce')) refuse('nonce')
  const [sub, sid] = [textIn(claims, 'sub'), textIn(claims, 'sid')]
  if (sub !== null && sub !== toVisibleText(sub, maxText)) refuse('sub') // no user can sign in by it
  if (sub === null && sid === null) refuse('nobody')
  const jti = textIn(claims, 'jti') ?? refuse('jti')
  await checkSignature(jwt, { keys: signing.keys, algorithm, kid: header.get('kid') }, refuse)
  if (claims.get('iss') !== (await signing.issuer())) refuse('iss')
  return { sub, sid, jti, endsAt: Math.ceil(iat + maxAgeSeconds + skewSeconds) * 1000 }
}

function refuse(fault: LogoutFault): never {
  throw new LogoutRefused(fault === 'jwks_unavailable' ? 'keys_unavailable' : fault)
}

function algorithmIn(header: Members): AssertionAlgorithm {
  const typ = header.get('typ')
  if (!types.has(typeof typ === 'string' ? typ.toLowerCase() : typ)) refuse('typ')
  if (header.has('crit')) refuse('crit')
  return assertionAlgorithms.find((name) => name === header.get('alg')) ?? refuse('alg')
}

/** In seconds; returns `iat`. */
function checkTimes(claims: Members, now: number): number {
  const [iat, exp] = [timeIn(claims, 'iat', refuse), timeIn(claims, 'exp', refuse)]
  if (iat > now + skewSeconds || iat <= now - maxAgeSeconds - skewSeconds) refuse('iat')
  if (exp <= now - skewSeconds || exp <= iat) refuse('exp')
  if (claims.has('nbf') && timeIn(claims, 'nbf', refuse) > now + skewSeconds) refuse('nbf')
  return iat
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textIn(claims: Members, name: 'sub' | 'sid' | 'jti'): string | null {
  if (!claims.has(name)) return null
  const value = claims.get(name)
  return typeof value === 'string' && value !== '' && value.length <= maxText ? value : refuse(name)
}
