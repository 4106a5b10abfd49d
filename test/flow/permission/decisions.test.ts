/** The table of decisions: every credential through every entrance to every kind of route, whole answers compared with what
 *  templates/docs/scopes.md promises. */
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/index.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import { type Credential, credentialsOf, partner } from './support/credentials.ts'
import { callBatch, callHttp, callTool, openSocket } from './support/entrances.ts'
import { buildNotes } from './support/notes-app.ts'
import {
  type Answer,
  asBatch,
  asTool,
  type Facts,
  type GuardedRoute,
  overHttp,
  type Setting,
} from './support/oracle.ts'
import { routes, sockets } from './support/routes.ts'
import { baseUrl, type Instance, newWorld, openNotes } from './support/world.ts'

t.setTimeout(480_000) // a busy machine

const world = newWorld(await buildNotes())
const credentials = await credentialsOf(world)

const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async () => {})
}

const metadata = (): object => ({ scopesSupported: ['api'] })

/** What `verifyToken` says of the other issuer's token. */
const ofPartner: Facts = {
  bearer: 'valid',
  hasAuthorization: true,
  grants: ['notes:read', 'notes:write'],
  user: partner.id,
  hopeless: ['notes:admin'],
  session: false,
  key: 'none',
}
const foreign = credentials.filter(({ isForeign }) => isForeign)
const verifyToken = async (token: string): Promise<object | null> =>
  foreign.some(({ headers }) => headers.authorization === `Bearer ${token}`)
    ? { user: partner, client: 'partner', grant: null, scopes: ['notes:write'] }
    : null

/** With `verifyToken` once more what it is asked about, and one that it is not. */
const verified = [
  ...foreign.map((credential) => ({ ...credential, facts: ofPartner })),
  ...credentials.filter(({ name }) => /revoked|another audience|one scope/.test(name)),
]

for (const isAuthenticated of [true, false])
  for (const hasPlugins of [true, false]) {
    const endpoint = isAuthenticated ? 'an authenticated endpoint' : 'an open endpoint'
    t.test(
      `scopes, the table of decisions: ${endpoint}, ${hasPlugins ? 'with' : 'without'} plugins`,
      async (t) => {
        const config = hasPlugins ? { plugins: [plugin] } : {}
        const mcp = isAuthenticated ? { authProbe: 'guests_me', resourceMetadata: metadata } : {}
        const setting = { isAuthenticated }
        await compare(t, { config, mcp }, { credentials, setting, isWhole: !hasPlugins })
        const trusting = { config: { ...config, verifyToken }, mcp }
        await compare(t, trusting, { credentials: verified, setting, isWhole: false })
      },
    )
  }

interface Table {
  readonly credentials: readonly Credential[]
  readonly setting: Setting
  /** Whether tools are called through each proxy and by clients of both eras, too: plugins and `verifyToken` come before either. */
  readonly isWhole: boolean
}

async function compare(t: Test, instance: Instance, { credentials, setting, isWhole }: Table): Promise<void> {
  const app = await openNotes(world, instance)
  t.teardown(app.close)
  const { port } = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
  for (const credential of credentials) {
    const cases = casesOf({ app, port: Number(port) }, credential, { setting, isWhole })
    const wrong = []
    for (const { name, ask, expected } of cases) {
      const found = await ask()
      if (!isDeepStrictEqual(found, expected)) wrong.push({ name, found, expected })
    }
    t.strictSame(wrong, [], `${credential.name}: ${cases.length} answers`)
  }
}

interface Case {
  readonly name: string
  readonly ask: () => Promise<Answer>
  readonly expected: Answer
}

interface Served {
  readonly app: TestApp
  readonly port: number
}

/** A batch holds a route and the next one. */
function casesOf(
  served: Served,
  credential: Credential,
  { setting, isWhole }: Omit<Table, 'credentials'>,
): readonly Case[] {
  const { headers, facts } = credential
  const overSockets = sockets.map((route) => ({
    name: `a socket: ${route.id}`,
    ask: () => openSocket(served.port, route.url, { origin: baseUrl, ...headers }),
    expected: overHttp(route, facts, setting),
  }))
  const batches = routes.map((route, index) => {
    const pair = [route, routes[(index + 1) % routes.length] ?? route]
    const names = pair.map(({ id }) => id)
    return {
      name: `a batch: ${names.join(', ')}`,
      ask: () => callBatch(served.app, names, headers),
      expected: asBatch(pair, facts, setting),
    }
  })
  return [
    ...routes.flatMap((route) => casesOfRoute(served.app, route, { credential, setting, isWhole })),
    ...batches,
    ...overSockets,
  ]
}

function casesOfRoute(
  app: TestApp,
  route: GuardedRoute,
  {
    credential: { headers, facts },
    setting,
    isWhole,
  }: Omit<Table, 'credentials'> & { readonly credential: Credential },
): readonly Case[] {
  const proxies = isWhole ? ['call_tool', ...(route.method === 'GET' ? ['call_read_only'] : [])] : []
  const eras = isWhole ? (['legacy', 'modern'] as const) : (['modern'] as const)
  const calls = [null, ...proxies].flatMap((through) =>
    eras.map((era) => ({
      name: `${era}, ${through ?? 'a direct call'}: ${route.id}`,
      ask: () => callTool(app, { name: route.id, through, era }, headers),
      expected: asTool(route, facts, setting, era),
    })),
  )
  const http = {
    name: `HTTP: ${route.id}`,
    ask: () => callHttp(app, route, headers),
    expected: overHttp(route, facts, setting),
  }
  return [http, ...calls]
}

t.test('the guard: a session opens a socket only from a page of ours', async (t) => {
  const app = await openNotes(world)
  t.teardown(app.close)
  const { port } = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
  const { headers } = credentials.find(({ name }) => name === 'a session') ?? { headers: {} }
  const open = (more: object): Promise<Answer> =>
    openSocket(Number(port), '/guests/live', { ...headers, ...more })
  t.strictSame(await open({ origin: baseUrl }), {
    status: 200,
    challenge: null,
    body: { did: 'guests_live', by: 'nobody', scopes: [] },
  })
  t.strictSame(await open({}), { status: 401, challenge: 'Bearer', body: { error: 'invalid_token' } })
  const { status } = await open({ origin: 'https://evil.example' })
  t.equal(status, 403)
})
