/** Attacks on the authorization endpoint, each with its whole answer, before and after sign-in. Source: rules.md, Authorize 1
 *  to 9; rules.md, OAuth; RFC 9700. */
import type { InjectOptions } from 'fastify'
import t from 'tap'
import {
  type Answer,
  answerOf,
  authorizeUrl,
  baseUrl,
  breaches,
  consentForm,
  loopbackUri,
  openScene,
  redirectUri,
  refused,
  registerClient,
  send,
} from '../support/scene.ts'

type Form = Readonly<Record<string, string>>
type Attack = readonly [name: string, change: Form, expected: Answer]

const unknown = refused('invalid_request', 'unknown client or redirect_uri')
const pkce = refused('invalid_request', 'PKCE with S256 is required')
const target = refused('invalid_target')
const scope = refused('invalid_scope')
const responseType = refused('unsupported_response_type')

const to = (name: string, redirect_uri: string): Attack => [
  `1: redirect URI ${name}`,
  { redirect_uri },
  unknown,
]

const attacks: readonly Attack[] = [
  ['1: a client that does not exist', { client_id: 'nobody' }, unknown],
  ['1: no client', { client_id: '' }, unknown],
  ['1: a client called __proto__', { client_id: '__proto__' }, unknown],
  ['1: a client that is SQL', { client_id: "' or '1'='1" }, unknown],
  ['1: a client with a wild card', { client_id: '%' }, unknown],
  [
    '1: a client whose name is an address, with documents off',
    { client_id: 'https://evil.example/client' },
    unknown,
  ],
  ['1: a client of 4 KB', { client_id: 'c'.repeat(4000) }, unknown],
  to('absent', ''),
  to('of another host', 'https://evil.example/cb'),
  to('that starts alike', `${redirectUri}x`),
  to('with a suffix on the host', 'https://client.example.evil/cb?keep=me'),
  to('with the host as user', 'https://client.example@evil.example/cb?keep=me'),
  to('with the host as user and password', 'https://client.example:443@evil.example/cb?keep=me'),
  to('with a fragment', `${redirectUri}#x`),
  to('without its query', 'https://client.example/cb'),
  to('with a longer query', `${redirectUri}&next=https://evil.example`),
  to('that climbs', 'https://client.example/cb/../evil?keep=me'),
  to('that climbs, escaped', 'https://client.example/cb/%2e%2e/evil?keep=me'),
  to('with a backslash', 'https://client.example\\@evil.example/cb?keep=me'),
  to('in capitals', 'https://CLIENT.example/cb?keep=me'),
  to('with a path in capitals', 'https://client.example/CB?keep=me'),
  to('with a port', 'https://client.example:8443/cb?keep=me'),
  to('over http', 'http://client.example/cb?keep=me'),
  to('with a line break', `${redirectUri}\r\nSet-Cookie: a=b`),
  to('after a space', ` ${redirectUri}`),
  to('with a homograph', 'https://сlient.example/cb?keep=me'),
  to('that is a script', 'javascript:alert(1)'),
  to('that is data', 'data:text/html,<script>alert(1)</script>'),
  to('that is relative', '/cb'),
  to('without a scheme', '//client.example/cb?keep=me'),
  to('on loopback, another path', 'http://127.0.0.1:7777/evil'),
  to('on loopback, another name', 'http://localhost:7777/callback'),
  to('on loopback, as a short number', 'http://127.1:7777/callback'),
  to('on loopback, as one number', 'http://2130706433:7777/callback'),
  to('on loopback, https', 'https://127.0.0.1:7777/callback'),
  to('on a host that starts like loopback', 'http://127.0.0.1.evil.example/callback'),
  to('on loopback as user', 'http://127.0.0.1:7777@evil.example/callback'),
  to('on every address', 'http://0.0.0.0:7777/callback'),
  ['2: an empty response type', { response_type: '' }, responseType],
  ...['token', 'id_token', 'code token', 'none', 'Code', 'code ', '__proto__'].map(
    (response_type): Attack => [`2: response type ${response_type}`, { response_type }, responseType],
  ),
  ['3: no challenge', { code_challenge: '' }, pkce],
  ['3: no method', { code_challenge_method: '' }, pkce],
  ['3: plain', { code_challenge_method: 'plain' }, pkce],
  ['3: s256', { code_challenge_method: 's256' }, pkce],
  ['3: S512', { code_challenge_method: 'S512' }, pkce],
  [
    '3: a challenge of 129 characters',
    { code_challenge: 'c'.repeat(129) },
    refused('invalid_request', 'code_challenge is longer than 128 bytes'),
  ],
  ['4: a foreign resource', { resource: 'https://evil.example/mcp' }, target],
  ['4: a resource that starts alike', { resource: `${baseUrl}1/mcp` }, target],
  ['4: a resource behind user info', { resource: `${baseUrl}@evil.example/` }, target],
  ['4: a resource in capitals', { resource: baseUrl.toUpperCase() }, target],
  ['4: a resource with a query', { resource: `${baseUrl}?x=1` }, target],
  ['5: another scope', { scope: 'admin' }, scope],
  ['5: a further scope', { scope: 'api admin' }, scope],
  ['5: a scope in capitals', { scope: 'API' }, scope],
  ['5: scopes divided by a tab', { scope: 'api\tapi' }, scope],
  ['5: scopes divided by a comma', { scope: 'api,admin' }, scope],
  [
    'a state of 2 KB and a byte',
    { state: 's'.repeat(2049) },
    refused('invalid_request', 'state is longer than 2048 bytes'),
  ],
  [
    'a NUL character in the state',
    { state: 'a\0' },
    refused('invalid_request', 'a parameter contains a NUL character'),
  ],
]

t.test('decisions, sizes; attacks on authorize: refused as JSON, never redirected', async (t) => {
  const s = await openScene(t)
  await s.client.get('/auth/dev')
  for (const [name, change, expected] of attacks) {
    const url = authorizeUrl({ ...s.request, ...change })
    for (const client of [s.client, s.app.client()]) {
      const answer = await client.get(url)
      t.strictSame([answerOf(answer), breaches({ url }, answer)], [expected, []], name)
    }
    const form = await s.client.submit('/oauth/authorize', { ...s.request, ...change, decision: 'allow' })
    t.strictSame(answerOf(form), expected, `${name}, as a form`)
  }
  t.ok(attacks.length >= 60, `${attacks.length} attacks`)
})

t.test('attacks on authorize: the same parameter twice is refused', async (t) => {
  const s = await openScene(t)
  const twice = refused('invalid_request', 'a parameter is given more than once')
  const good = authorizeUrl(s.request)
  for (const more of [
    'redirect_uri=https%3A%2F%2Fevil.example',
    'client_id=x',
    'state=',
    'client%5Fid=x',
    'x=1&x=1',
  ])
    t.strictSame(answerOf(await s.client.get(`${good}&${more}`)), twice, more)
  t.strictSame(answerOf(await s.client.submit(good, { redirect_uri: 'https://evil.example' })), twice)
})

t.test('attacks on authorize: no request makes the answer go elsewhere or otherwise', async (t) => {
  const s = await openScene(t)
  const hostile: Form = {
    state: '"><script>alert(1)</script>\r\nSet-Cookie: a=b',
    iss: 'https://evil.example',
  }
  const wishes: Form = {
    response_mode: 'fragment',
    prompt: 'none',
    request_uri: 'https://evil.example',
    code: 'mine',
  }
  const form = { ...(await consentForm(s)), ...hostile, ...wishes, decision: 'allow' }
  const answer = await s.client.submit('/oauth/authorize', form)
  const location = new URL(String(answer.headers.location))
  t.equal(answer.statusCode, 303)
  t.equal(`${location.origin}${location.pathname}`, 'https://client.example/cb')
  t.strictSame([...location.searchParams.keys()], ['keep', 'code', 'iss', 'state'])
  t.strictSame(
    ['keep', 'iss', 'state'].map((name) => location.searchParams.get(name)),
    ['me', baseUrl, hostile.state],
  )
  t.equal(location.hash, '')
  const cookies = [answer.headers['set-cookie'] ?? []].flat()
  t.notOk(cookies.some((cookie) => cookie.startsWith('a=b')))
})

t.test(
  'attacks on authorize: markup in every value is text on the page, which cannot be framed',
  async (t) => {
    const s = await openScene(t)
    const markup = '<img src=x onerror=alert(1)>\'"&'
    const clientId = await registerClient(s.client, { client_name: markup })
    await s.client.get('/auth/dev')
    const request = { ...s.request, client_id: clientId, state: markup, redirect_uri: loopbackUri }
    const page = await s.client.get(authorizeUrl(request))
    t.equal(page.statusCode, 200)
    t.notOk(page.body.includes('<img'))
    t.notOk(page.body.includes('<script'))
    t.match(page.headers, {
      'content-security-policy': "frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    t.equal(page.headers['access-control-allow-origin'], undefined, 'no other origin reads the page')
  },
)

t.test('attacks on authorize: other methods', async (t) => {
  const s = await openScene(t)
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
    const request: InjectOptions = { method, url: authorizeUrl(s.request) }
    const answer = await send(s, request)
    t.strictSame(
      [answerOf(answer), answer.headers.allow],
      [[405, { error: 'method not allowed' }], 'GET, HEAD, POST'],
    )
    t.strictSame(breaches(request, answer), [], method)
  }
  await s.client.get('/auth/dev')
  const head = await s.client.request({ method: 'HEAD', url: authorizeUrl(s.request) })
  t.strictSame([head.statusCode, head.body], [200, ''], 'HEAD is a GET without a body')
})
