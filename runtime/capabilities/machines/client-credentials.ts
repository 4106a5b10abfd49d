/** `grant_type=client_credentials`: tokens of clients that act for no user. Source: RFC 6749, 4.4 and 5.2; RFC 7523, 2.2;
 *  decisions/oauth.md, Machines. */
import type { HttpResponse } from '../../contract/http.ts'
import {
  AssertionRefused,
  authenticate,
  invalidClient,
  sentAssertion,
  useUp,
} from '../../oauth/assertions/client-assertion.ts'
import { scopesNamed } from '../../oauth/consent/offer.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import type { SigningOptions } from '../../oauth/options.ts'
import { parameter } from '../../oauth/parameters.ts'
import type { TokenRequest } from '../../oauth/token-part.ts'
import { subjectOf } from '../../oauth/tokens/subjects.ts'
import { issueUnasked } from '../../oauth/tokens/unasked-token.ts'
import { apiScope } from '../../scopes.ts'
import type { Machine, Machines } from './machines.ts'

/** Everything is checked before the assertion is used up. */
export async function clientCredentials(
  { request, parameters, options }: TokenRequest,
  machines: Machines,
): Promise<HttpResponse> {
  try {
    const find = (id: string): Machine | undefined => machines.get(id)
    const authenticated = await authenticate(sentAssertion(parameters), { ...options, find })
    const scope = requestedScope(parameter(parameters, 'scope'), authenticated.client, options)
    await useUp(authenticated, options)
    const { id, scopes, allowed } = authenticated.client
    const subject = { userId: subjectOf(id), clientId: id }
    const grant = {
      ...subject,
      scope: scopes.join(' '),
      resource: parameter(parameters, 'resource'),
      allowed,
    }
    return await issueUnasked({ grant, scope }, options)
  } catch (error) {
    throw error instanceof AssertionRefused ? invalidClient(error, request.id, options) : error
  }
}

/** Without one all that the client has. `api` is what it has of it. Throws `invalid_scope` for anything else. */
function requestedScope(requested: string, machine: Machine, { scopes, profile }: SigningOptions): string {
  const { allowed, scopes: own } = machine
  const named = requested.trim() === '' ? [] : scopesNamed(requested, profile)
  if (named.length === 0) return own.join(' ')
  const having = allowed ?? own
  const names = named.flatMap((name) =>
    name === apiScope && allowed !== null
      ? scopes.resolve([apiScope]).filter((of) => allowed.includes(of))
      : [name],
  )
  if (names.length === 0 || !names.every((name) => having.includes(name)))
    throw new OAuthError('invalid_scope', 'the client does not have this scope')
  return [...new Set(names)].join(' ')
}
