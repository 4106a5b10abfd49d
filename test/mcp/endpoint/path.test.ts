/** Where the endpoint is: any path, in one form in every address, and from where it may be used. */
import t from 'tap'
import { BootError } from '../../../runtime/boot/boot-error.ts'
import type { McpConfig } from '../../../runtime/boot/config.ts'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { defineApp } from '../../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

type Test = { teardown(clean: () => Promise<void>): void }

/** The example application with other settings of its endpoint. */
async function openWith(t: Test, mcp: McpConfig, production = false): Promise<TestApp> {
  const baseUrl = production ? 'https://notes.example' : 'http://localhost:3000'
  const app = await openTestApp({
    environment: { production, baseUrl },
    change: (bundle) => {
      const { mcp: own, ...config } = resolveConfig(bundle.config)
      const { authProbe, resourceMetadata } = own
      const settings = {
        authProbe: authProbe ?? '',
        ...(resourceMetadata ? { resourceMetadata } : {}),
        ...mcp,
      }
      return { ...bundle, config: defineApp({ migrations: config.migrations, mcp: settings }) }
    },
  })
  t.teardown(app.close)
  return app
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** What a request to an address of the application is answered, as a client would send it. */
const post = (app: TestApp, address: string, headers: Readonly<Record<string, string>> = {}) =>
  app.client().request({
    method: 'POST',
    url: new URL(address, app.baseUrl).pathname,
    headers: { ...accept, ...headers },
    payload: JSON.stringify(ping),
  })

/** `mcp.path` as written, and as every address has it. */
const paths: readonly (readonly [string, string])[] = [
  ['/', ''],
  ['/deep/p%20th/ai', '/deep/p%20th/ai'],
  ['/deep/p th/ai', '/deep/p%20th/ai'],
  ['/a:b', '/a:b'],
  ['/a%3ab/::/:c', '/a:b/::/:c'],
  ['/münchen', '/m%C3%BCnchen'],
  ['/m%c3%bcnchen', '/m%C3%BCnchen'],
  ['/%6dcp', '/mcp'],
  ['/100%25/50%2541', '/100%25/50%2541'],
  ["/(a)!'~;v=1,2@$&+", "/(a)!'~;v=1,2@$&+"],
  ['/"<>{}|^`', '/%22%3C%3E%7B%7D%7C%5E%60'],
  ['/authors/..mcp', '/authors/..mcp'],
]

t.test('spec, MCP server configuration: mcp.path has one canonical form, in every address', async (t) => {
  for (const [written, path] of paths) {
    const app = await openWith(t, { path: written })
    const address = `${app.baseUrl}${path}`
    t.equal(
      new URL(address).href,
      path === '' ? `${address}/` : address,
      'no client writes it in another way',
    )
    const refused = await post(app, address)
    const challenge = String(refused.headers['www-authenticate'])
    const metadataUrl = /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? ''
    const metadata = `${app.baseUrl}/.well-known/oauth-protected-resource`
    t.strictSame([written, refused.statusCode, metadataUrl], [written, 401, `${metadata}${path}`])
    for (const toolbox of ['', '/notes']) {
      const { pathname } = new URL(`${metadata}${path}${toolbox}`)
      const document = await app.client().get(pathname)
      t.strictSame(
        [written, document.statusCode, document.json().resource],
        [written, 200, address + toolbox],
      )
      const { statusCode, headers } = await app.client().request({ method: 'DELETE', url: pathname })
      t.strictSame([written, statusCode, headers.allow], [written, 405, 'GET, HEAD, OPTIONS'])
    }
    t.strictSame([written, app.application.mcpPath], [written, path === '' ? '/' : path])
    const token = { authorization: `Bearer ${await app.accessToken()}` }
    const answers = [await post(app, address, token), await post(app, `${address}/notes`, token)]
    t.strictSame([written, ...answers.map((answer) => answer.statusCode)], [written, 200, 200])
  }
})

t.test('a colon in mcp.path is no parameter', async (t) => {
  const app = await openWith(t, { path: '/a:b' })
  t.strictSame([(await post(app, '/aZZZ')).statusCode, (await post(app, '/a')).statusCode], [404, 404])
})

t.test('a path that cannot be served is one line at boot', async (t) => {
  const starts = 'must be a path that starts with / and ends without'
  const reserved = (name: string) => `must not begin with /${name}: the authorization server answers there`
  const wrong: readonly (readonly [string, string])[] = [
    ['', starts],
    ['mcp', starts],
    ['/mcp/', starts],
    ['https://notes.example/mcp', starts],
    ['/a*', 'must not hold "*" in a segment'],
    ['/a?b', 'must not hold "?" in a segment'],
    ['/a%3Fb', 'must not hold "?" in a segment'],
    ['/a#b', 'must not hold "#" in a segment'],
    ['/a%2Fb', 'must not hold "/" in a segment'],
    ['/a\\b', 'must not hold "\\\\" in a segment'],
    ['/a\nb', 'must not hold "\\n" in a segment'],
    ['/a/../b', 'must not have the segment ..: clients resolve it'],
    ['/a/%2e%2E/b', 'must not have the segment ..: clients resolve it'],
    ['/./mcp', 'must not have the segment .: clients resolve it'],
    ['/a//b', 'must not have an empty segment (//)'],
    ['/100%', 'must have two hex digits of UTF-8 after each %: write a % itself as %25'],
    ['/%ff', 'must have two hex digits of UTF-8 after each %: write a % itself as %25'],
    ['/auth', reserved('auth')],
    ['/auth/mcp', reserved('auth')],
    ['/oauth/token', reserved('oauth')],
    ['/%6fauth/mcp', reserved('oauth')],
    ['/.well-known/mcp', reserved('.well-known')],
  ]
  for (const [path, why] of wrong)
    await t.rejects(openWith(t, { path }), new BootError(`app/config.ts: config.mcp.path ${why}`), path)
})

t.test("a path that is an application's is one line at boot", async (t) => {
  const wrong: readonly (readonly [string, string])[] = [
    ['/api/notes', 'mcp.path: /api/notes is also the path of GET /api/notes/'],
    ['/api/users/curr%65nt', 'mcp.path: /api/users/current is also the path of GET /api/users/current'],
  ]
  for (const [path, message] of wrong) await t.rejects(openWith(t, { path }), new BootError(message), path)
})

t.test(
  'a route of the application is served where a toolbox would be, for its verb and for any name',
  async (t) => {
    const app = await openWith(t, { path: '/api' })
    const own = await app.application.server.inject({
      method: 'GET',
      url: '/api/notes',
      headers: { authorization: `Bearer ${await app.accessToken()}` },
    })
    t.strictSame([own.statusCode, own.json()], [200, []])
    t.equal((await post(app, '/api', {})).statusCode, 401)
    t.equal((await post(app, '/api/users', {})).statusCode, 401, 'the toolbox of the users')
    const variable = await openTestApp({
      change: (bundle) => {
        const [first] = bundle.routes
        if (first === undefined) throw new Error('no route')
        const routes = bundle.routes.map((route) =>
          route === first ? { ...route, path: '/mcp/:name' } : route,
        )
        return { ...bundle, routes }
      },
    })
    t.teardown(variable.close)
    const served = await variable.application.server.inject({ method: 'GET', url: '/mcp/anything' })
    t.strictSame([served.statusCode, served.json()], [200, { status: 'ok' }])
    t.equal((await post(variable, '/mcp/notes', {})).statusCode, 401, 'messages are posted to the toolbox')
  },
)

t.test('decisions, origins: in development loopback on any port may use the endpoint', async (t) => {
  const status = async (app: TestApp, origin: string) => (await post(app, '/mcp', { origin })).statusCode
  const loopback = [
    'http://localhost:5173',
    'http://127.0.0.1:6274',
    'http://[::1]:1',
    'https://localhost:5173',
  ]
  const foreign = [
    'https://evil.example',
    'http://localhost.evil.example:5173',
    'http://127.0.0.2:5173',
    'null',
  ]
  const development = await openWith(t, {})
  for (const origin of [...loopback, 'http://localhost', 'http://localhost:3000'])
    t.strictSame([origin, await status(development, origin)], [origin, 401])
  for (const origin of foreign) t.strictSame([origin, await status(development, origin)], [origin, 403])
  const production = await openWith(t, {}, true)
  for (const origin of loopback) t.strictSame([origin, await status(production, origin)], [origin, 403])
  t.equal(await status(production, 'https://notes.example'), 401)
  const listed = await openWith(t, { allowedOrigins: ['https://studio.example'] })
  t.strictSame(
    [await status(listed, 'https://studio.example'), await status(listed, 'http://localhost:5173')],
    [401, 403],
  )
})
