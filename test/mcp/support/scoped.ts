/** The application of the MCP tests where it declares scopes: tokens say by themselves whose they are and what they grant. */
import type { HttpRequest, HttpResponse, Session } from '../../../runtime/contract/http.ts'
import type { RequiredScope } from '../../../runtime/contract/scopes.ts'
import type { AuthInfo, Services, User } from '../../../runtime/contract/store.ts'
import { AccessControl } from '../../../runtime/http/access/access-control.ts'
import { otherCredentials } from '../../../runtime/http/access/other-credentials.ts'
import { RouteAccess } from '../../../runtime/http/access/route-access.ts'
import type { McpEndpointOptions } from '../../../runtime/mcp/server.ts'
import { createScopes, type Scopes } from '../../../runtime/scopes.ts'
import { noServices } from '../../boot/no-services.ts'
import { json, quiet, routes, type Sent } from './support.ts'

export const scopes: Scopes = createScopes({
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes', sensitive: true },
  admin: { text: 'Import notes', sensitive: true, mayHave: ({ id }) => id === 'dev:root' },
  'files:read': 'See your files',
})

const required: Readonly<Record<string, RequiredScope>> = {
  notes_index: { names: ['notes:read'], unless: [] },
  notes_show: { names: ['notes:read'], unless: ['key'] },
  notes_create: { names: ['notes:write'], unless: [] },
  notes_import: { names: ['notes:write', 'admin'], unless: [] },
  notes_delete: { names: ['notes:write', 'notes:delete'], unless: [] },
  files_answer: { names: ['files:read'], unless: ['session', 'key'] },
}

interface TokenOf {
  readonly user?: string
  readonly client?: string
}

/** A token that grants what the names come to. */
export function tokenOf(names: readonly string[], of: TokenOf = {}): string {
  const { user = 'dev:ada', client = 'client-1' } = of
  const claims = { user, client, scopes: scopes.resolve(names) }
  return `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
}

const userOf = (id: string): User => ({ id, name: id, email: null })

async function findAuthInfo(token: string): Promise<AuthInfo | null> {
  const [, claims = ''] = token.split('.')
  try {
    const { user, client, scopes } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    return {
      user: userOf(user),
      subject: user,
      clientId: client,
      grantId: 'grant',
      scopes,
      expiresAt: 3_600_000,
    }
  } catch {
    return null
  }
}

const services: Services = {
  ...noServices,
  userOfSession: async (session) => {
    const id = session.get('user_id')
    return typeof id === 'string' ? userOf(id) : null
  },
}

export interface ScopedApp {
  readonly options: Partial<McpEndpointOptions>
  /** The routes that ran. */
  readonly ran: string[]
}

/** `isOn`: the endpoint asks for a credential, any that somebody has. */
export function scopedApp(isOn: boolean, more: Partial<McpEndpointOptions> = {}): ScopedApp {
  const ran: string[] = []
  const invoke = async (routeId: string, request: HttpRequest): Promise<HttpResponse> => {
    const refusal = await guard(routeId, request)
    if (refusal !== null) return refusal
    if (routeId === 'users_current') return (await isSomebody(request)) ? json(200, {}) : json(401, {})
    ran.push(routeId)
    return json(200, { ran: routeId })
  }
  const scoped = new Map([...routes].map(([id, route]) => [id, withScope(id, route)]))
  const auth = isOn ? { authProbe: 'users_current', resourceMetadata } : {}
  return { ran, options: { scopes, services, findAuthInfo, invoke, guard, routes: scoped, ...auth, ...more } }
}

type Routed = typeof routes extends ReadonlyMap<string, infer Route> ? Route : never

function withScope(id: string, route: Routed): Routed {
  const scope = required[id]
  return scope === undefined ? route : { ...route, scope }
}

const resourceMetadata = () => ({ authorizationServers: ['https://notes.example'], scopesSupported: ['api'] })

async function isSomebody(request: HttpRequest): Promise<boolean> {
  if (bearerOf(request) !== null) return (await authOf(request)) !== null
  return (await otherCredentials(request, ['session', 'key'], services)).length > 0
}

const bearerOf = ({ headers }: HttpRequest): string | null =>
  headers.authorization === undefined ? null : String(headers.authorization).replace(/^Bearer /, '')

async function authOf(request: HttpRequest): Promise<AuthInfo | null> {
  const bearer = bearerOf(request)
  return bearer === null ? null : findAuthInfo(bearer)
}

const access = new AccessControl({
  scopes,
  find: (token) => findAuthInfo(token),
  askOnce: async () => false,
  isSignedHere: async () => false,
  takesForeignTokens: false,
  asksCaller: () => false,
  services,
  metadataUrlOf: null,
  origin: 'https://api.example',
  issuer: 'https://api.example',
  findGone: async () => [],
  clock: () => 0,
  monotonic: () => 0,
  every: () => async () => {},
  log: quiet,
})

/** The guard of each route, without any exception handler. */
const guards = new Map(
  Object.entries(required).map(([id, scope]) => [
    id,
    new RouteAccess({ id, verb: 'GET', path: `/${id}`, scope, websocket: false }, access).guard(
      async (error) => {
        throw error
      },
    ),
  ]),
)

const guard: McpEndpointOptions['guard'] = (routeId, request) => guards.get(routeId)?.(request) ?? null

/** What a request is sent with: a bearer's header, `key`, `session`, or nothing. */
export type Credential = string

/** The message with the credential. */
export function withCredential(sent: Sent, credential: Credential): Sent {
  const isSession = credential === 'session'
  const userId = isSession ? 'dev:ada' : undefined
  const session: Session = {
    get: (name) => (name === 'user_id' ? userId : undefined),
    set: () => {},
    remove: () => {},
    regenerate: async () => {},
  }
  return { ...sent, session, headers: { ...sent.headers, ...headersOf(credential) } }
}

function headersOf(credential: Credential): Readonly<Record<string, string>> {
  if (credential === 'key') return { 'x-api-key': 'k' }
  if (credential === 'session') return { cookie: 'sid=1' }
  return credential === '' ? {} : { authorization: credential }
}
