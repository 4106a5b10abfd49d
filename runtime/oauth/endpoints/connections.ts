/** `GET` and `POST /auth/connections`: which clients use the service as the signed-in user, and how that ends. Source: issue 17, 3. */
import type { ConnectedClient } from '../../../templates/pages/connections.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { lazy } from '../../lazy.ts'
import type { LiveGrant } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { documentHost } from '../clients/client-documents.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServerOptions, serviceOf } from '../options.ts'
import { parameter, readParameters } from '../parameters.ts'
import { htmlPage, seeOther, withOAuthErrors } from '../responses.ts'
import { isFromElsewhere } from '../same-origin.ts'
import { signedInUser } from '../session.ts'

const address = '/auth/connections'

/** Why such connections ended, in the store. */
const byUser = 'user'

export function connectionEndpoints(options: AuthorizationServerOptions): readonly Endpoint[] {
  const endpoint = (method: string, respond: Respond): Endpoint => ({
    methods: [method],
    path: address,
    handle: withOAuthErrors((request) => asUser(request, options, respond), options.log),
  })
  return [endpoint('GET', list), endpoint('POST', disconnect)]
}

type Respond = (
  user: User,
  request: HttpRequest,
  options: AuthorizationServerOptions,
) => Promise<HttpResponse>

/** Whoever is not signed in comes back to the list. */
async function asUser(
  request: HttpRequest,
  options: AuthorizationServerOptions,
  respond: Respond,
): Promise<HttpResponse> {
  // before all else: a page of another site sends no cookie, and would leave the browser with a session of nobody
  if (request.method === 'POST' && isFromElsewhere(request, options.baseUrl))
    throw new OAuthError('access_denied', 'only a page of this service disconnects', 403)
  const user = await signedInUser(request.session, options.store)
  if (user !== null) return respond(user, request, options)
  request.session.set('return_to', address)
  return seeOther('/auth')
}

/** Few people look: it is loaded for the first who does. */
const loadPage = lazy(() => import('../../../templates/pages/connections.ts'))

async function list(
  user: User,
  { session }: HttpRequest,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const { connectionsPage } = await loadPage()
  const connections = await options.store.listGrants({ userId: user.id })
  const ended = session.get('disconnected')
  session.remove('disconnected')
  return htmlPage(
    connectionsPage({
      service: serviceOf(options),
      userName: user.name,
      ended: typeof ended === 'string' ? ended : null,
      clients: clientsOf(connections, options),
    }),
  )
}

/** Ends every connection of one client. What it was allowed is forgotten with it: when it connects again it asks for all anew. */
async function disconnect(
  user: User,
  request: HttpRequest,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const clientId = parameter(await readParameters(request), 'client_id')
  const filter = { userId: user.id, clientId }
  const connections = await options.store.listGrants(filter)
  const [connection] = connections
  const ended = await options.store.revokeGrants(filter, byUser)
  if (ended.length > 0) options.onRevoked(user.id)
  if (connection === undefined) return seeOther(address)
  audit(options, 'revocation', {
    ids: { user: user.id, client: clientId },
    facts: { by: 'user' },
    grants: connections.map(({ grantId }) => grantId),
  })
  request.session.set('disconnected', nameOf(connection))
  return seeOther(address)
}

const nameOf = ({ client }: LiveGrant): string => client.name ?? client.id

/** Each client once, in the order in which they were connected first. */
function clientsOf(
  connections: readonly LiveGrant[],
  options: AuthorizationServerOptions,
): readonly ConnectedClient[] {
  const byClient = new Map<string, readonly LiveGrant[]>()
  for (const one of connections) byClient.set(one.client.id, [...(byClient.get(one.client.id) ?? []), one])
  return [...byClient].map(([id, own]) => ({
    id,
    name: own[0] === undefined ? id : nameOf(own[0]),
    host: documentHost(id),
    permissions: permissionsOf(own, options),
    since: new Date(own[0]?.connectedAt ?? options.clock()).toISOString(),
  }))
}

/** The words of all scopes that its tokens have. */
function permissionsOf(
  connections: readonly LiveGrant[],
  { scopes }: AuthorizationServerOptions,
): readonly string[] {
  const granted = new Set(
    connections.flatMap(({ scope, allowed }) => scopes.granted(scope.split(' '), allowed)),
  )
  const words = scopes.declared.filter(({ name }) => granted.has(name)).map(({ text }) => text)
  const all = scopes.declared.length === 0 ? 'everything that you may' : 'what needs no further permission'
  return words.length === 0 ? [all] : words
}
