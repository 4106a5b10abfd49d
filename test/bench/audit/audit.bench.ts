/** `node dist/test/bench/audit/audit.bench.js [rounds] [seconds]`: what the audit costs a tool call, switched off, batched and
 *  strict, on SQLite; the ratios are the medians of those within each round. Then how long the questions take on a table of many
 *  rows: `-- --rows 1000000`. */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { auditRecords } from '../../../runtime/audit/audit-records.ts'
import { openStore } from '../../../runtime/store/open.ts'
import { buildApplication } from '../mcp/mcp-app.ts'
import { checkedAnswer, legacyCall } from '../mcp/mcp-requests.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rows: { type: 'string' } } })
const [rounds = '5', seconds = '3'] = positionals
const modes = ['off', 'batched', 'strict'] as const
const folder = mkdtempSync(join(tmpdir(), 'acmcp-audit-bench-'))

const say = (line: string): boolean => process.stdout.write(`${line}\n`)
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

interface Load {
  readonly perSecond: number
  readonly cpu: number
  readonly p99: number
}

async function throughput(): Promise<void> {
  const application = buildApplication(1, { imports: 'packages' })
  const targets = await Promise.all(
    modes.map(async (mode) => {
      const args = [application, `sqlite:${join(folder, `${mode}.db`)}`, mode]
      const child = fork(join(import.meta.dirname, 'audit-target.js'), args)
      const [port] = await once(child, 'message')
      const answer = await checkedAnswer({ name: mode, child, port: Number(port), ...legacyCall })
      return { mode, child, port: Number(port), answer }
    }),
  )
  type Started = (typeof targets)[number]
  const cpuOf = async ({ child }: Started): Promise<number> => {
    child.send('cpu')
    return Number((await once(child, 'message'))[0])
  }
  const load = async (target: Started, duration: number): Promise<Load> => {
    const before = await cpuOf(target)
    const { path, headers, body } = legacyCall
    const { answer } = target
    const url = `http://127.0.0.1:${target.port}${path}`
    const result = await autocannon({
      url,
      method: 'POST',
      headers: { ...headers },
      body: body ?? '',
      expectBody: answer,
      connections: 16,
      duration,
    })
    if (result.non2xx + result.errors > 0) throw new Error(`${url}: ${result.non2xx} answers were no success`)
    const cpu = ((await cpuOf(target)) - before) / result.requests.total
    return { perSecond: result.requests.total / result.duration, cpu, p99: result.latency.p99 }
  }
  const found = new Map(modes.map((mode) => [mode, [] as Load[]]))
  for (const target of targets) await load(target, 3)
  for (let round = 0; round < Number(rounds); round += 1)
    for (const target of targets) found.get(target.mode)?.push(await load(target, Number(seconds)))
  const off = found.get('off') ?? []
  for (const [mode, loads] of found) {
    const ratio = (of: (one: Load) => number): string =>
      median(loads.map((one, index) => of(one) / of(off[index] ?? one))).toFixed(3)
    const middle = (of: (one: Load) => number): string => median(loads.map(of)).toFixed(1)
    const perSecond = `${middle((one) => one.perSecond)}/s (${ratio((one) => one.perSecond)})`
    const cpu = `CPU ${middle((one) => one.cpu)} µs (${ratio((one) => one.cpu)})`
    say(`${mode.padEnd(8)} ${perSecond}, ${cpu}, p99 ${middle((one) => one.p99)} ms`)
  }
  for (const { child } of targets) child.disconnect()
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
  await timed('of nobody', () => store.listAudit({ user: 'nobody' }, 100))
  await timed('of a user, since an hour', () =>
    store.listAudit({ user: 'google:17', since: now - 3_600_000 }, 100),
  )
  await timed('what a grant called', () => store.listCalledTools('g17', now - 30 * 86_400_000))
  await timed('connections of a user', () => store.listGrants({ userId: 'google:17' }))
  await store.close()
}

if (values.rows === undefined) await throughput()
else await questions(Number(values.rows))
