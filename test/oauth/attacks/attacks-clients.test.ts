/** Named attacks on registration, redirects, sign-in, metadata, metadata documents and sessions, each with its whole
 *  answer. Never a 5xx, a stack trace, or a `Location` outside a registered address. */
import t from 'tap'
import { createClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { type DocumentHost, openDocumentHost, publish } from '../support/document-host.ts'
import { type FaultProvider, openFaultProvider } from '../support/fault-provider.ts'
import {
  authorizeParameters,
  type Browser,
  baseUrl,
  decide,
  location,
  newBrowser,
  query,
  redirectUri,
  register,
  signedInBrowser,
  start,
  type World,
  world,
} from '../support/harness.ts'

const noStore = { 'cache-control': 'no-store' }
const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
}

function refusal(
  error: string,
  description: string,
  status = 400,
  more: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body = JSON.stringify({ error, error_description: description })
  return { status, headers: { ...noStore, 'content-type': 'application/json', ...more }, body }
}

const plain = (status: number, body: string): HttpResponse => ({
  status,
  headers: { ...noStore, 'x-content-type-options': 'nosniff', 'content-type': 'text/plain; charset=utf-8' },
  body,
})
const seeOther = (to: string): HttpResponse => ({
  status: 303,
  headers: { ...noStore, location: to },
  body: null,
})

const badMetadata = (description: string): HttpResponse =>
  refusal('invalid_client_metadata', description, 400, cors)
const unknownClient = refusal('invalid_request', 'unknown client or redirect_uri')
const unknownProvider = refusal('invalid_request', 'unknown provider', 404)
const invalidState = plain(400, 'invalid sign-in state')
const failedSignIn = plain(401, 'sign in failed')

interface Asserts {
  ok(value: unknown, message: string): unknown
  notMatch(value: string, pattern: RegExp, message: string): unknown
}

/** What holds for every answer, whatever the attack. */
function holds(t: Asserts, outcome: HttpResponse, registered: readonly string[]): void {
  const text = JSON.stringify(outcome)
  t.ok(outcome.status < 500, 'never a 5xx')
  t.notMatch(text, /\bat .+\.[jt]s:\d+|node_modules|Error:/, 'no stack trace')
  const to = outcome.headers.location
  if (to !== undefined)
    t.ok(
      registered.some((uri) => String(to).startsWith(uri)),
      `no foreign Location: ${to}`,
    )
}

/** For attacks that leave nothing behind. */
const shared = world(t)

// Registration -------------------------------------------------------------------------------------------------------

const unsafe = badMetadata('redirect_uris must be https, or http on loopback, without a fragment')
const badName = badMetadata('client_name must be a text of at most 200 visible characters')
const notObject = badMetadata('the client metadata must be a JSON object')
const planted = (changes: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ redirect_uris: [redirectUri], ...changes })
const redirecting = (uri: string): string => JSON.stringify({ redirect_uris: [redirectUri, uri] })

const registrations: readonly (readonly [name: string, raw: string, expected: HttpResponse])[] = [
  ['script as a redirect URI', redirecting('javascript:alert(document.domain)//https://x.example'), unsafe],
  ['script behind white space', redirecting('\tjavascript:alert(1)'), unsafe],
  ['data as a redirect URI', redirecting('data:text/html;base64,PHNjcmlwdD4='), unsafe],
  ['a file as a redirect URI', redirecting('file:///etc/passwd'), unsafe],
  ['http to an internal host', redirecting('http://169.254.169.254/latest/meta-data/'), unsafe],
  ['loopback in decimal', redirecting('http://2130706433/'), unsafe],
  ['loopback as userinfo', redirecting('http://localhost@evil.example/'), unsafe],
  ['loopback as a prefix', redirecting('http://localhost.evil.example/'), unsafe],
  ['a backslash that splits the host', redirecting('https://good.example\\@evil.example/'), unsafe],
  ['a header split', redirecting('https://x.example/\r\nset-cookie: a=b'), unsafe],
  ['a fragment that swallows the code', redirecting('https://x.example/#'), unsafe],
  ['an address that reads backwards', redirecting('https://x.example/\u202emoc.elpmaxe'), unsafe],
  ['a full-width loopback', redirecting('http://ｌｏｃａｌｈｏｓｔ/'), unsafe],
  [
    'one unsafe address among safe ones',
    JSON.stringify({ redirect_uris: [redirectUri, 'ftp://x.example', redirectUri] }),
    unsafe,
  ],
  ['a name that hides its end', planted({ client_name: 'Bank\u202e' }), badName],
  ['a name that forges lines', planted({ client_name: 'A\nScope: none' }), badName],
  ['a name with an escape sequence for terminals', planted({ client_name: '\u001b[2J' }), badName],
  [
    'a name of a megabyte',
    planted({ client_name: 'x'.repeat(1_000_000) }),
    badMetadata('the client metadata must not be larger than 16 KB'),
  ],
  [
    'the implicit grant',
    planted({ grant_types: ['implicit'] }),
    badMetadata('grant_types may only be authorization_code and refresh_token'),
  ],
  [
    'the password grant',
    planted({ grant_types: ['password', 'authorization_code'] }),
    badMetadata('grant_types may only be authorization_code and refresh_token'),
  ],
  [
    'tokens in the front channel',
    planted({ response_types: ['token'] }),
    badMetadata("response_types must be exactly ['code']"),
  ],
  [
    'hybrid responses',
    planted({ response_types: ['code id_token'] }),
    badMetadata("response_types must be exactly ['code']"),
  ],
  [
    'an object that acts as a list',
    JSON.stringify({ redirect_uris: { length: 1, 0: redirectUri } }),
    badMetadata('redirect_uris must be an array of texts'),
  ],
  [
    'a text with methods of its own',
    JSON.stringify({ redirect_uris: [{ toString: redirectUri }] }),
    badMetadata('redirect_uris must be an array of texts'),
  ],
  ['deep nesting', `${'['.repeat(16_000)}`, notObject],
  [
    'a prototype instead of members',
    `{"__proto__":{"redirect_uris":["${redirectUri}"]}}`,
    badMetadata('redirect_uris must be an array of texts'),
  ],
  ['a form instead of JSON', 'redirect_uris=https://x.example', notObject],
  ['an empty body', '', notObject],
]

for (const [name, raw, expected] of registrations) {
  t.test(`attack on registration: ${name}`, async (t) => {
    const w = await shared
    const outcome = await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
    t.strictSame(outcome, expected)
    holds(t, outcome, [])
  })
}

const overreaching: readonly (readonly [name: string, changes: Readonly<Record<string, unknown>>])[] = [
  ['a client that chooses its id', { client_id: 'admin' }],
  [
    'a client that brings a secret',
    { client_secret: 's', token_endpoint_auth_method: 'client_secret_basic' },
  ],
  ['a client that asks for scopes', { scope: 'api admin openid' }],
  ['a client that backdates itself', { client_id_issued_at: 1, client_secret_expires_at: 0 }],
  [
    'a client that names keys and pages to be fetched',
    { jwks_uri: 'http://169.254.169.254/', logo_uri: 'http://10.0.0.1/', sector_identifier_uri: 'file:///' },
  ],
  ['a software statement signed by nobody', { software_statement: 'e30.e30.' }],
]

for (const [name, changes] of overreaching) {
  t.test(`attack on registration: ${name} gets the plain record`, async (t) => {
    const w = await shared
    const outcome = await w.call('POST', '/oauth/register', {
      raw: planted(changes),
      contentType: 'application/json',
    })
    const { client_id: id, ...record } = JSON.parse(String(outcome.body))
    t.match(id, /^[0-9a-f]{32}$/)
    t.strictSame(
      { ...outcome, body: record },
      {
        status: 201,
        headers: { ...noStore, 'content-type': 'application/json', ...cors },
        body: {
          client_id_issued_at: start / 1000,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
      },
    )
    holds(t, outcome, [])
  })
}

// Open redirect ------------------------------------------------------------------------------------------------------

const redirects: readonly (readonly [name: string, uri: string])[] = [
  ['another host', 'https://evil.example/cb'],
  ['the client’s host as userinfo', 'https://client.example@evil.example/cb'],
  ['the client’s host as a prefix', 'https://client.example.evil.example/cb'],
  ['a subdomain of the client’s', 'https://evil.client.example/cb'],
  ['a longer path', 'https://client.example/cb/evil'],
  ['a path that climbs', 'https://client.example/cb/../evil'],
  ['an encoded path that climbs', 'https://client.example/cb%2f..%2fevil'],
  ['a query more', 'https://client.example/cb?next=https://evil.example'],
  ['a fragment', 'https://client.example/cb#@evil.example'],
  ['http for https', 'http://client.example/cb'],
  ['another port', 'https://client.example:8443/cb'],
  ['another case', 'https://CLIENT.example/cb'],
  ['a homoglyph host', 'https://сlient.example/cb'],
  ['a space before', ' https://client.example/cb'],
  ['a line feed after', 'https://client.example/cb\n'],
  ['a backslash', 'https://client.example\\cb'],
  ['without a scheme', '//client.example/cb'],
  ['a script', 'javascript:alert(1)'],
  ['loopback that was never registered', 'http://localhost/cb'],
  ['the callback of our own sign-in', `${baseUrl}/auth/dev/callback`],
  ['nothing', ''],
]

for (const decision of ['GET', 'allow', 'deny']) {
  for (const [name, uri] of redirects) {
    t.test(`open redirect (${decision}): ${name}`, async (t) => {
      const w = await shared
      const clientId = await register(w)
      const browser = await signedInBrowser(w)
      const outcome =
        decision === 'GET'
          ? await w.call('GET', query({ ...authorizeParameters(clientId), redirect_uri: uri }), { browser })
          : await decide(w, browser, authorizeParameters(clientId), { decision, redirect_uri: uri })
      t.strictSame(outcome, unknownClient)
      holds(t, outcome, [])
    })
  }
}

t.test('open redirect: a loopback client lends its port and nothing else', async (t) => {
  const w = await world(t)
  const clientId = await register(w, { redirect_uris: ['http://127.0.0.1:1/cb?a=b'] })
  const browser = await signedInBrowser(w)
  const attempts = [
    'http://127.0.0.1:2/cb',
    'http://localhost:1/cb?a=b',
    'http://127.0.0.1:1@evil.example/cb?a=b',
    'http://127.1:1/cb?a=b',
  ]
  for (const uri of attempts) {
    const outcome = await w.call('GET', query({ ...authorizeParameters(clientId), redirect_uri: uri }), {
      browser,
    })
    t.strictSame(outcome, unknownClient, uri)
  }
  const own = { ...authorizeParameters(clientId), redirect_uri: 'http://127.0.0.1:9/cb?a=b' }
  const denied = await decide(w, browser, own, { decision: 'deny' })
  t.strictSame(
    denied,
    seeOther(`http://127.0.0.1:9/cb?a=b&error=access_denied&iss=${encodeURIComponent(baseUrl)}`),
  )
  holds(t, denied, ['http://127.0.0.1:9/cb'])
})

t.test('open redirect: state cannot add parameters or break the header', async (t) => {
  const w = await world(t)
  const clientId = await register(w)
  const browser = await signedInBrowser(w)
  const state = '&code=forged#x\r\nset-cookie: a=b'
  const outcome = await decide(w, browser, authorizeParameters(clientId), { decision: 'deny', state })
  const expected = new URLSearchParams({ error: 'access_denied', iss: baseUrl, state })
  t.strictSame(outcome, seeOther(`${redirectUri}?${expected}`))
  holds(t, outcome, [redirectUri])
})

for (const planted of [
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'evil',
  '',
  7,
  null,
  { a: 1 },
  ['/x'],
]) {
  t.test(`open redirect: a return_to of ${JSON.stringify(planted)} leads to /auth`, async (t) => {
    const w = await world(t)
    const browser = newBrowser()
    browser.set('return_to', planted)
    const outcome = await w.call('GET', '/auth/dev', { browser })
    t.strictSame(outcome, seeOther('/auth'))
  })
}

// Sign-in ------------------------------------------------------------------------------------------------------------

interface SignIn {
  readonly w: World
  readonly provider: FaultProvider
  readonly browser: Browser
  readonly state: string
}

async function beginSignIn(t: { teardown(f: () => unknown): void }): Promise<SignIn> {
  const provider = await openFaultProvider()
  t.teardown(provider.close)
  const config = { issuer: provider.issuer, clientId: 'us', clientSecret: 's' }
  const w = await world(t, { providers: { acme: config, other: config }, devLogin: false })
  const browser = newBrowser()
  const url = new URL(location(await w.call('GET', '/auth/acme', { browser })))
  provider.nonce = url.searchParams.get('nonce') ?? ''
  return { w, provider, browser, state: url.searchParams.get('state') ?? '' }
}

type Attack = (signIn: SignIn) => Promise<HttpResponse>
const callback =
  (path: (state: string) => string): Attack =>
  ({ w, browser, state }) =>
    w.call('GET', path(state), { browser })

const signIns: readonly (readonly [name: string, attack: Attack, expected: HttpResponse])[] = [
  ['no state', callback(() => '/auth/acme/callback?code=abc'), invalidState],
  ['an empty state', callback(() => '/auth/acme/callback?code=abc&state='), invalidState],
  ['a guessed state', callback(() => `/auth/acme/callback?code=abc&state=${'A'.repeat(43)}`), invalidState],
  [
    'a state in other letters',
    callback((s) => `/auth/acme/callback?code=abc&state=${s.toLowerCase()}x`),
    invalidState,
  ],
  ['a cut state', callback((s) => `/auth/acme/callback?code=abc&state=${s.slice(0, -1)}`), invalidState],
  [
    'a state twice, the wrong one first',
    callback((s) => `/auth/acme/callback?code=abc&state=x&state=${s}`),
    invalidState,
  ],
  [
    'a state twice, the right one first',
    callback((s) => `/auth/acme/callback?code=abc&state=${s}&state=x`),
    failedSignIn,
  ],
  [
    'a code for another provider (mix-up)',
    callback((s) => `/auth/other/callback?code=abc&state=${s}`),
    invalidState,
  ],
  [
    'an answer that names another issuer (mix-up)',
    callback((s) => `/auth/acme/callback?code=abc&state=${s}&iss=https://evil.example`),
    failedSignIn,
  ],
  [
    'an error in place of a code',
    callback((s) => `/auth/acme/callback?error=access_denied&state=${s}`),
    failedSignIn,
  ],
  [
    'an error that carries markup',
    callback((s) => `/auth/acme/callback?error=%3Cscript%3E&error_description=%3Cscript%3E&state=${s}`),
    failedSignIn,
  ],
  [
    'an ID token in the query',
    callback((s) => `/auth/acme/callback?id_token=e30.e30.&state=${s}`),
    failedSignIn,
  ],
  [
    'another person’s callback (login CSRF)',
    ({ w, state }) => w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser: newBrowser() }),
    invalidState,
  ],
  [
    'a state a second time',
    async ({ w, browser, state }) => {
      await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  [
    'a state after a failed attempt',
    async ({ w, browser, state }) => {
      await w.call('GET', '/auth/acme/callback?code=abc&state=x', { browser })
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  [
    'a state of an earlier attempt',
    async ({ w, browser, state }) => {
      await w.call('GET', '/auth/acme', { browser })
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  [
    'a state one second too late',
    ({ w, browser, state }) => {
      w.clock.now = start + 601_000
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  [
    'a nonce of another sign-in (token injection)',
    ({ w, provider, browser, state }) => {
      provider.nonce = 'another'
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    failedSignIn,
  ],
  [
    'a session whose sign-in is damaged',
    ({ w, browser, state }) => {
      browser.set('oauth_sign_in', { provider: 'acme' })
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  [
    'a session whose sign-in comes from the future of another shape',
    ({ w, browser, state }) => {
      browser.set('oauth_sign_in', ['acme'])
      return w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    },
    invalidState,
  ],
  ['the development login where it is off', callback(() => '/auth/dev'), unknownProvider],
  [
    'the development callback where it is off',
    callback(() => '/auth/dev/callback?code=abc'),
    unknownProvider,
  ],
  ['a provider named like an object’s own', callback(() => '/auth/__proto__'), unknownProvider],
  ['a provider named constructor', callback(() => '/auth/constructor/callback?state=x'), unknownProvider],
  ['a provider with markup', callback(() => '/auth/%3Cscript%3E'), unknownProvider],
  ['a provider with dots', callback(() => '/auth/acme%2F..%2Fdev'), unknownProvider],
  ['a provider in upper case', callback(() => '/auth/ACME'), unknownProvider],
]

for (const [name, attack, expected] of signIns) {
  t.test(`attack on sign-in: ${name}`, async (t) => {
    const signIn = await beginSignIn(t)
    const outcome = await attack(signIn)
    t.strictSame(outcome, expected)
    holds(t, outcome, [signIn.provider.issuer])
    if (name !== 'a state a second time')
      t.equal(signIn.browser.get('user_id'), undefined, 'nobody is signed in')
  })
}

// Metadata -----------------------------------------------------------------------------------------------------------

const wellKnown = '/.well-known/oauth-authorization-server'
const hostile: readonly (readonly [name: string, path: string, headers: Readonly<Record<string, string>>])[] =
  [
    ['a foreign Host', wellKnown, { host: 'evil.example' }],
    ['a Host with a port', wellKnown, { host: 'app.example:8443' }],
    ['X-Forwarded-Host', wellKnown, { 'x-forwarded-host': 'evil.example' }],
    ['X-Forwarded-Proto', wellKnown, { 'x-forwarded-proto': 'http' }],
    ['Forwarded', wellKnown, { forwarded: 'for=1;host=evil.example;proto=http' }],
    ['X-Original-URL', wellKnown, { 'x-original-url': '/admin' }],
    ['a query', `${wellKnown}?issuer=https://evil.example`, {}],
    ['an issuer in the path', `${wellKnown}/https:/evil.example`, {}],
    ['encoded dots in the path', `${wellKnown}/x%2f..%2f..%2fetc%2fpasswd`, {}],
    ['markup in the path', `${wellKnown}/%3Cscript%3E`, {}],
    ['the OpenID Connect form', '/.well-known/openid-configuration/evil', {}],
  ]

t.test('attacks on metadata', async (t) => {
  const app: TestApp = await openTestApp({ environment: { baseUrl, devLogin: false } })
  t.teardown(app.close)
  const good = (await app.client().get(wellKnown)).body
  t.equal(JSON.parse(good).issuer, baseUrl)
  for (const [name, path, headers] of hostile) {
    const { statusCode: status, headers: sent, body } = await app.client().get(path, headers)
    t.strictSame({ status, body }, { status: 200, body: good }, `attack on metadata: ${name}`)
    t.strictSame(
      [sent['cache-control'], sent['access-control-allow-origin'], sent['set-cookie']],
      ['public, max-age=300', '*', undefined],
      name,
    )
  }
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    const answer = await app.client().request({ method, url: wellKnown })
    t.strictSame(
      [answer.statusCode, answer.json(), answer.headers.allow],
      [405, { error: 'method not allowed' }, 'GET, HEAD, OPTIONS'],
      `attack on metadata: ${method}`,
    )
  }
})

// Metadata documents -------------------------------------------------------------------------------------------------

type Plan = (host: DocumentHost) => string
const good = (host: DocumentHost, id: string, changes: Readonly<Record<string, unknown>> = {}): string => {
  publish(host, { client_id: id, redirect_uris: [redirectUri], ...changes })
  return id
}
const named =
  (name: string, ...addresses: string[]): Plan =>
  (host) => {
    host.addresses.set(name, addresses)
    return good(host, `https://${name}:${host.port}/c.json`)
  }

/** With `connects` the host is reached and the document refused; without, no connection is opened at all. */
const documents: readonly (readonly [name: string, connects: boolean, plan: Plan])[] = [
  [
    'the metadata service of a cloud',
    false,
    (host) => good(host, 'https://169.254.169.254/latest/meta-data/'),
  ],
  ['the metadata service over IPv6', false, (host) => good(host, 'https://[fd00:ec2::254]/latest/')],
  ['a private address', false, (host) => good(host, 'https://10.0.0.1/c.json')],
  ['IPv4 in IPv6', false, (host) => good(host, 'https://[::ffff:a00:1]/c.json')],
  ['a name of a private address', false, named('client.test', '192.168.0.1')],
  ['a name with one private address', false, named('client.test', '1.1.1.1', '10.0.0.1')],
  ['a name of a translated address', false, named('client.test', '64:ff9b::7f00:1')],
  ['a name without an address', false, named('client.test')],
  ['every interface', false, named('client.test', '0.0.0.0')],
  ['our own address', false, (host) => good(host, `${baseUrl}/oauth/authorize`)],
  ['a user in the address', false, (host) => good(host, `https://user@client.test:${host.port}/c.json`)],
  ['a fragment in the address', false, (host) => good(host, `https://client.test:${host.port}/c.json#x`)],
  ['dots in the address', false, (host) => good(host, `https://client.test:${host.port}/x/../c.json`)],
  ['no path', false, (host) => good(host, `https://client.test:${host.port}/`)],
  ['an address of 3 KB', false, (host) => good(host, host.url(`/${'x'.repeat(3000)}`))],
  ['a certificate for another name', true, named('elsewhere.test', '127.0.0.1')],
  ['a document of somebody else', true, (host) => good(host, host.url('/other.json')).replace('other', 'c')],
  ['a document with a secret', true, (host) => good(host, host.url('/c.json'), { client_secret: 's' })],
  [
    'a document with an unsafe address',
    true,
    (host) => good(host, host.url('/c.json'), { redirect_uris: [redirectUri, 'http://evil.example'] }),
  ],
  [
    'a document with a script',
    true,
    (host) => good(host, host.url('/c.json'), { redirect_uris: ['javascript:alert(1)'] }),
  ],
  [
    'a document for another redirect URI',
    true,
    (host) => good(host, host.url('/c.json'), { redirect_uris: ['https://evil.example/cb'] }),
  ],
  ['a document above 5 KB', true, (host) => good(host, host.url('/c.json'), { padding: 'x'.repeat(5120) })],
  [
    'a document with a forged line in its name',
    true,
    (host) => good(host, host.url('/c.json'), { client_name: 'A\nB' }),
  ],
]

for (const [name, connects, plan] of documents) {
  t.test(`attack with a metadata document: ${name}`, async (t) => {
    const host = await openDocumentHost()
    t.teardown(host.close)
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
    // loopback stands for the public internet where a connection is wanted
    const options = {
      baseUrl,
      mcpPath: '/mcp',
      ownPages: [],
      nativeSchemes: null,
      heldAddresses: new Set<string>(),
      profile: profiles.specification,
      network: host.network,
      clock: () => start,
      log: silent,
      hasLiveGrant: async () => false,
    }
    const clientDocuments = createClientDocuments({ ...options, allowLoopback: connects })
    const w = await world(t, { clientDocuments })
    const outcome = await w.call('GET', query(authorizeParameters(plan(host))), {
      browser: await signedInBrowser(w),
    })
    t.strictSame(outcome, unknownClient)
    t.equal(host.connections, connects ? 1 : 0)
    holds(t, outcome, [])
  })
}

t.test('attack with a metadata document: a redirect into our network is not followed', async (t) => {
  const host = await openDocumentHost()
  t.teardown(host.close)
  host.answer = (_request, response) =>
    void response.writeHead(302, { location: `https://127.0.0.1:${host.port}/inside.json` }).end()
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const clientDocuments = createClientDocuments({
    baseUrl,
    mcpPath: '/mcp',
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    profile: profiles.specification,
    network: host.network,
    clock: () => start,
    log: silent,
    allowLoopback: true,
    hasLiveGrant: async () => false,
  })
  const w = await world(t, { clientDocuments })
  const outcome = await w.call('GET', query(authorizeParameters(host.url('/c.json'))), {
    browser: await signedInBrowser(w),
  })
  t.strictSame([outcome, host.requests.length], [unknownClient, 1])
})

// Sessions -----------------------------------------------------------------------------------------------------------

t.test(
  'attack on a session: a consent form with the CSRF token of another session shows consent again',
  async (t) => {
    const w = await world(t)
    const clientId = await register(w)
    const [mine, theirs] = [await signedInBrowser(w), await signedInBrowser(w)]
    const request = { ...authorizeParameters(clientId), scope: 'api' } // as the form says it
    await w.call('GET', query(request), { browser: theirs })
    const outcome = await decide(w, mine, request, {
      decision: 'allow',
      csrf_token: String(theirs.get('csrf_token')),
    })
    const shown = await w.call('GET', query(request), { browser: mine })
    const repeated = String(outcome.body)
    t.match(repeated, 'Please answer again.')
    const body = repeated.replace(/<div class="notice error".*?<\/div>\n/s, '')
    t.strictSame({ ...outcome, body }, shown, 'the consent page itself, 200, and why it is there again')
    t.equal(outcome.status, 200)
  },
)

t.test('attack on a session: a CSRF token planted before sign-in is gone after it', async (t) => {
  const w = await world(t)
  const clientId = await register(w)
  const browser = newBrowser()
  browser.set('csrf_token', 'planted')
  await w.call('GET', '/auth/dev', { browser })
  const outcome = await decide(w, browser, authorizeParameters(clientId), {
    decision: 'allow',
    csrf_token: 'planted',
  })
  t.strictSame([outcome.status, outcome.headers.location], [200, undefined])
  t.not(browser.get('csrf_token'), 'planted')
})

const users: readonly (readonly [name: string, userId: unknown])[] = [
  ['a user who does not exist', 'dev:nobody'],
  ['a user id that is no text', { id: 'dev:developer' }],
  ['an empty user id', ''],
  ['a user id named like an object’s own', '__proto__'],
]

for (const [name, userId] of users) {
  t.test(`attack on a session: ${name} must sign in`, async (t) => {
    const w = await world(t)
    const clientId = await register(w)
    const browser = newBrowser()
    browser.set('user_id', userId)
    const outcome = await w.call('GET', query(authorizeParameters(clientId)), { browser })
    t.strictSame(outcome, seeOther('/auth'))
  })
}
