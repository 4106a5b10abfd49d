/** `grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer`: tokens of users for whom their enterprise has decided. Source: RFC 7523, 2.1;
 *  MCP ext-auth, Enterprise-Managed Authorization, 5; decisions/oauth.md, Enterprises. */
import type { HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { SignInRefused } from '../../errors.ts'
import {
  AssertionRefused,
  type Authenticated,
  authenticate,
  claimedClient,
  invalidClient,
  type SentAssertion,
  sentAssertion,
  useUp,
} from '../../oauth/assertions/client-assertion.ts'
import { audit } from '../../oauth/audit.ts'
import type { Client, KeyHolder } from '../../oauth/clients/client.ts'
import { findClient } from '../../oauth/clients/clients.ts'
import { ownPagesClientId } from '../../oauth/clients/own-pages.ts'
import { askingFor } from '../../oauth/consent/offer.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import type { SigningOptions } from '../../oauth/options.ts'
import { type Parameters, parameter } from '../../oauth/parameters.ts'
import { admit } from '../../oauth/providers/admission.ts'
import { signedInOf } from '../../oauth/providers/provider.ts'
import type { ProviderProfile } from '../../oauth/providers/sign-in-protocol.ts'
import { type Identified, keepSignIn } from '../../oauth/session.ts'
import type { TokenRequest } from '../../oauth/token-part.ts'
import { issueUnasked } from '../../oauth/tokens/unasked-token.ts'
import { apiScope, havableScopes } from '../../scopes.ts'
import { StoreUnavailable, UserBlocked } from '../../store/store.ts'
import { withAttributesOf } from '../../user-attributes.ts'
import type { Enterprise } from './enterprise.ts'
import {
  checkIdentityAssertion,
  type IdentityAssertion,
  type IdentityFault,
  IdentityRefused,
  refuseIdentity,
} from './identity-assertion.ts'

/** All that can be wrong with the assertion and its client is checked before either is used up; the application is asked afterwards, so
 *  that it is told nothing twice. */
export async function identityAssertionGrant(
  { request, parameters, options }: TokenRequest,
  enterprises: readonly Enterprise[],
): Promise<HttpResponse> {
  const sent = sentAssertion(parameters)
  let client: string | null = null
  try {
    const asserted = await checkIdentityAssertion(parameter(parameters, 'assertion'), claimedClient(sent), {
      ...options,
      enterprises,
    })
    const asking = await askingClient(sent, asserted, request.ip, options)
    client = asking.client.id
    const scopes = scopesOf(asserted, asking, parameters, options)
    if (asking.proof !== null) await useUp(asking.proof, options)
    const isFirst = await options.store.useOnce(
      'identity-assertion',
      [asserted.issuer, asserted.jti],
      asserted.keptUntil,
    )
    if (!isFirst) refuseIdentity('jti_replayed')
    const user = await signIn(asserted, options)
    return await issue(user, { asserted, scopes, resource: parameter(parameters, 'resource') }, options)
  } catch (error) {
    if (error instanceof AssertionRefused) throw invalidClient(error, request.id, options)
    if (error instanceof IdentityRefused) throw refused(error.fault, client, request.id, options)
    if (error instanceof UserBlocked) throw refused('refused', client, request.id, options)
    throw error
  }
}

/** The client of an assertion: one that proves it by its keys, which are configured or published in its metadata document. One without keys
 *  only where the enterprise takes such. Source: MCP ext-auth, Enterprise-Managed Authorization, 5 and 7.5.1. */
interface AskingClient {
  readonly client: Client
  /** What it has proved it by, not yet used up; null = by nothing. */
  readonly proof: Authenticated<KeyHolder> | null
}

/** Asked when the provider's word for the client has been checked: no document or keys are fetched for a stranger. One look-up decides:
 *  a document that cannot be fetched is no client, and not one without keys. Rejects with `AssertionRefused`. */
async function askingClient(
  sent: SentAssertion,
  { clientId: id, enterprise }: Pick<IdentityAssertion, 'clientId' | 'enterprise'>,
  ip: string,
  options: SigningOptions,
): Promise<AskingClient> {
  const client = options.signingClients.get(id) ?? (await findClient(id, ip, options))
  // one with a secret would come in without it
  if (client === null || client.id === ownPagesClientId || client.secrets !== undefined)
    throw new AssertionRefused('unknown_client')
  const { keys } = client
  if (keys !== undefined) {
    const find = (named: string): KeyHolder | null => (named === id ? { id, keys } : null)
    return { client, proof: await authenticate(sent, { ...options, find }) }
  }
  if (enterprise.allowPublicClients !== true || sent.assertion !== '' || sent.type !== '')
    throw new AssertionRefused('public_client', id)
  return { client, proof: null }
}

/** What an assertion comes to: what everybody who has a say in it allows, without what the user may not have, which is asked when they are
 *  known. Declared scopes, or `api` where none are. Where assertion and configuration say nothing it is `api`: what is sensitive one of them
 *  names. Source: MCP ext-auth, Enterprise-Managed Authorization, 7.2.1; decisions/oauth.md, Enterprises. */
function scopesOf(
  { scope, enterprise }: IdentityAssertion,
  { client }: AskingClient,
  parameters: Parameters,
  { scopes: { declared, resolve } }: SigningOptions,
): readonly string[] {
  const meant = (names: readonly string[]): readonly string[] =>
    declared.length === 0 ? names.filter((name) => name === apiScope) : resolve(names)
  const said = scope === null ? undefined : namesIn(scope)
  const requested = parameter(parameters, 'scope')
  const limits = [
    said,
    enterprise.scopes,
    client.scopes,
    requested.trim() === '' ? undefined : namesIn(requested),
  ]
    .filter((names) => names !== undefined)
    .map((names) => new Set(meant(names)))
  const names = [...new Set(meant(said ?? enterprise.scopes ?? [apiScope]))].filter((name) =>
    limits.every((limit) => limit.has(name)),
  )
  return names.length === 0 ? refuseIdentity('scope') : names
}

const namesIn = (text: string): readonly string[] => text.split(' ').filter((name) => name !== '')

/** As after an interactive sign-in, with the same id; resolves with the user as the store has them. */
async function signIn(asserted: IdentityAssertion, options: SigningOptions): Promise<User> {
  const { enterprise, saidAt } = asserted
  const identified = await identify(asserted, options)
  const identity = { ...identified, beganAt: saidAt }
  const kept = admit(enterprise.provider, identity, options).then((admitted) =>
    keepSignIn(admitted, options, false),
  )
  await kept.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) throw error
    if (error instanceof SignInRefused || error instanceof UserBlocked) refuseIdentity('refused')
    options.log.error({ provider: enterprise.provider, err: error }, 'sign in failed')
    refuseIdentity('sign_in_failed')
  })
  return (await options.store.findUser(identified.user.id)) ?? refuseIdentity('refused')
}

/** Assertions say little: a name or an address that is known stays where this one has none, and `onSignIn` sees what is kept. */
async function identify(
  { enterprise: { provider, trustEmail }, subject, claims }: IdentityAssertion,
  { store }: SigningOptions,
): Promise<Identified> {
  const { emailOf, profileOf } = await import('../../oauth/providers/openid-connect.ts')
  const profile = profileOf({ ...claims, sub: subject }, claims, emailOf(claims, trustEmail))
  const identified = identifiedBy(provider, profile)
  const known = await store.findUser(identified.user.id)
  if (known === null) return identified
  const hasName = profile.name !== null || profile.nickname !== null
  const { id, name, email } = identified.user
  const user = { id, name: hasName ? name : known.name, email: email ?? known.email }
  return { ...identified, user: withAttributesOf(user, known) }
}

function identifiedBy(provider: string, profile: ProviderProfile): Identified {
  try {
    return signedInOf(provider, profile)
  } catch {
    return refuseIdentity('sub')
  }
}
interface Issuing {
  readonly asserted: IdentityAssertion
  readonly scopes: readonly string[]
  /** Of the request. */
  readonly resource: string
}

async function issue(
  user: User,
  { asserted, scopes, resource }: Issuing,
  options: SigningOptions,
): Promise<HttpResponse> {
  const { clientId, enterprise } = asserted
  const areDeclared = options.scopes.declared.length > 0
  const kept = areDeclared ? await havableScopes(scopes, askingFor(user, options)) : scopes
  if (kept.length === 0) refuseIdentity('scope')
  const subject = { userId: user.id, clientId, scope: kept.join(' ') }
  const allowed = areDeclared ? kept : null
  const grant = { ...subject, resource: asserted.resource ?? resource, allowed, kind: 'enterprise' }
  const facts = { by: 'enterprise', provider: enterprise.provider }
  const issued = await issueUnasked({ grant, scope: subject.scope, facts }, options)
  if (areDeclared) options.onGranted({ userId: user.id, clientId, scopes: kept })
  return issued
}

/** The same words for every kind of wrong. The audit has a row where the client has proved to be itself. */
function refused(
  reason: IdentityFault,
  client: string | null,
  requestId: string,
  options: SigningOptions,
): OAuthError {
  options.log.warn({ requestId, client, reason }, 'identity assertion refused')
  if (client !== null) audit(options, 'refusal', { ids: { client }, facts: { of: 'identity', reason } })
  return new OAuthError('invalid_grant', 'the assertion is not valid')
}
