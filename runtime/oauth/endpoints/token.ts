/** `POST /oauth/token`. Source: specification, Token: rule numbers below are its numbers. */
import type { Endpoint, HttpRequest, Outcome } from '../../contract/http.ts'
import { AuthServerError } from '../../errors.ts'
import { equalInConstantTime, sha256Base64Url } from '../../secret.ts'
import type { Spending } from '../../store/store.ts'
import { audit } from '../audit.ts'
import {
  type AuthorizationServerOptions,
  accessLifetimeSeconds,
  isOwnResource,
  quietWindowMs,
} from '../options.ts'
import { type Parameters, parameter, readParameters, requiredParameter } from '../parameters.ts'
import { json, withCors, withOAuthErrors } from '../responses.ts'
import {
  type CodeClaims,
  type Holder,
  readCodeClaims,
  readTokenClaims,
  signPair,
  type TokenClaims,
} from '../tokens/claims.ts'
import type { Signer } from '../tokens/jwt.ts'

/** One token request. */
interface Asked {
  readonly options: AuthorizationServerOptions
  readonly signer: Signer
  readonly parameters: Parameters
  readonly clientId: string
}

type Pair = Awaited<ReturnType<typeof signPair>>
type Grant = (asked: Asked) => Promise<Outcome>

const grants: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', redeemCode], // 2
  ['refresh_token', refresh], // 3
])

/** The token endpoint. Every answer carries `no-store`; every defect of a code or token is 400 `invalid_grant`. */
export function tokenEndpoint(options: AuthorizationServerOptions, signer: Signer): Endpoint {
  const handle = withCors(withOAuthErrors((request) => token(request, options, signer), options.log))
  return { methods: ['POST', 'OPTIONS'], path: '/oauth/token', handle }
}

async function token(
  request: HttpRequest,
  options: AuthorizationServerOptions,
  signer: Signer,
): Promise<Outcome> {
  const parameters = await readParameters(request)
  const grantType = requiredParameter(parameters, 'grant_type')
  const clientId = requiredParameter(parameters, 'client_id')
  resourceIsOurs(parameter(parameters, 'resource'), options.baseUrl) // 1
  const grant = grants.get(grantType)
  if (grant === undefined) throw new AuthServerError('unsupported_grant_type') // 4
  return grant({ options, signer, parameters, clientId })
}

function resourceIsOurs(resource: string, baseUrl: string): void {
  if (resource !== '' && !isOwnResource(resource, baseUrl)) throw new AuthServerError('invalid_target')
}

async function redeemCode(asked: Asked): Promise<Outcome> {
  const claims = await validCode(asked)
  const holder = { sub: claims.userId, cid: claims.clientId, scope: claims.scope }
  const pair = await signPair(holder, asked.signer, asked.options)
  const spending = await asked.options.store.redeemCode(claims.jti, pair)
  const spent = { event: 'issue', jti: claims.jti, holder, pair, spending } as const
  // Client, redirect URI and verifier were right: whoever replays the code knows its secrets.
  await record(asked, { ...spent, isTheft: true })
  return answer(spending, pair, holder)
}

/** Everything that can be wrong is checked before the code is spent, so that a failed attempt never burns it. How long
 *  the verifier is (RFC 7636, 4.1) is the client's affair. */
async function validCode({ parameters, signer, clientId, options }: Asked): Promise<CodeClaims> {
  const payload = await signer.verify(parameter(parameters, 'code'))
  const claims = payload === null ? null : readCodeClaims(payload)
  if (payload === null || claims === null || claims.clientId !== clientId) throw invalidGrant()
  if (claims.redirectUri !== parameter(parameters, 'redirect_uri')) throw invalidGrant()
  const verifier = parameter(parameters, 'code_verifier')
  if (claims.method !== 'S256' || verifier === '') throw invalidGrant()
  if (!equalInConstantTime(sha256Base64Url(verifier), claims.challenge)) throw invalidGrant()
  await options.checkToken?.({ ...payload }) // 6
  return claims
}

async function refresh(asked: Asked): Promise<Outcome> {
  const claims = await validRefresh(asked)
  const holder = { sub: claims.sub, cid: claims.cid, scope: claims.scope }
  const pair = await signPair(holder, asked.signer, asked.options)
  const spending = await asked.options.store.rotateRefresh(claims.jti, pair)
  const spent = { event: 'refresh', jti: claims.jti, holder, pair, spending } as const
  const isLate = spending.kind === 'again' && asked.options.clock() - spending.firstSpentAt > quietWindowMs
  await record(asked, { ...spent, isTheft: isLate })
  return answer(spending, pair, holder)
}

async function validRefresh({ parameters, signer, clientId, options }: Asked): Promise<TokenClaims> {
  const payload = await signer.verify(parameter(parameters, 'refresh_token'))
  if (payload === null || payload.aud !== options.baseUrl) throw invalidGrant()
  const claims = readTokenClaims(payload)
  if (claims === null || claims.typ !== 'refresh' || claims.cid !== clientId) throw invalidGrant()
  await options.checkToken?.({ ...payload }) // 6
  return claims
}

interface Spent {
  readonly event: 'issue' | 'refresh'
  /** Of the code or refresh token. */
  readonly jti: string
  readonly holder: Holder
  readonly pair: Pair
  readonly spending: Spending
  /** Whether a second use ends the family. */
  readonly isTheft: boolean
}

/** Writes what spending came to into the audit log, after it has ended the family of a replayed code or token. */
async function record({ options }: Asked, spent: Spent): Promise<void> {
  const { spending, holder, jti, isTheft } = spent
  const ids = { client: holder.cid, user: holder.sub, from: jti }
  if (spending.kind === 'first') {
    audit(options.auditLog, spent.event, { ids: { ...ids, to: spent.pair.refresh.jti } })
  }
  if (spending.kind !== 'again') return
  const reason = spent.event === 'issue' ? 'code replayed' : 'refresh token reused'
  if (isTheft) {
    await options.store.revokeGrant(spending.grantId, reason)
    options.onRevoked(holder.sub)
  }
  const withGrant = { ...ids, grant: spending.grantId }
  audit(options.auditLog, 'reuse', { ids: withGrant, facts: { reason, familyRevoked: isTheft } })
}

function answer(spending: Spending, pair: Pair, holder: Holder): Outcome {
  if (spending.kind === 'again') throw new AuthServerError('invalid_grant', 'already used') // 5
  if (spending.kind === 'unknown') throw invalidGrant()
  return json(200, {
    access_token: pair.access.jwt,
    token_type: 'Bearer',
    expires_in: accessLifetimeSeconds,
    refresh_token: pair.refresh.jwt,
    scope: holder.scope,
  }) // 7
}

/** The same words for every kind of wrong. */
function invalidGrant(): AuthServerError {
  return new AuthServerError('invalid_grant', 'the code or refresh token is not valid')
}
