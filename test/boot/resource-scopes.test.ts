/** What the boot says of a sensitive scope in the protected resource metadata. */
import t, { type Test } from 'tap'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'

const scopes = {
  'notes:read': 'See your notes',
  'notes:delete': { text: 'Delete notes', sensitive: true },
  'notes:purge': { text: 'Remove everything', sensitive: true },
}

const sensitive = 'a sensitive scope: every client will ask for it'

type Metadata = NonNullable<NonNullable<AppConfig['mcp']>['resourceMetadata']>

interface Opened {
  readonly app: TestApp
  /** The scopes that were warned of, in order. */
  readonly warned: (trouble?: string) => readonly string[]
}

async function open(
  t: Test,
  resourceMetadata: Metadata,
  declared: AppConfig['scopes'] = scopes,
): Promise<Opened> {
  const lines: string[] = []
  const app = await openTestApp({
    logStream: { write: (line) => void lines.push(line) },
    environment: { logLevel: 'warn' },
    change: (bundle) => {
      const config = Object(bundle.config)
      const mcp = { ...config.mcp, resourceMetadata }
      return { ...bundle, config: { ...config, mcp, scopes: declared } }
    },
  })
  t.teardown(app.close)
  const warned: Opened['warned'] = (trouble = sensitive) =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === `mcp.resourceMetadata names ${trouble}`)
      .map(({ scope }) => scope)
  return { app, warned }
}

const document = '/.well-known/oauth-protected-resource/mcp'

t.test(
  'metadata: a sensitive scope of the resource is a warning at boot, once, and is served all the same',
  async (t) => {
    const scopesSupported = ['api', 'notes:delete', 'notes:read']
    const { app, warned } = await open(t, (_request, { baseUrl }) => ({
      authorizationServers: [baseUrl],
      scopesSupported,
    }))
    t.strictSame(warned(), ['notes:delete'])
    t.strictSame((await app.client().get(document)).json().scopes_supported, scopesSupported)
    t.strictSame(warned(), ['notes:delete'])
  },
)

t.test(
  'metadata of the resource: where the request decides, the warning comes with the first that does',
  async (t) => {
    const { app, warned } = await open(t, ({ headers }) => ({
      authorizationServers: [],
      scopesSupported: headers['x-tenant'] === 'a' ? ['notes:delete', 'notes:purge'] : ['api'],
    }))
    t.strictSame(warned(), [])
    const client = app.client()
    await client.get(document)
    t.strictSame(warned(), [])
    for (const tenant of ['a', 'a']) await client.get(document, { 'x-tenant': tenant })
    t.strictSame(warned(), ['notes:delete', 'notes:purge'])
  },
)

t.test(
  'metadata of the resource: a scope that is not declared is a warning at boot, for it is refused to all',
  async (t) => {
    const { warned } = await open(t, () => ({
      authorizationServers: [],
      scopesSupported: ['api', 'notes:raed'],
    }))
    t.strictSame(warned('a scope that is not declared: whoever asks for it is refused'), ['notes:raed'])
    t.strictSame(warned(), [])
  },
)

t.test('metadata: where no scopes are declared nobody asks at boot', async (t) => {
  let calls = 0
  const metadata = { authorizationServers: [], scopesSupported: ['api'] }
  const { warned } = await open(
    t,
    () => {
      calls += 1
      return metadata
    },
    {},
  )
  t.strictSame([warned(), calls], [[], 0])
})
