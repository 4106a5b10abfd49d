/** `acmcp doctor --sign-in`: what is wrong with the identity provider of the application in this folder. */
import t from 'tap'
import { judgeProviders } from '../../../cli/capabilities/doctor/steps/sign-in.ts'
import { examineProviders } from '../../../runtime/serve/last-build.ts'
import { type Fault, type FaultProvider, openFaultProvider } from '../../oauth/support/fault-provider.ts'
import { clientSecret, startRealProvider } from '../../oauth/support/real-provider.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'

t.setTimeout(240_000) // a busy machine

/** What the configuration of the folder reads. */
const given = globalThis as { provider?: object }

const files = {
  'app/config.ts': `import { defineApp } from 'acmcp'

const { provider } = globalThis as unknown as { provider: { issuer: string; clientId: string; clientSecret: string } }

export const config = defineApp({
  providers: { local: provider },
  mcp: {
    path: '/mcp',
    authProbe: '/people/me',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
})
`,
  'app/controllers/people.ts': `import { ApplicationController, Unauthorized } from 'acmcp'

/** People. */
export class People extends ApplicationController {
  /**
   * Tells who is signed in.
   *
   * @get /me
   */
  me(): { id: string } {
    throw new Unauthorized('nobody')
  }
}
`,
}

/** What the step of the walk says. A folder of its own: its configuration is read once. */
async function told(provider: object, port: number, clock = Date.now): Promise<readonly string[]> {
  given.provider = provider
  const cwd = await builtFolder(files)
  const variables = { BASE_URL: `http://localhost:${port}` }
  const examined = examineProviders(cwd, variables, { timeoutMs: 2000, clock })
  const found = await judgeProviders(() => examined)
  if (found.state !== 'failed') return [found.state, found.detail]
  return [found.state, found.detail, found.trouble.cause, found.trouble.change]
}

const json =
  (status: number, body: object): Fault =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

t.test('doctor --sign-in: oidc-provider, ours and one that does not know us', async (t) => {
  const [port, providerPort] = [await freePort(), await freePort()]
  const provider = await startRealProvider({ port: providerPort, baseUrl: `http://localhost:${port}` })
  t.teardown(provider.close)
  const ours = { issuer: provider.issuer, clientId: 'acmcp', clientSecret }
  t.strictSame(await told(ours, port), ['ok', 'local'])
  t.strictSame(await told({ ...ours, clientSecret: 'wrong' }, port), [
    'failed',
    'local: client-secret',
    'Nobody can sign in by local: it refuses the client id or the client secret (invalid_client).',
    'Give clientSecret the secret of that client; it may have expired there.',
  ])
  t.strictSame(await told(ours, await freePort()), [
    'failed',
    'local: redirect-uri',
    'Nobody can sign in by local: the callback of this server is not registered there.',
    'Register {BASE_URL}/auth/local/callback there, to the letter.',
  ])
})

t.test('doctor --sign-in: each trouble has its name', async (t) => {
  const discovery = '/.well-known/openid-configuration'
  const cases: readonly (readonly [
    trouble: string,
    begin: (issuer: FaultProvider) => unknown,
    now?: () => number,
  ])[] = [
    ['status', (issuer) => issuer.faults.set(discovery, json(503, {}))],
    ['issuer', (issuer) => issuer.faults.set(discovery, json(404, {}))],
    ['issuer', (issuer) => Object.assign(issuer, { metadata: { issuer: 'https://other.example' } })],
    ['timeout', (issuer) => issuer.faults.set(discovery, () => {})],
    ['keys', (issuer) => issuer.faults.set('/jwks', json(404, {}))],
    ['clock', () => {}, () => Date.now() + 120_000],
    ['client-secret', (issuer) => issuer.faults.set('/token', json(401, { error: 'invalid_client' }))],
    ['redirect-uri', (issuer) => issuer.faults.set('/authorize', json(400, {}))],
    ['answer', (issuer) => issuer.faults.set('/token', json(404, {}))],
  ]
  for (const [trouble, begin, now] of cases) {
    const issuer = await openFaultProvider()
    t.teardown(issuer.close)
    issuer.faults.set('/authorize', json(200, {}))
    issuer.faults.set('/token', json(400, { error: 'invalid_grant' }))
    begin(issuer)
    const provider = { issuer: issuer.issuer, clientId: 'us', clientSecret: 'secret' }
    const [, line] = await told(provider, await freePort(), now)
    t.equal(line, `local: ${trouble}`)
  }
})

t.test('doctor --sign-in: GitHub publishes nothing that could be asked', async (t) => {
  const provider = { preset: 'github', clientId: 'us', clientSecret: 'secret' }
  t.strictSame(await told(provider, 1), ['not tried', 'no OpenID provider is configured'])
})
