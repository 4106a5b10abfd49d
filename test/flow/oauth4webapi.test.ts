/** The whole flow by oauth4webapi, the strictest client that we did not write: discovery, registration, PKCE, `iss`,
 *  tokens, the protected resource, refresh, revocation. */
import * as oauth from 'oauth4webapi'
import t from 'tap'
import { allowInBrowser, Browser, isCallback, redirectUri, serveExample } from './support.ts'

const insecure = { [oauth.allowInsecureRequests]: true }
const nobody = oauth.None()

interface Flow {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly baseUrl: string
}

async function discoverAndRegister(baseUrl: string): Promise<Flow> {
  const issuer = new URL(baseUrl)
  const resource = new URL(`${baseUrl}/mcp`)
  const described = await oauth.resourceDiscoveryRequest(resource, insecure)
  const { authorization_servers: servers = [] } = await oauth.processResourceDiscoveryResponse(
    resource,
    described,
  )
  if (servers[0] !== baseUrl) throw new Error(`the resource names ${servers}`)
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  const as = await oauth.processDiscoveryResponse(issuer, discovered)
  const metadata = { redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'] }
  const registered = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure)
  const client = await oauth.processDynamicClientRegistrationResponse(registered)
  return { as, client, baseUrl }
}

/** An authorization address of this client, for `resource`. */
async function authorizationUrl(
  { as, client, baseUrl }: Flow,
  verifier: string,
  state: string,
): Promise<URL> {
  const url = new URL(String(as.authorization_endpoint))
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'api',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: `${baseUrl}/mcp`,
  }).toString()
  return url
}

async function signIn(flow: Flow): Promise<oauth.TokenEndpointResponse> {
  const { as, client } = flow
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const callback = await allowInBrowser(new Browser(), await authorizationUrl(flow, verifier, state))
  const parameters = oauth.validateAuthResponse(as, client, callback, state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    nobody,
    parameters,
    redirectUri,
    verifier,
    insecure,
  )
  return oauth.processAuthorizationCodeResponse(as, client, response)
}

const notes = (token: string, { baseUrl }: Flow): Promise<Response> =>
  oauth.protectedResourceRequest(
    token,
    'GET',
    new URL(`${baseUrl}/api/notes/`),
    undefined,
    undefined,
    insecure,
  )

async function refresh({ as, client }: Flow, token: string): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(as, client, nobody, token, insecure)
  return oauth.processRefreshTokenResponse(as, client, response)
}

/** The OAuth error that the library read, or what else came. */
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) =>
      error instanceof oauth.ResponseBodyError ? [error.status, error.error, error.error_description] : error,
  )

t.test('oauth4webapi: discovery to revocation', async (t) => {
  const { application, baseUrl } = await serveExample()
  t.teardown(application.close)
  const flow = await discoverAndRegister(baseUrl)
  t.match(flow.as, {
    issuer: baseUrl,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    authorization_response_iss_parameter_supported: true,
  })

  const first = await signIn(flow)
  t.match(first, { token_type: 'bearer', expires_in: 3600, scope: 'api' })
  t.equal((await notes(first.access_token, flow)).status, 200)

  const second = await refresh(flow, first.refresh_token ?? '')
  t.not(second.refresh_token, first.refresh_token)
  t.equal((await notes(second.access_token, flow)).status, 200)
  t.strictSame(await failure(refresh(flow, first.refresh_token ?? '')), [
    400,
    'invalid_grant',
    'already used',
  ])

  const revoked = await oauth.revocationRequest(
    flow.as,
    flow.client,
    nobody,
    second.refresh_token ?? '',
    insecure,
  )
  t.equal(await oauth.processRevocationResponse(revoked), undefined)
  t.equal((await fetch(`${baseUrl}/api/notes/`, bearer(second.access_token))).status, 401)
  t.equal((await fetch(`${baseUrl}/api/notes/`, bearer(first.access_token))).status, 401)
  t.strictSame(await failure(refresh(flow, second.refresh_token ?? '')), [
    400,
    'invalid_grant',
    'the code or refresh token is not valid',
  ])
})

const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

t.test('oauth4webapi: a denied consent is access_denied, with state and iss', async (t) => {
  const { application, baseUrl } = await serveExample()
  t.teardown(application.close)
  const flow = await discoverAndRegister(baseUrl)
  const state = oauth.generateRandomState()
  const url = await authorizationUrl(flow, oauth.generateRandomCodeVerifier(), state)
  const browser = new Browser()
  await browser.follow(url, isCallback)
  const consent = await browser.follow(`${baseUrl}/auth/dev`, isCallback)
  const denied = await browser.submit(consent, { decision: 'deny' }, isCallback)
  try {
    oauth.validateAuthResponse(flow.as, flow.client, denied.url, state)
    t.fail('the answer was taken for a success')
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error
    t.equal(error.error, 'access_denied')
  }
  const foreign = new URL(denied.url)
  foreign.searchParams.set('iss', 'https://evil.example')
  t.throws(() => oauth.validateAuthResponse(flow.as, flow.client, foreign, state), /unexpected "iss"/)
})
