/** The page as an application serves it: its setting, its client, its path, production, and what the log says of it. */
import { createHash } from 'node:crypto'
import t from 'tap'
import type { Environment } from '../../../runtime/boot/environment.ts'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

interface Changes {
  readonly config?: AppConfig
  readonly environment?: Partial<Environment>
  readonly logged?: string[]
}

/** The example with other settings. */
async function open(
  t: { teardown(close: () => Promise<void>): void },
  { config = {}, environment = {}, logged = [] }: Changes = {},
): Promise<TestApp> {
  const app = await openTestApp({
    environment,
    logStream: { write: (line) => void logged.push(line) },
    change: (loaded) => {
      const own = Object(loaded.config)
      return { ...loaded, config: { ...own, ...config, mcp: { ...own.mcp, ...config.mcp } } }
    },
  })
  t.teardown(app.close)
  return app
}

const visit = (app: TestApp, url: string, headers: Readonly<Record<string, string>> = {}) =>
  app.client().get(url, { accept, host: new URL(app.baseUrl).host, ...headers })

const verifier = 'v'.repeat(43)

/** What the page's own request for consent is answered. */
async function askConsent(app: TestApp, redirectUri: string): Promise<string> {
  const client = app.client()
  await client.signIn()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'acmcp-pages',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: redirectUri,
  })
  const { statusCode, body } = await client.get(`/oauth/authorize?${query}`)
  return statusCode === 200 ? 'consent' : body
}

const unknown = '{"error":"invalid_request","error_description":"unknown client or redirect_uri"}'

t.test('on by default; pages.mcp: false takes the page and its client away', async (t) => {
  const app = await open(t)
  const shown = await visit(app, '/mcp')
  t.strictSame([shown.statusCode, shown.headers['content-type']], [401, 'text/html; charset=utf-8'])
  t.equal(await askConsent(app, 'http://localhost:3000/mcp'), 'consent')
  const off = await open(t, { config: { pages: { mcp: false } } })
  const plain = await visit(off, '/mcp')
  t.strictSame(
    [plain.statusCode, plain.body],
    [401, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Unauthorized"},"id":null}'],
  )
  t.equal(await askConsent(off, 'http://localhost:3000/mcp'), unknown)
})

t.test('the challenge names the same documents for a browser and for a client', async (t) => {
  const app = await open(t)
  for (const url of ['/mcp', '/mcp/notes', '/mcp/nobox']) {
    const [page, client] = [
      await visit(app, url),
      await app.client().get(url, { accept: 'application/json' }),
    ]
    t.equal(page.headers['www-authenticate'], client.headers['www-authenticate'], url)
    t.strictSame([page.statusCode, client.statusCode], [401, 401])
  }
})

t.test('in production it is there, and says nothing of the tools', async (t) => {
  const environment = { production: true, devLogin: false, baseUrl: 'https://notes.example' }
  const providers = { acme: { issuer: 'https://id.example', clientId: 'c', clientSecret: 's' } }
  const app = await open(t, { environment, config: { providers } })
  const { statusCode, body, headers } = await visit(app, '/mcp')
  t.equal(statusCode, 401)
  t.match(body, '<code>https://notes.example/mcp</code>')
  t.notMatch(body, /notes_|users_current|Short notes|The people/)
  t.match(body, 'data-connect=', 'people can sign in')
  t.equal(headers['strict-transport-security'], 'max-age=31536000')
  const nobody = await open(t, { environment })
  t.notMatch((await visit(nobody, '/mcp')).body, 'data-connect=', 'nobody can')
})

t.test('decisions, mcp.path: any path has its page, and its client the same redirect URI', async (t) => {
  for (const [path, address, redirectUri] of [
    ['/', 'http://localhost:3000', 'http://localhost:3000/'],
    ['/deep/p th/ai', 'http://localhost:3000/deep/p%20th/ai', 'http://localhost:3000/deep/p%20th/ai'],
    ['/a:b', 'http://localhost:3000/a:b', 'http://localhost:3000/a:b'],
  ] as const) {
    const app = await open(t, { config: { mcp: { path } } })
    const { statusCode, body } = await visit(app, new URL(redirectUri).pathname)
    t.strictSame([statusCode, body.includes(`<code>${address}</code>`)], [401, true], path)
    t.match(body, `redirectUri&quot;:&quot;${redirectUri}&quot;`)
    t.equal(await askConsent(app, redirectUri), 'consent', path)
  }
})

t.test('decisions, Environment: a foreign Host is refused, a forwarded one changes no address', async (t) => {
  const app = await open(t)
  const { statusCode, headers } = await visit(app, '/mcp', { host: 'evil.example' })
  t.strictSame([statusCode, headers['content-type']], [403, 'application/json; charset=utf-8'])
  const forwarded = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
  t.notMatch((await visit(app, '/mcp', forwarded)).body, 'evil.example')
})

t.test('a code that comes back in the address stands in no line of the log', async (t) => {
  const logged: string[] = []
  const app = await open(t, { environment: { logLevel: 'info' }, logged })
  await visit(app, '/mcp?code=THE-CODE&state=THE-STATE&iss=x')
  const lines = logged.join('')
  t.match(lines, '/mcp?code=[FILTERED]&state=[FILTERED]')
  t.notMatch(lines, /THE-CODE|THE-STATE/)
})

t.test('an endpoint that a cookie opens shows its tools to whoever has it', async (t) => {
  const app = await open(t, {
    config: {
      mcp: {
        authenticator: ({ headers }) => headers['x-api-key'] === 'k' || headers.cookie === 'a=b',
        authProbe: '/health',
      },
    },
  })
  const [out, cookie] = [await visit(app, '/mcp'), await visit(app, '/mcp', { cookie: 'a=b' })]
  t.strictSame([out.statusCode, cookie.statusCode], [401, 200])
  t.match(cookie.body, 'users_current')
  t.match(cookie.body, 'Bearer $TOKEN', 'a client has no cookie: it is told to bring a token')
})
