/** The scope of the access token that a code or a refresh token is exchanged for. Found before anything is redeemed: what fails
 *  here spends nothing. Source: decisions/oauth.md, Scopes and consent; RFC 6749, 6. */

import { apiScope, havableScopes } from '../../scopes.ts'
import { askingFor, scopesNamed } from '../consent/offer.ts'
import { invalidGrant, OAuthError } from '../oauth-error.ts'
import type { AuthorizationServerOptions, SigningOptions } from '../options.ts'
import type { TokenSubject } from './claims.ts'

export interface ExchangedScope {
  readonly scope: string
  /** What that comes to today; null where no scopes are declared. */
  readonly resolved: readonly string[] | null
}

type Exchanged = TokenSubject & { readonly jti: string }

/** Consent has just asked everything. */
export async function scopeOfCode(claims: Exchanged, options: SigningOptions): Promise<ExchangedScope> {
  const { scopes, store } = options
  if (scopes.declared.length === 0) return { scope: claims.scope, resolved: null }
  const holder = await store.findUserOfToken(claims.userId, claims.jti)
  if (holder === null) return unheld
  return { scope: claims.scope, resolved: scopes.granted(claims.scope.split(' '), holder.allowed) }
}

/** `requested`: the request's own `scope`, or the empty text. What is no longer declared, and what the user can no longer have, is
 *  left out: `api` is then written as the names that remain. Throws `invalid_scope` for more than the grant, and
 *  `invalid_grant` when nothing remains, and when the user has not signed in for too long. */
export async function scopeOfRefresh(
  claims: Exchanged,
  requested: string,
  options: SigningOptions,
): Promise<ExchangedScope> {
  const { scopes, store, signInWithinMs } = options
  const areDeclared = scopes.declared.length > 0
  const named = claims.scope.split(' ')
  const chosen = requested.trim() === '' ? [] : scopesNamed(requested, options.profile)
  const wanted = chosen.length === 0 ? named : chosen
  if (!areDeclared && !wanted.every((name) => named.includes(name))) throw moreThanGranted()
  if (!areDeclared && signInWithinMs === null) return { scope: claims.scope, resolved: null }
  const holder = await store.findUserOfToken(claims.userId, claims.jti)
  if (holder === null) return areDeclared ? unheld : { scope: claims.scope, resolved: null }
  if (signInWithinMs !== null && isExchanged(holder.spentAt, options))
    await requireRecentSignIn(signInWithinMs, claims.userId, options) // else it is a reuse, and redeeming says so
  if (!areDeclared) return { scope: claims.scope, resolved: null }
  const { user, allowed } = holder
  const whole = scopes.granted(named, allowed)
  if (!wanted.every((name) => named.includes(name) || whole.includes(name))) throw moreThanGranted()
  const names = wanted.filter(scopes.isKnown)
  const granted = scopes.granted(names, allowed)
  const kept = await havableScopes(granted, askingFor(user, options))
  const isEmpty = granted.length === 0 && names.includes(apiScope) && (allowed ?? []).length === 0
  if (kept.length === 0 && !isEmpty)
    throw new OAuthError('invalid_grant', 'nothing remains of what was granted')
  return { scope: (kept.length === granted.length ? names : kept).join(' '), resolved: kept }
}

/** Whether a refresh token that was spent then, or not yet (null), is exchanged: for the first time, or again in its grace. How often it
 *  has been is for redeeming to say. */
export const isExchanged = (
  spentAt: number | null,
  { refreshGrace, clock }: Pick<AuthorizationServerOptions, 'refreshGrace' | 'clock'>,
): boolean => spentAt === null || (refreshGrace !== null && spentAt >= clock() - refreshGrace.ms)

const moreThanGranted = (): OAuthError => new OAuthError('invalid_scope', 'more than was granted')

/** Nothing is spent or revoked: after a sign-in the same token is exchanged. */
async function requireRecentSignIn(
  limitMs: number,
  userId: string,
  { store, clock, log }: Pick<SigningOptions, 'store' | 'clock' | 'log'>,
): Promise<void> {
  const signedInAt = (await store.findStanding(userId))?.signedInAt ?? null
  if (signedInAt !== null && clock() - signedInAt <= limitMs) return
  log.info({ reason: 'the user has not signed in within grants.signInWithin' }, 'refresh refused')
  throw invalidGrant()
}

/** Of a code or token that was revoked, or whose user is gone: redeeming it says so, and a token without scope grants nothing. */
const unheld: ExchangedScope = { scope: '', resolved: [] }
