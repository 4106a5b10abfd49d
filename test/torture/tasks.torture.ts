/** Tasks over two instances on PostgreSQL, and over one worker on SQLite, of which one after the other is killed: 0 lost, 0 run twice
 *  unless marked `@mcp idempotent`, every cancel answered. Run: node dist/test/torture/tasks.torture.js [tasks] [engines, comma-separated:
 *  postgres,sqlite]; default 1000 and both. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { clientKinds, signedIn } from '../flow/client-kinds.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { type Followed, follow } from './tasks/job.ts'
import { buildCountedJobs, type Run } from './tasks/jobs-app.ts'
import { type Evidence, wrongWith } from './tasks/judge.ts'
import { oneWorker, type Servers, twoServers } from './tasks/servers.ts'
import { type Answer, type Tally, TaskClient } from './tasks/task-client.ts'

const tasks = Number(process.argv[2] ?? 1000)
const engines = (process.argv[3] ?? 'postgres,sqlite').split(',')
const clients = 4
const atOnce = Math.min(80, tasks)
const killEveryMs = 3000
const settleMs = 20_000
const maxShown = 20

console.warn = () => {} // of the SDK's clients, which advise on how to write a provider

const folder = await buildCountedJobs()

/** Returns what was wrong. */
async function prove(name: string, servers: Servers): Promise<number> {
  const tally: Tally = { createMs: [], getMs: [], broken: 0, busy: 0 }
  const callers: TaskClient[] = []
  for (let at = 0; at < clients; at += 1) {
    const { client, provider } = await signedIn(clientKinds[0], servers.baseUrl)
    await client.close()
    callers.push(new TaskClient(servers, String((await provider.tokens())?.access_token), tally))
  }
  const began = performance.now()
  const over = new AbortController()
  const killing = killOneAfterTheOther(servers, over.signal)
  const followed = await followAll(callers)
  over.abort()
  await killing
  const seconds = (performance.now() - began) / 1000
  const verdict = await judged(followed, callers[0] as TaskClient, servers) // there are some
  report(`${name}, ${seconds.toFixed(0)} s`, { followed, tally, verdict, kills: servers.kills })
  return verdict.wrong.length
}

async function killOneAfterTheOther(servers: Servers, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await delay(killEveryMs, null, { signal: over }).catch(() => {})
    if (!over.aborted) await servers.kill()
  }
}

async function followAll(callers: readonly TaskClient[]): Promise<readonly Followed[]> {
  const followed: Followed[] = []
  let next = 0
  const item = async (): Promise<void> => {
    while (next < tasks) {
      const number = next++
      followed.push(await follow(number, callers[number % callers.length] as TaskClient)) // there are some
    }
  }
  await Promise.all(Array.from({ length: atOnce }, item))
  return followed
}

interface Verdict {
  readonly wrong: readonly string[]
  /** Runs beyond the first. */
  readonly again: number
}

/** Each once more: an end stays as it was, on every instance; and what was cancelled has stopped. */
async function judged(
  followed: readonly Followed[],
  caller: TaskClient,
  { ports, killed }: Servers,
): Promise<Verdict> {
  const wrong: string[] = []
  for (const { job } of followed) {
    for (const _ of ports) {
      const again = endOf((await job.client.get(job.taskId)).said)
      if (again !== endOf(job.end?.said)) wrong.push(`${job.kind} ${job.name}: its end has become ${again}`)
    }
  }
  const evidence = { runs: await settledRuns(caller, killed), killed }
  for (const { job, abandoned } of followed) {
    const why = wrongWith(job, evidence)
    const seen = (): string => JSON.stringify([job.end, evidence.runs.get(job.name)])
    if (why !== null) wrong.push(`${job.kind} ${job.name}: ${why}; ${seen()}`)
    const twice = abandoned.filter((name) => (evidence.runs.get(name) ?? []).length > 1)
    wrong.push(...twice.map((name) => `${job.kind} ${name}, whose call broke off: run twice`))
  }
  const again = [...evidence.runs.values()].reduce((sum, runs) => sum + runs.length - 1, 0)
  return { wrong, again }
}

/** What does not change any more. */
const endOf = (said: Answer['said']): string => JSON.stringify([said?.status, said?.result, said?.error])

/** When no living process works any more. */
async function settledRuns(caller: TaskClient, killed: ReadonlySet<number>): Promise<Evidence['runs']> {
  const until = performance.now() + settleMs
  for (;;) {
    const all = (await caller.read('/jobs/runs')) as readonly Run[] // as the route declares
    const isWorking = all.some(({ pid, state }) => state === 'begun' && !killed.has(pid))
    if (!isWorking || performance.now() > until) return byJob(all)
    await delay(500)
  }
}

function byJob(all: readonly Run[]): Evidence['runs'] {
  const runs = new Map<string, Run[]>()
  for (const run of all) runs.set(run.job, [...(runs.get(run.job) ?? []), run])
  return runs
}

interface Outcome {
  readonly followed: readonly Followed[]
  readonly tally: Tally
  readonly verdict: Verdict
  readonly kills: number
}

function report(name: string, { followed, tally, verdict, kills }: Outcome): void {
  const { wrong, again } = verdict
  const jobs = followed.map(({ job }) => job)
  const ended = (status: string): number => jobs.filter(({ end }) => end?.said.status === status).length
  const longest = Math.max(...jobs.map(({ seconds }) => seconds))
  const lines = [
    `${jobs.length} tasks, ${kills} kills: ${ended('completed')} completed, ${ended('failed')} failed with the reason, ` +
      `${ended('cancelled')} cancelled, ${again} run again (idempotent); wrong: ${wrong.length}`,
    `${jobs.flatMap(({ cancels }) => cancels).length} cancels answered, ` +
      `${followed.flatMap(({ abandoned }) => abandoned).length} calls and ${tally.broken} requests in all broke off, ${tally.busy} put off`,
    `create p50 ${quantile(tally.createMs, 0.5)} ms, p99 ${quantile(tally.createMs, 0.99)} ms (${tally.createMs.length}), ` +
      `get p50 ${quantile(tally.getMs, 0.5)} ms, p99 ${quantile(tally.getMs, 0.99)} ms (${tally.getMs.length}), ` +
      `the longest task ${longest.toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`,
  ]
  console.log(`${wrong.length === 0 ? 'ok' : 'FAILED'} tasks, ${name}: ${lines.join('\n    ')}`)
  for (const text of wrong.slice(0, maxShown)) console.log(`  ${text}`)
}

const quantile = (values: readonly number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0)

const secret = (): string => randomBytes(32).toString('hex')

const optionsFor = (databaseUrl: string): Parameters<typeof twoServers>[0] => ({
  cwd: folder,
  env: {
    LOG_LEVEL: 'error',
    DEV_LOGIN: '1',
    JWT_SECRET: secret(),
    SESSION_SECRET: secret(),
    DATABASE_URL: databaseUrl,
  },
  args: ['--migrate'],
})

async function onPostgres(): Promise<number> {
  const postgres = await startPostgres()
  try {
    return await served('PostgreSQL, two instances', await twoServers(optionsFor(postgres.url)))
  } finally {
    await postgres.stop()
  }
}

const onSqlite = async (): Promise<number> =>
  served('SQLite, one worker', await oneWorker(optionsFor(`sqlite:${join(folder, 'data', 'tasks.db')}`)))

async function served(name: string, servers: Servers): Promise<number> {
  try {
    return await prove(name, servers)
  } finally {
    await servers.stop()
  }
}

let wrong = 0
try {
  if (engines.includes('postgres')) wrong += await onPostgres()
  if (engines.includes('sqlite')) wrong += await onSqlite()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = wrong === 0 ? 0 : 1
