/** `openid-client` as a client of our server: discovery (algorithm oauth2), registration, PKCE, `iss`, token and refresh. */

import * as client from 'openid-client'
import t from 'tap'
import { createApplication } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { defaultPool } from '../../runtime/store/pool.ts'
import { openDocumentHost, publish } from '../oauth/support/document-host.ts'
import { freePort } from '../support/free-port.ts'
import { allowInBrowser, Browser, redirectUri, serveExample } from './support.ts'

const loopback = {
  algorithm: 'oauth2',
  execute: [client.allowInsecureRequests],
} satisfies client.DiscoveryRequestOptions

interface Way {
  readonly baseUrl: string
  readonly configuration: client.Configuration
}

/** Authorize, allow, exchange, call, refresh; answers who the tokens are for, before and after the refresh. */
async function signIn({ baseUrl, configuration }: Way): Promise<readonly unknown[]> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'api',
    resource: `${baseUrl}/mcp`,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  })
  const callback = await allowInBrowser(new Browser(), url)
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    expectedState,
    pkceCodeVerifier,
  })
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
  const who = async (token: string): Promise<unknown> => {
    const target = new URL(`${baseUrl}/api/users/current`)
    return (await client.fetchProtectedResource(configuration, token, target, 'GET')).json()
  }
  return [tokens.expires_in, tokens.scope, await who(tokens.access_token), await who(refreshed.access_token)]
}

const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

t.test('openid-client registers itself and completes the whole flow', async (t) => {
  const { application, baseUrl } = await serveExample()
  t.teardown(application.close)
  const metadata = { redirect_uris: [redirectUri], client_name: 'openid-client' }
  const configuration = await client.dynamicClientRegistration(
    new URL(baseUrl),
    metadata,
    client.None(),
    loopback,
  )
  t.strictSame(
    [
      configuration.clientMetadata().token_endpoint_auth_method,
      configuration.serverMetadata().supportsPKCE(),
    ],
    ['none', true],
  )
  t.strictSame(await signIn({ baseUrl, configuration }), [3600, 'api', developer, developer])
})

t.test('openid-client refuses an answer that another issuer seems to have given', async (t) => {
  const { application, baseUrl } = await serveExample()
  t.teardown(application.close)
  const configuration = await client.dynamicClientRegistration(
    new URL(baseUrl),
    { redirect_uris: [redirectUri] },
    client.None(),
    loopback,
  )
  for (const change of [
    (url: URL) => url.searchParams.delete('iss'),
    (url: URL) => url.searchParams.set('iss', 'x'),
  ]) {
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    const callback = await allowInBrowser(new Browser(), url)
    change(callback)
    const outcome = await client
      .authorizationCodeGrant(configuration, callback, { pkceCodeVerifier })
      .catch((error: unknown) => error)
    t.match(outcome, { code: 'OAUTH_INVALID_RESPONSE' })
  }
})

t.test('openid-client with a secret: client_secret_basic and client_secret_post', async (t) => {
  const secret = 'a secret of a client, 32 bytes: % + : é'
  const configured = { id: 'by-hand', name: 'By hand', redirectUris: [redirectUri], secret: 'BY_HAND_SECRET' }
  const oauth = { profile: 'compatible', confidentialClients: [configured] }
  const { application, baseUrl } = await serveExample(
    (bundle) => ({ ...bundle, config: { ...Object(bundle.config), oauth } }),
    {
      secretsOf: (variable) =>
        variable === 'BY_HAND_SECRET' ? ['the next one of 32 bytes or more!', secret] : [],
    },
  )
  t.teardown(application.close)
  for (const method of [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]) {
    const configuration = await client.discovery(new URL(baseUrl), configured.id, undefined, method, loopback)
    t.strictSame(configuration.serverMetadata().token_endpoint_auth_methods_supported?.slice(0, 3), [
      'none',
      'client_secret_basic',
      'client_secret_post',
    ])
    t.strictSame(await signIn({ baseUrl, configuration }), [3600, 'api', developer, developer])
    await client.tokenRevocation(configuration, 'a token that nobody knows')
  }
  for (const method of [client.ClientSecretBasic('wrong'), client.ClientSecretPost('wrong'), client.None()]) {
    const configuration = await client.discovery(new URL(baseUrl), configured.id, undefined, method, loopback)
    const outcome = await client.tokenRevocation(configuration, 'x').catch((error: unknown) => error)
    t.match(outcome, { status: 401 })
  }
})

t.test('openid-client is known by its metadata document, without registration', async (t) => {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const bundle = await loadBundle(process.cwd())
  const application = await createApplication(
    { ...bundle, config: { ...(bundle.config as object), clientIdMetadataDocuments: true } }, // app/config.ts exports an object
    {
      environment: {
        production: false,
        host: '127.0.0.1',
        port,
        baseUrl,
        databasePool: defaultPool,
        databaseUrl: 'sqlite::memory:',
        jwtSecrets: ['a secret of the test with more than 32 bytes'],
        sessionSecrets: ['another secret of the test, more than 32 bytes'],
        jwtPrivateKeys: [],
        shutdownDelaySeconds: 0,
        devLogin: true,
        logLevel: 'silent',
        metrics: null,
      },
      migrate: true,
      clock: () => Date.now(),
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      network: host.network,
    },
  )
  t.teardown(application.close)
  await application.server.listen({ port, host: 'localhost' })
  const clientId = host.url('/client.json')
  publish(host, { client_id: clientId, client_name: 'By document', redirect_uris: [redirectUri] })
  const configuration = await client.discovery(
    new URL(baseUrl),
    clientId,
    { token_endpoint_auth_method: 'none' },
    client.None(),
    loopback,
  )
  t.equal(configuration.serverMetadata().client_id_metadata_document_supported, true)
  t.strictSame(await signIn({ baseUrl, configuration }), [3600, 'api', developer, developer])
  t.equal(host.requests.length, 1, 'the document was fetched once')
})
