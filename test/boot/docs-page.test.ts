/** `/docs`: when it is there, what it answers, and that tool calls know nothing of it. The page in a browser is in
 *  `test/pages/api-docs.test.ts`. */
import { tracingChannel } from 'node:diagnostics_channel'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { BootError } from '../../runtime/boot/boot-error.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppPlugin } from '../../runtime/contract/application.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'

t.setTimeout(120_000)

interface Variant {
  readonly config?: object
  readonly environment?: Partial<Environment>
  readonly change?: (bundle: AppBundle) => AppBundle
}

async function open(t: Test, { config = {}, environment = {}, change = (b) => b }: Variant = {}) {
  const app = await openTestApp({
    environment,
    change: (bundle) => change({ ...bundle, config: { ...(bundle.config as object), ...config } }), // defineApp's object
  })
  t.teardown(app.close)
  return app
}

const statuses = async (app: TestApp, ...paths: readonly string[]): Promise<readonly number[]> =>
  Promise.all(paths.map(async (path) => (await app.client().get(path)).statusCode))

const paths = ['/docs', '/docs/openapi.yml', '/docs/reference.js'] as const

t.test('/docs: the page, the document and the script are served in development', async (t) => {
  const client = (await open(t)).client()
  const [page, openApi, script] = [
    await client.get(paths[0]),
    await client.get(paths[1]),
    await client.get(paths[2]),
  ]
  const { 'content-security-policy': policy = '', ...headers } = page.headers
  const [, nonce = ''] = /'nonce-([^']{22,})'/.exec(String(policy)) ?? []
  t.equal(
    policy,
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  t.notOk(String((await client.get('/docs')).headers['content-security-policy']).includes(nonce), 'used once')
  t.match(headers, {
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  t.strictSame(page.body.match(/<script[^>]*>/g), [
    `<script nonce="${nonce}" src="/docs/reference.js">`,
    `<script nonce="${nonce}">`,
  ])
  t.strictSame(
    [openApi.body, openApi.headers['content-type']],
    [readFileSync('generated/openapi.yml', 'utf8'), 'application/yaml'],
  )
  t.strictSame(
    [script.rawPayload.length > 1e6, script.headers['content-type']],
    [true, 'text/javascript; charset=utf-8'],
  )
})

t.test('/docs: HEAD and a slash at the end work, other methods and paths are 404', async (t) => {
  const client = (await open(t)).client()
  const head = await client.request({ method: 'HEAD', url: '/docs' })
  t.strictSame([head.statusCode, head.body], [200, ''])
  t.equal((await client.get('/docs/?code=1')).statusCode, 200)
  t.equal((await client.request({ method: 'POST', url: '/docs' })).statusCode, 404)
  t.strictSame(await statuses(await open(t), '/docs/else', '/docs/openapi.yml/x'), [404, 404])
})

t.test('/docs: under development another host gets 403, as everywhere', async (t) => {
  const client = (await open(t)).client()
  for (const url of paths) {
    const { statusCode } = await client.request({ url, headers: { host: 'rebound.example' } })
    t.equal(statusCode, 403, url)
  }
})

const production = { production: true, baseUrl: 'https://notes.example' } as const

const redirects = async (app: TestApp, baseUrl: string): Promise<string> => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'acmcp-pages',
    redirect_uri: `${baseUrl}/docs`,
  })
  return (await app.client().get(`/oauth/authorize?${query}`)).json().error_description
}

t.test('/docs: it is off in production unless the configuration asks for it', async (t) => {
  const off = await open(t, { environment: production })
  t.strictSame(await statuses(off, ...paths), [404, 404, 404])
  const on = await open(t, { environment: production, config: { pages: { docs: true } } })
  t.strictSame(await statuses(on, ...paths), [200, 200, 200])
  const without = await open(t, { config: { pages: { docs: false } } })
  t.strictSame(await statuses(without, ...paths), [404, 404, 404])
  const [no, yes] = [await redirects(off, production.baseUrl), await redirects(on, production.baseUrl)]
  t.match(no, /redirect_uri/, 'no code is sent to a page that is not there')
  t.notMatch(yes, /redirect_uri/)
})

/** A folder of an application; its UI has these files, or is not there. */
function folder(t: Test, ui: readonly string[] | 'linked' | null): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-docs-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const name = 'node_modules/@scalar/fastify-api-reference'
  mkdirSync(join(root, 'node_modules/@scalar'), { recursive: true })
  if (ui === 'linked') symlinkSync(join(process.cwd(), name), join(root, name))
  if (ui === null || ui === 'linked') return root
  mkdirSync(join(root, name, 'dist'), { recursive: true })
  writeFileSync(join(root, name, 'package.json'), '{"type":"module","main":"dist/index.js"}')
  for (const file of ui) writeFileSync(join(root, name, 'dist', file), '')
  return root
}

t.test(
  'the page of the API at /docs: without the peer it is not there; asked for, the start says what to install',
  async (t) => {
    const install = 'npm install "@scalar/fastify-api-reference@~1.44.9"'
    const cases = [
      [null, `pages.docs: @scalar/fastify-api-reference is not installed: ${install}`],
      [
        ['index.js'],
        `pages.docs: @scalar/fastify-api-reference is there in a version that is not served: ${install}`,
      ],
    ] as const
    for (const [ui, message] of cases) {
      const change = (bundle: AppBundle): AppBundle => ({ ...bundle, folder: folder(t, ui) })
      const app = await open(t, { change })
      t.strictSame(await statuses(app, ...paths), [404, 404, 404])
      const { headers, body } = await app.client().get('/docs')
      t.strictSame(
        [headers['content-type'], body],
        [
          'text/plain; charset=utf-8',
          `The API is shown here when @scalar/fastify-api-reference is installed:\n\n  ${install}\n`,
        ],
      )
      const production = await open(t, { change, environment: { production: true } })
      t.notMatch((await production.client().get('/docs')).body, 'scalar', 'production says nothing')
      await t.rejects(open(t, { change, config: { pages: { docs: true } } }), new BootError(message))
    }
    const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    t.equal(peerDependencies['@scalar/fastify-api-reference'], '~1.44.9', 'the version of the message')
  },
)

t.test('/docs: without generated/openapi.yml it is not there, or the start says so', async (t) => {
  const root = folder(t, 'linked')
  const change = (bundle: AppBundle): AppBundle => ({ ...bundle, folder: root })
  const app = await open(t, { change })
  t.strictSame(await statuses(app, '/docs'), [404])
  t.match(
    (await app.client().get('/docs')).body,
    /generated\/openapi\.yml is there:\n\n {2}npx acmcp build\n$/,
  )
  await t.rejects(
    open(t, { change, config: { pages: { docs: true } } }),
    new BootError(
      `pages.docs: ${join(root, 'generated/openapi.yml')} is missing: run acmcp build and deploy it`,
    ),
  )
})

t.test('/docs: routes of the application and of its plugins come first', async (t) => {
  const own = await open(t, {
    change: (bundle) => ({
      ...bundle,
      routes: bundle.routes.map((route) =>
        route.id === 'health_show' ? { ...route, path: '/docs' } : route,
      ),
    }),
  })
  t.strictSame((await own.client().get('/docs')).json(), { status: 'ok' })
  const plugin = async (app: FastifyInstance): Promise<void> =>
    void app.get('/docs', async () => ({ of: 'the plugin' }))
  const hooked = await open(t, { config: { plugins: [plugin] } })
  t.strictSame((await hooked.client().get('/docs')).json(), { of: 'the plugin' })
})

interface Handled {
  readonly route: { readonly url: string }
}

/** The routes of Fastify through which a tool call goes. */
async function routesOfToolCall(app: TestApp): Promise<readonly string[]> {
  const api = app.client().withBearer(await app.accessToken())
  const routes: string[] = []
  const handled = tracingChannel<'fastify.request.handler', Handled>('fastify.request.handler')
  const start = (message: unknown): void => void routes.push((message as Handled).route.url) // as Fastify documents it
  handled.start.subscribe(start)
  await api.tool('notes_create', { text: 'first' })
  handled.start.unsubscribe(start)
  return routes
}

t.test(
  'the page of the API at /docs: tool calls take the direct way beside it; a plugin that covers routes is seen',
  async (t) => {
    t.strictSame(await routesOfToolCall(await open(t)), ['/mcp'])
    const plugin: AppPlugin = async (app) => void app.addHook('onRequest', async () => {})
    const hooked = await open(t, { config: { plugins: [plugin] } })
    t.strictSame(
      await routesOfToolCall(hooked),
      ['/mcp', '/api/users/current', '/api/notes/'],
      'what the test would see',
    )
  },
)
