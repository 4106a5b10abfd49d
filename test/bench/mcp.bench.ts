/** `npm run bench:mcp [rounds] [seconds] [--peers]`: tool calls in either era, with 1 and with 1,000 tools, against the bare Fastify
 *  route; through
 *  a Fastify hook; and lists of 1,000 tools; with `--peers` the SDKs on the same route. Every server is its own process, rounds are interleaved, the median round counts.
 *  Authentication is cached, limits and the log are off on both sides. Source: reference/performance.md, part A. */
import type { ChildProcess } from 'node:child_process'
import autocannon from 'autocannon'
import { buildApplication } from './mcp-app.ts'
import { ask, startTarget } from './mcp-process.ts'

const [rounds = '3', seconds = '3'] = process.argv.slice(2).filter((argument) => argument !== '--peers')
const withPeers = process.argv.includes('--peers')
const connections = 16

interface Target {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Round {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly p99: number
}

const note = {
  title: 'A note of the bench',
  text: 'Some text that a model has written, about a line long.',
  tags: ['a', 'b'],
}
const bearer = { authorization: 'Bearer bench', 'content-type': 'application/json' }
const accept = { ...bearer, accept: 'application/json, text/event-stream' }
const modern = (
  method: string,
  name: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  ...accept,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...name,
})
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const rpc = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const call = { name: 'notes_create', arguments: note }

const bare = await startTarget('bare')
const one = await startTarget(buildApplication(1))
const large = buildApplication(1000)
const thousand = await startTarget(large)
const listing = await startTarget(large)
const hooked = await startTarget(buildApplication(1, true))
const peers = withPeers ? { v1: await startTarget('sdk-v1'), v2: await startTarget('sdk-v2') } : null
const legacyCall = { path: '/mcp', headers: accept, body: rpc('tools/call', call) }
const modernCall = {
  path: '/mcp',
  headers: modern('tools/call', { 'mcp-name': call.name }),
  body: rpc('tools/call', { ...call, _meta }),
}
const targets: readonly Target[] = [
  { name: 'bare Fastify route', ...bare, path: '/api/notes', headers: bearer, body: JSON.stringify(note) },
  { name: 'the route over HTTP', ...one, path: '/api/notes/', headers: bearer, body: JSON.stringify(note) },
  ...[one, thousand].flatMap((server, index): readonly Target[] => [
    { name: `tools/call, 2025-11-25, ${1000 ** index} tools`, ...server, ...legacyCall },
    { name: `tools/call, 2026-07-28, ${1000 ** index} tools`, ...server, ...modernCall },
  ]),
  { name: 'tools/call, 2025-11-25, a hook', ...hooked, ...legacyCall },
  { name: 'tools/call, 2026-07-28, a hook', ...hooked, ...modernCall },
  {
    name: 'tools/list, 2026-07-28, 1000 tools',
    ...listing,
    path: '/mcp?toolboxes=all',
    headers: modern('tools/list'),
    body: rpc('tools/list', { _meta }),
  },
  ...(peers === null
    ? []
    : [
        { name: 'SDK v1, 2025-11-25', ...peers.v1, ...legacyCall },
        { name: 'SDK v2, 2025-11-25', ...peers.v2, ...legacyCall },
        { name: 'SDK v2, 2026-07-28', ...peers.v2, ...modernCall },
      ]),
]

const measured = new Map(targets.map(({ name }) => [name, [] as Round[]]))
for (const target of targets) await load(target, 1)
for (let round = 0; round < Number(rounds); round += 1) {
  for (const target of targets) measured.get(target.name)?.push(await load(target, Number(seconds)))
}
report()
for (const child of new Set(targets.map((target) => target.child))) child.disconnect()

async function load({ child, port, path, headers, body }: Target, duration: number): Promise<Round> {
  const before = await ask(child, 'cpu')
  const url = `http://127.0.0.1:${port}${path}`
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { ...headers },
    body,
    connections,
    duration,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were no success`)
  const requests = result.requests.total
  const cpuMicroseconds = ((await ask(child, 'cpu')) - before) / requests
  return { perSecond: requests / result.duration, cpuMicroseconds, p99: result.latency.p99 }
}

function report(): void {
  const rows = targets.map(({ name }) => ({ name, ...medianOf(measured.get(name) ?? []) }))
  const [base] = rows
  if (base === undefined) return
  process.stdout.write(`${''.padEnd(38)}   req/s  ratio  CPU µs  ratio  p99 ms\n`)
  for (const { name, perSecond, cpuMicroseconds, p99 } of rows) {
    const cells = [
      perSecond.toFixed(0).padStart(8),
      (perSecond / base.perSecond).toFixed(2).padStart(7),
      cpuMicroseconds.toFixed(1).padStart(8),
      (cpuMicroseconds / base.cpuMicroseconds).toFixed(2).padStart(7),
      p99.toFixed(1).padStart(8),
    ]
    process.stdout.write(`${name.padEnd(38)}${cells.join('')}\n`)
  }
}

function medianOf(results: readonly Round[]): Round {
  const middle = (of: (round: Round) => number): number =>
    results.map(of).sort((a, b) => a - b)[Math.floor(results.length / 2)] ?? 0
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    cpuMicroseconds: middle(({ cpuMicroseconds }) => cpuMicroseconds),
    p99: middle(({ p99 }) => p99),
  }
}
