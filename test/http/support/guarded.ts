/** The example's application with guarded routes of the test in place of its own, each also a tool, and tokens of every kind. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import type * as Ws from 'ws'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import type { Route, RouteFilter, RouteHandler } from '../../../runtime/contract/route.ts'
import type { ScopesConfig } from '../../../runtime/contract/scopes.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { createSigner } from '../../../runtime/oauth/tokens/jwt.ts'
import { secretKey } from '../../../runtime/oauth/tokens/keys.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../runtime/testing.ts'
import { secretOf } from './shell.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const ws: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))('ws')

export class Notes extends Controller {}

export interface GuardedRoute {
  readonly scope?: Route['scope']
  readonly verb?: Route['verb']
  readonly websocket?: boolean
  readonly requiresTls?: boolean
  readonly readsAccess?: boolean
  readonly controller?: new () => Controller
  readonly filters?: readonly RouteFilter[]
  readonly handlers?: readonly RouteHandler[]
  call?(controller: Controller, ...args: readonly unknown[]): unknown
}

export interface Guarded {
  /** By id; `read` is `/read`. */
  readonly routes: Readonly<Record<string, GuardedRoute>>
  readonly config?: object
  /** Null = none is declared. */
  readonly scopes?: ScopesConfig | null
  readonly options?: TestAppOptions
}

export const declared: ScopesConfig = {
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes', sensitive: true },
}

export const needs = (...names: readonly string[]): Pick<GuardedRoute, 'scope'> => ({
  scope: { names, unless: [] },
})

export const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@example.com' }
const secret = secretOf('k')
export const baseUrl = 'http://localhost:3000'

/** Closed at the end of the test. */
export async function openGuarded(
  t: Test,
  { routes, config = {}, scopes = declared, options = {} }: Guarded,
): Promise<TestApp> {
  const app = await openTestApp({
    ...options,
    environment: { jwtSecrets: [secret], ...options.environment },
    change: (bundle) => {
      const changed = bundleOf(bundle, routes)
      const provided = {
        ...(bundle.config as object),
        mcp: {},
        ...(scopes === null ? {} : { scopes }),
        ...config,
      } // a plain object
      return { ...changed, config: provided }
    },
  })
  t.teardown(app.close)
  await app.application.store.saveUser(ada)
  return app
}

function bundleOf(bundle: AppBundle, routes: Guarded['routes']): AppBundle {
  const made = Object.entries(routes).map(([id, route]) => routeOf(id, route))
  const tools = made.filter(({ websocket }) => !websocket).map(({ id }) => toolOf(id))
  const codecs = made.map(({ id, filters, handlers }) => [
    id,
    { params: [], filters: filters.map(() => []), handlers: handlers.map(() => []) },
  ])
  const catalogue = { ...bundle.catalogue, tools, toolboxes: [] }
  return { ...bundle, routes: made, codecs: Object.fromEntries(codecs), catalogue }
}

function routeOf(id: string, route: GuardedRoute): Route {
  const { controller = Notes, readsAccess = false, call = () => ({ ran: id }) } = route
  return {
    id,
    readsAccess,
    verb: route.verb ?? 'GET',
    path: `/${id}`,
    status: 200,
    statuses: [],
    websocket: route.websocket ?? false,
    requiresTls: route.requiresTls ?? false,
    ...(route.scope === undefined ? {} : { scope: route.scope }),
    controller,
    produces: null,
    filters: route.filters ?? [],
    handlers: route.handlers ?? [],
    create: () => new controller(),
    call: (made, args) => call(made as Controller, ...args), // of its class
  }
}

const toolOf = (route: string): ToolEntry => ({
  name: route,
  route,
  toolbox: 'notes',
  root: true,
  title: null,
  summary: route,
  description: route,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: null,
  arguments: [],
})

/** A token of Ada's that names these scopes, with a grant like any other's. */
export async function tokenOf(app: TestApp, scope: string): Promise<string> {
  return (await app.application.developmentToken(ada.id, scope)).accessToken
}

/** One that somebody with a key signed. */
export function signed(
  claims: Readonly<Record<string, string | number>>,
  key: string = secret,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const whole = {
    typ: 'access',
    iss: baseUrl,
    aud: baseUrl,
    sub: ada.id,
    iat: now,
    exp: now + 3600,
    ...claims,
  }
  return createSigner(baseUrl, [secretKey(key)], Date.now).sign(whole)
}

/** Revokes as a client does. */
export async function revoke(app: TestApp, token: string): Promise<void> {
  const answer = await app.client().submit('/oauth/revoke', { token, client_id: 'acmcp-command-line' })
  if (answer.statusCode !== 200) throw new Error(`not revoked: ${answer.statusCode} ${answer.body}`)
}

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
})

/** What a client sees: status, challenge, body; of a socket that opened 101. */
export type Seen = readonly [status: number, challenge: string | null, body: string]

export const invalid = '{"error":"invalid_token"}'
export const unknownCaller: Seen = [401, 'Bearer', invalid]
export const badToken: Seen = [401, 'Bearer error="invalid_token"', invalid]
export const tooLittle = (scope: string): Seen => [
  403,
  `Bearer error="insufficient_scope", scope="${scope}"`,
  '{"error":"insufficient_scope"}',
]
export const ran = (id: string): Seen => [200, null, JSON.stringify({ ran: id })]

export type Headers = Readonly<Record<string, string>>

export async function get(app: TestApp, path: string, headers: Headers = {}): Promise<Seen> {
  const { statusCode, headers: sent, body } = await app.client().get(path, headers)
  return [statusCode, sent['www-authenticate']?.toString() ?? null, body]
}

export async function listen(app: TestApp): Promise<number> {
  const address = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  return Number(new URL(address).port)
}

/** Opens a socket, or tells why not. */
export async function dialSocket(
  port: number,
  path: string,
  headers: Headers = {},
): Promise<{ readonly seen: Seen; readonly socket: Ws.WebSocket }> {
  const socket = new ws.WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
  socket.on('error', () => {}) // a refusal is one
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const { statusCode = 0, headers: sent } = response as IncomingMessage // what `ws` tells
    const seen: Seen = [statusCode, sent['www-authenticate'] ?? null, await text(response)]
    return seen
  })
  const opened = once(socket, 'open').then((): Seen => [101, null, ''])
  return { seen: await Promise.any([opened, refused]), socket }
}
