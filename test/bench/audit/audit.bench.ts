/** `node dist/test/bench/audit/audit.bench.js [rounds] [seconds]`: what the audit costs a tool call of a signed-in user, on both
 *  engines: processor time of the audit alone (the main thread, and with the thread that writes to SQLite) with one user and with
 *  3,000; then what a server answers without it, batched and strict, to 1 and to 32 clients at a time: ratios are the medians of
 *  those within each round. Or how long the questions take on a table of many rows: `-- --rows 1000000`. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { auditRecords } from '../../../runtime/capabilities/audit/audit-records.ts'
import { startPostgres } from '../../store/postgres-server.ts'
import { openStore } from '../../support/whole-store.ts'
import { legacyCall } from '../mcp/mcp-requests.ts'
import { type Cpu, costAlone } from './audit-cost.ts'
import { buildSignedIn } from './signed-in-app.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rows: { type: 'string' } } })
const [rounds = 5, seconds = 3] = positionals.map(Number)
const modes = ['off', 'batched', 'strict'] as const
const folder = mkdtempSync(join(tmpdir(), 'acmcp-audit-bench-'))

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** An engine: the address of a new store. */
type Place = (name: string) => Promise<string>

async function alone(engine: string, place: Place): Promise<void> {
  for (const users of [1, 3000]) {
    const costs = await costAlone(await place(`alone-${users}`), rounds, users)
    const of = (name: keyof Cpu): string => {
      const figures = costs.map((cost) => cost[name])
      return `${median(figures).toFixed(1)} µs (least ${Math.min(...figures).toFixed(1)})`
    }
    say(`${engine}, ${users} users: main thread ${of('mainThread')}, process ${of('process')}`)
  }
}

interface Load extends Cpu {
  readonly perSecond: number
  readonly p99: number
}

interface Target {
  readonly mode: (typeof modes)[number]
  readonly child: ReturnType<typeof fork>
  readonly port: number
  readonly token: string
  readonly loads: Load[]
}

async function startTarget(mode: Target['mode'], application: string, url: string): Promise<Target> {
  const child = fork(join(import.meta.dirname, 'audit-target.js'), [application, url, mode])
  const [{ port, token }] = await once(child, 'message')
  return { mode, child, port, token, loads: [] }
}

async function cpuOf({ child }: Target): Promise<Cpu> {
  child.send('cpu')
  const [cpu] = await once(child, 'message')
  return cpu
}

async function load(target: Target, connections: number, duration: number): Promise<Load> {
  const before = await cpuOf(target)
  const { path, headers, body } = legacyCall
  const { requests, latency, ...result } = await autocannon({
    url: `http://127.0.0.1:${target.port}${path}`,
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${target.token}` },
    body: body ?? '',
    connections,
    duration,
  })
  if (result.non2xx + result.errors > 0) throw new Error(`${target.mode}: ${result.non2xx} were no success`)
  const after = await cpuOf(target)
  const perCall = (name: keyof Cpu): number => (after[name] - before[name]) / requests.total
  const cpu = { process: perCall('process'), mainThread: perCall('mainThread') }
  return { ...cpu, perSecond: requests.total / result.duration, p99: latency.p99 }
}

async function throughput(engine: string, place: Place, application: string): Promise<void> {
  const targets: Target[] = []
  for (const mode of modes) targets.push(await startTarget(mode, application, await place(mode)))
  for (const target of targets) await load(target, 32, 3)
  for (const connections of [1, 32]) {
    for (const { loads } of targets) loads.splice(0)
    for (let round = 0; round < rounds; round += 1)
      for (const target of targets) target.loads.push(await load(target, connections, seconds))
    for (const target of targets) say(`${engine}, ${connections} at a time: ${report(target, targets)}`)
  }
  for (const { child } of targets) {
    child.disconnect()
    await once(child, 'exit')
  }
}

function report({ mode, loads }: Target, [off]: readonly Target[]): string {
  const middle = (of: (item: Load) => number): string => median(loads.map(of)).toFixed(1)
  const ratio = median(loads.map(({ perSecond }, at) => perSecond / (off?.loads[at]?.perSecond ?? 0)))
  const cpu = `CPU ${middle((item) => item.mainThread)} µs, process ${middle((item) => item.process)} µs`
  const p99 = `p99 ${middle((item) => item.p99)} ms`
  return `${mode.padEnd(8)} ${middle((item) => item.perSecond)}/s (${ratio.toFixed(3)}), ${cpu}, ${p99}`
}

async function questions(count: number): Promise<void> {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const url = process.env.DATABASE_URL ?? `sqlite:${join(folder, 'many.db')}`
  const store = await openStore({ url, clock: () => now, migrations: {}, migrate: 'apply' })
  const recordOf = auditRecords(
    () => now,
    (bytes) => randomBytes(bytes),
  )
  const began = performance.now()
  for (let done = 0; done < count; done += 1000) {
    const rows = Array.from({ length: 1000 }, (_, index) => {
      now += 20
      const user = `google:${(done + index) % 5000}`
      const common = { user, client: `c${index % 50}`, grant: `g${(done + index) % 7500}` }
      const call = { tool: `tool_${index % 40}`, route: `tool_${index % 40}`, decision: 'allowed' } as const
      const status = { status: 200, isError: false, milliseconds: 3.2, argumentsDigest: '0'.repeat(64) }
      return recordOf({ event: 'tool-call', requestId: `req-${index}`, ...common, ...call, ...status })
    })
    await store.appendAudit(rows)
  }
  say(`${count} rows: ${(((performance.now() - began) * 1000) / count).toFixed(1)} µs a row`)
  const timed = async (name: string, ask: () => Promise<unknown>): Promise<void> => {
    const times: number[] = []
    for (let tries = 0; tries < 5; tries += 1) {
      const start = performance.now()
      await ask()
      times.push(performance.now() - start)
    }
    say(`${name.padEnd(28)} ${median(times).toFixed(2)} ms`)
  }
  await timed('the newest 100', () => store.listAudit({}, 100))
  await timed('of a user', () => store.listAudit({ user: 'google:17' }, 100))
  await timed('of a client', () => store.listAudit({ client: 'c7' }, 100))
  await timed('of a tool', () => store.listAudit({ tool: 'tool_9' }, 100))
  await timed('of a client without rows', () => store.listAudit({ client: 'none' }, 100))
  await timed('of nobody', () => store.listAudit({ user: 'nobody' }, 100))
  await timed('of a user, since an hour', () =>
    store.listAudit({ user: 'google:17', since: now - 3_600_000 }, 100),
  )
  await timed('what a grant called', () => store.listCalledTools(['g17'], now - 30 * 86_400_000))
  await timed('connections of a user', () => store.listGrants({ userId: 'google:17' }))
  await store.close()
}

async function compare(): Promise<void> {
  const application = buildSignedIn()
  const postgres = await startPostgres()
  const engines: readonly (readonly [string, Place])[] = [
    ['SQLite', async (name) => `sqlite:${join(folder, `${name}.db`)}`],
    ['PostgreSQL', () => postgres.freshDatabase()],
  ]
  for (const [engine, place] of engines) await alone(engine, place)
  for (const [engine, place] of engines) await throughput(engine, place, application)
  await postgres.stop()
}

if (values.rows === undefined) await compare()
else await questions(Number(values.rows))
