/** What is checked of a JWT that another party has signed for this server: a client of itself (`client-assertion.ts`), or an
 *  identity provider of its user. Each check throws what its caller makes of the fault. Source: RFC 7523, 3; RFC 7519, 7.2;
 *  RFC 8725. */
import type { Clock } from '../../contract/store.ts'
import { type Members, readForeignJwt, UnreadableJwt } from '../tokens/foreign-jwt.ts'
import { isSignedBy } from '../tokens/jwt.ts'
import { KeysUnavailable } from './fetched-keys.ts'
import { type AssertionAlgorithm, assertionAlgorithms, type ClientKeys } from './verifying-keys.ts'

/** What is wrong, in the log. */
export type JwtFault =
  | 'malformed'
  | 'duplicate'
  | 'typ'
  | 'alg'
  | 'crit'
  | 'jwks_unavailable'
  | 'unknown_key'
  | 'signature'
  | 'exp'
  | 'iat'
  | 'nbf'
  | 'lifetime'
  | 'jti_missing'
  | 'jti'

/** A signed token of another party is refused; the log has the fault. */
export class JwtRefused<Fault extends string> extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault)
    this.fault = fault
  }
}

/** Throws. */
export type Refuse = (fault: JwtFault) => never

export interface ReadJwt {
  readonly header: Members
  readonly claims: Members
}

const maxSeconds = 5 * 60
/** By so much another's clock may be wrong. */
const skewSeconds = 60

/** Header and claims, of which nothing is known yet. */
export function readJwt(jwt: string, refuse: Refuse): ReadJwt {
  try {
    return readForeignJwt(jwt)
  } catch (error) {
    if (error instanceof UnreadableJwt) return refuse(error.fault)
    throw error
  }
}

/** `types`: those that `typ` may be. Keys that a header brings along or points to (`jwk`, `jku`, `x5u`) are not looked at. */
export function algorithmIn(
  header: Members,
  types: ReadonlySet<unknown>,
  refuse: Refuse,
): AssertionAlgorithm {
  const algorithm = assertionAlgorithms.find((name) => name === header.get('alg'))
  if (algorithm === undefined) return refuse('alg')
  if (!types.has(header.get('typ'))) refuse('typ')
  if (header.has('crit')) refuse('crit')
  return algorithm
}

interface Signed {
  readonly keys: ClientKeys
  readonly algorithm: AssertionAlgorithm
  readonly kid: unknown
}

/** By one of the keys that fit its header. */
export async function checkSignature(
  jwt: string,
  { keys, algorithm, kid = null }: Signed,
  refuse: Refuse,
): Promise<void> {
  if (kid !== null && typeof kid !== 'string') return refuse('unknown_key')
  const fitting = await keys.find(algorithm, kid).catch((error: unknown) => {
    if (error instanceof KeysUnavailable) return refuse('jwks_unavailable')
    throw error
  })
  if (fitting.length === 0) refuse('unknown_key')
  for (const { key } of fitting) if (await isSignedBy(jwt, algorithm, key)) return
  refuse('signature')
}

/** In seconds. */
export function timeIn(claims: Members, name: 'exp' | 'iat' | 'nbf', refuse: Refuse): number {
  const value = claims.get(name)
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(name)
}

/** `exp` and `iat` in seconds. */
export function timesIn(
  claims: Members,
  clock: Clock,
  refuse: Refuse,
): { readonly exp: number; readonly iat: number } {
  const now = clock() / 1000
  const [exp, iat] = [timeIn(claims, 'exp', refuse), timeIn(claims, 'iat', refuse)]
  if (exp <= now - skewSeconds) refuse('exp')
  if (iat > now + skewSeconds) refuse('iat')
  if (claims.has('nbf') && timeIn(claims, 'nbf', refuse) > now + skewSeconds) refuse('nbf')
  if (exp <= iat || exp - iat > maxSeconds || exp > now + maxSeconds + skewSeconds) refuse('lifetime')
  return { exp, iat }
}

/** Until when its id is kept, in milliseconds: it is refused as expired then, by clocks of instances that differ. */
export const keptUntil = (exp: number): number => (Math.ceil(exp + skewSeconds) + 60) * 1000

export function jtiIn(claims: Members, refuse: Refuse): string {
  const jti = claims.get('jti')
  if (jti === undefined) return refuse('jti_missing')
  return typeof jti === 'string' && jti.length > 0 && jti.length <= 255 ? jti : refuse('jti')
}

/** The one audience: an assertion for several servers could be used at each by the others. Null for none, or more. */
export function audienceIn(claims: Members): unknown {
  const aud = claims.get('aud')
  const [only = null, ...more]: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return more.length === 0 ? only : null
}
