/** Client ID metadata documents. Source: draft-ietf-oauth-client-id-metadata-document-02; rules.md, OAuth. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../../runtime/boot/settings/checks.ts'
import {
  type ClientDocuments,
  createClientDocuments,
} from '../../../runtime/capabilities/client-documents/client-documents.ts'
import { createDocumentCache } from '../../../runtime/capabilities/client-documents/document-cache.ts'
import { isLoopbackAddress, isPublicAddress } from '../../../runtime/oauth/clients/public-address.ts'
import { internet } from '../../../runtime/oauth/network.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { type DocumentHost, openDocumentHost, publish } from '../support/document-host.ts'
import {
  authorizeParameters,
  jsonOf,
  oauthError,
  query,
  seen,
  signedInBrowser,
  start,
  world,
} from '../support/harness.ts'

const cb = 'https://client.example/cb'

interface Opened {
  readonly host: DocumentHost
  readonly documents: ClientDocuments
  /** The time of day, set wrong by so much. */
  readonly clock: { now: number; wrongBy: number }
  readonly logged: string[]
}

type Test = { teardown(f: () => unknown): void }

async function open(
  t: Test,
  changes: {
    allowLoopback?: boolean
    baseUrl?: string
    timeoutMs?: number
    /** Clients with a live grant, by their ids. */
    connected?: ReadonlySet<string>
  } = {},
): Promise<Opened> {
  const host = await openDocumentHost(changes.timeoutMs)
  t.teardown(host.close)
  const clock = { now: start, wrongBy: 0 }
  const logged: string[] = []
  const write = (fields: Readonly<Record<string, unknown>>): void => void logged.push(String(fields.reason))
  const documents = createClientDocuments({
    baseUrl: changes.baseUrl ?? 'http://localhost:3000',
    mcpPath: '/mcp',
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    profile: profiles.specification,
    network: host.network,
    allowLoopback: changes.allowLoopback ?? true,
    hasLiveGrant: async (id) => changes.connected?.has(id) ?? false,
    clock: () => clock.now + clock.wrongBy,
    monotonic: () => clock.now,
    log: { info: write, warn: write, error: write },
  })
  return { host, documents, clock, logged }
}

const documentAt = (
  id: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  client_id: id,
  client_name: 'A client',
  redirect_uris: [cb],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...changes,
})

t.test('sections 3 to 5: an https URL is fetched and becomes a client', async (t) => {
  const { host, documents } = await open(t)
  const id = host.url('/client.json')
  publish(host, documentAt(id, { client_uri: 'https://client.test', contacts: [] }))
  t.strictSame(await documents.find(id), {
    id,
    name: 'A client',
    redirectUris: [cb],
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
  })
  t.strictSame([host.requests, host.requested], [[`client.test:${host.port} /client.json`], ['client.test']])
})

t.test(
  'section 4: only client_id and redirect_uris are needed; other servers’ grants are ignored',
  async (t) => {
    const { host, documents } = await open(t)
    const id = host.url('/client.json?v=1')
    publish(host, { client_id: id, redirect_uris: [cb] })
    t.equal((await documents.find(id))?.name, null)
    const wide = {
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'id_token'],
      token_endpoint_auth_method: 'private_key_jwt',
    }
    const second = host.url('/second.json')
    publish(host, documentAt(second, wide), { 'content-type': 'application/client+json; charset=utf-8' })
    t.strictSame((await documents.find(second))?.responseTypes, ['code'])
  },
)

const badDocuments: readonly (readonly [what: string, reason: string, value: (id: string) => unknown])[] = [
  ['client_id of another address', 'client_id is not the address', (id) => documentAt(`${id}x`)],
  ['client_id in other letters', 'client_id is not the address', (id) => documentAt(id.toUpperCase())],
  ['no client_id', 'client_id is not the address', () => ({ redirect_uris: [cb] })],
  ['a list', 'JSON object', (id) => [documentAt(id)]],
  ['null', 'JSON object', () => null],
  ['a secret', 'cannot hold a secret', (id) => documentAt(id, { client_secret: 's' })],
  ['an expiry of a secret', 'cannot hold a secret', (id) => documentAt(id, { client_secret_expires_at: 0 })],
  ...['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'tls_client_auth', 7].map(
    (method) =>
      [
        `method ${method}`,
        'shared secret',
        (id: string) => documentAt(id, { token_endpoint_auth_method: method }),
      ] as const,
  ),
  ['no redirect URIs', 'array of texts', (id) => ({ client_id: id })],
  [
    'an unsafe redirect URI',
    'must be https',
    (id) => documentAt(id, { redirect_uris: [cb, 'http://x.example'] }),
  ],
  ['a private-use scheme', 'must be https', (id) => documentAt(id, { redirect_uris: ['app:/cb'] })],
  ['21 redirect URIs', '1 to 20', (id) => documentAt(id, { redirect_uris: Array(21).fill(cb) })],
  [
    'another grant only',
    'authorization code',
    (id) => documentAt(id, { grant_types: ['client_credentials'] }),
  ],
  ['another response only', 'authorization code', (id) => documentAt(id, { response_types: ['token'] })],
  ['a name that runs backwards', 'visible', (id) => documentAt(id, { client_name: '\u202ex' })],
  ['a name of blanks', 'visible', (id) => documentAt(id, { client_name: `a${'\u2003'.repeat(150)}b` })],
  ['a name of spaces', 'visible', (id) => documentAt(id, { client_name: `a${' '.repeat(150)}b` })],
  ['a name of braille blanks', 'visible', (id) => documentAt(id, { client_name: 'a\u2800b' })],
  ['a name under marks', 'visible', (id) => documentAt(id, { client_name: `a${'\u0301'.repeat(180)}` })],
  [
    'members of a prototype',
    'client_id is not',
    (id) => JSON.parse(`{"__proto__":${JSON.stringify(documentAt(id))}}`),
  ],
]

for (const [what, reason, value] of badDocuments) {
  t.test(`section 4: a document with ${what} is no client`, async (t) => {
    const { host, documents, logged } = await open(t)
    const id = host.url('/client.json')
    publish(host, value(id))
    t.equal(await documents.find(id), null)
    t.match(logged.join(), reason)
  })
}

const json = { 'content-type': 'application/json' }
type Answer = (request: IncomingMessage, response: ServerResponse, id: string) => void

const badAnswers: readonly (readonly [what: string, reason: RegExp, answer: Answer])[] = [
  [
    'a redirect is not followed',
    /the answer is 302/,
    (_, r, id) => r.writeHead(302, { ...json, location: id.replace('client.json', 'other.json') }).end('{}'),
  ],
  ['404', /404/, (_, r, id) => r.writeHead(404, json).end(JSON.stringify(documentAt(id)))],
  ['500', /500/, (_, r) => r.writeHead(500, json).end()],
  ['201', /201/, (_, r, id) => r.writeHead(201, json).end(JSON.stringify(documentAt(id)))],
  ['204', /204/, (_, r) => r.writeHead(204).end()],
  [
    'HTML',
    /not JSON/,
    (_, r, id) => r.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(documentAt(id))),
  ],
  ['no content type', /not JSON/, (_, r, id) => r.writeHead(200).end(JSON.stringify(documentAt(id)))],
  [
    'a type that only looks like JSON',
    /not JSON/,
    (_, r) => r.writeHead(200, { 'content-type': 'application/jsonp' }).end('{}'),
  ],
  ['compressed', /compressed/, (_, r) => r.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('x')],
  ['garbage', /JSON object/, (_, r) => r.writeHead(200, json).end('{"client_id":')],
  ['not UTF-8', /JSON object/, (_, r) => r.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0x22]))],
  [
    '5121 bytes announced',
    /larger than 5 KB/,
    (_, r) => r.writeHead(200, { ...json, 'content-length': '5121' }).end('x'.repeat(5121)),
  ],
  [
    'without end',
    /larger than 5 KB/,
    (_, r) => {
      const more = (): void => void (r.writable && r.write(' '.repeat(1024), more))
      r.writeHead(200, json)
      more()
    },
  ],
  ['closed at once', /socket hang up|ECONNRESET/, (q) => q.socket.destroy()],
  [
    'closed half way',
    /aborted|terminated/,
    (q, r) => r.writeHead(200, { ...json, 'content-length': '100' }).write('{', () => q.socket.destroy()),
  ],
  [
    'another protocol',
    /closed|hang up|ECONNRESET/,
    (q) => q.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
  ['no HTTP', /Parse Error/, (q) => q.socket.end('garbage\r\n\r\n')],
]

for (const [what, reason, answer] of badAnswers) {
  t.test(`sections 5 and 8.7: an answer that is ${what} is no client, and one request is made`, async (t) => {
    const { host, documents, logged } = await open(t)
    const id = host.url('/client.json')
    host.answer = (request, response) => answer(request, response, id)
    t.equal(await documents.find(id), null)
    t.match(logged.join(), reason)
    t.equal(host.requests.length, 1)
  })
}

t.test('section 8.7: 5 KB are still taken', async (t) => {
  const { host, documents } = await open(t)
  const id = host.url('/client.json')
  const room = 5 * 1024 - JSON.stringify(documentAt(id, { padding: '' })).length
  publish(host, documentAt(id, { padding: 'x'.repeat(room) }))
  t.equal((await documents.find(id))?.id, id)
  publish(host, documentAt(`${id}?2`, { padding: 'x'.repeat(room) }))
  t.equal(await documents.find(`${id}?2`), null)
})

t.test('documents: the time-out covers name, connection, headers and body', async (t) => {
  const { host, documents, logged } = await open(t, { timeoutMs: 150 })
  const stages: readonly (() => void)[] = [
    () => {
      host.answer = () => undefined
    },
    () => {
      host.answer = (_, response) => void response.writeHead(200, json).write('{')
    },
  ]
  for (const [i, stage] of stages.entries()) {
    stage()
    t.equal(await documents.find(host.url(`/slow${i}.json`)), null)
  }
  const silent: ClientDocuments = createClientDocuments({
    baseUrl: 'http://localhost:3000',
    mcpPath: '/mcp',
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    profile: profiles.specification,
    network: { ...host.network, resolve: () => new Promise(() => undefined) },
    allowLoopback: true,
    hasLiveGrant: async () => false,
    clock: () => start,
    log: {
      info: () => undefined,
      warn: (fields) => void logged.push(String(fields.reason)),
      error: () => undefined,
    },
  })
  t.equal(await silent.find(host.url('/slow.json')), null)
  t.equal(logged.length, 3)
  for (const reason of logged) t.match(reason, /abort/)
  t.equal(internet.documentTimeoutMs, 5_000)
})

t.test('section 3: what cannot be a client’s address is never fetched', async (t) => {
  const { host, documents } = await open(t)
  publish(host, documentAt('x'))
  const at = `client.test:${host.port}`
  const refused = [
    `https://${at}`,
    `https://${at}/`,
    `https://${at}/c.json#`,
    `https://${at}/c.json#a`,
    `https://user@${at}/c.json`,
    `https://user:pw@${at}/c.json`,
    `https://@${at}/c.json`,
    `https://${at}/a/../c.json`,
    `https://${at}/./c.json`,
    `https://${at}/a/%2e%2e/c.json`,
    `https://CLIENT.test:${host.port}/c.json`,
    `HTTPS://${at}/c.json`,
    `https:\\\\${at}\\c.json`,
    `https://${at}\\c.json`,
    `https://${at}/c d.json`,
    `https://${at}/\tc.json`,
    ` https://${at}/c.json`,
    'https://client.test:443/c.json',
    'https:///c.json',
    'https://',
    `https://${at}/${'x'.repeat(2048)}`,
  ]
  for (const id of refused) t.equal(await documents.find(id), null, id.slice(0, 60))
  t.strictSame([host.connections, host.requested], [0, []])
})

t.test('section 8.6: our own address is never fetched', async (t) => {
  const own = await open(t, { baseUrl: 'https://app.example' })
  for (const id of [
    'https://app.example/x',
    'https://app.example/oauth/authorize?client_id=https://app.example/y',
  ]) {
    t.equal(await own.documents.find(id), null)
  }
  t.strictSame(own.host.requested, [])
})

const publicAddresses = [
  '1.1.1.1',
  '93.184.215.14',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
]
const privateAddresses = [
  ...['168.63.129.16', '::ffff:168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', '3fff::1'],
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.1.2.3',
    '169.254.169.254',
    '172.16.0.1',
  ],
  ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.31.196.1'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::a00:1',
  ],
  ...[
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:db8::1',
    '2001:10::1',
    '2002:7f00:1::',
    'fc00::1',
  ],
  ...[
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '4000::1',
    '3fff::1',
    'localhost',
    '',
  ],
]

t.test('section 8.6: only public addresses, judged by ipaddr.js', async (t) => {
  for (const address of publicAddresses) t.equal(isPublicAddress(address), true, address)
  for (const address of privateAddresses) t.equal(isPublicAddress(address), false, address)
  t.strictSame(
    ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.0.0.1', '1.1.1.1', '', 'localhost'].map(
      isLoopbackAddress,
    ),
    [true, true, true, true, false, false, false, false],
  )
})

t.test('section 8.6: no connection to a name with any address that is not public', async (t) => {
  const { host, documents, logged } = await open(t, { allowLoopback: false, baseUrl: 'https://app.example' })
  for (const address of privateAddresses) {
    host.addresses.set('client.test', [address])
    t.equal(await documents.find(host.url('/c.json')), null, address)
    host.addresses.set('client.test', ['1.1.1.1', address])
    t.equal(await documents.find(host.url('/c.json')), null, `a public address beside ${address}`)
  }
  t.strictSame([host.connections, new Set(logged)], [0, new Set(['the host is not on the public internet'])])
  host.addresses.delete('client.test')
  t.equal(await documents.find(host.url('/c.json')), null)
  t.equal(logged.at(-1), 'the host has no address')
})

t.test('section 8.6: an address in the URL is judged itself, however it is written', async (t) => {
  const { host, documents, logged } = await open(t, { allowLoopback: false, baseUrl: 'https://app.example' })
  const canonical = [`https://127.0.0.1:${host.port}/c.json`, `https://[::1]:${host.port}/c.json`]
  const more = [
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/c.json',
    'https://[::ffff:7f00:1]/c.json',
  ]
  for (const id of [...canonical, ...more]) t.equal(await documents.find(id), null, id)
  t.equal(logged.length, 5, 'refused by address')
  for (const host of ['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:127.0.0.1]', '①②⑦.0.0.1']) {
    t.equal(await documents.find(`https://${host}/c.json`), null, host)
  }
  t.equal(logged.length, 5, 'refused as not canonical')
  t.strictSame([host.connections, host.requested], [0, []])
})

t.test(
  'decisions, client ID metadata documents: loopback is allowed in development only, and nothing else that is not public',
  async (t) => {
    const { host, documents } = await open(t)
    const literal = `https://127.0.0.1:${host.port}/c.json`
    publish(host, documentAt(literal))
    t.equal((await documents.find(literal))?.id, literal)
    for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::']) {
      host.addresses.set('client.test', [address])
      t.equal(await documents.find(host.url('/c.json')), null, address)
    }
  },
)

t.test(
  'decisions, client ID metadata documents: the checked address is the one connected to: a name is asked for once per fetch',
  async (t) => {
    const { host, documents } = await open(t)
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const rebinding = createClientDocuments({
      baseUrl: 'http://localhost:3000',
      mcpPath: '/mcp',
      ownPages: [],
      nativeSchemes: null,
      heldAddresses: new Set(),
      profile: profiles.specification,
      network: { ...host.network, resolve: async () => answers.shift() ?? [] },
      allowLoopback: true,
      hasLiveGrant: async () => false,
      clock: () => start,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    })
    const id = host.url('/c.json')
    publish(host, documentAt(id))
    t.equal((await rebinding.find(id))?.id, id)
    t.equal(answers.length, 1)
    t.equal((await documents.find(id))?.id, id)
  },
)

t.test('TLS: a certificate of nobody’s, or for another name, is no client', async (t) => {
  const { host, documents, logged } = await open(t)
  host.addresses.set('elsewhere.test', ['127.0.0.1'])
  t.equal(await documents.find(`https://elsewhere.test:${host.port}/c.json`), null)
  t.match(logged.join(), /altnames/)
  const trusting = createClientDocuments({
    baseUrl: 'http://localhost:3000',
    mcpPath: '/mcp',
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    profile: profiles.specification,
    network: { ...host.network, certificateAuthorities: null },
    allowLoopback: true,
    hasLiveGrant: async () => false,
    clock: () => start,
    log: {
      info: () => undefined,
      warn: (fields) => void logged.push(String(fields.reason)),
      error: () => undefined,
    },
  })
  t.equal(await trusting.find(host.url('/c.json')), null)
  t.match(logged.at(-1), /self-signed/)
  t.strictSame(host.requests, [])
})

t.test(
  'section 5.2: kept as long as the answer says, at most a day; five minutes when it says nothing; the clock may be set',
  async (t) => {
    const cases: readonly (readonly [cacheControl: string | null, seconds: number])[] = [
      [null, 300],
      ['public', 300],
      ['max-age=60', 60],
      ['public, max-age=60, must-revalidate', 60],
      ['MAX-AGE="60"', 60],
      ['s-maxage=7', 300],
      ['max-age=999999999', 86_400],
      ['max-age=0', 0],
      ['no-store', 0],
      ['max-age=600, no-cache', 0],
      ['private, no-store', 0],
      ['max-age=-1', 300],
    ]
    for (const [at, [cacheControl, seconds]] of cases.entries()) {
      const { host, documents, clock } = await open(t)
      const id = host.url('/c.json')
      publish(host, documentAt(id), cacheControl === null ? {} : { 'cache-control': cacheControl })
      await documents.find(id)
      clock.wrongBy = [0, -7_200_000, 7_200_000][at % 3] ?? 0
      clock.now = start + seconds * 1000 - 1000
      await documents.find(id)
      t.equal(host.requests.length, seconds === 0 ? 2 : 1, `${cacheControl}: one second before`)
      clock.now = start + seconds * 1000 + 1000
      await documents.find(id)
      t.equal(host.requests.length, seconds === 0 ? 3 : 2, `${cacheControl}: one second after`)
    }
  },
)

t.test('section 5.1: failures are not kept: a repaired document is a client at once', async (t) => {
  const { host, documents } = await open(t)
  const id = host.url('/c.json')
  t.equal(await documents.find(id), null)
  publish(host, documentAt(id))
  t.equal((await documents.find(id))?.id, id)
})

t.test('documents: a changed document counts once the old one has expired', async (t) => {
  const { host, documents, clock } = await open(t)
  const id = host.url('/c.json')
  publish(host, documentAt(id))
  await documents.find(id)
  publish(host, documentAt(id, { client_name: 'Renamed' }))
  t.equal((await documents.find(id))?.name, 'A client')
  clock.now += 301_000
  t.equal((await documents.find(id))?.name, 'Renamed')
})

t.test('the cache holds 100 documents; the least recently used goes first', async (t) => {
  const { host, documents } = await open(t)
  host.answer = (request, response) =>
    void response.writeHead(200, json).end(JSON.stringify(documentAt(host.url(request.url ?? ''))))
  for (let i = 0; i < 100; i += 1) await documents.find(host.url(`/${i}`))
  await documents.find(host.url('/0'))
  await documents.find(host.url('/100'))
  t.equal(host.requests.length, 101)
  await documents.find(host.url('/0'))
  t.equal(host.requests.length, 101, 'used again, therefore still there')
  await documents.find(host.url('/1'))
  t.equal(host.requests.length, 102, 'the oldest had to go')
})

t.test('documents: strangers push out no client that a user has connected', async (t) => {
  const connected = new Set<string>()
  const { host, documents } = await open(t, { connected })
  host.answer = (request, response) =>
    void response.writeHead(200, json).end(JSON.stringify(documentAt(host.url(request.url ?? ''))))
  const own = host.url('/connected')
  connected.add(own)
  await documents.find(own)
  for (let i = 0; i < 101; i += 1) await documents.find(host.url(`/stranger${i}`))
  host.answer = (_request, response) => void response.destroy()
  t.equal((await documents.find(own))?.id, own, 'also while its server is away')
  t.equal(await documents.find(host.url('/stranger0')), null, 'the others went as before')
})

/** A cache, and the questions that it has asked of a store that answers when it is told to. */
function cacheOf() {
  const questions: { readonly id: string; answer(hasGrant: boolean): void; fail(): void }[] = []
  const cache = createDocumentCache<string>(
    (id) =>
      new Promise((resolve, reject) =>
        questions.push({ id, answer: resolve, fail: () => reject(new Error('away')) }),
      ),
  )
  const kept = (...names: readonly string[]): readonly boolean[] =>
    names.map((name) => cache.get(name) === `of ${name}`)
  return { set: (id: string) => cache.set(id, `of ${id}`), kept, questions }
}

/** A hundred strangers, and beside them so many connected ones, c0 the least recently used of these. */
async function filled(connected: number) {
  const cache = cacheOf()
  const sets = Array.from({ length: connected + 100 }, (_, at) =>
    cache.set(at < connected ? `c${at}` : `s${at - connected}`),
  )
  for (const question of cache.questions.splice(0)) question.answer(true)
  await Promise.all(sets)
  return cache
}

t.test(
  'documents: with 1,000 connected clients kept, a stranger takes the place of none, not even while the store is asked',
  async (t) => {
    const { set, kept, questions } = await filled(1000)
    t.strictSame(kept('s0', 'c0', 'c999'), [true, true, true])
    const added = ['new1', 'new2', 'new3'].map(set)
    t.strictSame(
      questions.map(({ id }) => id),
      ['s1', 's2', 's3'],
      's0 has been used since',
    )
    t.strictSame(kept('s1', 's2', 's3', 'c1', 'c2', 'c3'), new Array(6).fill(true), 'until it answers')
    questions[0]?.answer(false)
    questions[1]?.fail()
    questions[2]?.answer(true)
    await Promise.all(added)
    t.strictSame(
      kept('s1', 's2', 's3'),
      [false, false, true],
      'a store that is away fills no place of a connected one',
    )
    t.strictSame(
      kept('c4', 'c5', 'c999'),
      [false, true, true],
      'the least recently used made room for a connected one',
    )
  },
)

t.test(
  'documents: while there is room, a store that is away loses no client that may be connected',
  async (t) => {
    const { set, kept, questions } = await filled(999)
    const added = [set('new1'), set('new2')]
    for (const { fail } of questions) fail()
    await Promise.all(added)
    t.strictSame(kept('c0', 'c998', 's0', 's1', 'new1', 'new2'), [true, true, true, false, true, true])
  },
)

/** Holds every answer back until it is told to go on. */
function held(host: DocumentHost): {
  readonly goOn: () => void
  readonly waiting: (count: number) => Promise<void>
} {
  const answers: (() => void)[] = []
  let whenMore = (): void => undefined
  host.answer = (request, response) => {
    const id = `https://${request.headers.host}${request.url}`
    answers.push(() => response.writeHead(200, json).end(JSON.stringify(documentAt(id))))
    whenMore()
  }
  return {
    goOn: () => {
      for (const answer of answers.splice(0)) answer()
    },
    waiting: (count) =>
      new Promise((resolve) => {
        whenMore = () => {
          if (answers.length >= count) resolve()
        }
        whenMore()
      }),
  }
}

const busy = { error: 'temporarily_unavailable', status: 503 }
const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

t.test(
  'slow documents: one fetch a document, 3 for one address, 4 from one host; others are fetched meanwhile',
  async (t) => {
    const { host, documents } = await open(t)
    const answers = held(host)
    const other = (path: string): string => host.url(path).replace('client.test', 'other.test')
    const running = ['/0', '/1', '/2'].map((path) => documents.find(host.url(path), '203.0.113.1'))
    const joined = documents.find(host.url('/0'), '203.0.113.1')
    t.match(await errorOf(documents.find(host.url('/3'), '203.0.113.1')), busy, 'a fourth for the address')
    t.match(await errorOf(documents.find(other('/3'), '::ffff:203.0.113.1')), busy, 'from wherever')
    running.push(documents.find(host.url('/3'), '203.0.113.2'))
    t.match(await errorOf(documents.find(host.url('/4'), '203.0.113.3')), busy, 'a fifth from the host')
    running.push(documents.find(other('/4'), '203.0.113.3'))
    await answers.waiting(5)
    answers.goOn()
    t.equal((await Promise.all([...running, joined])).filter((client) => client !== null).length, 6)
    t.equal(host.requests.length, 5)
    const later = documents.find(host.url('/5'), '203.0.113.1')
    await answers.waiting(1)
    answers.goOn()
    t.equal((await later)?.id, host.url('/5'), 'what has been answered no longer counts')
  },
)

t.test(
  'slow documents of clients: at most 64 fetches at once, then 503 temporarily_unavailable',
  async (t) => {
    const { host, documents } = await open(t)
    for (let i = 0; i <= 16; i += 1) host.addresses.set(`h${i}.many.test`, ['127.0.0.1'])
    const answers = held(host)
    const idOf = (i: number): string => `https://h${i % 16}.many.test:${host.port}/${i}`
    const running = Array.from({ length: 64 }, (_, i) => documents.find(idOf(i), `203.0.113.${i}`))
    await answers.waiting(64)
    t.match(await errorOf(documents.find(`https://h16.many.test:${host.port}/x`, '198.51.100.1')), busy)
    answers.goOn()
    t.equal((await Promise.all(running)).filter((client) => client !== null).length, 64)
  },
)

t.test(
  'slow documents: a host that does not answer is not asked for the same document for half a minute',
  async (t) => {
    const { host, documents, clock } = await open(t, { timeoutMs: 150 })
    const id = host.url('/c.json')
    host.answer = () => undefined
    t.equal(await documents.find(id), null)
    publish(host, documentAt(id))
    clock.now += 29_000
    t.equal(await documents.find(id), null)
    t.equal(host.requests.length, 1)
    const second = host.url('/d.json')
    publish(host, documentAt(second))
    t.equal((await documents.find(second))?.id, second, 'another document of the host')
    publish(host, documentAt(id))
    clock.now += 1_000
    t.equal((await documents.find(id))?.id, id)
  },
)

t.test(
  'authorize: consent names the publishing host; a document that fails is an unknown client',
  async (t) => {
    const { host, documents } = await open(t)
    const w = await world(t, { clientDocuments: documents })
    const browser = await signedInBrowser(w)
    const id = host.url('/c.json')
    publish(host, documentAt(id, { client_name: 'Good <b>client</b>' }))
    const page = await w.call('GET', query(authorizeParameters(id)), { browser })
    t.equal(page.status, 200)
    t.match(page.body, `<dt>Published by</dt><dd><strong>client.test:${host.port}</strong></dd>`)
    t.match(page.body, 'Good &lt;b&gt;client&lt;/b&gt;')
    const unknown = oauthError('invalid_request', 'unknown client or redirect_uri')
    const foreign = { ...authorizeParameters(id), redirect_uri: 'https://evil.example/cb' }
    t.strictSame(seen(await w.call('GET', query(foreign), { browser })), unknown)
    const missing = authorizeParameters(host.url('/missing.json'))
    host.answer = (_, response) => response.writeHead(404).end()
    t.strictSame(seen(await w.call('GET', query(missing), { browser })), unknown)
  },
)

t.test(
  'decisions, client ID metadata documents: while documents are off, an https URL is an unknown client and nothing is fetched',
  async (t) => {
    const { host } = await open(t)
    const w = await world(t)
    const outcome = await w.call('GET', query(authorizeParameters(host.url('/c.json'))))
    t.strictSame(seen(outcome), oauthError('invalid_request', 'unknown client or redirect_uri'))
    t.equal(
      jsonOf(await w.call('GET', '/.well-known/oauth-authorization-server'))
        .client_id_metadata_document_supported,
      undefined,
    )
    t.equal(host.connections, 0)
  },
)

t.test('documents: on when the base URL is https, or by configuration', async (t) => {
  const cases: readonly (readonly [baseUrl: string, setting: boolean | undefined, on: true | undefined])[] = [
    ['http://localhost:3000', undefined, undefined],
    ['http://localhost:3000', true, true],
    ['https://app.example', undefined, true],
    ['https://app.example', false, undefined],
  ]
  for (const [baseUrl, clientIdMetadataDocuments, on] of cases) {
    const app = await openTestApp({
      environment: { baseUrl },
      change: (bundle) => ({ ...bundle, config: { clientIdMetadataDocuments } }),
    })
    const metadata = await app.client().get('/.well-known/oauth-authorization-server')
    t.equal(
      metadata.json().client_id_metadata_document_supported,
      on,
      `${baseUrl} ${clientIdMetadataDocuments}`,
    )
    await app.close()
  }
  t.throws(
    () => resolveConfig({ clientIdMetadataDocuments: 'yes' }),
    new ConfigError('app/config.ts: config.clientIdMetadataDocuments must be true or false'),
  )
})
