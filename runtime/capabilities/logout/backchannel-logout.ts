/** `POST /oauth/backchannel-logout/:provider`: an identity provider says whom it has signed out. There only where one is configured to.
 *  Source: OpenID Connect Back-Channel Logout, 2.5 to 2.8; decisions/oauth.md, Back-channel logout. */
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { audit } from '../../oauth/audit.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import type { AuthorizationServerOptions } from '../../oauth/options.ts'
import { readParameters } from '../../oauth/parameters.ts'
import type { ProviderSigning } from '../../oauth/providers/provider-signing.ts'
import { empty, withOAuthErrors } from '../../oauth/responses.ts'
import { sidHash } from '../../oauth/session.ts'
import type { TokenRoom } from '../../oauth/token-part.ts'
import { revokeInBatches } from '../../store/verbs/revoke-grants.ts'
import { checkLogoutToken, LogoutRefused, type LogoutToken } from './logout-token.ts'

/** After a token ends its `jti` is kept as long again as the clocks of instances may differ. */
const keptMs = 60_000

/** Why access ended, in the store and in the audit. */
const by = 'provider'

interface LogoutSource {
  readonly name: string
  readonly signing: ProviderSigning
  readonly revokesGrants: boolean
}

export function backchannelLogoutEndpoints({ options, providers }: TokenRoom): readonly Endpoint[] {
  const sources = new Map<string, LogoutSource>()
  for (const [name, { backchannelLogout }] of Object.entries(options.providers)) {
    const signing = providers.get(name)?.signing ?? null
    if (backchannelLogout === undefined || signing === null) continue
    sources.set(name, { name, signing, revokesGrants: backchannelLogout.revokeGrants === true })
  }
  if (sources.size === 0) return []
  const respond = async (request: HttpRequest): Promise<HttpResponse> => {
    const source = sources.get(request.params.provider ?? '')
    if (source === undefined) throw new OAuthError('invalid_request', 'unknown provider', 404)
    return logOut(request, source, options)
  }
  const handle = withOAuthErrors(respond, options)
  return [{ methods: ['POST'], path: '/oauth/backchannel-logout/:provider', handle }]
}

/** The token is used up when all has ended: a provider whom a store that is away has answered may send it again. */
async function logOut(
  request: HttpRequest,
  source: LogoutSource,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const { store, clock, log } = options
  const { name, signing } = source
  try {
    const token = await checkLogoutToken(await tokenIn(request), { signing, clock })
    const id = [name, token.jti]
    if (await store.wasUsed('logout-token', id)) throw new LogoutRefused('jti_replayed')
    await endAccess(token, source, options)
    if (!(await store.useOnce('logout-token', id, token.endsAt + keptMs)))
      throw new LogoutRefused('jti_replayed')
    return empty(200)
  } catch (error) {
    if (!(error instanceof LogoutRefused)) throw error
    log.warn({ requestId: request.id, provider: name, reason: error.fault }, 'logout token refused')
    throw new OAuthError('invalid_request', 'the logout token is not valid')
  }
}

/** In the form alone: an address is in logs. */
async function tokenIn(request: HttpRequest): Promise<string> {
  if (request.query.size > 0) throw new LogoutRefused('request')
  const parameters = await readParameters(request).catch((error: unknown) => {
    const isMalformed = error instanceof OAuthError || error instanceof PayloadTooLarge
    throw isMalformed ? new LogoutRefused('request') : error
  })
  const token = parameters.get('logout_token')
  if (token === undefined) throw new LogoutRefused('request')
  return token
}

/** Sessions first: what they allow from then on comes too late. But where they alone say whose connections end these come before, and after:
 *  ended, they could not say it again when the provider comes again. */
async function endAccess(
  { sub, sid }: LogoutToken,
  { name, revokesGrants }: LogoutSource,
  options: AuthorizationServerOptions,
): Promise<void> {
  const { store } = options
  const userId = sub === null ? null : `${name}:${sub}`
  if (revokesGrants && userId === null && sid !== null)
    for (const user of await store.findSessionUsers(sidHash(name, sid))) await endGrants(user, options)
  const ended = await store.endSessions(userId, sid === null ? null : sidHash(name, sid))
  for (const [user, sessions] of ended) {
    options.onRevoked(user)
    audit(options, 'sign-out', { ids: { user }, facts: { by, provider: name, sessions } })
  }
  if (!revokesGrants) return
  for (const user of new Set([...ended.keys(), ...(userId === null ? [] : [userId])]))
    await endGrants(user, options)
}

async function endGrants(userId: string, options: AuthorizationServerOptions): Promise<void> {
  for await (const { live } of revokeInBatches(options.store, { userId }, by)) {
    options.onRevoked(userId)
    for (const { grantId, client } of live)
      audit(options, 'revocation', {
        ids: { user: userId, client: client.id, grant: grantId },
        facts: { by },
      })
    await options.auditTrail.flush()
  }
}
