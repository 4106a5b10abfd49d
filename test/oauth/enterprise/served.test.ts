/** An enterprise at a served application: SDK v2's `CrossAppAccessProvider` signs in by an assertion of an identity provider on loopback,
 *  which exchanges ID tokens for them. Source: MCP ext-auth, Enterprise-Managed Authorization, 2 and 4; RFC 8693. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  Client,
  CrossAppAccessProvider,
  createPrivateKeyJwtAuth,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'
import { jagHeader, publishKeys } from '../support/enterprise.ts'
import { type FaultProvider, openFaultProvider } from '../support/fault-provider.ts'
import { jwkOf, jwt, p256 } from '../support/machine.ts'

t.setTimeout(240_000) // a busy machine

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  scopes: { 'notes:read': 'read notes', 'notes:write': 'write notes' },
  mcp: {
    path: '/mcp', serverName: 'Notes', authProbe: '/notes/me',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
})
`

const notes = `import { ApplicationController, Unauthorized } from 'acmcp'

/** Notes. */
export class Notes extends ApplicationController {
  /** @filter before */
  async signedIn(): Promise<void> {
    if (this.access === null) throw new Unauthorized('who are you?')
  }

  /**
   * Says who asks.
   *
   * @get /me
   * @scope none
   */
  me(): { user: string; name: string; client: string | null; scopes: readonly string[] } {
    const { user, client = null, scopes = [] } = this.access ?? {}
    return { user: user?.id ?? '', name: user?.name ?? '', client, scopes }
  }

  /**
   * Writes a note.
   *
   * @post /
   * @scope notes:write
   */
  write(text: string): { text: string } {
    return { text }
  }
}
`

const key = p256()
const oktaKey = p256()
const pem = String(key.privateKey.export({ type: 'pkcs8', format: 'pem' }))
const subjectToken = 'the-id-token-of-ada'

/** Lets `mcp-client` act for Ada, with the scopes that it has been told. */
async function openIdentityProvider(t: Test, scope: string): Promise<FaultProvider> {
  const provider = await openFaultProvider()
  t.teardown(provider.close)
  publishKeys(provider, () => [jwkOf(oktaKey, { kid: 'okta-1', use: 'sig' })])
  provider.metadata = {
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  provider.faults.set('/token', (request, response) => void exchange(provider, scope, request, response))
  return provider
}

async function exchange(
  provider: FaultProvider,
  scope: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  const sent = new URLSearchParams(body)
  provider.tokenRequests.push(sent)
  const isGood =
    sent.get('requested_token_type') === 'urn:ietf:params:oauth:token-type:id-jag' &&
    sent.get('subject_token') === subjectToken
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iss: provider.issuer, sub: '00ada', name: 'Ada', aud: sent.get('audience'), jti: randomUUID() },
    ...{ client_id: 'mcp-client', resource: sent.get('resource'), scope, iat: now, exp: now + 300 },
  }
  response.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      ...{ issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', token_type: 'N_A', expires_in: 300 },
      access_token: jwt(claims, oktaKey, jagHeader),
    }),
  )
}

async function serve(t: Test, okta: FaultProvider, more: object = {}): Promise<TestApp> {
  const cwd = await builtFolder({ 'app/config.ts': config, 'app/controllers/notes.ts': notes })
  const port = await freePort()
  const app = await openTestApp({
    ...{ cwd, stale: 'allow', environment: { baseUrl: `http://localhost:${port}` } },
    change: (bundle) => ({
      ...bundle,
      config: {
        ...Object(bundle.config),
        providers: { okta: { issuer: okta.issuer, clientId: 'us', clientSecret: 'secret' } },
        clients: { 'mcp-client': { jwks: { keys: [jwkOf(key)] }, scopes: ['notes:read', 'notes:write'] } },
        enterprise: [{ provider: 'okta' }],
        ...more,
      },
    }),
  })
  t.teardown(() => app.close())
  await app.application.server.listen({ port, host: 'localhost' })
  return app
}

async function connect(t: Test, app: TestApp, okta: FaultProvider, withKey = true): Promise<Client> {
  const authProvider = new CrossAppAccessProvider({
    ...{ clientId: 'mcp-client', clientSecret: '', expectedIssuer: app.baseUrl },
    assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        ...{ idpUrl: okta.issuer, audience: authorizationServerUrl, resource: resourceUrl },
        ...{ idToken: subjectToken, clientId: 'mcp-client-at-okta', fetchFn },
      })
      return jwtAuthGrant
    },
  })
  const proof = createPrivateKeyJwtAuth({
    ...{ issuer: 'mcp-client', subject: 'mcp-client', privateKey: pem, alg: 'ES256' },
  })
  const withProof = withKey ? Object.assign(authProvider, { addClientAuthentication: proof }) : authProvider
  const client = new Client({ name: 'agent', version: '1' })
  const url = new URL(`${app.baseUrl}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: withProof }))
  t.teardown(() => client.close())
  return client
}

t.test(
  'SDK v2 signs in by its cross-app provider and calls tools as the user, within the scopes',
  async (t) => {
    const okta = await openIdentityProvider(t, 'notes:read')
    const app = await serve(t, okta)
    const client = await connect(t, app, okta)
    const { structuredContent } = await client.callTool({ name: 'notes_me', arguments: {} })
    t.strictSame(structuredContent, {
      ...{ user: 'okta:00ada', name: 'Ada', client: 'mcp-client', scopes: ['notes:read'] },
    })
    await t.rejects(client.callTool({ name: 'notes_write', arguments: { text: 'x' } }), 'out of its scopes')
    const { extensions } = client.getServerCapabilities() ?? {}
    t.strictSame(extensions, { 'io.modelcontextprotocol/enterprise-managed-authorization': {} })
    const [sent] = okta.tokenRequests
    t.strictSame([sent?.get('audience'), sent?.get('resource')], [app.baseUrl, `${app.baseUrl}/mcp`])
    const [grant] = await app.application.store.listGrants({})
    t.match(grant, { kind: 'enterprise', user: { id: 'okta:00ada' }, client: { id: 'mcp-client' } })
    await app.application.store.revokeGrants({ userId: 'okta:00ada' }, 'by an operator', null)
  },
)

t.test('without its key the same client gets nothing; without an enterprise nobody does', async (t) => {
  const okta = await openIdentityProvider(t, 'notes:read')
  await t.rejects(connect(t, await serve(t, okta), okta, false))
  await t.rejects(connect(t, await serve(t, okta, { enterprise: [] }), okta))
  const app = await serve(t, okta, {
    clients: {},
    enterprise: [{ provider: 'okta', allowPublicClients: true }],
  })
  await t.rejects(connect(t, app, okta, false), 'a client that nobody knows')
})
