/** A stranger's application: albums of several people, with uploads, a key for a printer, a plugin and a base class of its own. Its
 *  tags, its types and its answers, built and served. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { built, folderOf, typeErrors } from '../../cli/support/built-app.ts'
import { acmcpHere } from '../../cli/support/here.ts'
import { bearer, type Headers, type Seen } from '../support/guarded.ts'

t.setTimeout(120_000)

const config = `import { type Access, defineApp, type HttpRequest } from 'acmcp'
const verifyToken = async (token: string, request: HttpRequest): Promise<Access | null> => {
  Reflect.get(globalThis, 'judged')?.push(request.path)
  if (token !== 'press') return null
  return { user: { id: 'press:1', name: 'Press', email: null }, client: null, grant: null, scopes: ['albums:read'] }
}
export const config = defineApp({
  verifyToken,
  scopes: {
    'albums:read': 'See your albums',
    'albums:write': { text: 'Add pictures', implies: ['albums:read'] },
    'albums:delete': { text: 'Delete albums', sensitive: true },
  },
})
`

const albums = `import { type Access, ApplicationController, type Header, Unauthorized, type UploadedFile } from 'acmcp'

/**
 * Albums of several people.
 *
 * @scope albums:read unless=session,key
 */
export class Albums extends ApplicationController {
  #owner = 'nobody'

  /** @filter before */
  async owner(key?: Header<'X-API-Key', string>): Promise<void> {
    const [, token] = /^Bearer (.+)/.exec(String(this.request.headers.authorization)) ?? []
    const user = token === undefined ? null : await this.services.userOfAccessToken(token)
    const session = await this.services.userOfSession(this.request.session)
    const owner = user?.id ?? session?.id ?? (key === 'printer-7' ? 'printer' : null)
    if (owner === null) throw new Unauthorized()
    this.#owner = owner
  }

  /**
   * Lists albums.
   *
   * @get /
   */
  index(): { owner: string } { return { owner: this.#owner } }

  /**
   * Adds a picture.
   *
   * @post /
   * @scope albums:write
   */
  async create(photo: UploadedFile): Promise<{ owner: string; bytes: number }> {
    return { owner: this.#owner, bytes: (await photo.bytes()).length }
  }

  /**
   * Removes an album, the shared ones only with more.
   *
   * @delete /:id
   * @scope albums:read
   * @param id - its name
   */
  remove(id: string): { removed: string } {
    if (id === 'shared') this.requireScopes('albums:delete')
    return { removed: id }
  }

  /**
   * Who asks.
   *
   * @get /me
   * @scope none
   */
  me(): Access | null { return this.access }
}
`

const root = folderOf(t, { 'app/config.ts': config, 'app/controllers/albums.ts': albums })
const build = await built(root)
const data = join(root, 'data')
mkdirSync(data)

/** A browser's token travels in a cookie. */
const fromCookie: FastifyPluginAsync = Object.assign(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', async ({ headers }) => {
      const [, token] = /token=([^;]+)/.exec(String(headers.cookie)) ?? []
      if (token !== undefined) headers.authorization = `Bearer ${token}`
    })
  },
  { [Symbol.for('skip-override')]: true },
)

async function open(withPlugin: boolean): Promise<TestApp> {
  const app = await openTestApp({
    cwd: root,
    environment: { databaseUrl: `sqlite:${data}/${withPlugin}.db` },
    change: (bundle) => {
      const plugins = withPlugin ? [fromCookie] : []
      return { ...bundle, config: { ...(bundle.config as object), plugins } } // a plain object
    },
  })
  t.teardown(app.close)
  await app.application.store.saveUser(ada)
  return app
}

const ada = { id: 'dev:ada', name: 'Ada', email: null }
const seenOf = ({ statusCode, headers, body }: Awaited<ReturnType<TestClient['get']>>): Seen => [
  statusCode,
  headers['www-authenticate']?.toString() ?? null,
  body,
]
const little = (scope: string): Seen => [
  403,
  `Bearer error="insufficient_scope", scope="${scope}"`,
  '{"error":"insufficient_scope"}',
]

t.test('guard: the application builds, type checks and warns of nothing', async (t) => {
  t.strictSame([build.status, build.stderr], [0, ''])
  t.equal(typeErrors(root), '')
})

for (const withPlugin of [false, true]) {
  t.test(
    `the guard of scopes: a stranger’s application, ${withPlugin ? 'behind' : 'without'} plugins`,
    async (t) => {
      const app = await open(withPlugin)
      const token = async (scope: string): Promise<string> =>
        (await app.application.developmentToken(ada.id, scope)).accessToken
      const reader = await token('albums:read')
      const writer = await token('albums:write')
      const get = async (path: string, headers: Headers = {}): Promise<Seen> =>
        seenOf(await app.client().get(path, headers))
      const owner = (id: string): Seen => [200, null, JSON.stringify({ owner: id })]

      t.strictSame(await get('/albums'), [401, 'Bearer', '{"error":"invalid_token"}'])
      t.strictSame(await get('/albums', bearer(reader)), owner(ada.id))
      t.strictSame(await get('/albums', bearer('press')), owner('press:1'))
      t.strictSame(await get('/albums', { 'x-api-key': 'printer-7' }), owner('printer'))
      t.equal((await get('/albums', { 'x-api-key': 'junk' }))[0], 401, 'the filter judges keys')
      const browser = app.client()
      await browser.signIn(ada)
      t.strictSame(seenOf(await browser.get('/albums')), owner(ada.id))

      const photo = { photo: { filename: 'a.png', content: 'x'.repeat(200_000) } }
      const post = async (sent: string): Promise<Seen> =>
        seenOf(await app.client().withBearer(sent).upload('/albums', photo))
      t.strictSame(await post(reader), little('albums:read albums:write'))
      t.strictSame(await post(writer), [200, null, '{"owner":"dev:ada","bytes":200000}'])

      const remove = async (path: string, sent: string): Promise<Seen> =>
        seenOf(await app.client().request({ method: 'DELETE', url: path, headers: bearer(sent) }))
      t.strictSame(await remove('/albums/mine', reader), [200, null, '{"removed":"mine"}'])
      t.strictSame(await remove('/albums/shared', writer), little('albums:read albums:delete'))
      t.strictSame(await get('/albums/me', { 'x-api-key': 'printer-7' }), [200, null, 'null'])
      const press = { user: { id: 'press:1', name: 'Press', email: null }, client: null, grant: null }
      const [, , me] = await get('/albums/me', { ...bearer('press'), 'x-api-key': 'printer-7' })
      t.strictSame(JSON.parse(me), { ...press, scopes: ['albums:read'] })
    },
  )
}

t.test(
  'the guard of scopes: behind plugins it runs once, and sees the credential as hooks have left it',
  async (t) => {
    const app = await open(true)
    const judged: string[] = []
    Reflect.set(globalThis, 'judged', judged)
    t.teardown(() => Reflect.deleteProperty(globalThis, 'judged'))
    const cookie = { cookie: 'token=press' }
    t.strictSame(seenOf(await app.client().get('/albums', cookie)), [200, null, '{"owner":"press:1"}'])
    t.strictSame(seenOf(await app.client().get('/albums', { cookie: 'token=other' })), [
      401,
      'Bearer error="invalid_token"',
      '{"error":"invalid_token"}',
    ])
    t.strictSame(judged, ['/albums', '/albums'])
    const called = await app.client().request({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...cookie,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'albums_index', arguments: {} },
      },
    })
    t.strictSame(called.json().result.structuredContent, { owner: 'press:1' })
    t.strictSame(judged.slice(2), ['/mcp', '/albums/'], 'the endpoint asks whose call it is, and the guard')
  },
)

t.test('guard: a store that is away is 503, never 401', async (t) => {
  const app = await open(false)
  const { accessToken } = await app.application.developmentToken(ada.id, 'api')
  renameSync(data, join(root, 'away'))
  const away = [503, null, '{"error":"the store is not available"}']
  // A read may see the file that was there for another tenth of a second.
  while ((await app.client().get('/albums', bearer(accessToken))).statusCode === 200);
  t.strictSame(seenOf(await app.client().get('/albums', bearer(accessToken))), away)
  t.strictSame(seenOf(await app.client().get('/albums/me', bearer(accessToken))), away)
  t.equal((await app.client().get('/albums/me')).statusCode, 401)
  renameSync(join(root, 'away'), data)
  t.equal((await app.client().get('/albums', bearer(accessToken))).statusCode, 200)
})

t.test('guard: acmcp call is let past by the token that it makes, and no further', async (t) => {
  const call = async (...args: readonly string[]): Promise<readonly unknown[]> => {
    const { status, stdout } = await acmcpHere(root, {}, 'call', ...args)
    return [status, stdout.trim()]
  }
  t.strictSame(await call('albums_index'), [0, '{"owner":"dev:developer"}'])
  t.equal((await call('albums_remove', 'id=mine'))[0], 0)
  t.equal((await call('albums_remove', 'id=shared'))[0], 1)
})
