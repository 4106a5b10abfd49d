/** `GET` and `POST /auth/connections`: which clients use the service as the signed-in user, and how that ends. Source:
 *  decisions/oauth.md, Own pages. */
import type { ConnectedClient } from '../../../templates/pages/connections.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { lazy } from '../../lazy.ts'
import type { LiveGrant } from '../../store/store.ts'
import { revokeInBatches } from '../../store/verbs/revoke-grants.ts'
import { audit } from '../audit.ts'
import { configuredNames } from '../clients/client-names.ts'
import { documentHost } from '../clients/document-id.ts'
import { ownPagesClientId } from '../clients/own-pages.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServerOptions, serviceOf } from '../options.ts'
import { parameter, readParameters } from '../parameters.ts'
import type { AuthorizationServerPart, CalledTool } from '../part.ts'
import { htmlPage, seeOther, withOAuthErrors } from '../responses.ts'
import { isFromElsewhere } from '../same-origin.ts'
import { signedInUser } from '../session.ts'

const address = '/auth/connections'

/** Why such connections ended, in the store. */
const byUser = 'user'

export function connectionEndpoints(
  options: AuthorizationServerOptions,
  parts: readonly AuthorizationServerPart[],
): readonly Endpoint[] {
  const endpoint = (method: string, respond: Respond): Endpoint => ({
    methods: [method],
    path: address,
    handle: withOAuthErrors((request) => asUser(request, options, respond), options),
  })
  return [endpoint('GET', list(parts)), endpoint('POST', disconnect)]
}

type Respond = (
  user: User,
  request: HttpRequest,
  options: AuthorizationServerOptions,
) => Promise<HttpResponse>

/** A user who is not signed in comes back to the list. */
async function asUser(
  request: HttpRequest,
  options: AuthorizationServerOptions,
  respond: Respond,
): Promise<HttpResponse> {
  // before all else: a page of another site sends no cookie, and would leave the browser with an empty session
  if (request.method === 'POST' && isFromElsewhere(request, options.baseUrl))
    throw new OAuthError('access_denied', 'only a page of this service disconnects', 403)
  const user = await signedInUser(request.session, options.store)
  if (user !== null) return respond(user, request, options)
  request.session.set('return_to', address)
  return seeOther('/auth')
}

/** Few users look: it is loaded for the first of them. */
const loadPage = lazy(() => import('../../../templates/pages/connections.ts'))

/** Connections on one page. */
const pageSize = 500

/** After the client that the last page ended with. */
const list =
  (parts: readonly AuthorizationServerPart[]): Respond =>
  async (user, request, options) => {
    const { session } = request
    const { connectionsPage } = await loadPage()
    const after = parameter(await readParameters(request), 'after')
    const found = await options.store.listGrantsByClient(user.id, after, pageSize + 1)
    const { connections, next } = pageOf(found)
    const ended = session.get('disconnected')
    session.remove('disconnected')
    return htmlPage(
      connectionsPage({
        service: serviceOf(options),
        userName: user.name,
        ended: typeof ended === 'string' ? ended : null,
        clients: await clientsOf(connections, options, parts),
        sections: await Promise.all(parts.flatMap(({ inbox }) => inbox?.(user) ?? [])),
        isFirst: after === '',
        next: next === null ? null : `${address}?${new URLSearchParams({ after: next })}`,
      }),
    )
  }

interface ConnectionPage {
  readonly connections: readonly LiveGrant[]
  /** The client after which the next page begins; null = there is none. */
  readonly next: string | null
}

/** Clients with all their connections; of one that has more than fit the first. */
function pageOf(found: readonly LiveGrant[]): ConnectionPage {
  if (found.length <= pageSize) return { connections: found, next: null }
  const cut = found.at(-1)?.client.id ?? ''
  const whole = found.filter(({ client }) => client.id !== cut)
  const connections = whole.length > 0 ? whole : found.slice(0, pageSize)
  return { connections, next: connections.at(-1)?.client.id ?? cut }
}

/** Ends every connection of one client. What it was allowed is forgotten with it: when it connects again it asks for all anew. */
async function disconnect(
  user: User,
  request: HttpRequest,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const clientId = parameter(await readParameters(request), 'client_id')
  const filter = { userId: user.id, clientId }
  for await (const { live } of revokeInBatches(options.store, filter, byUser)) {
    options.onRevoked(user.id)
    const [connection] = live
    if (connection === undefined) continue
    audit(options, 'revocation', {
      ids: { user: user.id, client: clientId },
      facts: { by: 'user' },
      grants: live.map(({ grantId }) => grantId),
    })
    await options.auditTrail.flush()
    request.session.set('disconnected', namesOf(options)(connection))
  }
  return seeOther(address)
}

function namesOf({ confidentialClients }: AuthorizationServerOptions): (connection: LiveGrant) => string {
  const configured = configuredNames(confidentialClients.values())
  return ({ client: { id, name } }) => configured.get(id) ?? name ?? id
}

/** Each client once, in the order in which they were connected first. */
async function clientsOf(
  connections: readonly LiveGrant[],
  options: AuthorizationServerOptions,
  parts: readonly AuthorizationServerPart[],
): Promise<readonly ConnectedClient[]> {
  const byClient = new Map<string, LiveGrant[]>()
  for (const connection of [...connections].sort((a, b) => a.connectedAt - b.connectedAt)) {
    const own = byClient.get(connection.client.id)
    if (own === undefined) byClient.set(connection.client.id, [connection])
    else own.push(connection)
  }
  const called = await calledByGrants(byClient, options, parts)
  const nameOf = namesOf(options)
  const clients: ConnectedClient[] = []
  for (const [id, own] of byClient) {
    const [first] = own
    clients.push({
      id,
      name: first === undefined ? id : nameOf(first),
      host: documentHost(id),
      isSetUpHere: options.confidentialClients.has(id) || id === ownPagesClientId,
      permissions: permissionsOf(own, options),
      isReadOnly: own.every(({ readOnly }) => readOnly),
      allowedBy: own.every(({ kind }) => kind !== null) ? 'your organization' : null,
      since: new Date(first?.connectedAt ?? options.clock()).toISOString(),
      lastUsed: lastUseOf(own),
      called: calledBy(own, called),
    })
  }
  return clients
}

function lastUseOf(connections: readonly LiveGrant[]): string | null {
  const last = Math.max(...connections.map(({ lastUsedAt }) => lastUsedAt ?? 0))
  return last === 0 ? null : new Date(last).toISOString()
}

/** So far back calls are counted, of so many connections of a client: the newest. */
const lately = { ms: 30 * 24 * 3_600_000, connections: 20 }

/** What the connections of clients have called, by grant: only their own calls, and what was let through. */
async function calledByGrants(
  byClient: ReadonlyMap<string, readonly LiveGrant[]>,
  { clock }: AuthorizationServerOptions,
  parts: readonly AuthorizationServerPart[],
): Promise<ReadonlyMap<string, readonly CalledTool[]>> {
  const counted = [...byClient.values()].flatMap((own) => own.slice(-lately.connections))
  const byGrant = new Map<string, CalledTool[]>()
  const grantIds = counted.map(({ grantId }) => grantId)
  const since = clock() - lately.ms
  const found = await Promise.all(parts.map(({ calledTools }) => calledTools?.(grantIds, since) ?? []))
  for (const called of found.flat()) {
    const known = byGrant.get(called.grantId)
    if (known === undefined) byGrant.set(called.grantId, [called])
    else known.push(called)
  }
  return byGrant
}

function calledBy(
  connections: readonly LiveGrant[],
  byGrant: ReadonlyMap<string, readonly CalledTool[]>,
): ConnectedClient['called'] {
  const counts = new Map<string, number>()
  for (const { grantId } of connections)
    for (const { tool, count } of byGrant.get(grantId) ?? [])
      counts.set(tool, (counts.get(tool) ?? 0) + count)
  return [...counts].map(([tool, count]) => ({ tool, count })).sort((a, b) => b.count - a.count)
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
