/** Tokens whose signature was found good before: to verify it again is the dearest part of a request that does little. */
import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Clock } from '../../contract/store.ts'
import type { Signer } from './jwt.ts'

const capacity = 10_000

/** Answers as `verify`, which is asked once about each good token: while we run neither keys nor issuer change, so that later
 *  only the time is looked at. Nothing is kept of what was refused, nor of tokens that are not good from the beginning (`nbf`);
 *  at most 10,000 are, by SHA-256, without the one that came least recently. Says nothing about revocation. */
export function rememberVerified(verify: Signer['verify'], clock: Clock): Signer['verify'] {
  const verified = new Map<string, JWTPayload>()
  const keep = (key: string, claims: JWTPayload): void => {
    verified.set(key, claims)
    if (verified.size > capacity) for (const oldest of verified.keys()) return void verified.delete(oldest)
  }
  return async (token) => {
    const key = hash('sha256', token, 'hex')
    const claims = verified.get(key) ?? (await verify(token))
    verified.delete(key)
    if (claims === null || isExpired(claims, clock)) return null
    if (claims.nbf === undefined) keep(key, claims)
    return claims
  }
}

/** As for any token: when now ≥ `exp` (seconds). */
const isExpired = ({ exp = 0 }: JWTPayload, clock: Clock): boolean => Math.floor(clock() / 1000) >= exp
