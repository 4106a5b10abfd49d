/** What permission and a limit cost, in µs of CPU: `users_current` with a bearer on a SQLite file, asked of the route itself, over HTTP and as a
 *  tool call, in the example without scopes, in the example whose route asks for one, and in the one
 *  whose route has a limit. A guarded request must do at least 0.9 of an
 *  unguarded one. `npm run bench:guarded [runs] [folder of another tree]…`: other trees, which must be built, have no scopes; the rounds
 *  take turns, so that all see the same minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { openTestApp, TestApp } from '../../../runtime/testing.ts'

const rounds = 5
const atOnce = 50
const runs = Math.ceil(Number(process.argv[2] ?? 3000) / atOnce) * atOnce
const others = process.argv.slice(3).map((tree) => resolve(tree))
const route = 'users_current'
const ways = ['the route', 'HTTP', 'a tool call'] as const
type Way = (typeof ways)[number]

interface Contestant {
  readonly name: string
  readonly app: TestApp
  readonly run: Readonly<Record<Way, () => Promise<unknown>>>
  readonly figures: Readonly<Record<Way, number[]>>
  readonly close: () => Promise<void>
}

async function open(
  name: string,
  { tree, change }: { readonly tree: string; readonly change: (bundle: AppBundle) => AppBundle },
): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
  const module: { openTestApp: typeof openTestApp } = await import(
    pathToFileURL(join(tree, 'dist/runtime/testing.js')).href
  )
  const app = await module.openTestApp({
    cwd: tree,
    stale: 'allow',
    environment: { databaseUrl: `sqlite:${join(folder, 'store.db')}` },
    change: (bundle) => withoutLimits(change(bundle)),
  })
  const token = await app.accessToken()
  return {
    name,
    app,
    run: runsOf(app, token),
    figures: { 'the route': [], HTTP: [], 'a tool call': [] },
    close: async () => {
      await app.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const withoutLimits = (bundle: AppBundle): AppBundle => {
  const config = bundle.config as object // what its app/config.ts says
  return { ...bundle, config: { ...config, limits: { toolCallsPerMinute: false } } }
}

/** The route itself is also what the endpoint asks whether a credential is good, once. */
function guarded(bundle: AppBundle): AppBundle {
  const config = bundle.config as object // what its app/config.ts says
  const scope = { names: ['profile:read'], unless: [] }
  return {
    ...bundle,
    config: { ...config, scopes: { 'profile:read': 'See who you are', 'profile:write': 'Change it' } },
    routes: bundle.routes.map((item) => (item.id === route ? { ...item, scope } : item)),
  }
}

const unchanged = (bundle: AppBundle): AppBundle => bundle

/** Never reached: what counting costs. */
const limited = (bundle: AppBundle): AppBundle => ({
  ...bundle,
  routes: bundle.routes.map((item) =>
    item.id === route
      ? { ...item, limit: { calls: 1_000_000, windowSeconds: 60 }, timeoutSeconds: 30 }
      : item,
  ),
})

function runsOf(app: TestApp, token: string): Contestant['run'] {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
  const { server, invoke, mcpPath } = app.application
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: route, arguments: {} } }
  const message = JSON.stringify(call)
  const ofMessage = { ...headers, 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }
  const http = { method: 'GET', url: '/api/users/current', headers } as const
  const tool = { method: 'POST', url: mcpPath, headers: ofMessage, payload: message } as const
  return {
    'the route': async () => expect200((await invoke(route, requestWith(headers))).status),
    HTTP: async () => expect200((await server.inject(http)).statusCode),
    'a tool call': async () => expect200((await server.inject(tool)).statusCode),
  }
}

function expect200(status: number): void {
  if (status !== 200) throw new Error(`answered ${status}`)
}

/** A new one each time, as a server makes it: what is known of a request is not known of the next. */
const requestWith = (headers: HttpRequest['headers']): HttpRequest => ({
  id: '1',
  method: 'GET',
  url: '/api/users/current',
  path: '/api/users/current',
  query: new URLSearchParams(),
  params: {},
  cookies: {},
  headers,
  ip: '127.0.0.1',
  session: { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} },
  body: { kind: 'value', value: undefined },
  signal: new AbortController().signal,
})

/** Runs all in turns, a few at a time, so that what else the machine does falls on all alike. */
async function play(all: readonly Contestant[], way: Way): Promise<void> {
  for (let done = 0; done < runs; done += atOnce)
    for (const { run, figures } of all) figures[way].push(await cost(run[way]))
}

/** Of one run. */
async function cost(run: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  for (let index = 0; index < atOnce; index++) await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / atOnce
}

/** Of four figures the second best: what disturbs a run makes it dearer, never cheaper. */
const quartile = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 4)] ?? Number.NaN

const here = process.cwd()
const first = await open('without scopes', { tree: here, change: unchanged })
const contestants = [
  first,
  await open('guarded', { tree: here, change: guarded }),
  await open('limited', { tree: here, change: limited }),
]
for (const tree of others) contestants.push(await open(tree, { tree, change: unchanged }))
for (const way of ways) await play(contestants, way) // warms up
for (const { figures } of contestants) for (const way of ways) figures[way].length = 0
for (let round = 0; round < rounds; round++) for (const way of ways) await play(contestants, way)
for (const way of ways)
  for (const { name, figures } of contestants) {
    const [figure, ofFirst] = [quartile(figures[way]), quartile(first.figures[way])]
    const ratio = (ofFirst / figure).toFixed(2)
    console.log(`${way}, ${name}: ${figure.toFixed(0)} µs of CPU, ${ratio} of one without scopes`)
  }
for (const { close } of contestants) await close()
