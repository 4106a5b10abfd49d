/** `acmcp doctor` at servers of other makes, right or with one thing wrong. */
import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import t from 'tap'
import { freePort } from '../../support/free-port.ts'
import { type Examined, examine, exampleBehind, failuresOf } from '../support/doctor.ts'
import { foreignServer, json, metadata, type Replies, type Reply, right } from '../support/foreign-server.ts'

t.setTimeout(600_000)

t.test('doctor: an authorization server of another make, that asks nobody', async (t) => {
  const requested: string[] = []
  const at = await foreignServer(t, {}, requested)
  const examined = await examine(`${at}/mcp`)
  t.strictSame(examined.lines.slice(2), [
    `ok\tendpoint\tPOST ${at}/mcp answered 401 with a challenge`,
    `ok\tresource metadata\tresource ${at}/mcp`,
    `ok\tserver metadata\tissuer ${at}/tenant`,
    `ok\tregistration\tPOST ${at}/register answered 201`,
    'ok\tauthorization\tleads back at once',
    `ok\ttoken endpoint\tPOST ${at}/token answered 400 to a wrong code`,
    `ok\ttoken\tPOST ${at}/token answered 200: a token`,
    `ok\tcredential\tPOST ${at}/mcp answered 200`,
    'ok\tinitialize\tElse, revision 2025-06-18',
    'not tried\tdiscover\tthe server does not speak 2026-07-28',
    'ok\ttools/list\t0 tools',
    'not tried\ttools/call\tno tool is marked as reading only (readOnlyHint) and takes no arguments',
    `ok\tlong message\tPOST ${at}/mcp answered 200 to 100 KiB`,
    'not tried\tstream\tthe server has none (405)',
    'ok\tclock\twithin a minute',
  ])
  t.equal(requested.at(-1), 'POST /revoke')
})

/** The changes, and what is said then; addresses stand without host. */
const wrong: Readonly<Record<string, readonly [Replies, string, string]>> = {
  'resource metadata without a server': [
    { 'GET /meta': (_, at) => json(200, { resource: at }) },
    'resource metadata',
    'The resource metadata names no authorization server.',
  ],
  'server metadata without an endpoint': [
    metadata((document) => ({ ...document, token_endpoint: undefined })),
    'server metadata',
    'The metadata of the authorization server has no token_endpoint.',
  ],
  'registration that is refused': [
    { 'POST /register': () => json(403, { error: 'access_denied', error_description: 'staff only' }) },
    'registration',
    'The authorization server registers no clients (access_denied: staff only).',
  ],
  'authorization that is refused by redirect': [
    {
      'GET /authorize': (query, at) => {
        const redirectUri = new URL(query, at).searchParams.get('redirect_uri')
        return { status: 302, headers: { location: `${redirectUri}?error=invalid_scope` } }
      },
    },
    'authorization',
    'The authorization is refused (invalid_scope).',
  ],
  'authorization that is refused in JSON': [
    { 'GET /authorize': () => json(400, { error: 'invalid_target' }) },
    'authorization',
    'The authorization is refused (invalid_target).',
  ],
  'another state on the way back': [
    {
      'GET /authorize': (query, at) => {
        const redirectUri = new URL(query, at).searchParams.get('redirect_uri')
        return { status: 302, headers: { location: `${redirectUri}?code=the-code&state=other` } }
      },
    },
    'token',
    'The authorization is refused (no code, or another state).',
  ],
  'a code that is not taken': [
    { 'POST /token': () => json(400, { error: 'invalid_grant' }) },
    'token',
    'The token endpoint refuses the code (invalid_grant).',
  ],
  'an authorization server that fails': [
    { 'POST /token': () => ({ status: 500 }) },
    'token endpoint',
    'The server fails (500).',
  ],
  'a token endpoint that says nothing of errors': [
    { 'POST /token': () => json(200, {}) },
    'token endpoint',
    'AT/token answers 200, which is not what is expected.',
  ],
  'an endpoint that refuses initialize': [
    {
      'POST /mcp': () =>
        json(400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: no session' } }),
    },
    'endpoint',
    'The server refuses initialize (Bad Request: no session).',
  ],
  'an endpoint that takes no POST': [
    { 'POST /mcp': () => ({ status: 405 }) },
    'endpoint',
    'There is no MCP endpoint at AT/mcp.',
  ],
  'a list that is refused': [
    {
      'POST /mcp': (sent, at) =>
        sent.includes('tools/list') && !sent.includes('padding')
          ? json(200, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } })
          : Object(right['POST /mcp']?.(sent, at)),
    },
    'tools/list',
    'The server refuses tools/list (Internal error).',
  ],
  'a challenge that names no address': [
    {
      'POST /mcp': () => ({ status: 401, headers: { 'www-authenticate': 'Bearer resource_metadata=/meta' } }),
    },
    'resource metadata',
    'The server takes /meta for its address, clients ask AT.',
  ],
  'a challenge with an address that only the server reaches': [
    {
      'POST /mcp': () => ({
        status: 401,
        headers: { 'www-authenticate': 'Bearer resource_metadata="http://localhost:1/meta"' },
      }),
    },
    'resource metadata',
    'The server takes http://localhost:1 for its address, clients ask AT.',
  ],
}

const causesOf = (examined: Examined, at: string): readonly (readonly unknown[])[] =>
  failuresOf(examined).map(([step, cause = '']) => [step, cause.replaceAll(at, 'AT')])

for (const [name, [changes, step, cause]] of Object.entries(wrong)) {
  t.test(`doctor, another make: ${name}`, async (t) => {
    const at = await foreignServer(t, changes)
    const examined = await examine(`${at}/mcp`)
    t.strictSame(causesOf(examined, at), [[step, cause]])
    t.notOk(examined.lines.join('\n').includes('the-code'), 'no code is printed')
  })
}

t.test('doctor, another make: a 401 that tells nothing of the token blames nobody', async (t) => {
  const mute = (_: string, at: string): Reply => ({
    status: 401,
    headers: { 'www-authenticate': `Bearer resource_metadata="${at}/meta"` },
  })
  const at = await foreignServer(t, { 'POST /mcp': mute, 'GET /authorize': () => json(400, { error: 'x' }) })
  const without = await examine(`${at}/mcp`)
  t.ok(without.lines.includes('not tried\tcredential\tno token'))
  t.strictSame(causesOf(await examine(`${at}/mcp`, { token: 'opaque' }), at), [
    ['authorization', 'The authorization is refused (x).'],
    ['credential', 'The server answers to the token as if there were none.'],
  ])
})

t.test('doctor: a server that hangs up, and a refused Origin', async (t) => {
  const rude = createTcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy()))
  const port = await freePort()
  await once(rude.listen(port, 'localhost'), 'listening')
  t.teardown(() => void rude.close())
  const at = `http://localhost:${port}`
  t.strictSame(causesOf(await examine(`${at}/mcp`), at), [
    ['endpoint', 'AT closes the connection without an answer.'],
  ])
  const headers = (sent: object) => ({ ...sent, origin: 'https://backend.internal' })
  const { baseUrl } = await exampleBehind(t, { meddling: { headers } })
  t.strictSame(causesOf(await examine(`${baseUrl}/mcp`), baseUrl), [
    ['endpoint', 'The server refuses the Origin of the request, and this client sent none.'],
  ])
})
