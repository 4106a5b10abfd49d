/** `POST /oauth/token`. Source: rules.md, Token: rule numbers below are its numbers. */
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import { equalInConstantTime, sha256Base64Url } from '../../secret.ts'
import type { Redemption } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { isServedClient } from '../clients/clients.ts'
import { invalidGrant, OAuthError, refused } from '../oauth-error.ts'
import { accessLifetimeSeconds, quietWindowMs, type SendingClient, type SigningOptions } from '../options.ts'
import { type Parameters, parameter, readWithSecrets, requiredParameter } from '../parameters.ts'
import { liftedBy } from '../profile.ts'
import { foreignResource } from '../resource.ts'
import { crossOriginEndpoint, empty, json } from '../responses.ts'
import type { TokenGrants } from '../token-part.ts'
import {
  type CodeClaims,
  readCodeClaims,
  readTokenClaims,
  type SignedPair,
  signPair,
  type TokenClaims,
} from '../tokens/claims.ts'
import { type ExchangedScope, scopeOfCode, scopeOfRefresh } from '../tokens/exchanged-scope.ts'
import { auditedUser } from '../tokens/subjects.ts'

/** What a client asks for that the core has authenticated. */
interface Exchanging {
  readonly options: SigningOptions
  readonly parameters: Parameters
  readonly client: SendingClient
}

const exchanges: ReadonlyMap<string, (request: Exchanging) => Promise<HttpResponse>> = new Map([
  ['authorization_code', redeemCode], // 2
  ['refresh_token', refresh], // 3
])

/** The token endpoint; `grants` are those of parts. Every response carries `no-store`; every defect of a code or token is 400 `invalid_grant`. */
export function tokenEndpoint(options: SigningOptions, grants: TokenGrants): Endpoint {
  const handle = (request: HttpRequest): Promise<HttpResponse> => token(request, options, grants)
  return crossOriginEndpoint('POST', '/oauth/token', handle, options)
}

async function token(
  request: HttpRequest,
  options: SigningOptions,
  grants: TokenGrants,
): Promise<HttpResponse> {
  const parameters = await readWithSecrets(request, options.profile)
  const grantType = requiredParameter(parameters, 'grant_type')
  const grant = grants.get(grantType)
  if (grant !== undefined) {
    resourceIsOurs(parameters, options) // 1
    return grant({ request, parameters, options })
  }
  const client = options.authenticateClient(request, parameters)
  resourceIsOurs(parameters, options) // 1
  const exchange = exchanges.get(grantType)
  if (exchange === undefined) throw unknownGrantType(grantType) // 4
  if (options.profile.refusesUnknownClients && !(await isServedClient(client.id, options)))
    throw notRegistered()
  return exchange({ options, parameters, client })
}

const unknownGrantType = (grantType: string): OAuthError =>
  refused('unsupported_grant_type', { reason: `this server has no grant type '${grantType.slice(0, 200)}'` })

function resourceIsOurs(parameters: Parameters, options: SigningOptions): void {
  if (!options.areOwnResources(parameters)) throw foreignResource(parameters, options)
}

async function redeemCode(request: Exchanging): Promise<HttpResponse> {
  const claims = await validCode(request)
  await clientIsThere(claims, request)
  const { scope, resolved } = await scopeOfCode(claims, request.options)
  const pair = await signPair(claims, request.options, scope)
  const redemption = await request.options.store.redeemCode(claims.jti, pair)
  // Client, redirect URI and verifier were right: the client that replays the code knows its secrets.
  await record(request, { event: 'issue', claims, pair, redemption, resolved, isTheft: true })
  return tokenResponse(redemption, pair, scope)
}

/** Everything that can be wrong is checked before the code is redeemed, so that a failed attempt never burns it. How long
 *  the verifier is (RFC 7636, 4.1) is the client's affair. */
async function validCode({ parameters, client, options }: Exchanging): Promise<CodeClaims> {
  const payload = await options.signer.verify(parameter(parameters, 'code'))
  const claims = payload === null ? null : readCodeClaims(payload)
  if (payload === null || claims === null || claims.clientId !== client.id) throw invalidGrant()
  const verifier = parameter(parameters, 'code_verifier')
  if (claims.method !== 'S256' || verifier === '') throw invalidGrant()
  if (!equalInConstantTime(sha256Base64Url(verifier), claims.challenge)) throw invalidGrant()
  const redirectUri = parameter(parameters, 'redirect_uri')
  if (!sentBackTo(claims, redirectUri, options))
    throw redirectUri === '' ? withoutRedirectUri() : invalidGrant()
  await client.proveKey()
  await options.checkToken?.({ ...payload }) // 6
  return claims
}

/** An absent one is empty (rules.md, missing required OAuth parameter). */
function sentBackTo({ redirectUri }: CodeClaims, sent: string, { profile }: SigningOptions): boolean {
  return redirectUri === sent || (sent === '' && profile.redeemsWithoutRedirectUri)
}

/** The answer is that of every defect; the log line says what `compatible` takes. */
function withoutRedirectUri(): OAuthError {
  return refused(
    'invalid_grant',
    { reason: 'redirect_uri is missing', hint: liftedBy },
    invalidGrant().description,
  )
}

async function refresh(request: Exchanging): Promise<HttpResponse> {
  const { options } = request
  const claims = await validRefresh(request)
  await clientIsThere(claims, request)
  const requested = parameter(request.parameters, 'scope')
  const { scope, resolved } = await scopeOfRefresh(claims, requested, options)
  const pair = await signPair(claims, options, scope)
  const redemption = await options.store.rotateRefresh(claims.jti, pair, options.refreshGrace)
  const isLate = redemption.kind === 'replayed' && isTooLate(redemption.redeemedAt, options)
  await record(request, { event: 'refresh', claims, pair, redemption, resolved, isTheft: isLate })
  if (redemption.kind === 'replayed' && !isLate) throw usedAMomentAgo(options)
  return tokenResponse(redemption, pair, scope)
}

/** Whether a thief may have used it then: before, its client refreshed in parallel, or an answer was lost. */
function isTooLate(redeemedAt: number, { refreshGrace, clock }: SigningOptions): boolean {
  return clock() - redeemedAt > (refreshGrace?.ms ?? quietWindowMs)
}

const usedAMomentAgo = ({ profile }: SigningOptions): OAuthError =>
  refused(
    'invalid_grant',
    { reason: 'already used', hint: profile.hasRefreshGrace ? null : liftedBy },
    'already used',
  )

async function validRefresh({ parameters, client, options }: Exchanging): Promise<TokenClaims> {
  const payload = await options.signer.verify(parameter(parameters, 'refresh_token'))
  if (payload === null || payload.aud !== options.baseUrl) throw invalidGrant()
  const claims = readTokenClaims(payload)
  if (claims === null || claims.typ !== 'refresh' || claims.clientId !== client.id) throw invalidGrant()
  await client.proveKey()
  await options.checkToken?.({ ...payload }) // 6
  return claims
}

/** Clients keep an id until the server says this, then register anew. What was used before is told as ever: it may be stolen. Source:
 *  RFC 6749, 5.2; rules.md, every defect. */
async function clientIsThere(
  { clientId, userId, jti }: CodeClaims | TokenClaims,
  { options }: Exchanging,
): Promise<void> {
  if (options.profile.refusesUnknownClients || (await isServedClient(clientId, options))) return // asked before
  const holder = await options.store.findUserOfToken(userId, jti)
  if ((holder?.spentAt ?? null) === null) throw notRegistered()
}

const notRegistered = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'no client has this id here, or not any more: register again, or compare the id with the one that the owner of this server set up',
  )

interface Exchange {
  readonly event: 'issue' | 'refresh'
  /** Of the code or refresh token. */
  readonly claims: CodeClaims | TokenClaims
  readonly pair: SignedPair
  readonly redemption: Redemption
  readonly resolved: ExchangedScope['resolved']
  /** Whether a second use ends the family. */
  readonly isTheft: boolean
}

/** Writes what came of it into the audit log, after it has ended the family of a replayed code or token, and tells what the
 *  client may do from now on. */
async function record({ options }: Exchanging, exchange: Exchange): Promise<void> {
  const { event, claims, pair, redemption, resolved, isTheft } = exchange
  const { clientId, userId } = claims
  const ids = { client: clientId, user: userId, from: claims.jti }
  if (redemption.kind === 'redeemed' || redemption.kind === 'retried') {
    const issued = { ...ids, to: pair.refresh.jti }
    const facts = redemption.kind === 'retried' ? { retry: true } : {}
    audit(options, event, { ids: issued, facts, grants: [redemption.grantId] })
    if (resolved !== null) options.onGranted({ userId, clientId, scopes: resolved })
  }
  if (redemption.kind !== 'replayed') return
  const reason = event === 'issue' ? 'code replayed' : 'refresh token reused'
  if (isTheft) {
    await options.store.revokeGrant(redemption.grantId, reason)
    options.onRevoked(userId)
  }
  const withGrant = { ...ids, grant: redemption.grantId }
  audit(options, 'reuse', { ids: withGrant, facts: { reason, familyRevoked: isTheft } })
}

function tokenResponse(redemption: Redemption, pair: SignedPair, scope: string): HttpResponse {
  if (redemption.kind === 'replayed') throw new OAuthError('invalid_grant', 'already used') // 5
  if (redemption.kind === 'invalid') throw invalidGrant()
  return json(200, {
    access_token: pair.access.jwt,
    token_type: 'Bearer',
    expires_in: accessLifetimeSeconds,
    refresh_token: pair.refresh.jwt,
    scope,
  }) // 7
}

const revokedBy = 'revoked by the client'

/** `POST /oauth/revoke`. Source: RFC 7009; rules.md, revocation. Either token of a family ends the family, access tokens included. What is no token of ours or
 *  has expired is 200 all the same (2.2), a token of another client is refused (2.1), and `token_type_hint` is not
 *  needed: the token says itself what it is. */
export function revocationEndpoint(options: SigningOptions): Endpoint {
  const handle = (request: HttpRequest): Promise<HttpResponse> => revoke(request, options)
  return crossOriginEndpoint('POST', '/oauth/revoke', handle, options)
}

async function revoke(request: HttpRequest, options: SigningOptions): Promise<HttpResponse> {
  const parameters = await readWithSecrets(request)
  const client = options.authenticateClient(request, parameters)
  const payload = await options.signer.verify(requiredParameter(parameters, 'token'))
  const claims = payload === null || payload.aud !== options.baseUrl ? null : readTokenClaims(payload)
  if (claims === null) return empty(200)
  if (claims.clientId !== client.id)
    throw new OAuthError('unauthorized_client', 'the token was issued to another client')
  await client.proveKey()
  await end(claims, options)
  return empty(200)
}

async function end(claims: TokenClaims, options: SigningOptions): Promise<void> {
  const { store, onRevoked } = options
  const grant = await store.revokeToken(claims.jti, claims.expiresAt, revokedBy)
  onRevoked(claims.userId)
  const ids = { client: claims.clientId, ...auditedUser(claims.userId), from: claims.jti }
  audit(options, 'revocation', {
    ids: grant === null ? ids : { ...ids, grant },
    facts: { reason: revokedBy },
  })
}
