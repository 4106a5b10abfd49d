/** The table of decisions: every credential through every entrance to every kind of route, whole answers compared with what
 *  templates/docs/scopes.md promises. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { AppPlugin } from '../../../runtime/index.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import { covering } from '../../support/covering.ts'
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
import { baseUrl, newWorld, openNotes } from './support/world.ts'

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

interface Place {
  readonly isAuthenticated: boolean
  readonly hasPlugins: boolean
  /** Whether `verifyToken` is asked about tokens. */
  readonly isTrusting: boolean
}

/** One credential through one entrance to one route. */
interface Cell extends Place {
  readonly credential: string
  readonly entrance: string
  readonly route: string
}

interface Entrance {
  readonly name: string
  readonly routes: readonly GuardedRoute[]
  readonly ask: (served: Served, route: GuardedRoute, headers: Credential['headers']) => Promise<Answer>
  readonly expected: (route: GuardedRoute, facts: Facts, setting: Setting) => Answer
  /** Plugins and `verifyToken` come before what is otherwise at these. */
  readonly isOfTools?: boolean
}

/** A route and the next one. */
const pairOf = (route: GuardedRoute): readonly GuardedRoute[] => [
  route,
  routes[(routes.indexOf(route) + 1) % routes.length] ?? route,
]

const calls = [null, 'call_tool', 'call_read_only'].flatMap((through) =>
  (['legacy', 'modern'] as const).map(
    (era): Entrance => ({
      name: `${era}, ${through ?? 'a direct call'}`,
      routes: through === 'call_read_only' ? routes.filter(({ method }) => method === 'GET') : routes,
      ask: ({ app }, { id }, headers) => callTool(app, { name: id, through, era }, headers),
      expected: (route, facts, setting) => asTool(route, facts, setting, era),
      isOfTools: through !== null || era === 'legacy',
    }),
  ),
)

const entrances: readonly Entrance[] = [
  {
    name: 'HTTP',
    routes,
    ask: ({ app }, route, headers) => callHttp(app, route, headers),
    expected: overHttp,
  },
  ...calls,
  {
    name: 'a batch',
    routes,
    ask({ app }, route, headers) {
      return callBatch(
        app,
        pairOf(route).map(({ id }) => id),
        headers,
      )
    },
    expected: (route, facts, setting) => asBatch(pairOf(route), facts, setting),
  },
  {
    name: 'a socket',
    routes: sockets,
    ask: ({ port }, { url }, headers) => openSocket(port, url, { origin: baseUrl, ...headers }),
    expected: overHttp,
  },
]

const both = [true, false]
const places: readonly Place[] = both.flatMap((isAuthenticated) =>
  both.flatMap((hasPlugins) =>
    both.map((isTrusting): Place => ({ isAuthenticated, hasPlugins, isTrusting })),
  ),
)

const credentialsAt = ({ isTrusting }: Place): readonly Credential[] => (isTrusting ? verified : credentials)

/** Every three of them beside each other: `npm run torture` asks all. */
const cells = covering(
  places.flatMap((place) =>
    credentialsAt(place).flatMap(({ name: credential }) =>
      entrances
        .filter(({ isOfTools }) => isOfTools !== true || !(place.hasPlugins || place.isTrusting))
        .flatMap((entrance) =>
          entrance.routes.map(
            ({ id: route }): Cell => ({ ...place, credential, entrance: entrance.name, route }),
          ),
        ),
    ),
  ),
  3,
)

for (const place of places) {
  const { isAuthenticated, hasPlugins, isTrusting } = place
  const endpoint = isAuthenticated ? 'an authenticated endpoint' : 'an open endpoint'
  const more = `${hasPlugins ? 'with' : 'without'} plugins${isTrusting ? ', with verifyToken' : ''}`
  t.test(`scopes, the table of decisions: ${endpoint}, ${more}`, async (t) => {
    const config = { ...(hasPlugins ? { plugins: [plugin] } : {}), ...(isTrusting ? { verifyToken } : {}) }
    const mcp = isAuthenticated ? { authProbe: 'guests_me', resourceMetadata: metadata } : {}
    const app = await openNotes(world, { config, mcp })
    t.teardown(app.close)
    const { port } = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
    const served = { app, port: Number(port) }
    const of = cells.filter((cell) => isDeepStrictEqual({ ...cell, ...place }, cell))
    for (const credential of credentialsAt(place)) {
      const theirs = of.filter((cell) => cell.credential === credential.name)
      t.strictSame(
        await wrongOf(served, credential, theirs),
        [],
        `${credential.name}: ${theirs.length} answers`,
      )
    }
  })
}

interface Served {
  readonly app: TestApp
  readonly port: number
}

/** What is answered otherwise than promised. */
async function wrongOf(
  served: Served,
  { headers, facts }: Credential,
  cells: readonly Cell[],
): Promise<readonly object[]> {
  const wrong: object[] = []
  for (const { entrance: name, route: id, isAuthenticated } of cells) {
    const entrance = entrances.find((one) => one.name === name)
    const route = entrance?.routes.find((one) => one.id === id)
    if (entrance === undefined || route === undefined) throw new Error(`there is no ${name} of ${id}`)
    const found = await entrance.ask(served, route, headers)
    const expected = entrance.expected(route, facts, { isAuthenticated })
    if (!isDeepStrictEqual(found, expected)) wrong.push({ name: `${name}: ${id}`, found, expected })
  }
  return wrong
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
