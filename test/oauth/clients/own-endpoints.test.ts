/** Our own endpoints are nobody's redirect URI. Source: rules.md, safe redirect URI. */
import t from 'tap'
import { createClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { openDocumentHost, publish } from '../support/document-host.ts'
import {
  authorizeParameters,
  oauthError,
  query,
  register,
  seen,
  start,
  type World,
  world,
} from '../support/harness.ts'

const refused = oauthError('invalid_client_metadata', 'redirect_uris must not be endpoints of this service')
const unknown = oauthError('invalid_request', 'unknown client or redirect_uri')

async function statusOf(w: World, uri: string): Promise<readonly [number, unknown]> {
  const raw = JSON.stringify({ redirect_uris: [uri] })
  const outcome = await w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
  return outcome.status === 201 ? [201, null] : seen(outcome)
}

t.test('decisions, safe redirect URI: an endpoint of ours is refused, however it is written', async (t) => {
  const w = await world(t, { mcpPath: '/deep/m%20cp' })
  const own = [
    'https://app.example/auth',
    'https://app.example/auth/',
    'https://app.example/auth/dev?a=b',
    'https://app.example/auth/acme/callback',
    'https://app.example/oauth',
    'https://app.example/oauth/authorize',
    'https://app.example/oauth/anything',
    'https://app.example/deep/m%20cp',
    'https://app.example/deep/m%20cp/toolbox',
    'https://app.example:443/auth',
    'https://APP.example/auth',
    'https://app.example./auth',
    'https://user:pw@app.example/auth',
    'https://app.example/%61uth/dev',
    'https://app.example/x/../auth',
    'https://app.example/x/%2e%2e/oauth/token',
  ]
  for (const uri of own) t.strictSame(await statusOf(w, uri), refused, uri)
  const others = [
    'https://app.example/',
    'https://app.example/callback',
    'https://app.example/authors',
    'https://app.example/deep',
    'https://app.example/mcp',
    'https://app.example/my/auth',
    'https://app.example:8443/auth',
    'https://app.example.evil.example/auth',
    'https://client.example/oauth/callback',
    'http://localhost:6274/oauth/callback',
    'https://app.example/%zz',
  ]
  for (const uri of others) t.strictSame(await statusOf(w, uri), [201, null], uri)
})

t.test('decisions, safe redirect URI: on loopback each name is ours, on our port alone', async (t) => {
  const w = await world(t, { baseUrl: 'http://localhost:3000' })
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    t.strictSame(await statusOf(w, `http://${host}:3000/oauth/callback`), refused, host)
  t.strictSame(await statusOf(w, 'http://localhost:6274/oauth/callback'), [201, null])
  const clientId = await register(w, { redirect_uris: ['http://127.0.0.1/auth/dev'] })
  const requested = async (redirect_uri: string): Promise<unknown> => {
    const outcome = await w.call('GET', query({ ...authorizeParameters(clientId), redirect_uri }))
    return outcome.status === 303 ? 303 : seen(outcome)
  }
  t.strictSame(await requested('http://127.0.0.1:3000/auth/dev'), unknown, 'the port is only known now')
  t.equal(await requested('http://127.0.0.1:4000/auth/dev'), 303)
})

t.test(
  'decisions, safe redirect URI: the root may be the MCP endpoint: nothing else is ours by that',
  async (t) => {
    const w = await world(t, { mcpPath: '/' })
    t.strictSame(await statusOf(w, 'https://app.example'), refused)
    t.strictSame(await statusOf(w, 'https://app.example/callback'), [201, null])
  },
)

t.test('decisions, safe redirect URI: for metadata documents too', async (t) => {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const reasons: unknown[] = []
  const documents = createClientDocuments({
    baseUrl: 'https://app.example',
    mcpPath: '/mcp',
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    profile: profiles.specification,
    network: host.network,
    hasLiveGrant: async () => false,
    allowLoopback: true,
    clock: () => start,
    log: {
      info: () => undefined,
      warn: ({ reason }) => void reasons.push(reason),
      error: () => undefined,
    },
  })
  const id = host.url('/c.json')
  publish(host, { client_id: id, redirect_uris: ['https://app.example/mcp/notes'] })
  t.equal(await documents.find(id), null)
  t.match(reasons, [/redirect_uris must not be endpoints of this service/])
})
