/** `/livez` and `/readyz`: what they say, to whom, and what asking costs. */
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import type { AppPlugin } from '../../runtime/contract/application.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { dial, gate, openProbe, readAll } from '../http/support/one-route.ts'

type Said = readonly [number, string]

async function said(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const { statusCode, body } = await server.inject({ url, headers })
  return [statusCode, body]
}

t.test(
  'a server that works is live and ready, whoever asks and by whatever name, and nothing is logged of it',
  async (t) => {
    const lines: string[] = []
    const app = await openTestApp({
      environment: { logLevel: 'info' },
      logStream: { write: (line) => void lines.push(line) },
    })
    t.teardown(app.close)
    const { server } = app.application
    await server.ready()
    lines.length = 0
    t.strictSame(await said(server, '/livez', { host: '10.0.0.7:3000' }), [200, '{"status":"live"}'])
    t.strictSame(await said(server, '/readyz?verbose', { host: '10.0.0.7:3000' }), [
      200,
      '{"status":"ready"}',
    ])
    const { statusCode, body, headers } = await server.inject({ method: 'HEAD', url: '/readyz' })
    t.strictSame([statusCode, body, headers['cache-control']], [200, '', 'no-store'])
    t.strictSame(lines, [])
    t.equal((await said(server, '/livez/more'))[0], 404)
    t.equal((await server.inject({ method: 'POST', url: '/livez' })).statusCode, 404)
  },
)

t.test('the application keeps what it serves there; hooks of plugins do not refuse a probe', async (t) => {
  const plugin = async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => reply.code(401).send('who are you?'))
    app.get('/livez', async () => 'of a plugin')
  }
  const app = await openProbe(t, { call: () => 'x', config: { plugins: [plugin] } })
  const { server } = app.application
  t.strictSame(await said(server, '/livez'), [401, 'who are you?'], "the plugin's own, with its hooks")
  t.strictSame(await said(server, '/readyz'), [200, '{"status":"ready"}'])
  t.strictSame(await said(server, '/nowhere'), [401, 'who are you?'])
  const own = await openTestApp({
    change: (bundle) => ({
      ...bundle,
      routes: bundle.routes.map((route) =>
        route.id === 'health_show' ? { ...route, path: '/livez' } : route,
      ),
    }),
  })
  t.teardown(own.close)
  t.strictSame(await said(own.application.server, '/livez'), [200, '{"status":"ok"}'])
})

/** One route, `/:page`, and its tool. */
const withPages = (bundle: AppBundle, plugins: readonly AppPlugin[]): AppBundle => ({
  ...bundle,
  config: { ...Object(bundle.config), plugins },
  routes: bundle.routes.map((route) =>
    route.id === 'notes_index' ? { ...route, path: '/:page', filters: [], call: () => ['a page'] } : route,
  ),
  codecs: {
    ...bundle.codecs,
    notes_index: { params: [], filters: [], handlers: bundle.codecs.notes_index?.handlers ?? [] },
  },
  catalogue: {
    ...bundle.catalogue,
    tools: bundle.catalogue.tools.flatMap((tool) =>
      tool.name === 'notes_index'
        ? [
            {
              ...tool,
              inputSchema: { type: 'object', properties: { page: { type: 'string' } } },
              arguments: [{ argument: 'page', from: 'path', name: 'page' }],
            },
          ]
        : [],
    ),
  },
})

t.test(
  'decisions, /livez, /readyz: a variable at the beginning of a path hides no probe; a tool call of such a route is its own',
  async (t) => {
    const pass: AppPlugin = async (app) => {
      app.addHook('onRequest', async () => {})
    }
    for (const plugins of [[], [pass]]) {
      const app = await openTestApp({ change: (bundle) => withPages(bundle, plugins) })
      t.teardown(app.close)
      const { server } = app.application
      t.strictSame(await said(server, '/livez'), [200, '{"status":"live"}'])
      t.strictSame(await said(server, '/readyz'), [200, '{"status":"ready"}'])
      t.strictSame(await said(server, '/about'), [200, '["a page"]'])
      const { content } = await app
        .client()
        .withBearer(await app.accessToken())
        .tool('notes_index', { page: 'livez' })
      t.equal(content[0]?.text, '["a page"]')
    }
  },
)

t.test(
  'it is not ready while the store is away or behind, and however many ask, the store is asked once a second',
  async (t) => {
    let now = 0
    const app = await openTestApp({ clock: () => now })
    t.teardown(app.close)
    const { server, store } = app.application
    const many = (): Promise<readonly Said[]> =>
      Promise.all(Array.from({ length: 100 }, () => said(server, '/readyz')))
    const only = (answers: readonly Said[]): readonly string[] => [...new Set(answers.map(String))]
    t.strictSame(only(await many()), ['200,{"status":"ready"}'])
    await sql`update core_migration set name = 'x' || name`.execute(store.database)
    now = 999
    t.strictSame(only(await many()), ['200,{"status":"ready"}'], 'nobody has looked')
    now = 1000
    t.strictSame(only(await many()), ['503,{"status":"the store is behind"}'])
    await sql`update core_migration set name = substr(name, 2)`.execute(store.database)
    await sql`insert into core_migration (name, timestamp) values ('of a newer build', '')`.execute(
      store.database,
    )
    now = 2000
    t.strictSame(only(await many()), ['200,{"status":"ready"}'])
    await store.close()
    now = 3000
    t.strictSame(only(await many()), ['503,{"status":"the store is not available"}'])
    t.strictSame(await said(server, '/livez'), [200, '{"status":"live"}'], 'a restart would help nobody')
  },
)

t.test('a server that is about to end is not ready, and serves on until its port closes', async (t) => {
  const app = await openProbe(t, { call: () => 'served' })
  const { server, drain } = app.application
  const get = 'GET /probe HTTP/1.1\r\nhost: localhost\r\n\r\n'
  const kept = await dial(t, app)
  const fresh = await dial(t, app)
  const closed = gate()
  const idle = await dial(t, app)
  idle.write(get)
  await once(idle, 'data')
  const ended = readAll(idle)
  const drained = drain({ delayMs: 500, hasSuccessor: false, lingerMs: 500, closed: closed.open })
  t.strictSame(await said(server, '/readyz'), [503, '{"status":"draining"}'])
  t.strictSame(await said(server, '/livez'), [200, '{"status":"live"}'])
  kept.write(get)
  const [first] = await once(kept, 'data')
  t.match(String(first), /^HTTP\/1\.1 200 (?![\s\S]*connection: close)/i)
  await closed.opened
  const answers = Promise.all([readAll(kept), readAll(fresh)])
  kept.write(get)
  fresh.write(get)
  for (const answer of await answers)
    t.match(answer, /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"served"$/i)
  await drained
  await app.close()
  t.equal(await ended, '', 'a connection that waits on is ended when the server closes')
})
