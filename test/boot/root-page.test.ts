/** The page at `/`: in development, for browsers, where nothing else is. */
import { createHash } from 'node:crypto'
import t from 'tap'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { AppPlugin } from '../../runtime/contract/application.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const host = 'localhost:3000'

interface Changes {
  readonly config?: Partial<AppConfig>
  readonly environment?: Partial<Environment>
  readonly bundle?: (bundle: AppBundle) => AppBundle
}

async function open(
  t: { teardown(close: () => Promise<void>): void },
  { config = {}, environment = {}, bundle = (appBundle) => appBundle }: Changes = {},
): Promise<TestApp> {
  const app = await openTestApp({
    environment,
    change: (loaded) => bundle({ ...loaded, config: { ...Object(loaded.config), ...config } }),
  })
  t.teardown(app.close)
  return app
}

/** `path` as a browser asks for it. */
const visit = (app: TestApp, path = '/', headers: Readonly<Record<string, string>> = {}) =>
  app.client().get(path, { accept, host, ...headers })

/** As every unknown address is answered. */
async function isUnknown(app: TestApp, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const [root, other] = await Promise.all(['/', '/nowhere'].map((path) => app.client().get(path, headers)))
  return (
    root?.statusCode === 404 &&
    root.body === other?.body &&
    root.headers['content-type'] === other?.headers['content-type']
  )
}

const textOf = (markup: string): string =>
  markup
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

t.test(
  'in development a browser reads at / what is served, where, who is signed in, and what is next',
  async (t) => {
    const app = await open(t)
    const { statusCode, headers, body } = await visit(app)
    const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    t.equal(statusCode, 200)
    t.match(headers, {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      vary: 'accept',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    t.notMatch(body, /<script|\son\w+=|\ssrc=/)
    const text = textOf(body)
    for (const shown of [
      'Base URL http://localhost:3000',
      'Routes 4',
      'MCP endpoint http://localhost:3000/mcp',
      'Tools 3 in 2 toolboxes',
      'Sign-in page /auth',
      'Signed in nobody, in this browser',
      'Connect an AI client',
      'npx acmcp explain @get npx acmcp routes npx acmcp tools npx acmcp docs',
      'app/controllers',
      'notes 2 Short notes of the signed-in user',
      'POST /api/notes/ notes_create',
    ])
      t.match(text, shown)
    const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
    t.strictSame(links, [
      '#routes',
      'http://localhost:3000/mcp',
      '#toolboxes',
      '/docs', // its optional peer is installed here
      '/docs/openapi.yml',
      '/auth',
      'http://localhost:3000/mcp',
      'http://localhost:3000/mcp/notes',
      'http://localhost:3000/mcp/users',
      '/health/',
      '/api/notes/',
      '/api/users/current',
    ])
    const client = app.client()
    await client.signIn()
    t.match(textOf((await client.get('/', { accept, host })).body), 'Signed in Developer')
  },
)

t.test('others get the 404 of today, to the byte', async (t) => {
  const app = await open(t)
  for (const other of ['application/json', '*/*', 'text/plain', 'text/html, application/json', 'text/*'])
    t.ok(await isUnknown(app, { accept: other, host }), other)
  t.ok(await isUnknown(app, { host }), 'no Accept')
  const posted = await app.client().request({ method: 'POST', url: '/', headers: { accept, host } })
  t.strictSame([posted.statusCode, posted.body], [404, '{"error":"not found"}'])
  const head = await app.client().request({ method: 'HEAD', url: '/', headers: { accept, host } })
  t.strictSame(
    [head.statusCode, head.headers['content-type'], head.body],
    [200, 'text/html; charset=utf-8', ''],
  )
  t.equal((await visit(app, '/?a=b')).statusCode, 200)
  t.equal((await visit(app, '//')).statusCode, 404)
})

t.test('never in production, and not with pages.root: false', async (t) => {
  const production = { production: true, devLogin: false, baseUrl: 'https://notes.example' }
  t.ok(await isUnknown(await open(t, { environment: production }), { accept, host: 'notes.example' }))
  t.ok(await isUnknown(await open(t, { config: { pages: { root: false } } }), { accept, host }))
})

t.test(
  'a route of the application at / is its own, and so is one of a plugin, and the MCP endpoint',
  async (t) => {
    const own = await open(t, {
      bundle: (bundle) => ({
        ...bundle,
        routes: bundle.routes.map((route) => (route.id === 'health_show' ? { ...route, path: '/' } : route)),
      }),
    })
    t.strictSame((await visit(own)).json(), { status: 'ok' })
    const plugin: AppPlugin = async (app) => {
      Object(app).get('/', async () => 'of the plugin')
    }
    t.equal((await visit(await open(t, { config: { plugins: [plugin] } }))).body, 'of the plugin')
    const hook: AppPlugin = async (app) => {
      app.addHook('onSend', async (_request, reply, payload) => {
        reply.header('x-seen', 'yes')
        return payload
      })
    }
    const hooked = await visit(await open(t, { config: { plugins: [hook] } }))
    t.strictSame([hooked.statusCode, /It is running/.test(hooked.body)], [200, true], 'behind plugins too')
    const mcp = await open(t, { config: { mcp: { path: '/' } } })
    t.match((await visit(mcp)).body, 'Connect an AI client')
  },
)

t.test('decisions, Environment: a foreign Host is refused there too', async (t) => {
  const app = await open(t)
  const answer = await visit(app, '/', { host: 'evil.example' })
  t.strictSame([answer.statusCode, answer.json()], [403, { error: 'this host is not served here' }])
})

t.test('it links to documents that are served, and to no page that is off', async (t) => {
  const at = (path: string) => (bundle: AppBundle) => ({
    ...bundle,
    routes: bundle.routes.map((route) => (route.id === 'health_show' ? { ...route, path } : route)),
  })
  const body = (await visit(await open(t, { bundle: at('/openapi.json') }))).body
  t.match(body, '<dt>OpenAPI document</dt><dd><a href="/openapi.json">')
  const off = await open(t, { config: { pages: { mcp: false } }, environment: { devLogin: false } })
  const text = (await visit(off)).body
  t.notMatch(text, /href="http/)
  t.match(textOf(text), 'no way to sign in is configured: DEV_LOGIN=1 adds one')
})

t.test('texts and names are text, whatever they hold', async (t) => {
  const evil = '</td><script>alert(1)</script>"\'&'
  const app = await open(t, {
    config: { mcp: { serverName: evil } },
    bundle: (bundle) => ({
      ...bundle,
      catalogue: {
        ...bundle.catalogue,
        toolboxes: bundle.catalogue.toolboxes.map(({ name }) => ({ name, description: evil })),
      },
    }),
  })
  const { body } = await visit(app)
  t.notMatch(body, /<script/)
  t.match(body, '&lt;/td&gt;&lt;script&gt;')
})

t.test('a setting of pages that there is not is refused by name', async (t) => {
  const wrong = { pages: { start: true } } as Partial<AppConfig> // a mistake of somebody without types
  await t.rejects(open(t, { config: wrong }), { message: 'app/config.ts: config.pages has no setting start' })
  const odd = { pages: { mcp: 'yes' } } as unknown as Partial<AppConfig> // the same
  await t.rejects(open(t, { config: odd }), {
    message: 'app/config.ts: config.pages.mcp must be true or false',
  })
})
