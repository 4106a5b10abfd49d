/** Dynamic client registration. Source: rules.md, Register and Registered client; RFC 7591; rules.md, OAuth. */
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { ClientLimit } from '../../../runtime/store/store.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { jsonOf, oauthError, seen, start, type World, world } from '../support/harness.ts'

const cb = 'https://client.example/cb'

function registered(
  w: World,
  metadata: unknown,
  contentType: string | null = 'application/json',
): Promise<HttpResponse> {
  return w.call('POST', '/oauth/register', { raw: JSON.stringify(metadata), contentType })
}

/** The record without its id, which is random. */
async function recordOf(w: World, metadata: unknown): Promise<unknown> {
  const { client_id, ...rest } = jsonOf(await registered(w, metadata))
  return rest
}

const record = {
  client_id_issued_at: start / 1000,
  redirect_uris: [cb],
  grant_types: ['authorization_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

t.test('spec, Register: 201 with the full record, which the store keeps (RFC 7591, 3.2.1)', async (t) => {
  const w = await world(t)
  const outcome = await registered(w, { redirect_uris: [cb], client_name: 'Ü' })
  const { client_id: id, ...rest } = jsonOf(outcome)
  t.equal(outcome.status, 201)
  t.match(id, /^[0-9a-f]{32}$/)
  t.strictSame(rest, { ...record, client_name: 'Ü' })
  t.strictSame(outcome.headers, {
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'www-authenticate, retry-after',
  })
  t.strictSame(await w.store.findClient(String(id)), {
    id,
    name: 'Ü',
    redirectUris: [cb],
    grantTypes: ['authorization_code'],
    responseTypes: ['code'],
  })
})

t.test(
  'decisions, registration without response_types / grant_types: absent and null members get the defaults of RFC 7591, 2',
  async (t) => {
    const w = await world(t)
    t.strictSame(await recordOf(w, { redirect_uris: [cb] }), record)
    const nulls = { redirect_uris: [cb], client_name: null, grant_types: null, response_types: null }
    t.strictSame(await recordOf(w, nulls), record)
    t.strictSame(await recordOf(w, { redirect_uris: [cb], client_name: '' }), record)
    t.strictSame(
      await recordOf(w, { redirect_uris: [cb], client_name: ' \u3000 ' }),
      record,
      'nothing to see',
    )
  },
)

t.test(
  'spec, Register; decisions, easy to miss: token_endpoint_auth_method is always none, and there is no secret',
  async (t) => {
    const w = await world(t)
    for (const method of [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
      'x',
      7,
      null,
    ]) {
      const requested = { redirect_uris: [cb], token_endpoint_auth_method: method, client_secret: 's' }
      t.strictSame(await recordOf(w, requested), record, String(method))
    }
  },
)

t.test(
  'spec, Register and Registered client: name, several addresses and both grant types are kept as they were sent',
  async (t) => {
    const w = await world(t)
    const metadata = {
      client_name: 'نص עברית 日本 👩‍👩‍👧 ❤️',
      redirect_uris: [cb, 'http://localhost:1/x', 'http://[::1]/', 'HTTPS://X.example'],
      grant_types: ['refresh_token', 'authorization_code'],
      response_types: ['code'],
    }
    t.strictSame(await recordOf(w, metadata), { ...record, ...metadata })
    t.strictSame(await recordOf(w, { redirect_uris: [cb], grant_types: ['refresh_token'] }), {
      ...record,
      grant_types: ['refresh_token'],
    })
  },
)

t.test(
  'RFC 7591, 2: members that are not understood are ignored, an object’s own names among them',
  async (t) => {
    const w = await world(t)
    const raw = `{"redirect_uris":["${cb}"],"__proto__":{"client_name":"planted","grant_types":["implicit"]},
    "constructor":{"prototype":{}},"toString":1,"client_id":"mine","client_id_issued_at":1,"scope":"admin","jwks":{}}`
    const { client_id: id, ...rest } = jsonOf(
      await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' }),
    )
    t.strictSame(rest, record)
    t.not(id, 'mine')
    t.equal(({} as Record<string, unknown>).client_name, undefined, 'no prototype was touched') // any object would do
  },
)

t.test('RFC 7591, 3.1: JSON, under its own content type or none', async (t) => {
  const w = await world(t)
  for (const type of [null, 'application/json', 'Application/JSON; charset=utf-8', 'application/json;x']) {
    t.equal((await registered(w, { redirect_uris: [cb] }, type)).status, 201, String(type))
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    '',
  ]) {
    t.strictSame(
      seen(await registered(w, { redirect_uris: [cb] }, type)),
      oauthError('invalid_client_metadata', 'the client metadata must be sent as application/json'),
      type,
    )
  }
})

const object = 'the client metadata must be a JSON object'
const uris = 'redirect_uris must be an array of texts'
const unsafe = 'redirect_uris must be https, or http on loopback, without a fragment'
const count = 'redirect_uris must name 1 to 20 addresses'
const long = 'redirect_uris must not be longer than 2048 bytes each'
const grants = 'grant_types may only be authorization_code and refresh_token'
const responses = "response_types must be exactly ['code']"
const name = 'client_name must be a text of at most 200 visible characters'
const large = 'the client metadata must not be larger than 16 KB'

const refused: readonly (readonly [rule: string, description: string, metadata: unknown])[] = [
  ['cannot be parsed into a client: a list', object, []],
  ['cannot be parsed into a client: null', object, null],
  ['cannot be parsed into a client: a text', object, 'text'],
  ['cannot be parsed into a client: a number', object, 7],
  ['redirect_uris are required', uris, {}],
  ['redirect_uris is a text', uris, { redirect_uris: cb }],
  ['redirect_uris is an object', uris, { redirect_uris: { 0: cb, length: 1 } }],
  ['redirect_uris holds a number', uris, { redirect_uris: [1] }],
  ['redirect_uris holds a list', uris, { redirect_uris: [[cb]] }],
  ['redirect_uris is empty', count, { redirect_uris: [] }],
  ['21 redirect URIs', count, { redirect_uris: Array.from({ length: 21 }, (_, i) => `${cb}${i}`) }],
  ['any redirect URI is unsafe', unsafe, { redirect_uris: [cb, 'http://evil.example/'] }],
  ['a fragment', unsafe, { redirect_uris: [`${cb}#x`] }],
  ['a redirect URI of 2049 bytes', long, { redirect_uris: [`${cb}?`.padEnd(2049, 'x')] }],
  ['2049 bytes in fewer characters', long, { redirect_uris: [`${cb}?${'ü'.repeat(1012)}`] }],
  [
    'a grant type outside the two',
    grants,
    { redirect_uris: [cb], grant_types: ['authorization_code', 'implicit'] },
  ],
  ['a grant type in upper case', grants, { redirect_uris: [cb], grant_types: ['AUTHORIZATION_CODE'] }],
  [
    'grant_types is a text',
    'grant_types must be an array of texts',
    { redirect_uris: [cb], grant_types: 'authorization_code' },
  ],
  [
    'grant_types holds null',
    'grant_types must be an array of texts',
    { redirect_uris: [cb], grant_types: [null] },
  ],
  ['response_types is empty', responses, { redirect_uris: [cb], response_types: [] }],
  ['response_types has more', responses, { redirect_uris: [cb], response_types: ['code', 'token'] }],
  ['response_types is doubled', responses, { redirect_uris: [cb], response_types: ['code', 'code'] }],
  ['response_types is token', responses, { redirect_uris: [cb], response_types: ['token'] }],
  ['response_types is one text', responses, { redirect_uris: [cb], response_types: ['code token'] }],
  [
    'response_types is a text',
    'response_types must be an array of texts',
    { redirect_uris: [cb], response_types: 'code' },
  ],
  ['client_name is a number', name, { redirect_uris: [cb], client_name: 1 }],
  ['client_name is an object', name, { redirect_uris: [cb], client_name: { toString: 'x' } }],
  ['client_name of 201 characters', name, { redirect_uris: [cb], client_name: 'x'.repeat(201) }],
  ...['***', '…', '🚀🚀', '—', '\u0301'].map(
    (client_name) =>
      [
        `client_name ${client_name}`,
        'client_name must have a letter or a digit',
        { redirect_uris: [cb], client_name },
      ] as const,
  ),
  ['client_name of a Braille blank', name, { redirect_uris: [cb], client_name: '\u2800' }],
  ['client_name with a line feed', name, { redirect_uris: [cb], client_name: 'a\nb' }],
  ['client_name with NUL', name, { redirect_uris: [cb], client_name: 'a\u0000' }],
  ['client_name that runs backwards', name, { redirect_uris: [cb], client_name: '\u202eelgoog' }],
  ['client_name with an isolate', name, { redirect_uris: [cb], client_name: 'a\u2066b' }],
  ['client_name with a zero-width space', name, { redirect_uris: [cb], client_name: 'Goo\u200bgle' }],
  ...[
    '\u{e0041}',
    '\u034f',
    '\ufff9',
    '\u206a',
    '\u{1d173}',
    '\ufe01',
    '\u{e0100}',
    '\u2062',
    '\u180e',
    '\u00ad',
  ].map(
    (hidden) =>
      [
        `client_name with ${JSON.stringify(hidden)} U+${hidden.codePointAt(0)?.toString(16)}`,
        name,
        { redirect_uris: [cb], client_name: `Goo${hidden}gle` },
      ] as const,
  ),
  ...[
    'The browser that you are signed in with',
    'the BROWSER, that you are signed in with.',
    'The brоwѕer that you are signed in with (Chrome)',
    '\u0422he browser that you are signed in with',
    'T\u04bbe \u0412ro\u051dser that y\u0585u are signed in with',
    'The br0wser that you are s1gned in with',
    'Claude, the browser that you are signed in w\u0269th',
    'A program that ha\u0455 a \u03a4oken of yours',
    'A program that has a token of yours',
  ].map(
    (client_name) =>
      [
        `client_name ${client_name}`,
        'client_name must not be what this service calls callers without a name',
        { redirect_uris: [cb], client_name },
      ] as const,
  ),
  ['client_name with a lone surrogate', name, { redirect_uris: [cb], client_name: '\ud800' }],
  ['a body above 16 KB', large, { redirect_uris: [cb], padding: 'x'.repeat(16 * 1024) }],
]

for (const [rule, description, metadata] of refused) {
  t.test(`spec, Register: 400 invalid_client_metadata: ${rule}`, async (t) => {
    const w = await world(t)
    t.strictSame(seen(await registered(w, metadata)), oauthError('invalid_client_metadata', description))
  })
}

t.test('limits: 16 KB, 20 addresses, 2048 bytes and 200 characters are still taken', async (t) => {
  const w = await world(t)
  const bare = JSON.stringify({ redirect_uris: [cb], padding: '' }).length
  t.equal((await registered(w, { redirect_uris: [cb], padding: 'x'.repeat(16 * 1024 - bare) })).status, 201)
  t.equal(
    (await registered(w, { redirect_uris: [cb], padding: 'x'.repeat(16 * 1024 - bare + 1) })).status,
    400,
  )
  t.equal(
    (await registered(w, { redirect_uris: Array.from({ length: 20 }, (_, i) => `${cb}${i}`) })).status,
    201,
  )
  t.equal((await registered(w, { redirect_uris: [`${cb}?`.padEnd(2048, 'x')] })).status, 201)
  t.equal((await registered(w, { redirect_uris: [cb], client_name: `a${'😀'.repeat(199)}` })).status, 201)
})

t.test('spec, Register: what is no JSON at all is 400, not 500', async (t) => {
  const w = await world(t)
  for (const raw of ['', '{', 'null', '{"a":1}{"b":2}', '\u0000', `${'['.repeat(8000)}`, 'redirect_uris=x']) {
    const outcome = await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
    t.strictSame(seen(outcome), oauthError('invalid_client_metadata', object), raw.slice(0, 20))
  }
})

t.test('register: no further client fits into the store: 503 temporarily_unavailable', async (t) => {
  const { store } = await world(t)
  const saveClient = async (): Promise<void> => {
    throw new ClientLimit()
  }
  const w = await world(t, { store: { ...store, saveClient } })
  const outcome = await registered(w, { redirect_uris: [cb] })
  t.strictSame(seen(outcome), oauthError('temporarily_unavailable', 'no more clients can be registered', 503))
  t.match(outcome.headers, { 'retry-after': '3600', 'cache-control': 'no-store' })
})

t.test('spec, Register: over HTTP, with bytes that are not UTF-8 and bodies above every limit', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const send = async (payload: Buffer): Promise<readonly [number, unknown]> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.client().request({ method: 'POST', url: '/oauth/register', headers, payload })
    return [answer.statusCode, answer.json()]
  }
  t.strictSame(await send(Buffer.from([0x7b, 0xff, 0x7d])), oauthError('invalid_client_metadata', object))
  t.strictSame(await send(Buffer.alloc(2 * 1024 * 1024, 0x20)), oauthError('invalid_client_metadata', large))
})
