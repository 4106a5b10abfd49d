/** Sign-in through identity providers. Source: rules.md, Sign-in and User; rules.md, OAuth. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { internet } from '../../../runtime/oauth/network.ts'
import { type Fault, type FaultProvider, openFaultProvider } from '../support/fault-provider.ts'
import {
  authorizeParameters,
  type Browser,
  location,
  newBrowser,
  oauthError,
  query,
  register,
  seen,
  signedInBrowser,
  start,
  type World,
  world,
} from '../support/harness.ts'

const unknown = oauthError('invalid_request', 'unknown provider', 404)

async function withIssuer(
  t: { teardown(f: () => unknown): void },
  providerTimeoutMs = 2_000,
): Promise<{ w: World; issuer: FaultProvider }> {
  const issuer = await openFaultProvider()
  t.teardown(issuer.close)
  const config = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
  const w = await world(t, { providers: { acme: config, other: config }, providerTimeoutMs })
  return { w, issuer }
}

/** Goes to the provider and answers the URL it was sent to. */
async function begin(w: World, issuer: FaultProvider, browser: Browser): Promise<URL> {
  const outcome = await w.call('GET', '/auth/acme', { browser })
  const url = new URL(location(outcome))
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  return url
}

t.test('spec, Sign-in: the page has a link for each provider, and dev while it is enabled', async (t) => {
  const acme = { issuer: 'https://op.example', clientId: 'c', clientSecret: 's' }
  const w = await world(t, { providers: { acme } })
  const outcome = await w.call('GET', '/auth/')
  const links = [...String(outcome.body).matchAll(/href="([^"]+)"/g)].map((match) => match[1])
  t.strictSame([outcome.status, links], [200, ['/auth/acme', '/auth/dev']])
  t.equal(outcome.headers['content-security-policy'], "frame-ancestors 'none'")
  const body = String((await w.call('GET', '/auth/', { browser: await signedInBrowser(w) })).body)
  t.match(body, 'signed in as <strong>Developer</strong>')
  const off = await world(t, { providers: { acme }, devLogin: false })
  t.notMatch((await off.call('GET', '/auth/')).body, '/auth/dev')
})

t.test('spec, Sign-in: unknown provider, and dev while disabled, are 404 invalid_request', async (t) => {
  const w = await world(t, { devLogin: false })
  for (const name of ['dev', 'nobody', 'constructor', '__proto__']) {
    t.strictSame(seen(await w.call('GET', `/auth/${name}`)), unknown)
    t.strictSame(seen(await w.call('GET', `/auth/${name}/callback`)), unknown)
  }
})

t.test('spec, Sign-in: with dev, a new session id, return_to used once, local paths only', async (t) => {
  const w = await world(t)
  const browser = newBrowser()
  const parameters = authorizeParameters(await register(w))
  await w.call('GET', query(parameters), { browser })
  browser.set('csrf_token', 'planted')
  const outcome = await w.call('GET', '/auth/dev', { browser })
  t.strictSame([outcome.status, location(outcome)], [303, query(parameters)])
  t.strictSame([browser.generation, [...browser.values]], [1, [['user_id', 'dev:developer']]])
  t.strictSame(await w.store.findUser('dev:developer'), {
    id: 'dev:developer',
    name: 'Developer',
    email: 'developer@localhost',
  })
  t.equal(location(await w.call('GET', '/auth/dev', { browser })), '/auth')
  for (const foreign of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a\nb', 7]) {
    browser.set('return_to', foreign)
    t.equal(location(await w.call('GET', '/auth/dev', { browser })), '/auth', String(foreign))
  }
})

t.test(
  'spec, Sign-in; decisions, identity providers: through a provider, state, PKCE and nonce go out, the user comes back',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const browser = newBrowser()
    browser.set('return_to', '/oauth/authorize?a=b')
    const url = await begin(w, issuer, browser)
    t.equal(`${url.origin}${url.pathname}`, `${issuer.issuer}/authorize`)
    const { state, nonce, code_challenge, ...sent } = Object.fromEntries(url.searchParams)
    for (const random of [state, nonce, code_challenge]) t.match(random, /^[A-Za-z0-9_-]{43}$/)
    t.equal(browser.get('oauth_state'), state)
    t.strictSame(sent, {
      client_id: 'us',
      redirect_uri: 'https://app.example/auth/acme/callback',
      response_type: 'code',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    })
    issuer.claims = { nickname: 'ada', email: 'ada@example.com', email_verified: true }
    const outcome = await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    t.strictSame([outcome.status, location(outcome)], [303, '/oauth/authorize?a=b'])
    t.strictSame([...browser.values], [['user_id', 'acme:uid-1']])
    t.strictSame(await w.store.findUser('acme:uid-1'), {
      id: 'acme:uid-1',
      name: 'ada',
      email: 'ada@example.com',
    })
    const request = issuer.tokenRequests[0]
    t.equal(request?.get('redirect_uri'), 'https://app.example/auth/acme/callback')
    t.match(request?.get('code_verifier'), /^[A-Za-z0-9_-]{43}$/)
  },
)

t.test(
  'spec, User; decisions, easy to miss: provider name, else nickname, else uid; an address no longer given is cleared',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const cases = [
      [
        { name: 'Ada', nickname: 'a', email: 'a@example.com', email_verified: true },
        {},
        { name: 'Ada', email: 'a@example.com' },
      ],
      [{}, { name: 'From user info' }, { name: 'From user info', email: null }],
      [{ name: '', nickname: 'a' }, {}, { name: 'a', email: null }],
      [{}, {}, { name: 'uid-1', email: null }],
    ] as const
    for (const [claims, userInfo, expected] of cases) {
      const browser = newBrowser()
      const state = (await begin(w, issuer, browser)).searchParams.get('state')
      issuer.claims = claims
      issuer.userInfo = userInfo
      await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
      t.strictSame(await w.store.findUser('acme:uid-1'), { id: 'acme:uid-1', ...expected })
    }
  },
)

t.test(
  'spec, Sign-in: in the callback a missing, foreign, used, late or other provider’s state is 400',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const attempt = async (path: (state: string) => string, late = 0): Promise<readonly unknown[]> => {
      const browser = newBrowser()
      const state = (await begin(w, issuer, browser)).searchParams.get('state') ?? ''
      w.clock.now = start + late
      const outcome = await w.call('GET', path(state), { browser })
      w.clock.now = start
      t.strictSame(
        [browser.get('oauth_state'), browser.get('oauth_sign_in')],
        [undefined, undefined],
        'removed',
      )
      const again = await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
      t.equal(again.status, 400, 'a state works once')
      return [outcome.status, outcome.headers['content-type'], outcome.body]
    }
    const invalid = [400, 'text/plain; charset=utf-8', 'invalid sign-in state']
    t.strictSame(await attempt(() => '/auth/acme/callback?code=abc'), invalid)
    t.strictSame(await attempt(() => '/auth/acme/callback?code=abc&state=x'), invalid)
    t.strictSame(await attempt((state) => `/auth/other/callback?code=abc&state=${state}`), invalid)
    t.strictSame(await attempt((state) => `/auth/acme/callback?code=abc&state=${state}`, 601_000), invalid)
    t.equal((await attempt((state) => `/auth/acme/callback?code=abc&state=${state}`, 599_000))[0], 303)
    t.equal((await w.call('GET', '/auth/acme/callback?code=abc&state=')).status, 400, 'no sign-in under way')
  },
)

const failed = [401, 'text/plain; charset=utf-8', 'sign in failed']

/** Status, type and text; `iss` is what the browser brings back beside code and state. */
async function attempt(
  w: World,
  issuer: FaultProvider,
  browser: Browser,
  extra = '',
): Promise<readonly unknown[]> {
  const started = await w.call('GET', '/auth/acme', { browser })
  if (started.status !== 303) return [started.status, started.headers['content-type'], started.body]
  const url = new URL(location(started))
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const state = url.searchParams.get('state')
  const outcome = await w.call('GET', `/auth/acme/callback?code=abc&state=${state}${extra}`, { browser })
  if (browser.get('oauth_state') !== undefined) throw new Error('oauth_state must be removed on failure too')
  return [outcome.status, outcome.headers['content-type'] ?? null, outcome.body]
}

const seconds = (ago: number): number => Math.floor(Date.now() / 1000) + ago

const badClaims: readonly (readonly [what: string, claims: Record<string, unknown>])[] = [
  ['another nonce', { nonce: 'x' }],
  ['no nonce', { nonce: undefined }],
  ['another audience', { aud: 'someone else' }],
  ['no audience', { aud: undefined }],
  ['several audiences without azp', { aud: ['us', 'them'] }],
  ['another authorized party', { aud: ['us', 'them'], azp: 'them' }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['an issuer that differs by a slash', { iss: 'slash' }],
  ['expired', { exp: 1000, iat: 900 }],
  ['expired beyond the tolerance of 30 s', { exp: seconds(-45) }],
  ['not valid yet', { nbf: seconds(3600) }],
  ['no expiry', { exp: undefined }],
  ['no subject', { sub: undefined }],
  ['an empty subject', { sub: '' }],
  ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
  ['a subject with a line feed', { sub: 'a\nb' }],
  ['a subject that hides characters', { sub: 'a\u200bb' }],
]

for (const [what, claims] of badClaims) {
  t.test(`spec, Sign-in: an ID token with ${what} is a failed exchange: 401 text`, async (t) => {
    const { w, issuer } = await withIssuer(t)
    const browser = newBrowser()
    issuer.claims = claims.iss === 'slash' ? { iss: `${issuer.issuer}/` } : claims
    t.strictSame(await attempt(w, issuer, browser), failed)
    t.equal(browser.get('user_id'), undefined)
    t.match(w.logged.at(-1), /^sign in failed \{"provider":"acme","reason":".+"\}$/)
  })
}

t.test(
  'spec, Sign-in: a bad signature is a failed exchange, though the token came from the provider itself',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const good = issuer.idToken
    const stranger = (await generateKeyPair('RS256')).privateKey
    const tokens: readonly (readonly [what: string, make: typeof issuer.idToken])[] = [
      [
        'another key',
        (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(stranger),
      ],
      [
        'an unknown key id',
        (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'x' }).sign(stranger),
      ],
      [
        'the client secret',
        (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('secret')),
      ],
      ['no algorithm', async (claims) => new UnsecuredJWT(claims).encode()],
      [
        'a changed payload',
        async (claims) => {
          const [header, , signature] = (await good(claims)).split('.')
          return `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url')}.${signature}`
        },
      ],
      ['a cut signature', async (claims) => (await good(claims)).slice(0, -8)],
      ['garbage', async () => 'garbage'],
      ['nothing', async () => ''],
    ]
    for (const [what, make] of tokens) {
      issuer.idToken = make
      const browser = newBrowser()
      t.strictSame(await attempt(w, issuer, browser), failed, what)
      t.equal(browser.get('user_id'), undefined, what)
    }
    issuer.idToken = good
    t.equal((await attempt(w, issuer, newBrowser()))[0], 303, 'and the good one passes')
  },
)

t.test(
  'decisions, identity providers: iss is checked in the response when it is there, and required when it is promised (RFC 9207)',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    t.strictSame(await attempt(w, issuer, newBrowser(), '&iss=https://evil.example'), failed)
    t.equal((await attempt(w, issuer, newBrowser(), `&iss=${encodeURIComponent(issuer.issuer)}`))[0], 303)
    const promised = await withIssuer(t)
    promised.issuer.metadata = { authorization_response_iss_parameter_supported: true }
    t.strictSame(await attempt(promised.w, promised.issuer, newBrowser()), failed)
  },
)

t.test(
  'spec, Sign-in: an error, a doubled or a missing code from the provider is a failed exchange',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const extras = [
      '&error=access_denied',
      '&error=server_error&error_description=x',
      '&code=def',
      '&state=x',
      '&response=x',
    ]
    for (const extra of extras) {
      const browser = newBrowser()
      t.strictSame(await attempt(w, issuer, browser, extra), failed, extra)
      t.equal(browser.get('user_id'), undefined, extra)
    }
    const browser = newBrowser()
    const state = (await begin(w, issuer, browser)).searchParams.get('state')
    const outcome = await w.call('GET', `/auth/acme/callback?state=${state}`, { browser })
    t.strictSame([outcome.status, outcome.body], [401, 'sign in failed'], 'no code')
  },
)

const type = { 'content-type': 'application/json' }
const hang: Fault = () => undefined
const faults: readonly (readonly [what: string, fault: Fault])[] = [
  ['answers 500', (_, response) => response.writeHead(500, type).end('{}')],
  ['answers 404', (_, response) => response.writeHead(404).end()],
  ['answers a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ['answers garbage', (_, response) => response.writeHead(200, type).end('{"')],
  ['answers HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['answers nothing', (_, response) => response.writeHead(200, type).end()],
  ['answers null', (_, response) => response.writeHead(200, type).end('null')],
  ['closes the connection', (request) => request.socket.destroy()],
  [
    'closes it half way',
    (request, response) => response.writeHead(200, type).write('{', () => request.socket.destroy()),
  ],
  ['speaks no HTTP', (request) => request.socket.end('garbage\r\n\r\n')],
]

for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo']) {
  t.test(
    `spec, Sign-in: a provider that fails at ${path} is 401 text, and works again afterwards`,
    async (t) => {
      for (const [what, fault] of faults) {
        const { w, issuer } = await withIssuer(t)
        issuer.faults.set(path, fault)
        t.strictSame(await attempt(w, issuer, newBrowser()), failed, what)
        issuer.faults.delete(path)
        t.equal((await attempt(w, issuer, newBrowser()))[0], 303, `${what}, then recovers`)
      }
    },
  )

  t.test(`a provider that hangs at ${path} is 401 text within the time-out`, async (t) => {
    const slowly: Fault = (_, response) => void response.writeHead(200, type).write('{')
    for (const fault of [hang, slowly]) {
      const { w, issuer } = await withIssuer(t, 200)
      issuer.faults.set(path, fault)
      t.strictSame(await attempt(w, issuer, newBrowser()), failed)
      t.match(w.logged.at(-1), /took too long|timed out|timeout|aborted|parsing error/)
    }
  })
}

t.test(
  'discovery: a discovery that failed is tried again at the next sign-in, one that worked is kept',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const path = '/.well-known/openid-configuration'
    const discoveries = (): number => issuer.requests.filter((request) => request === path).length
    const start = async (): Promise<number> => (await w.call('GET', '/auth/acme')).status
    issuer.faults.set(path, (_, response) => response.writeHead(503, type).end('{}'))
    t.strictSame([await start(), discoveries()], [401, 1])
    t.strictSame([await start(), discoveries()], [401, 2])
    issuer.faults.delete(path)
    t.strictSame([await start(), discoveries()], [303, 3])
    t.strictSame([await start(), discoveries()], [303, 3])
    t.equal((await attempt(w, issuer, newBrowser()))[0], 303, 'the whole sign-in')
  },
)

t.test('the time-out is for the whole step and under ten seconds by default', async (t) => {
  t.ok(internet.providerTimeoutMs < 10_000)
  const { w, issuer } = await withIssuer(t, 800)
  t.equal((await attempt(w, issuer, newBrowser()))[0], 303)
  issuer.delayMs = 500
  t.strictSame(
    await attempt(w, issuer, newBrowser()),
    failed,
    'token and user info, neither of them late alone',
  )
  t.match(w.logged.at(-1), /took too long/)
})

/** What two users' records say after signing in with the same claims; `own` trusts its issuer. */
async function emailsOf(
  { w, issuer }: { readonly w: World; readonly issuer: FaultProvider },
  claims: Record<string, unknown>,
  userInfo: Record<string, unknown> = {},
): Promise<readonly unknown[]> {
  issuer.claims = claims
  issuer.userInfo = userInfo
  const emails: unknown[] = []
  for (const name of ['acme', 'own']) {
    const browser = newBrowser()
    const url = new URL(location(await w.call('GET', `/auth/${name}`, { browser })))
    issuer.nonce = url.searchParams.get('nonce') ?? ''
    const state = url.searchParams.get('state')
    await w.call('GET', `/auth/${name}/callback?code=abc&state=${state}`, { browser })
    emails.push((await w.store.findUser(`${name}:uid-1`))?.email)
  }
  return emails
}

t.test(
  'e-mail: an address is kept when the very source that gives it calls it verified, or the issuer is trusted',
  async (t) => {
    const issuer = await openFaultProvider()
    t.teardown(issuer.close)
    const config = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
    const w = await world(t, { providers: { acme: config, own: { ...config, trustEmail: true } } })
    const email = 'a@x.test'
    const cases = [
      [true, email, email],
      [undefined, null, email],
      ['true', null, email],
      [1, null, email],
      [null, null, email],
      [false, null, null],
      ['false', null, null],
      [0, null, null],
    ] as const
    for (const [email_verified, strict, trusting] of cases) {
      const claims = { name: 'A', email, ...(email_verified === undefined ? {} : { email_verified }) }
      const what = JSON.stringify(email_verified)
      t.strictSame(await emailsOf({ w, issuer }, claims), [strict, trusting], `ID token: ${what}`)
      t.strictSame(await emailsOf({ w, issuer }, {}, claims), [strict, trusting], `user info: ${what}`)
    }
    const elsewhere = { email: 'other@x.test', email_verified: true }
    t.strictSame(
      await emailsOf({ w, issuer }, { name: 'A', email }, { email_verified: true }),
      [null, email],
      'a word of the user info about no address of its own',
    )
    t.strictSame(
      await emailsOf({ w, issuer }, { name: 'A', email }, elsewhere),
      ['other@x.test', email],
      'the verified one of two',
    )
    t.strictSame(
      await emailsOf({ w, issuer }, { name: 'A', email, email_verified: false }, { email_verified: true }),
      [null, null],
    )
  },
)

t.test(
  'sign-in: a provider that cannot be reached is 401; plain http off loopback is never spoken',
  async (t) => {
    const config = { clientId: 'c', clientSecret: 's' }
    const providers = {
      down: { issuer: 'http://127.0.0.1:9', ...config },
      insecure: { issuer: 'http://op.example', ...config },
    }
    const w = await world(t, { providers })
    for (const name of ['down', 'insecure']) t.equal((await w.call('GET', `/auth/${name}`)).status, 401)
    t.match(w.logged.join('\n'), /only requests to HTTPS are allowed/)
  },
)

t.test(
  'a provider whose protocol cannot be made is a failed sign-in, not the end of the process',
  async (t) => {
    const addresses = { token: 'no address' }
    const providers = { github: { clientId: 'c', clientSecret: 's', addresses } }
    const unheard: unknown[] = []
    const hear = (reason: unknown): void => void unheard.push(reason)
    process.on('unhandledRejection', hear)
    t.teardown(() => process.off('unhandledRejection', hear))
    await import('../../../runtime/oauth/providers/github.ts') // so that it is there at once
    const w = await world(t, { providers })
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    t.strictSame(unheard, [], 'before anybody signs in')
    for (const _ of [1, 2])
      t.strictSame(seenText(await w.call('GET', '/auth/github')), [401, 'sign in failed'])
    t.strictSame(unheard, [])
  },
)

const seenText = ({ status, body }: HttpResponse): readonly unknown[] => [status, body]
