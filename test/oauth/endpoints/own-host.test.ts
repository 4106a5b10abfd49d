/** Who may ask a server that runs on this machine, and which pages may speak for its user. Source: rules.md, Environment and
 *  Easy to miss. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { answerOf, authorizeUrl, consentForm, csrfIn, openScene, type Scene, send } from '../support/scene.ts'

type Headers = Readonly<Record<string, string>>

const foreign = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  '127.0.0.2',
  '192.168.1.7:3000',
]
const own = ['localhost', 'LOCALHOST:3000', '127.0.0.1:8080', '[::1]:3000']

const initialize = {
  method: 'POST' as const,
  url: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
}

const to = (request: InjectOptions, host: string): InjectOptions => ({
  ...request,
  headers: { ...request.headers, host },
})

t.test(
  'decisions, Environment: with a loopback base URL a foreign Host is 403 at pages, authorize, endpoint and routes',
  async (t) => {
    const s = await openScene(t)
    const guarded: readonly (readonly [InjectOptions, number, string])[] = [
      [{ url: '/auth' }, 200, 'oauth'],
      [{ url: '/auth/dev' }, 303, 'oauth'],
      [{ url: '/auth/nobody/callback' }, 404, 'oauth'],
      [{ method: 'POST', url: '/auth/sign-out' }, 303, 'oauth'],
      [{ url: authorizeUrl(s.request) }, 303, 'oauth'],
      [{ method: 'POST', url: authorizeUrl(s.request) }, 303, 'oauth'],
      [{ url: '/api/users/current' }, 401, 'route'],
      [{ url: '/health' }, 200, 'route'],
      [initialize, 401, 'rpc'],
    ]
    const bodies: Readonly<Record<string, unknown>> = {
      oauth: { error: 'invalid_request', error_description: 'this host is not served here' },
      route: { error: 'this host is not served here' },
      rpc: { jsonrpc: '2.0', error: { code: -32600, message: 'Forbidden: this host is not served here' } },
    }
    for (const [request, status, kind] of guarded) {
      for (const host of foreign) {
        const answer = await send(s, to(request, host))
        t.strictSame(
          [answer.statusCode, answer.json(), answer.headers['cache-control'], answer.cookies],
          [403, bodies[kind], 'no-store', []],
          `${request.url} ${host}`,
        )
      }
      for (const host of own)
        t.equal((await send(s, to(request, host))).statusCode, status, `${request.url} ${host}`)
    }
    const open: readonly (readonly [InjectOptions, number])[] = [
      [{ url: '/.well-known/oauth-authorization-server' }, 200],
      [{ url: '/.well-known/oauth-protected-resource/mcp' }, 200],
      [{ url: '/.well-known/jwks.json' }, 404],
      [{ method: 'POST', url: '/oauth/register', payload: {} }, 400],
      [{ method: 'POST', url: '/oauth/token', payload: {} }, 400],
      [{ method: 'POST', url: '/oauth/revoke', payload: {} }, 400],
    ]
    for (const [request, status] of open)
      t.equal((await send(s, to(request, 'evil.example'))).statusCode, status, String(request.url))
  },
)

t.test('decisions, Environment: off loopback any Host will do: proxies rewrite it', async (t) => {
  const s = await openScene(t, { environment: { baseUrl: 'https://app.example' } })
  for (const url of ['/auth', '/health', authorizeUrl(s.request)])
    t.not((await send(s, to({ url }, 'backend:3000'))).statusCode, 403, url)
})

t.test('DEV_LOGIN: routes of plugins are no way around, tool calls pass', async (t) => {
  const plugin = async (app: { get(path: string, handler: () => string): unknown }): Promise<void> => {
    app.get('/of-a-plugin', () => 'inside')
  }
  const app = await openTestApp({
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins: [plugin] } }), // defineApp's
  })
  t.teardown(app.close)
  const at = async (url: string, host: string): Promise<readonly unknown[]> => {
    const { statusCode, body } = await app.client().get(url, { host })
    return [statusCode, body]
  }
  t.strictSame(await at('/of-a-plugin', 'localhost:3000'), [200, 'inside'])
  t.strictSame(await at('/of-a-plugin', 'evil.example'), [403, '{"error":"this host is not served here"}'])
  t.equal((await at('/.well-known/oauth-authorization-server', 'evil.example'))[0], 200)
  t.equal((await at('/health', 'evil.example'))[0], 403)
})

t.test(
  'decisions, Environment: the development login is refused to a request that was passed on',
  async (t) => {
    const s = await openScene(t)
    const forwarding: Headers = {
      forwarded: 'for=192.0.2.1',
      via: '1.1 proxy',
      'x-real-ip': '192.0.2.1',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'localhost:3000',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '443',
      'x-original-host': 'evil.example',
      'x-client-ip': '192.0.2.1',
      'true-client-ip': '192.0.2.1',
      'cf-connecting-ip': '192.0.2.1',
      'cdn-loop': 'cloudflare',
    }
    const refused = {
      error: 'access_denied',
      error_description: 'the development login is for this machine only',
    }
    for (const [name, value] of Object.entries(forwarding)) {
      const answer = await send(s, { url: '/auth/dev', headers: { [name]: value } })
      t.strictSame([answer.statusCode, answer.json(), answer.cookies], [403, refused, []], name)
      t.equal(
        (await send(s, { url: '/auth', headers: { [name]: value } })).statusCode,
        200,
        `${name}: the page`,
      )
    }
    t.equal((await send(s, { url: '/auth/dev' })).statusCode, 303)
  },
)

/** The consent form of the scene's browser, sent with these headers. */
async function decideFrom(s: Scene, headers: Headers): Promise<LightMyRequestResponse> {
  const form = { ...(await consentForm(s)), decision: 'allow' }
  return s.client.request({
    method: 'POST',
    url: '/oauth/authorize',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })
}

t.test(
  'decisions, easy to miss: a consent form that comes from elsewhere shows the page again, whatever its token',
  async (t) => {
    const s = await openScene(t)
    const elsewhere: readonly Headers[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: 'http://localhost:4000', host: 'localhost:3000' },
      { origin: 'https://localhost:3000' },
      { origin: 'http://localhost:3000.evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: s.app.baseUrl, 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of elsewhere) {
      const answer = await decideFrom(s, headers)
      t.strictSame([answer.statusCode, answer.headers.location], [200, undefined], JSON.stringify(headers))
      t.not(csrfIn(answer), '')
      t.equal(answer.headers['referrer-policy'], 'same-origin', 'else browsers would send Origin: null')
      t.equal(answer.headers['content-security-policy'], "frame-ancestors 'none'")
    }
    const genuine: readonly Headers[] = [
      {},
      { origin: s.app.baseUrl, 'sec-fetch-site': 'same-origin' },
      { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of genuine)
      t.match((await decideFrom(s, headers)).headers.location, /code=/, JSON.stringify(headers))
  },
)

t.test('consent: off loopback only the base URL is our origin, whatever the Host', async (t) => {
  const s = await openScene(t, { environment: { baseUrl: 'https://app.example' } })
  const elsewhere = { origin: 'https://backend.example', host: 'backend.example' }
  t.equal((await decideFrom(s, elsewhere)).statusCode, 200)
  t.equal((await decideFrom(s, { origin: 'https://app.example', host: 'backend:3000' })).statusCode, 303)
})

t.test('sign-out: a form of ours ends the session, one from elsewhere does not', async (t) => {
  const s = await openScene(t)
  const { client } = s
  const signOut = (headers: Headers = {}): Promise<LightMyRequestResponse> =>
    client.request({ method: 'POST', url: '/auth/sign-out', headers })
  const button =
    '<form method="post" action="/auth/sign-out"><button type="submit" class="secondary">Sign out</button></form>'
  t.notMatch((await client.get('/auth')).body, 'sign-out')
  await client.signIn()
  t.match((await client.get('/auth')).body, button)
  const refused = { error: 'access_denied', error_description: 'only a page of this service signs out' }
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    t.strictSame(answerOf(await signOut(headers)), [403, refused])
    t.equal((await client.get(authorizeUrl(s.request))).statusCode, 200, 'still signed in')
  }
  const before = new Map(client.cookies)
  t.strictSame(answerOf(await signOut({ origin: s.app.baseUrl })), [303, '', '/auth'])
  t.strictSame([...client.cookies], [], 'the cookie goes')
  const old = await send(s, { url: authorizeUrl(s.request), cookies: Object.fromEntries(before) })
  t.strictSame(answerOf(old), [303, '', '/auth'], 'and the session it named')
  t.strictSame(answerOf(await signOut()), [303, '', '/auth'], 'signed out already')
  t.equal((await client.get('/auth/sign-out')).statusCode, 404, 'a link does nothing')
})
