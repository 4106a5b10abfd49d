/** Source: rules.md, Metadata; RFC 8414; rules.md, discovery. */
import t from 'tap'
import { json } from '../../../runtime/oauth/responses.ts'
import { createAuthorizationServer } from '../../../runtime/oauth/server.ts'
import type { TokenPart } from '../../../runtime/oauth/token-part.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { baseUrl, seen, world } from '../support/harness.ts'

/** RFC 8414, 3 with and without an inserted path, and OpenID Connect Discovery, 4. */
const addresses = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/oauth-authorization-server/any/deeper/path',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
]

const documentOf = (issuer: string): Record<string, unknown> => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: ['api'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

t.test(
  'spec, Metadata; decisions, discovery: the same document at every address, cacheable, readable from any origin',
  async (t) => {
    const { call } = await world(t)
    for (const path of addresses) {
      const outcome = await call('GET', path)
      t.strictSame(seen(outcome), [200, documentOf(baseUrl)], path)
      t.strictSame(outcome.headers, {
        'cache-control': 'public, max-age=300',
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'www-authenticate, retry-after',
      })
    }
  },
)

t.test(
  'decisions, client ID metadata documents: the flag stands in the metadata while they are on',
  async (t) => {
    const { call } = await world(t, {
      clientDocuments: { find: async () => null, lastKnown: async () => null },
    })
    for (const path of addresses) {
      t.strictSame(seen(await call('GET', path)), [
        200,
        { ...documentOf(baseUrl), client_id_metadata_document_supported: true },
      ])
    }
  },
)

t.test(
  'spec, Production expectations: metadata, register and token answer a preflight, no other endpoint',
  async (t) => {
    const { call, server } = await world(t)
    for (const path of [...addresses, '/oauth/register', '/oauth/token']) {
      t.strictSame(
        await call('OPTIONS', path),
        {
          status: 204,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-expose-headers': 'www-authenticate, retry-after',
            'access-control-allow-methods': 'GET, POST, OPTIONS',
            'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
            'access-control-max-age': '86400',
            'cache-control': 'no-store',
          },
          body: null,
        },
        path,
      )
    }
    const closed = server.endpoints.filter(({ path }) => /^\/(auth\/|oauth\/authorize)/.test(path))
    t.equal(closed.length, 7)
    t.notOk(closed.some(({ methods }) => methods.includes('OPTIONS')))
  },
)

t.test(
  'decisions, Environment: the issuer comes from BASE_URL alone, never from Host or forwarding headers',
  async (t) => {
    const issuer = 'https://app.example'
    const app = await openTestApp({ environment: { baseUrl: issuer, devLogin: false } })
    t.teardown(app.close)
    const hostile: readonly Record<string, string>[] = [
      { host: 'evil.example' },
      { host: 'evil.example:443' },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'http' },
      { 'x-forwarded-port': '8080' },
      { 'x-forwarded-prefix': '/evil' },
      { forwarded: 'host=evil.example;proto=http' },
      { 'x-original-url': 'https://evil.example/' },
      { 'x-original-host': 'evil.example', 'x-host': 'evil.example' },
    ]
    for (const headers of hostile) {
      const metadata = await app.client().get(addresses[0] ?? '', headers)
      t.strictSame(
        [metadata.statusCode, metadata.json()],
        [200, { ...documentOf(issuer), client_id_metadata_document_supported: true }],
        JSON.stringify(headers),
      )
      const resource = await app.client().get('/.well-known/oauth-protected-resource/mcp', headers)
      t.strictSame(resource.json().authorization_servers, [issuer], JSON.stringify(headers))
      const challenged = await app.client().request({ method: 'POST', url: '/mcp', headers })
      t.notMatch(JSON.stringify(challenged.headers), 'evil', JSON.stringify(headers))
    }
  },
)

t.test('a grant of a part: announced, asked for a resource of ours, and of one part alone', async (t) => {
  const part: TokenPart = {
    grants: () =>
      new Map([['urn:example:grant', async ({ options }) => json(200, { for: options.baseUrl })]]),
    metadata: { example_supported: true },
  }
  const { call, options } = await world(t, { parts: [part] })
  t.match(JSON.parse(String((await call('GET', addresses[0] ?? '')).body)), {
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:example:grant'],
    example_supported: true,
  })
  const form = { grant_type: 'urn:example:grant' }
  t.strictSame(seen(await call('POST', '/oauth/token', { form })), [200, { for: baseUrl }])
  const foreign = await call('POST', '/oauth/token', { form: { ...form, resource: 'https://other.example' } })
  t.equal(foreign.status, 400)
  t.throws(() => createAuthorizationServer(options, [part, part]), {
    message: 'two capabilities have the grant urn:example:grant',
  })
})
