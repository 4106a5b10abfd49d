/** Who is let past `@scope`, and what anybody else is answered, through every entrance of a route. */
import type { FastifyPluginAsync } from 'fastify'
import t from 'tap'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import {
  ada,
  badToken,
  bearer,
  declared,
  dialSocket,
  type GuardedRoute,
  get,
  type Headers,
  listen,
  needs,
  openGuarded,
  ran,
  revoke,
  type Seen,
  signed,
  tokenOf,
  tooLittle,
  unknownCaller,
} from '../support/guarded.ts'
import { request } from '../support/probe.ts'

t.setTimeout(120_000)

const unless: GuardedRoute = {
  scope: { names: ['notes:read'], unless: ['session', 'key'] },
  filters: [{ when: 'before', name: 'check', call: () => undefined }],
}
const http: Readonly<Record<string, GuardedRoute>> = {
  read: needs('notes:read'),
  write: needs('notes:write'),
  both: needs('notes:read', 'notes:delete'),
  delete: needs('notes:delete'),
  unless,
}
const sockets = Object.entries(http).map(([id, route]) => [
  `ws-${id}`,
  { ...route, websocket: true, call: () => undefined },
])
const routes = { ...http, ...Object.fromEntries(sockets) }

interface Sent {
  readonly headers?: Headers
  /** Whether somebody is signed in to the session. */
  readonly session?: boolean
}

interface Row {
  readonly name: string
  readonly route: string
  readonly sent: (app: TestApp) => Promise<Sent>
  readonly seen: Seen
}

const withToken =
  (token: (app: TestApp) => Promise<string> | string, headers: Headers = {}): Row['sent'] =>
  async (app) => ({ headers: { ...bearer(await token(app)), ...headers } })
const granting =
  (scope: string) =>
  (app: TestApp): Promise<string> =>
    tokenOf(app, scope)
const row = (name: string, route: string, sent: Row['sent'], seen: Seen): Row => ({ name, route, sent, seen })

const revoked = async (app: TestApp): Promise<string> => {
  const token = await tokenOf(app, 'api')
  await revoke(app, token)
  return token
}
const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const session = async (): Promise<Sent> => ({ session: true })
const key = async (): Promise<Sent> => ({ headers: { 'x-api-key': 'any' } })

const rows: readonly Row[] = [
  row('no token', 'read', async () => ({}), unknownCaller),
  row('another scheme', 'read', async () => ({ headers: { authorization: 'Basic YTpi' } }), unknownCaller),
  row('no token after Bearer', 'read', async () => ({ headers: { authorization: 'Bearer' } }), unknownCaller),
  row(
    'what is no token',
    'read',
    withToken(() => 'a b'),
    badToken,
  ),
  row(
    'an expired token',
    'read',
    withToken(() => signed({ scope: 'api', exp: nowSeconds() - 1 })),
    badToken,
  ),
  row('a revoked token', 'read', withToken(revoked), badToken),
  row(
    'another audience',
    'read',
    withToken(() => signed({ scope: 'api', aud: 'http://b' })),
    badToken,
  ),
  row(
    'another issuer',
    'read',
    withToken(() => signed({ scope: 'api', iss: 'http://b' })),
    badToken,
  ),
  row(
    'another key',
    'read',
    withToken(() => signed({ scope: 'api' }, 'x'.repeat(40))),
    badToken,
  ),
  row(
    'a refresh token',
    'read',
    withToken(() => signed({ scope: 'api', typ: 'refresh' })),
    badToken,
  ),
  row('the scope itself', 'read', withToken(granting('notes:read')), ran('read')),
  row('too little', 'write', withToken(granting('notes:read')), tooLittle('notes:write')),
  row('what the scope implies', 'read', withToken(granting('notes:write')), ran('read')),
  row('api', 'write', withToken(granting('api')), ran('write')),
  row('api for a sensitive scope', 'delete', withToken(granting('api')), tooLittle('notes:delete')),
  row('a sensitive scope by name', 'delete', withToken(granting('api notes:delete')), ran('delete')),
  row('one of two', 'both', withToken(granting('api')), tooLittle('notes:read notes:delete')),
  row('both', 'both', withToken(granting('notes:write notes:delete')), ran('both')),
  row(
    'a token that names no scope',
    'read',
    withToken(() => signed({})),
    tooLittle('notes:read'),
  ),
  row(
    'an undeclared scope',
    'read',
    withToken(() => signed({ scope: 'x' })),
    tooLittle('notes:read'),
  ),
  row(
    'a shared key’s token',
    'read',
    withToken(() => signed({ scope: 'api' })),
    ran('read'),
  ),
  row('a session', 'unless', session, ran('unless')),
  row('a session where a token is asked for', 'read', session, unknownCaller),
  row('a key', 'unless', key, ran('unless')),
  row('a key where a token is asked for', 'read', key, unknownCaller),
  row('an empty key', 'unless', async () => ({ headers: { 'x-api-key': '' } }), unknownCaller),
  row(
    'a junk key beside a bad bearer',
    'unless',
    withToken(() => 'x', { 'x-api-key': 'y' }),
    badToken,
  ),
  row(
    'a junk key beside a narrow bearer',
    'unless',
    withToken(granting('notes:delete'), { 'x-api-key': 'y' }),
    tooLittle('notes:read'),
  ),
  row(
    'a junk key beside another scheme',
    'unless',
    async () => ({ headers: { authorization: 'Basic YTpi', 'x-api-key': 'y' } }),
    unknownCaller,
  ),
  row(
    'a session beside a bad bearer',
    'unless',
    async () => ({ session: true, headers: bearer('x') }),
    badToken,
  ),
]

/** A plugin that every call passes. */
const passing: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', async () => {})
}

async function cookieOf(app: TestApp): Promise<Headers> {
  const client = app.client()
  await client.signIn(ada)
  return { cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
}

const overHttp = async (app: TestApp, route: string, { headers, session }: Sent): Promise<Seen> =>
  get(app, `/${route}`, { ...headers, ...(session === true ? await cookieOf(app) : {}) })

/** As a tool call runs it. */
async function called(app: TestApp, route: string, sent: Sent): Promise<Seen> {
  const values: HttpRequest['session'] = {
    get: (name) => (sent.session === true && name === 'user_id' ? ada.id : undefined),
    set: () => {},
    remove: () => {},
    regenerate: async () => {},
  }
  const path = `/${route}`
  const requested = request({ url: path, path, headers: sent.headers ?? {}, session: values })
  const { status, headers, body } = await app.application.invoke(route, requested)
  return [status, headers['www-authenticate']?.toString() ?? null, String(body)]
}

for (const plugins of [[], [passing]]) {
  const at = plugins.length === 0 ? 'without plugins' : 'behind plugins'
  t.test(`guard: what is decided about a credential, ${at}`, async (t) => {
    const app = await openGuarded(t, { routes, config: { plugins } })
    const port = await listen(app)
    for (const { name, route, sent, seen } of rows) {
      const parts = await sent(app)
      t.strictSame(await overHttp(app, route, parts), seen, `${name}: HTTP`)
      t.strictSame(await called(app, route, parts), seen, `${name}: a call`)
      const origin = { origin: 'http://localhost:3000' }
      const headers = { ...origin, ...parts.headers, ...(parts.session === true ? await cookieOf(app) : {}) }
      const dialled = await dialSocket(port, `/ws-${route}`, headers)
      t.strictSame(dialled.seen, seen[0] === 200 ? [101, null, ''] : seen, `${name}: WebSocket`)
      dialled.socket.terminate()
    }
  })
}

t.test('guard: a session opens a socket from our own pages alone', async (t) => {
  const app = await openGuarded(t, { routes })
  const port = await listen(app)
  const cookie = await cookieOf(app)
  const dialled = async (headers: Headers): Promise<Seen> => {
    const { seen, socket } = await dialSocket(port, '/ws-unless', headers)
    socket.terminate()
    return seen
  }
  t.strictSame(await dialled(cookie), unknownCaller, 'without an Origin')
  t.strictSame(
    await dialled({ ...cookie, origin: 'https://evil.example' }),
    [403, null, '{"error":"this origin is not allowed"}'],
    'from elsewhere',
  )
  const other = { ...cookie, origin: 'http://localhost:4000' }
  t.strictSame(await dialled(other), unknownCaller, 'an origin that may use the endpoint and is not ours')
  t.strictSame(await dialled({ ...cookie, origin: 'http://localhost:3000' }), [101, null, ''])
})

t.test('guard: TLS comes before the token, the token before filters and controller', async (t) => {
  const done: string[] = []
  const filter = (when: 'around' | 'before') => ({
    when,
    name: when,
    call: () => void done.push(when),
  })
  const made = (): unknown => done.push('action')
  const app = await openGuarded(t, {
    routes: {
      read: { ...needs('notes:read'), filters: [filter('around'), filter('before')], call: made },
      secret: { ...needs('notes:read'), requiresTls: true },
    },
  })
  t.strictSame(await get(app, '/read'), unknownCaller)
  t.strictSame(done, [])
  const { statusCode, headers } = await app.client().get('/secret')
  t.strictSame([statusCode, headers.location], [302, 'https://localhost:3000/secret'])
})

t.test('guard: HEAD is refused as GET is, a refusal is not cached', async (t) => {
  const app = await openGuarded(t, { routes })
  const client = app.client()
  const head = await client.request({ method: 'HEAD', url: '/read' })
  const { 'www-authenticate': challenge, 'cache-control': cache } = head.headers
  t.strictSame([head.statusCode, challenge, cache, head.body], [401, 'Bearer', 'no-store', ''])
  const token = await tokenOf(app, 'notes:read')
  const allowed = await client.request({ method: 'HEAD', url: '/read', headers: bearer(token) })
  t.equal(allowed.statusCode, 200)
})

t.test('guard: challenges name the metadata of the resource that the routes are', async (t) => {
  const resourceMetadata = () => ({
    authorizationServers: ['http://localhost:3000'],
    scopesSupported: ['api'],
  })
  const app = await openGuarded(t, { routes, config: { mcp: { resourceMetadata } } })
  const at = 'resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource"'
  const [, none] = await get(app, '/read')
  const [, bad] = await get(app, '/read', bearer('x'))
  const [, little] = await get(app, '/delete', bearer(await tokenOf(app, 'api')))
  t.strictSame(
    [none, bad, little],
    [
      `Bearer ${at}`,
      `Bearer error="invalid_token", ${at}`,
      `Bearer error="insufficient_scope", scope="notes:delete", ${at}`,
    ],
  )
  const document = await app.client().get('/.well-known/oauth-protected-resource')
  t.equal(document.json().resource, 'http://localhost:3000')
})

t.test('guard: a scope that became sensitive leaves api at once', async (t) => {
  const databaseUrl = `sqlite:${t.testdir()}/app.db`
  const before = await openGuarded(t, { routes, options: { environment: { databaseUrl } } })
  const token = await tokenOf(before, 'api')
  t.strictSame(await get(before, '/write', bearer(token)), ran('write'))
  const scopes = { ...declared, 'notes:write': { text: 'Write', sensitive: true } }
  const after = await openGuarded(t, { routes, scopes, options: { environment: { databaseUrl } } })
  t.strictSame(await get(after, '/write', bearer(token)), tooLittle('notes:write'))
  t.strictSame(await get(after, '/read', bearer(token)), ran('read'))
})
