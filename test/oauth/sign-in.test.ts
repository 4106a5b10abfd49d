import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import t from 'tap'
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
} from './harness.ts'

const unknown = oauthError('invalid_request', 'unknown sign-in provider', 404)

interface Issuer {
  readonly issuer: string
  /** Claims of the next ID token, over the good ones. */
  claims: Record<string, unknown>
  userInfo: Record<string, unknown>
  readonly tokenRequests: URLSearchParams[]
  nonce: string
}

/** A minimal OpenID Connect provider on loopback: discovery, keys, token and user info. */
async function openIssuer(t: { teardown(f: () => unknown): void }): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const state = { claims: {}, userInfo: {}, tokenRequests: [] as URLSearchParams[], nonce: '' }
  const idToken = (): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const good = { iss: issuer, aud: 'us', sub: 'uid-1', iat: now, exp: now + 60, nonce: opened.nonce }
    return new SignJWT({ ...good, ...opened.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(privateKey)
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answers = new Map<string, () => Promise<unknown>>([
      ['/jwks', async () => ({ keys: [jwk] })],
      ['/userinfo', async () => ({ sub: 'uid-1', ...opened.userInfo })],
      [
        '/token',
        async () => {
          opened.tokenRequests.push(new URLSearchParams(body))
          return { access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: await idToken() }
        },
      ],
      [
        '/.well-known/openid-configuration',
        async () => ({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        }),
      ],
    ])
    const answer = answers.get(request.url ?? '')
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify((await answer?.()) ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  // A TCP server's address is an object.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const opened: Issuer = { issuer, ...state }
  return opened
}

async function withIssuer(t: { teardown(f: () => unknown): void }): Promise<{ w: World; issuer: Issuer }> {
  const issuer = await openIssuer(t)
  const config = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
  const w = await world(t, { providers: { acme: config, other: config } })
  return { w, issuer }
}

/** Goes to the provider and answers the URL it was sent to. */
async function begin(w: World, issuer: Issuer, browser: Browser): Promise<URL> {
  const outcome = await w.call('GET', '/auth/acme', { browser })
  const url = new URL(location(outcome))
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  return url
}

t.test('sign-in page: a link for each provider, and dev while it is enabled', async (t) => {
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

t.test('sign-in: unknown provider, and dev while disabled, are 404 invalid_request', async (t) => {
  const w = await world(t, { devLogin: false })
  for (const name of ['dev', 'nobody', 'constructor', '__proto__']) {
    t.strictSame(seen(await w.call('GET', `/auth/${name}`)), unknown)
    t.strictSame(seen(await w.call('GET', `/auth/${name}/callback`)), unknown)
  }
})

t.test('sign-in with dev: a new session id, return_to used once, local paths only', async (t) => {
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

t.test('sign-in through a provider: state, PKCE and nonce go out, the user comes back', async (t) => {
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
  issuer.claims = { nickname: 'ada', email: 'ada@example.com' }
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
})

t.test(
  'the user: provider name, else nickname, else uid; an address no longer given is cleared',
  async (t) => {
    const { w, issuer } = await withIssuer(t)
    const cases = [
      [{ name: 'Ada', nickname: 'a', email: 'a@example.com' }, {}, { name: 'Ada', email: 'a@example.com' }],
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

t.test('sign-in callback: a missing, foreign, used, late or other provider’s state is 400', async (t) => {
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
  t.strictSame(await attempt((state) => `/auth/acme/callback?code=abc&state=${state}`, 600_001), invalid)
  t.equal((await attempt((state) => `/auth/acme/callback?code=abc&state=${state}`, 600_000))[0], 303)
  t.equal((await w.call('GET', '/auth/acme/callback?code=abc&state=')).status, 400, 'no sign-in under way')
})

t.test('sign-in callback: a failed exchange is 401, and the reason is logged', async (t) => {
  const { w, issuer } = await withIssuer(t)
  const late = { exp: 1000, iat: 900 }
  const bad = [
    { nonce: 'x' },
    { aud: 'someone else' },
    { iss: 'https://evil.example' },
    late,
    { sub: undefined },
  ]
  const failed = [401, 'text/plain; charset=utf-8', 'sign in failed']
  for (const [index, claims] of bad.entries()) {
    const browser = newBrowser()
    const state = (await begin(w, issuer, browser)).searchParams.get('state')
    issuer.claims = claims
    const outcome = await w.call('GET', `/auth/acme/callback?code=abc&state=${state}`, { browser })
    t.strictSame(
      [outcome.status, outcome.headers['content-type'], outcome.body],
      failed,
      JSON.stringify(claims),
    )
    t.equal(browser.get('user_id'), undefined)
    t.equal(w.logged.filter((line) => line.startsWith('sign in failed')).length, index + 1)
  }
  issuer.claims = {}
  const browser = newBrowser()
  const state = (await begin(w, issuer, browser)).searchParams.get('state')
  const denied = await w.call('GET', `/auth/acme/callback?error=access_denied&state=${state}`, { browser })
  t.equal(denied.status, 401)
})

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
