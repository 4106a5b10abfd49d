/** `npm run bench:scale [seconds] [rounds]`: what more workers and more instances are worth, on one PostgreSQL. A signed-in read of a
 *  stranger's application, by 1 instance of 1 worker, 1 of 2, and 4 of 1; they take turns, so that all see the same minutes.
 *
 *  Load and servers share this machine's processors, and where these end nothing becomes faster. So each figure stands beside the
 *  processor time of a request: on machines of their own N instances serve N / (time of the server alone) until PostgreSQL, whose time
 *  stands there too, has no processor left. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import autocannon from 'autocannon'
import { clientKinds } from '../flow/client-kinds.ts'
import { type Instance, startInstance } from '../serve/support/instance.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { freePort } from '../support/free-port.ts'
import { startIdentityProvider } from '../torture/scale/identity-provider.ts'
import { Person } from '../torture/scale/person.ts'
import { buildStranger } from '../torture/scale/stranger-app.ts'

const [seconds = 3, rounds = 5] = process.argv.slice(2).map(Number)
const connections = 16

interface Contestant {
  readonly name: string
  readonly workers: number
  readonly instances: Instance[]
  readonly figures: Figures[]
}

interface Figures {
  readonly perSecond: number
  readonly p99Ms: number
  /** Microseconds of processor time of a request. */
  readonly serverUs: number
  readonly postgresUs: number
}

const contestants: readonly (Contestant & { readonly count: number })[] = [
  { name: '1 instance of 1 worker', workers: 1, count: 1, instances: [], figures: [] },
  { name: '1 instance of 2 workers', workers: 2, count: 1, instances: [], figures: [] },
  { name: '4 instances of 1 worker', workers: 1, count: 4, instances: [], figures: [] },
]

console.warn = () => {} // of the SDK's clients, which advise on how to write a provider

const identity = await startIdentityProvider()
const postgres = await startPostgres()
const folder = buildStranger(identity.issuer)
const secret = (): string => randomBytes(32).toString('hex')
const firstPort = await freePort()
const env = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  JWT_SECRET: secret(),
  SESSION_SECRET: secret(),
  BASE_URL: `http://localhost:${firstPort}`,
  DATABASE_URL: postgres.url,
}

/** Of a process and all below it, in milliseconds. Source: proc(5), fields 4, 14 and 15 of /proc/pid/stat, in ticks of 10 ms. */
function cpuMsBelow(pids: ReadonlySet<number>): number {
  const found = new Map<number, { readonly parent: number; readonly ms: number }>()
  for (const name of readdirSync('/proc').filter((text) => /^\d+$/.test(text))) {
    const fields = statOf(name)
    if (fields === null) continue
    found.set(Number(name), { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * 10 })
  }
  const isBelow = (pid: number): boolean =>
    pids.has(pid) || (found.has(pid) && isBelow(found.get(pid)?.parent ?? 0))
  return [...found].reduce((sum, [pid, { ms }]) => (pid !== 0 && isBelow(pid) ? sum + ms : sum), 0)
}

function statOf(pid: string): readonly string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? null
  } catch {
    return null // it has ended
  }
}

/** The postmaster, by its command line: all of its backends are below it. */
function postmaster(): number {
  const port = new URL(postgres.url).port
  const isOurs = (pid: string): boolean => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return command.includes('/postgres') && command.split('\0').includes(port)
    } catch {
      return false
    }
  }
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isOurs(name)))
}

async function round({ instances }: Contestant, token: string, database: number): Promise<Figures> {
  const servers = new Set(instances.map(({ process: { pid } }) => Number(pid)))
  const before = { server: cpuMsBelow(servers), postgres: cpuMsBelow(new Set([database])) }
  const results = await Promise.all(
    instances.map(({ baseUrl }) =>
      autocannon({
        url: `${baseUrl}/api/account`,
        method: 'GET',
        headers: { authorization: `Bearer ${token}`, host: new URL(env.BASE_URL).host },
        body: '',
        expectBody: '1',
        connections: connections / instances.length,
        duration: seconds,
      }),
    ),
  )
  const wrong = results.reduce((sum, { non2xx, errors, mismatches }) => sum + non2xx + errors + mismatches, 0)
  if (wrong > 0) throw new Error(`${wrong} wrong answers`)
  const requests = results.reduce((sum, result) => sum + result.requests.total, 0)
  const each = (ms: number): number => (1000 * ms) / requests
  return {
    perSecond: results.reduce((sum, { requests, duration }) => sum + requests.total / duration, 0),
    p99Ms: Math.max(...results.map(({ latency }) => latency.p99)),
    serverUs: each(cpuMsBelow(servers) - before.server),
    postgresUs: each(cpuMsBelow(new Set([database])) - before.postgres),
  }
}

const median = (figures: readonly Figures[], of: keyof Figures): number =>
  figures.map((figure) => figure[of]).sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

try {
  let port = firstPort
  for (const { count, workers, instances } of contestants)
    for (let at = 0; at < count; at += 1) {
      instances.push(await startInstance({ cwd: folder, port, workers, env, args: ['--migrate'] }))
      port = await freePort()
    }
  const [kind] = clientKinds
  const person = new Person(kind, env.BASE_URL)
  await person.signIn()
  await person.add()
  const token = await person.accessToken()
  const database = postmaster()
  for (const contestant of contestants) await round(contestant, token, database)
  for (let at = 0; at < rounds; at += 1)
    for (const contestant of contestants) contestant.figures.push(await round(contestant, token, database))
  await person.leave()
  const [item] = contestants
  const base = {
    perSecond: median(item?.figures ?? [], 'perSecond'),
    serverUs: median(item?.figures ?? [], 'serverUs'),
  }
  console.log(
    `${availableParallelism()} processors, ${connections} connections, medians of ${rounds} rounds of ${seconds} s`,
  )
  for (const { name, count, workers, figures } of contestants) {
    const [perSecond, serverUs] = [median(figures, 'perSecond'), median(figures, 'serverUs')]
    const simulated = count * workers * (base.serverUs / serverUs)
    console.log(
      `${name}: ${perSecond.toFixed(0)}/s (× ${(perSecond / base.perSecond).toFixed(2)}), p99 ${median(figures, 'p99Ms').toFixed(0)} ms, ` +
        `${serverUs.toFixed(0)} µs of the server and ${median(figures, 'postgresUs').toFixed(0)} µs of PostgreSQL a request; ` +
        `with a processor for each worker × ${simulated.toFixed(2)}`,
    )
  }
} finally {
  await Promise.all(contestants.flatMap(({ instances }) => instances).map((instance) => instance.stop()))
  await postgres.stop()
  identity.close()
  rmSync(folder, { recursive: true, force: true })
}
