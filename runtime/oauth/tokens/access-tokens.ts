/** Whose an access token is. Every request with a bearer asks, so nothing is done twice here but what may have changed. */
import type { JWTPayload } from 'jose'
import type { AuthInfo, Clock } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import type { Scopes } from '../../scopes.ts'
import { sha256Hex } from '../../secret.ts'
import type { Store } from '../../store/store.ts'
import type { Coverage } from '../consent/coverage.ts'
import type { ClientTokens } from '../token-part.ts'
import type { Signer } from './jwt.ts'
import { isClientSubject } from './subjects.ts'

/** Null for what is no access token of ours, has expired or was revoked. Source: rules.md, Protected API. */
export type FindAuthInfo = (token: string) => Promise<AuthInfo | null>

interface AccessTokenOptions {
  readonly baseUrl: string
  readonly store: Pick<Store, 'findUserOfToken'>
  /** Null = no client has tokens for itself. */
  readonly clientTokens: Pick<ClientTokens, 'find'> | null
  readonly scopes: Scopes
  /** Null where no scopes are declared. */
  readonly coverage: Pick<Coverage, 'limitsOf'> | null
  readonly clock: Clock
}

const capacity = 10_000

/** A token needs no `jti`: one that another holder of the shared key signed passes, it just cannot be revoked by it. */
export function createFindAuthInfo(options: AccessTokenOptions, verify: Signer['verify']): FindAuthInfo {
  const { baseUrl, store, scopes, coverage, clock } = options
  const claimsOf = rememberVerified(verify, clock)
  return async (token) => {
    const claims = await claimsOf(token)
    if (claims === null || claims.typ !== 'access' || claims.aud !== baseUrl) return null
    const { sub, jti, cid, scope, iat = 0 } = claims
    if (typeof sub !== 'string') return null
    if (isClientSubject(sub)) return options.clientTokens?.find(claims, sub) ?? null
    const found = await store.findUserOfToken(sub, textOf(jti), iat * 1000)
    if (found === null) return null
    const { user, grantId, allowed } = found
    if (found.readOnly && coverage === null) return null // no route asks any more whether it may run
    const expiresAt = (claims.exp ?? 0) * 1000
    const granted = scopes.granted(textOf(scope)?.split(' ') ?? [], allowed)
    const limited = coverage === null || grantId === null ? null : coverage.limitsOf(found)
    const limits = limited instanceof Promise ? await limited : limited
    return { user, subject: user.id, grantId, clientId: textOf(cid), scopes: granted, expiresAt, limits }
  }
}

/** A signature that was found good is not verified again: while we run neither keys nor issuer change, so that only the time
 *  is looked at. Tokens are kept by SHA-256, refused ones not at all. Says nothing about revocation. */
function rememberVerified(verify: Signer['verify'], clock: Clock): Signer['verify'] {
  const verified = new LruMap<string, JWTPayload>(capacity)
  return async (token) => {
    const key = sha256Hex(token)
    const known = verified.get(key)
    const claims = known ?? (await verify(token))
    if (claims === null || !isCurrent(claims, Math.floor(clock() / 1000))) return null
    if (known === undefined) verified.set(key, claims)
    return claims
  }
}

const isCurrent = ({ exp = 0, nbf = 0 }: JWTPayload, nowSeconds: number): boolean =>
  nbf <= nowSeconds && nowSeconds < exp

const textOf = (claim: unknown): string | null => (typeof claim === 'string' ? claim : null)
