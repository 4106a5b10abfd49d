/** `npm run bench:mcp [rounds] [seconds] [-- --peers]`: tool calls in either era, with 1 and with 1,000 tools, against the bare
 *  Fastify route; without the audit; through a Fastify hook; beside a tool with tasks; lists of 1,000 tools; the help desk, a real
 *  application; with `--peers` the SDKs, fastmcp and fastify-mcp on the same route. Every server is its own process, rounds are
 *  interleaved, medians count; a ratio is the median of those within each round, so that a machine that gets slower meanwhile changes
 *  little. Every answer is compared with the first, which must be right. Authentication is cached, limits are off on both sides; ours has
 *  a SQLite file, the log at `error` and, unless a row says otherwise, the audit, as in production. Our figures are those of an
 *  application that imports packages, as every real one does; beside them those of one that imports nothing. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { writeDesk } from '../../support/desk.ts'
import { buildThere } from '../../support/linked.ts'
import type { Imports } from '../build/sources.ts'
import { buildApplication } from './mcp-app.ts'
import { peerModules } from './mcp-installed-peers.ts'
import { ask, startDesk, startTarget } from './mcp-process.ts'
import {
  checkedAnswer,
  deskRequests,
  legacyCall,
  listOfAll,
  modernCall,
  openSession,
  type Requested,
  resourceRead,
  routeCall,
  routeRead,
  type Target,
} from './mcp-requests.ts'

const [rounds = '3', seconds = '3'] = process.argv.slice(2).filter((argument) => argument !== '--peers')
const withPeers = process.argv.includes('--peers')
const connections = 16
/** What the compiler does meanwhile is not counted. */
const warmUpSeconds = 3

interface Round {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly p99: number
}

/** Ends the name of what is measured a second time, on an application that imports nothing. */
const importFree = ', imports nothing'

const bare = await startTarget('bare')
const targets = await checked([
  { name: 'bare Fastify route', ...bare, ...routeCall('/api/notes') },
  { name: 'bare Fastify GET', ...bare, ...routeRead('/api/notes/') },
  ...(await ourTargets('packages')),
  ...(await ourTargets('nothing')).map((target) => ({ ...target, name: target.name + importFree })),
  ...(await deskTargets()),
  ...(withPeers ? await peerTargets() : []),
])
const measured = new Map(targets.map(({ name }) => [name, [] as Round[]]))
for (const target of targets) await load(target, warmUpSeconds)
for (let round = 0; round < Number(rounds); round += 1) {
  for (const target of targets) measured.get(target.name)?.push(await load(target, Number(seconds)))
}
report()
for (const child of new Set(targets.map((target) => target.child))) child.disconnect()

async function ourTargets(imports: Imports): Promise<readonly Requested[]> {
  const small = buildApplication(1, { imports })
  const started = await startTarget(small)
  const unaudited = await startTarget(small, 'unaudited')
  const large = buildApplication(1000, { imports })
  const thousand = await startTarget(large)
  const listing = await startTarget(large)
  const hooked = await startTarget(buildApplication(1, { imports, withHook: true }))
  const beside = await startTarget(buildApplication(1, { imports, withTask: true }))
  const calls = [started, thousand].flatMap((server, index): readonly Requested[] => [
    { name: `tools/call, 2025-11-25, ${1000 ** index} tools`, ...server, ...legacyCall },
    { name: `tools/call, 2026-07-28, ${1000 ** index} tools`, ...server, ...modernCall },
  ])
  return [
    { name: 'the route over HTTP', ...started, ...routeCall('/api/notes/') },
    ...calls,
    { name: 'tools/call, 2025-11-25, no audit', ...unaudited, ...legacyCall },
    { name: 'tools/call, 2026-07-28, no audit', ...unaudited, ...modernCall },
    { name: 'the resource over HTTP', ...started, ...routeRead('/api/notes/') },
    { name: 'resources/read, 2026-07-28', ...started, ...resourceRead },
    { name: 'tools/call, 2025-11-25, a hook', ...hooked, ...legacyCall },
    { name: 'tools/call, 2026-07-28, a hook', ...hooked, ...modernCall },
    { name: 'tools/call, 2026-07-28, with tasks', ...beside, ...modernCall },
    { name: 'tools/list, 2026-07-28, 1000 tools', ...listing, ...listOfAll },
  ]
}

/** A real application: 35 tools, scopes, a filter and two queries of its own in each call. */
async function deskTargets(): Promise<readonly Requested[]> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-bench-'))
  writeDesk(folder)
  buildThere(folder)
  const desk = await startDesk(folder)
  const { route, legacy, modern, list } = deskRequests(desk.token)
  return [
    { name: 'desk: the route over HTTP', ...desk, ...route },
    { name: 'desk: tools/call, 2025-11-25', ...desk, ...legacy },
    { name: 'desk: tools/call, 2026-07-28', ...desk, ...modern },
    { name: 'desk: tools/list, 2026-07-28', ...desk, ...list },
  ]
}

/** Only the SDK's version 2 knows 2026-07-28. */
async function peerTargets(): Promise<readonly Requested[]> {
  peerModules() // installed before anything is measured
  const [v1, v2] = [await startTarget('sdk-v1'), await startTarget('sdk-v2')]
  const [fast, fastify] = [await startTarget('fastmcp'), await startTarget('fastify-mcp')]
  const sessions = [await startTarget('fastmcp-sessions'), await startTarget('fastify-mcp-sessions')] as const
  const [fastSession, fastifySession] = [await openSession(sessions[0]), await openSession(sessions[1])]
  return [
    { name: 'SDK v1, 2025-11-25', ...v1, ...legacyCall },
    { name: 'SDK v2, 2025-11-25', ...v2, ...legacyCall },
    { name: 'SDK v2, 2026-07-28', ...v2, ...modernCall },
    { name: 'fastmcp, stateless', ...fast, ...legacyCall },
    { name: 'fastmcp, one session', ...sessions[0], ...fastSession },
    { name: 'fastify-mcp, stateless', ...fastify, ...legacyCall },
    { name: 'fastify-mcp, one session', ...sessions[1], ...fastifySession },
  ]
}

/** Asks each once. Throws for an answer that is wrong. */
function checked(requested: readonly Requested[]): Promise<readonly Target[]> {
  return Promise.all(requested.map(async (item) => ({ ...item, answer: await checkedAnswer(item) })))
}

async function load({ child, port, path, headers, body, answer }: Target, duration: number): Promise<Round> {
  const before = await ask(child, 'cpu')
  const url = `http://127.0.0.1:${port}${path}`
  const result = await autocannon({
    url,
    method: body === null ? 'GET' : 'POST',
    headers: { ...headers },
    body: body ?? '',
    expectBody: answer,
    connections,
    duration,
  })
  const { non2xx, errors, mismatches } = result
  if (non2xx + errors + mismatches > 0)
    throw new Error(
      `${url}: ${non2xx} answers were no success, ${mismatches} others, ${errors} requests failed`,
    )
  const requests = result.requests.total
  const cpuMicroseconds = ((await ask(child, 'cpu')) - before) / requests
  return { perSecond: requests / result.duration, cpuMicroseconds, p99: result.latency.p99 }
}

/** The last two columns are the ratios of the application that imports nothing. */
function report(): void {
  const base = measured.get('bare Fastify route') ?? []
  const heads = ['req/s', 'ratio', 'CPU µs', 'ratio', 'p99 ms', 'no imp.', 'CPU']
  process.stdout.write(`${''.padEnd(38)}${heads.map((head) => head.padStart(8)).join('')}\n`)
  for (const [name, results] of measured) {
    if (name.endsWith(importFree)) continue
    const middle = (of: (round: Round) => number): number => median(results.map(of))
    const ratio = (rounds: readonly Round[], of: (round: Round) => number): number =>
      median(base.flatMap((bare, index) => rounds.slice(index, index + 1).map((own) => of(own) / of(bare))))
    const twin = measured.get(name + importFree)
    const cells = [
      middle(perSecond).toFixed(0),
      ratio(results, perSecond).toFixed(3),
      middle(cpuMicroseconds).toFixed(1),
      ratio(results, cpuMicroseconds).toFixed(2),
      middle(({ p99 }) => p99).toFixed(1),
      ...(twin === undefined
        ? []
        : [ratio(twin, perSecond).toFixed(3), ratio(twin, cpuMicroseconds).toFixed(2)]),
    ]
    process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(8)).join('')}\n`)
  }
}

function perSecond(round: Round): number {
  return round.perSecond
}

function cpuMicroseconds(round: Round): number {
  return round.cpuMicroseconds
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
