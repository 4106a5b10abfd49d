/** `grant_type=client_credentials`: tokens of clients that act for no user. Source: RFC 6749, 4.4 and 5.2; RFC 7523, 2.2;
 *  decisions/oauth.md, Machines. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { apiScope } from '../../scopes.ts'
import { audit } from '../audit.ts'
import { scopesIn } from '../consent/offer.ts'
import {
  type AssertionFault,
  AssertionRefused,
  type Authenticated,
  authenticate,
} from '../machines/assertion.ts'
import type { Machine } from '../machines/machines.ts'
import { subjectOf } from '../machines/subjects.ts'
import { OAuthError } from '../oauth-error.ts'
import { clientLifetimeSeconds, randomHex, type SigningOptions } from '../options.ts'
import { type Parameters, parameter } from '../parameters.ts'
import { json } from '../responses.ts'
import { signAccess } from '../tokens/claims.ts'

/** After the assertion ends its `jti` is kept as long again as the clocks of instances may differ. */
const keptMs = 60_000

/** Everything is checked before the assertion is used up. */
export async function clientCredentials(
  request: Pick<HttpRequest, 'id'>,
  parameters: Parameters,
  options: SigningOptions,
): Promise<HttpResponse> {
  try {
    const authenticated = await authenticate(
      {
        assertion: parameter(parameters, 'client_assertion'),
        type: parameter(parameters, 'client_assertion_type'),
        clientId: parameter(parameters, 'client_id'),
      },
      options,
    )
    const scope = requestedScope(parameter(parameters, 'scope'), authenticated.machine, options)
    await useUp(authenticated, options)
    return await issue(authenticated.machine, { scope, resource: parameter(parameters, 'resource') }, options)
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error
    throw refused(error, request, options)
  }
}

/** Without one all that the client has. `api` is what it has of it. Throws `invalid_scope` for anything else. */
function requestedScope(requested: string, machine: Machine, { scopes }: SigningOptions): string {
  const { allowed, scopes: own } = machine
  if (requested.trim() === '') return own.join(' ')
  const having = allowed ?? own
  const names = scopesIn(requested).flatMap((name) =>
    name === apiScope && allowed !== null
      ? scopes.resolve([apiScope]).filter((of) => allowed.includes(of))
      : [name],
  )
  if (names.length === 0 || !names.every((name) => having.includes(name)))
    throw new OAuthError('invalid_scope', 'the client does not have this scope')
  return [...new Set(names)].join(' ')
}

async function useUp({ machine, jti, endsAt }: Authenticated, { store }: SigningOptions): Promise<void> {
  const isFirst = await store.useOnce('client-assertion', [machine.id, jti], endsAt + keptMs)
  if (!isFirst) throw new AssertionRefused('jti_replayed', machine.id)
}

async function issue(
  machine: Machine,
  { scope, resource }: { readonly scope: string; readonly resource: string },
  options: SigningOptions,
): Promise<HttpResponse> {
  const { id, scopes, allowed } = machine
  const { store, randomBytes } = options
  const subject = { userId: subjectOf(id), clientId: id }
  const access = await signAccess({ ...subject, scope }, options, clientLifetimeSeconds)
  const grant = { id: randomHex(randomBytes, 16), ...subject, scope: scopes.join(' '), resource, allowed }
  const grantId = await store.issueToClient(grant, access)
  audit(options, 'issue', { ids: { client: id, to: access.jti }, grants: [grantId] })
  return json(200, {
    access_token: access.jwt,
    token_type: 'Bearer',
    expires_in: clientLifetimeSeconds,
    scope,
  })
}

/** The same words for every kind of wrong. */
function refused(
  { fault, client }: { readonly fault: AssertionFault; readonly client: string | null },
  { id: requestId }: Pick<HttpRequest, 'id'>,
  { log }: SigningOptions,
): OAuthError {
  log.warn({ requestId, client, reason: fault }, 'client assertion refused')
  return new OAuthError('invalid_client', 'the client assertion is not valid')
}
