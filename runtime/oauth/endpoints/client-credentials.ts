/** `grant_type=client_credentials`: tokens of clients that act for no user. Source: RFC 6749, 4.4 and 5.2; RFC 7523, 2.2;
 *  decisions/oauth.md, Machines. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { apiScope } from '../../scopes.ts'
import { audit } from '../audit.ts'
import { scopesNamed } from '../consent/offer.ts'
import { AssertionRefused, authenticate, invalidClient, sentAssertion, useUp } from '../machines/assertion.ts'
import type { Machine } from '../machines/machines.ts'
import { subjectOf } from '../machines/subjects.ts'
import { OAuthError } from '../oauth-error.ts'
import { clientLifetimeSeconds, randomHex, type SigningOptions } from '../options.ts'
import { type Parameters, parameter } from '../parameters.ts'
import { json } from '../responses.ts'
import { signAccess } from '../tokens/claims.ts'

/** Everything is checked before the assertion is used up. */
export async function clientCredentials(
  request: Pick<HttpRequest, 'id'>,
  parameters: Parameters,
  options: SigningOptions,
): Promise<HttpResponse> {
  try {
    const find = (id: string): Machine | undefined => options.machines.get(id)
    const authenticated = await authenticate(sentAssertion(parameters), { ...options, find })
    const scope = requestedScope(parameter(parameters, 'scope'), authenticated.client, options)
    await useUp(authenticated, options)
    return await issue(authenticated.client, { scope, resource: parameter(parameters, 'resource') }, options)
  } catch (error) {
    throw error instanceof AssertionRefused ? invalidClient(error, request.id, options) : error
  }
}

/** Without one all that the client has. `api` is what it has of it. Throws `invalid_scope` for anything else. */
function requestedScope(requested: string, machine: Machine, { scopes, profile }: SigningOptions): string {
  const { allowed, scopes: own } = machine
  const asked = requested.trim() === '' ? [] : scopesNamed(requested, profile)
  if (asked.length === 0) return own.join(' ')
  const having = allowed ?? own
  const names = asked.flatMap((name) =>
    name === apiScope && allowed !== null
      ? scopes.resolve([apiScope]).filter((of) => allowed.includes(of))
      : [name],
  )
  if (names.length === 0 || !names.every((name) => having.includes(name)))
    throw new OAuthError('invalid_scope', 'the client does not have this scope')
  return [...new Set(names)].join(' ')
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
  const grantId = await store.issueUnasked(grant, access)
  audit(options, 'issue', { ids: { client: id, to: access.jti }, grants: [grantId] })
  return accessTokenResponse(access.jwt, scope)
}

/** Without a refresh token. */
export const accessTokenResponse = (token: string, scope: string): HttpResponse =>
  json(200, { access_token: token, token_type: 'Bearer', expires_in: clientLifetimeSeconds, scope })
