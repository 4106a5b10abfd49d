import fc from 'fast-check'
import t from 'tap'
import { isRegisteredRedirectUri, isSafeRedirectUri, withQuery } from '../../runtime/oauth/redirect-uri.ts'
import { baseUrl, jsonOf, oauthError, seen, start, world } from './harness.ts'

const cb = 'https://client.example/cb'

t.test('metadata (RFC 8414): the same document at every address, readable from any origin', async (t) => {
  const { call } = await world(t)
  const document = {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    scopes_supported: ['api'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
  const wellKnown = '/.well-known/oauth-authorization-server'
  for (const path of [wellKnown, `${wellKnown}/mcp`, '/.well-known/openid-configuration']) {
    const outcome = await call('GET', path)
    t.strictSame(seen(outcome), [200, document], path)
    t.equal(outcome.headers['access-control-allow-origin'], '*')
  }
})

t.test('CORS: metadata, register and token answer a preflight', async (t) => {
  const { call } = await world(t)
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth/register', '/oauth/token']) {
    const { status, headers } = await call('OPTIONS', path)
    t.strictSame([status, headers['access-control-allow-origin']], [204, '*'])
    t.match(headers['access-control-allow-headers'], /content-type/)
  }
})

t.test('register: 201 with the full record, defaults filled in, method forced to none', async (t) => {
  const { call, store } = await world(t)
  const raw = JSON.stringify({
    redirect_uris: [cb],
    token_endpoint_auth_method: 'client_secret_basic',
    extra: 1,
  })
  const outcome = await call('POST', '/oauth/register', { raw, contentType: 'application/json' })
  const record = jsonOf(outcome)
  const { client_id, ...rest } = record
  t.equal(outcome.status, 201)
  t.match(client_id, /^[0-9a-f]{32}$/)
  t.strictSame(rest, {
    client_id_issued_at: start / 1000,
    redirect_uris: [cb],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
  t.strictSame(
    [outcome.headers['cache-control'], outcome.headers['access-control-allow-origin']],
    ['no-store', '*'],
  )
  t.equal((await store.findClient(String(client_id)))?.id, client_id)
})

t.test('register: name and both grant types are kept', async (t) => {
  const { call } = await world(t)
  const metadata = {
    client_name: 'Ü',
    redirect_uris: [cb, 'http://localhost:1/x', 'http://[::1]/'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
  const { client_id, ...rest } = jsonOf(
    await call('POST', '/oauth/register', { raw: JSON.stringify(metadata) }),
  )
  t.strictSame(rest, { client_id_issued_at: start / 1000, ...metadata, token_endpoint_auth_method: 'none' })
})

t.test('register: what is not client metadata is 400 invalid_client_metadata', async (t) => {
  const { call } = await world(t)
  const refused: readonly unknown[] = [
    {},
    [],
    null,
    'text',
    { redirect_uris: [] },
    { redirect_uris: cb },
    { redirect_uris: [1] },
    { redirect_uris: [cb, 'http://evil.example/'] },
    { redirect_uris: [`${cb}#x`] },
    { redirect_uris: [`${cb}?${'x'.repeat(2048)}`] },
    { redirect_uris: Array.from({ length: 21 }, (_, i) => `${cb}${i}`) },
    { redirect_uris: [cb], grant_types: ['implicit'] },
    { redirect_uris: [cb], grant_types: 'authorization_code' },
    { redirect_uris: [cb], response_types: [] },
    { redirect_uris: [cb], response_types: ['code', 'token'] },
    { redirect_uris: [cb], response_types: ['token'] },
    { redirect_uris: [cb], client_name: 1 },
    { redirect_uris: [cb], client_name: 'x'.repeat(201) },
    { redirect_uris: [cb], padding: 'x'.repeat(16 * 1024) },
  ]
  for (const metadata of refused) {
    const outcome = await call('POST', '/oauth/register', { raw: JSON.stringify(metadata) })
    const { error, error_description, ...rest } = jsonOf(outcome)
    t.strictSame(
      [outcome.status, error, rest],
      [400, 'invalid_client_metadata', {}],
      JSON.stringify(metadata).slice(0, 80),
    )
    t.type(error_description, 'string')
  }
  t.strictSame(
    seen(await call('POST', '/oauth/register', { raw: '{' })),
    oauthError('invalid_client_metadata', 'the client metadata must be a JSON object'),
  )
})

t.test('safe redirect URIs (specification, Register)', async (t) => {
  const safe = [
    cb,
    'HTTPS://x.example',
    'https://x.example:8443/a?b=c',
    'http://localhost',
    'http://LOCALHOST:80/a',
  ]
  const loopback = ['http://127.0.0.1:1/', 'http://127.0.0.1?x', 'http://[::1]:65535/a']
  for (const uri of [...safe, ...loopback]) t.equal(isSafeRedirectUri(uri), true, uri)
  const unsafe = [
    '',
    'cb',
    '//x.example',
    'https:x',
    'https://',
    'ftp://localhost/',
    'javascript:alert(1)',
    'app.example:/cb',
    'http://x.example/',
    'http://127.1/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.2/',
    'http://2130706433/',
    'http://localhost.evil.example/',
    'http://localhost@evil.example/',
    'http://user@localhost/',
    'http://localhost:80@evil.example/',
    'http://localhost\\@evil.example/',
    'http://localhost:99999/',
    'http://[::]/',
    'http://[0:0:0:0:0:0:0:1]/',
    `${cb}#`,
    `${cb}#a`,
    ` ${cb}`,
    `${cb}\n`,
    'https://x.example/\u0000',
    'https://x.example/\u00a0',
  ]
  for (const uri of unsafe) t.equal(isSafeRedirectUri(uri), false, JSON.stringify(uri))
})

t.test(
  'safe redirect URIs: whatever is accepted is https, or http on a loopback host as a browser reads it',
  async (t) => {
    const piece = fc.constantFrom(
      'http',
      'https',
      'HTTP',
      ':',
      '//',
      '/',
      '\\',
      '@',
      '#',
      '?',
      ' ',
      '\t',
      '\n',
      '.',
      '%2f',
      '%40',
      'localhost',
      '127.0.0.1',
      '127.1',
      '[::1]',
      'evil.example',
      ':80',
      'javascript',
      '０',
      'ⓛocalhost',
      '\u0000',
    )
    const uri = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.array(piece, { maxLength: 9 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(uri, (text) => {
        if (!isSafeRedirectUri(text)) return true
        const { protocol, hostname, username, hash } = new URL(text)
        if (hash !== '' || text.includes('#')) return false
        if (protocol === 'https:') return true
        return (
          protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname) && username === ''
        )
      }),
      { numRuns: 20_000, seed: 1 },
    )
    t.pass('no counterexample')
  },
)

t.test('registered redirect URIs: exact, but for the port on loopback (RFC 8252, 7.3)', async (t) => {
  const registered = ['http://127.0.0.1:1/cb?a=1', 'http://localhost/cb', cb]
  for (const uri of [
    'http://127.0.0.1:5/cb?a=1',
    'http://127.0.0.1/cb?a=1',
    'http://localhost:65535/cb',
    cb,
  ]) {
    t.equal(isRegisteredRedirectUri(uri, registered), true, uri)
  }
  const others = [
    'http://127.0.0.1:5/cb',
    'http://127.0.0.1:5/cb?a=2',
    'http://localhost:1/cb/',
    'http://localhost:99999/cb',
    'http://[::1]:1/cb',
    'https://localhost/cb',
    'https://client.example:444/cb',
    `${cb}/`,
    `${cb}?`,
    '',
  ]
  for (const uri of others) t.equal(isRegisteredRedirectUri(uri, registered), false, uri)
})

t.test('redirects keep the query and omit empty values', async (t) => {
  t.strictSame(
    [
      withQuery('https://x.example/', { code: 'a b', state: '' }),
      withQuery('https://x.example?k=%20v&k=2', { code: 'c', state: 's&t' }),
      withQuery('https://x.example/?', { code: 'c' }),
      withQuery('https://x.example/ü?ö=1', { code: 'c' }),
      withQuery('https://x.example/', { code: '' }),
    ],
    [
      'https://x.example/?code=a+b',
      'https://x.example?k=%20v&k=2&code=c&state=s%26t',
      'https://x.example/?code=c',
      'https://x.example/%C3%BC?%C3%B6=1&code=c',
      'https://x.example/',
    ],
  )
})
