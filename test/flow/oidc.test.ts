/** Sign-in through a real OIDC provider on loopback. Source: rules.md, Sign-in. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { Provider } from 'oidc-provider'
import t from 'tap'
import { freePort } from '../support/free-port.ts'
import {
  authorizationRequest,
  Browser,
  isCallback,
  type Landing,
  redirectUri,
  serveExample,
} from './support.ts'

const clientSecret = randomBytes(32).toString('hex')

/** `oidc-provider` with one client, whose callback is `callback`; anybody may sign in under any name. */
async function startProvider(issuer: string, callback: string): Promise<Server> {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'acmcp',
        client_secret: clientSecret,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    cookies: { keys: ['a key for the test'] },
    claims: { openid: ['sub'], profile: ['name', 'nickname'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: 'Ada Lovelace',
        nickname: 'ada',
        email: 'ada@example.test',
        email_verified: true,
      }),
    }),
  })
  const server = createServer(provider.callback()).listen(Number(new URL(issuer).port), 'localhost')
  await once(server, 'listening')
  return server
}

interface Served {
  readonly baseUrl: string
  readonly issuer: string
}

/** The example with `oidc-provider` as its provider `local`. */
async function serveWithProvider(t: { teardown(f: () => unknown): void }): Promise<Served> {
  const issuer = `http://localhost:${await freePort()}`
  const { application, baseUrl } = await serveExample((bundle) => ({
    ...bundle,
    config: {
      ...(bundle.config as object), // a plain object, exported by app/config.ts
      providers: { local: { issuer, clientId: 'acmcp', clientSecret } },
    },
  }))
  t.teardown(application.close)
  const provider = await startProvider(issuer, `${baseUrl}/auth/local/callback`)
  t.teardown(() => {
    provider.closeAllConnections()
    provider.close()
  })
  return { baseUrl, issuer }
}

t.test(
  'spec, OAuth sign-in flow 3 to 6: authorize, /auth, provider, callback, consent, token: the user is the provider’s',
  async (t) => {
    const { baseUrl, issuer } = await serveWithProvider(t)
    const { url: authorizeUrl, clientId, verifier } = await authorizationRequest(baseUrl)
    const browser = new Browser()
    const list = await browser.follow(authorizeUrl, isCallback)
    t.equal(list.url.href, `${baseUrl}/auth`)
    t.match(list.page, 'href="/auth/local"')
    const login = await browser.follow(`${baseUrl}/auth/local`, isCallback)
    t.equal(login.url.origin, issuer)
    const granting = await browser.submit(login, { login: 'ada', password: 'any' }, isCallback)
    const consent: Landing = await browser.submit(granting, {}, isCallback)
    t.equal(consent.url.href, authorizeUrl.href)
    t.match(consent.page, 'Ada Lovelace')
    const done = await browser.submit(consent, { decision: 'allow' }, isCallback)

    const token = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code: done.url.searchParams.get('code') ?? '',
        code_verifier: verifier,
      }),
    })
    const { access_token: accessToken } = await token.json()
    const current = await fetch(`${baseUrl}/api/users/current`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    t.strictSame(await current.json(), { id: 'local:ada', name: 'Ada Lovelace', email: 'ada@example.test' })
  },
)

t.test('pages, use another account: the provider asks to sign in anew, and consent comes back', async (t) => {
  const { baseUrl, issuer } = await serveWithProvider(t)
  const { url: authorizeUrl } = await authorizationRequest(baseUrl)
  const browser = new Browser()
  const signInAs = async (login: string): Promise<Landing> => {
    let landing = await browser.follow(`${baseUrl}/auth/local`, isCallback)
    t.match(landing.page, 'name="login"', `the provider asks ${login}`)
    // its forms: who signs in, the end of another's session, what is granted
    for (let forms = 0; forms < 5 && landing.url.origin === issuer; forms += 1)
      landing = await browser.submit(landing, { login, password: 'any' }, isCallback)
    return landing
  }
  await browser.follow(authorizeUrl, isCallback)
  const consent = await signInAs('ada')
  t.equal(consent.url.href, authorizeUrl.href)
  const returnTo = /name="return_to" value="([^"]*)"/.exec(consent.page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const list = await browser.follow(`${baseUrl}/auth/sign-out`, isCallback, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: baseUrl },
    body: new URLSearchParams({ return_to: returnTo }).toString(),
  })
  t.equal(list.url.href, `${baseUrl}/auth`)
  const again = await signInAs('grace')
  t.strictSame(
    Object.fromEntries(again.url.searchParams),
    Object.fromEntries(authorizeUrl.searchParams),
    'the same request',
  )
  t.match(again.page, 'name="csrf_token"')
})

/** Starts a sign-in and answers its state. */
async function begin(browser: Browser, baseUrl: string): Promise<string> {
  const started = await browser.fetch(`${baseUrl}/auth/local`)
  return new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? ''
}

/** Status and text of a callback with `query`. */
async function callback(
  browser: Browser,
  baseUrl: string,
  query: string,
): Promise<readonly [number, string]> {
  const response = await browser.fetch(`${baseUrl}/auth/local/callback?${query}`)
  return [response.status, await response.text()]
}

t.test(
  'spec, Sign-in: a callback with another state is refused as text, and the state is gone',
  async (t) => {
    const { baseUrl } = await serveWithProvider(t)
    const browser = new Browser()
    const state = await begin(browser, baseUrl)
    t.strictSame(await callback(browser, baseUrl, 'state=other&code=x'), [400, 'invalid sign-in state'])
    t.strictSame(await callback(browser, baseUrl, `state=${state}&code=x`), [400, 'invalid sign-in state'])
  },
)

t.test('spec, Sign-in: a state belongs to the browser it was given to', async (t) => {
  const { baseUrl } = await serveWithProvider(t)
  const state = await begin(new Browser(), baseUrl)
  t.strictSame(await callback(new Browser(), baseUrl, `state=${state}&code=x`), [
    400,
    'invalid sign-in state',
  ])
})

t.test('spec, Sign-in: a provider that refuses the code is a failed sign-in', async (t) => {
  const { baseUrl, issuer } = await serveWithProvider(t)
  const browser = new Browser()
  const state = await begin(browser, baseUrl)
  const query = `state=${state}&code=made-up&iss=${issuer}`
  t.strictSame(await callback(browser, baseUrl, query), [401, 'sign in failed'])
  t.strictSame(
    await callback(browser, baseUrl, query),
    [400, 'invalid sign-in state'],
    'the state is gone too',
  )
})
