/** The client that our own pages sign in as: built in, and a public client like any other. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { ownPagesClientId, ownPageUris, pageSignIn } from '../../../runtime/oauth/clients/own-pages.ts'
import {
  authorizeParameters,
  baseUrl,
  codeForm,
  decide,
  jsonOf,
  location,
  newBrowser,
  oauthError,
  payloadOf,
  query,
  redirectUri,
  register,
  seen,
  signedInBrowser,
  verifier,
  type World,
  world,
} from '../support/harness.ts'

const page = `${baseUrl}/mcp`
const on = { ownPages: [page] }
const unknown = oauthError('invalid_request', 'unknown client or redirect_uri')
const clientGone = oauthError(
  'invalid_client',
  'no client has this id here, or not any more: register again, or compare the id with the one that the owner of this server set up',
  401,
)
const invalidGrant = oauthError('invalid_grant', 'the code or refresh token is not valid')

const requested = (changes: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...authorizeParameters(ownPagesClientId),
  redirect_uri: page,
  state: 's',
  ...changes,
})

/** The form that redeems a fresh code of the page. */
async function pageCode(w: World): Promise<Record<string, string>> {
  const answer = new URL(location(await decide(w, await signedInBrowser(w), requested())))
  const code = answer.searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    client_id: ownPagesClientId,
    code,
    redirect_uri: page,
    code_verifier: verifier,
  }
}

const redeem = async (w: World, form: Record<string, string>) => w.call('POST', '/oauth/token', { form })

const refreshed = (w: World, refresh_token: unknown) =>
  redeem(w, {
    grant_type: 'refresh_token',
    client_id: ownPagesClientId,
    refresh_token: String(refresh_token),
  })

t.test(
  'the page signs in by the whole flow: sign-in, consent, code, token, rotation, revocation',
  async (t) => {
    const w = await world(t, on)
    const browser = newBrowser()
    t.equal(location(await w.call('GET', query(requested()), { browser })), '/auth')
    await w.call('GET', '/auth/dev', { browser })
    const consent = await w.call('GET', query(requested()), { browser })
    t.match(String(consent.body), '<strong>This service’s own page</strong> asks to use')
    t.match(String(consent.body), '<dt>Published by</dt><dd><strong>app.example</strong>', 'that is known')
    const answer = new URL(location(await decide(w, browser, requested())))
    t.equal(answer.origin + answer.pathname, page)
    t.strictSame([...answer.searchParams.keys()].sort(), ['code', 'iss', 'state'])
    const again = await w.call('GET', query(requested()), { browser })
    t.match(String(again.body), 'Allow access?', 'consent is asked each time')

    const form = await pageCode(w)
    const first = jsonOf(await redeem(w, form))
    const { cid, aud, sub } = payloadOf(first.access_token)
    t.strictSame({ cid, aud, sub }, { cid: ownPagesClientId, aud: baseUrl, sub: 'dev:developer' })
    t.strictSame(seen(await redeem(w, form)), oauthError('invalid_grant', 'already used'))
    const next = jsonOf(await refreshed(w, jsonOf(await redeem(w, await pageCode(w))).refresh_token))
    t.strictSame(await w.server.userOfAccessToken(String(next.access_token)), {
      id: 'dev:developer',
      name: 'Developer',
      email: 'developer@localhost',
    })
    const revocation = { client_id: ownPagesClientId, token: String(next.access_token) }
    t.equal((await w.call('POST', '/oauth/revoke', { form: revocation })).status, 200)
    t.equal(await w.server.userOfAccessToken(String(next.access_token)), null)
    t.strictSame(seen(await refreshed(w, next.refresh_token)), invalidGrant, 'the family ends')
  },
)

t.test('every rule of a public client holds: PKCE, exact redirect URI, its own codes alone', async (t) => {
  const w = await world(t, on)
  const browser = await signedInBrowser(w)
  const refused = async (changes: Readonly<Record<string, string>>) =>
    seen(await w.call('GET', query(requested(changes)), { browser }))
  for (const uri of [`${page}/`, `${page}?a=b`, `${page}/notes`, `${baseUrl}/docs`, baseUrl, redirectUri, ''])
    t.strictSame(await refused({ redirect_uri: uri }), unknown, uri)
  const noPkce = oauthError('invalid_request', 'PKCE with S256 is required')
  t.strictSame(await refused({ code_challenge: '' }), noPkce)
  t.strictSame(await refused({ code_challenge_method: 'plain' }), noPkce)
  t.strictSame(await refused({ resource: 'https://else.example' }), oauthError('invalid_target'))
  t.strictSame(await refused({ scope: 'admin' }), oauthError('invalid_scope'))

  const other = await register(w)
  const form = await pageCode(w)
  t.strictSame(seen(await redeem(w, { ...form, client_id: other })), invalidGrant)
  t.strictSame(seen(await redeem(w, { ...form, code_verifier: 'x'.repeat(43) })), invalidGrant)
  t.strictSame(seen(await redeem(w, { ...form, code_verifier: '' })), invalidGrant)
  t.strictSame(seen(await redeem(w, { ...form, redirect_uri: `${page}/` })), invalidGrant)
  const foreign = await codeForm(w, other)
  t.strictSame(seen(await redeem(w, { ...foreign, client_id: ownPagesClientId })), invalidGrant)
  t.equal((await redeem(w, form)).status, 200, 'nothing of that burned the code')
})

t.test('on loopback the port is part of the redirect URI, for this client alone', async (t) => {
  const w = await world(t, { baseUrl: 'http://localhost:3000', ownPages: ['http://localhost:3000/mcp'] })
  const browser = await signedInBrowser(w)
  const statusOf = async (uri: string): Promise<number> =>
    (await w.call('GET', query(requested({ redirect_uri: uri })), { browser })).status
  t.equal(await statusOf('http://localhost:3000/mcp'), 200)
  for (const uri of ['http://localhost:4000/mcp', 'http://127.0.0.1:3000/mcp', 'http://localhost/mcp'])
    t.equal(await statusOf(uri), 400, uri)
  const consent = await w.call('GET', query(requested({ redirect_uri: 'http://localhost:3000/mcp' })), {
    browser,
  })
  t.notMatch(String(consent.body), 'runs on your own computer', 'its name is known to be true')
})

t.test('it is there only while a page is on', async (t) => {
  const w = await world(t)
  const browser = await signedInBrowser(w)
  t.strictSame(seen(await w.call('GET', query(requested()), { browser })), unknown)
  const before = await world(t, on)
  const pair = jsonOf(await redeem(before, await pageCode(before)))
  const code = await pageCode(before)
  const after = await world(t, { store: before.store })
  t.strictSame(seen(await redeem(after, code)), clientGone)
  t.strictSame(seen(await refreshed(after, pair.refresh_token)), clientGone)
  const revocation = { client_id: ownPagesClientId, token: String(pair.refresh_token) }
  t.equal((await after.call('POST', '/oauth/revoke', { form: revocation })).status, 200, 'ending it works')
})

t.test('nobody registers as this client, or with its redirect URIs', async (t) => {
  const w = await world(t, { ownPages: [page, `${baseUrl}/docs`] })
  const id = await register(w, { client_id: ownPagesClientId })
  t.match(id, /^[0-9a-f]{32}$/)
  const refused = oauthError('invalid_client_metadata', 'redirect_uris must not be endpoints of this service')
  for (const uri of [page, `${page}/notes`, `${baseUrl}/docs`, `${baseUrl}/docs/`, `${baseUrl}/%64ocs?x`]) {
    const raw = JSON.stringify({ redirect_uris: [uri] })
    const answer = await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
    t.strictSame(seen(answer), refused, uri)
  }
  const stranger = {
    id: ownPagesClientId,
    name: 'A stranger',
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code'],
    responseTypes: ['code'],
  }
  await w.store.saveClient(stranger)
  const browser = await signedInBrowser(w)
  const answer = await w.call('GET', query(requested({ redirect_uri: redirectUri })), { browser })
  t.strictSame(seen(answer), unknown, 'not even a row of the database is this client')
})

t.test('the audit lines name it', async (t) => {
  const w = await world(t, on)
  const pair = jsonOf(await redeem(w, await pageCode(w)))
  await refreshed(w, pair.refresh_token)
  const form = { client_id: ownPagesClientId, token: String(pair.access_token) }
  await w.call('POST', '/oauth/revoke', { form })
  const lines = w.logged.filter((line) => line.startsWith('audit ')).map((line) => JSON.parse(line.slice(6)))
  const user = createHash('sha256').update('dev:developer').digest('hex').slice(0, 16)
  t.strictSame(
    lines
      .filter(({ client }) => client !== undefined)
      .map(({ event, client, user }) => [event, client, user]),
    ['consent', 'issue', 'refresh', 'revocation'].map((event) => [event, 'acmcp-pages', user]),
  )
})

t.test('how the pages sign in: null while none is on, and where nobody can', async (t) => {
  const providers = { acme: { issuer: 'https://id.example', clientId: 'c', clientSecret: 's' } }
  const options = { baseUrl, ownPages: [page], devLogin: false, providers }
  const expected = {
    clientId: 'acmcp-pages',
    issuer: baseUrl,
    authorizationEndpoint: `${baseUrl}/oauth/authorize`,
    tokenEndpoint: `${baseUrl}/oauth/token`,
    revocationEndpoint: `${baseUrl}/oauth/revoke`,
    scope: 'api',
  }
  t.strictSame(pageSignIn(options), expected)
  t.strictSame(pageSignIn({ ...options, providers: {}, devLogin: true }), expected)
  t.equal(pageSignIn({ ...options, providers: {} }), null)
  t.equal(pageSignIn({ ...options, ownPages: [] }), null)
  t.strictSame(ownPageUris({ docs: false, mcp: true }, { baseUrl, mcpPath: '/' }), [`${baseUrl}/`])
  t.strictSame(ownPageUris({ docs: false, mcp: false }, { baseUrl, mcpPath: '/mcp' }), [])
  t.strictSame(ownPageUris({ docs: true, mcp: true }, { baseUrl, mcpPath: '/mcp' }), [
    `${baseUrl}/docs`,
    `${baseUrl}/mcp`,
  ])
})
