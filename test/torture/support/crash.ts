/** SIGKILLs under token load: `acmcp serve` with the example, its token endpoint over HTTP. The parent keeps what was
 *  acknowledged; after each restart nothing acknowledged may be forgotten and no token accepted twice. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import {
  allowInBrowser,
  authorizationRequest,
  Browser,
  redirectUri,
  spawnServe,
  temporaryFolder,
} from '../../flow/support.ts'
import { startInstance } from '../../serve/support/instance.ts'
import { freePort } from '../../support/free-port.ts'

export interface CrashPlan {
  /** `postgres://…`, or null for a SQLite file of its own. */
  readonly databaseUrl: string | null
  readonly kills: number
  /** Clients that refresh without a pause. */
  readonly clients: number
  /** Spends to be acknowledged before each kill. */
  readonly spendsBeforeKill: number
  /** How many workers there are, of which one is killed at a time; absent = a server in one process. */
  readonly workers?: number
  /** What else is killed in a round, the database for one; called while the load runs. */
  readonly alsoKill?: (round: number) => Promise<void>
}

export interface CrashResult {
  readonly kills: number
  /** Spends that were answered with 200. */
  readonly acknowledged: number
  /** Acknowledged spends that were accepted again. */
  readonly forgotten: number
  /** Tokens that were acknowledged as issued and then refused. */
  readonly lost: number
  /** Tokens that were in flight when the server died, and afterwards worked more than once. */
  readonly acceptedTwice: number
  /** In flight: spent before the answer got out, and not spent. */
  readonly spentUnseen: number
  readonly unspent: number
  /** Requests that broke off. */
  readonly reset: number
  /** From starting `acmcp serve` to its first answer; of a worker from its end until another serves in its place. */
  readonly slowestReadyMs: number
  readonly medianReadyMs: number
  /** The same in processor time of the server alone, which other work on the machine does not lengthen; 0 where
   *  /proc is missing. */
  readonly slowestReadyCpuMs: number
}

/** One client's refresh tokens. */
interface Chain {
  readonly clientId: string
  /** Answered with 200 since the last kill. */
  spent: string[]
  /** The token to use next. */
  next: string
  /** Whether the request that spends `next` was sent and not answered. */
  isInFlight: boolean
}

type Counts = { -readonly [Key in keyof CrashResult]: CrashResult[Key] }

/** How long a restart took, on the clock and in processor time. */
interface Ready {
  readonly ms: number
  readonly cpuMs: number
}

export async function crash(plan: CrashPlan): Promise<CrashResult> {
  const { folder, env } = await prepare(plan.databaseUrl)
  const counts: Counts = {
    kills: 0,
    acknowledged: 0,
    forgotten: 0,
    lost: 0,
    acceptedTwice: 0,
    reset: 0,
    spentUnseen: 0,
    unspent: 0,
    slowestReadyMs: 0,
    medianReadyMs: 0,
    slowestReadyCpuMs: 0,
  }
  const restarts: Ready[] = []
  const server = await (plan.workers === undefined
    ? startProcess(folder, env)
    : startWorkers(folder, env, plan.workers))
  try {
    const chains: Chain[] = []
    for (let i = 0; i < plan.clients; i += 1) chains.push(await startChain(server.baseUrl))
    for (let round = 0; round < plan.kills; round += 1) {
      await killUnderLoad(server, chains, { plan, round, counts })
      restarts.push(await server.restarted())
      for (const [i, chain] of chains.entries()) {
        const isAlive = await examine(server.baseUrl, chain, counts)
        if (!isAlive) chains[i] = await startChain(server.baseUrl)
      }
      counts.kills += 1
    }
    return { ...counts, ...summed(restarts) }
  } finally {
    await server.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The example's bundle with its rate limits off: they would end the load. */
async function prepare(databaseUrl: string | null): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = temporaryFolder()
  symlinkSync(join(process.cwd(), 'generated'), join(folder, 'generated'))
  mkdirSync(join(folder, '.acmcp'))
  const bundle = pathToFileURL(join(process.cwd(), '.acmcp', 'app.mjs')).href
  const { config } = await loadBundle(process.cwd())
  const limits = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false }
  const unlimited = `{ ...original, limits: { ...original.limits, ...${JSON.stringify(limits)} } }`
  const made = knows({ ...(config as AppConfig), limits } as AppConfig) ? unlimited : 'original' // an unknown field is refused
  writeFileSync(
    join(folder, '.acmcp', 'app.mjs'),
    `import { config as original } from '${bundle}'\nexport * from '${bundle}'\nexport const config = ${made}\n`,
  )
  const port = String(await freePort())
  return {
    folder,
    env: { PORT: port, DEV_LOGIN: '1', ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
  }
}

function knows(config: AppConfig): boolean {
  try {
    resolveConfig(config)
    return true
  } catch {
    return false
  }
}

async function startChain(baseUrl: string): Promise<Chain> {
  const { url, clientId, verifier } = await authorizationRequest(baseUrl)
  const callback = await allowInBrowser(new Browser(), url)
  const answer = await post(baseUrl, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code: callback.searchParams.get('code') ?? '',
    code_verifier: verifier,
  })
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`)
  return { clientId, spent: [], next: await refreshTokenOf(answer), isInFlight: false }
}

const post = (baseUrl: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })

const refresh = (baseUrl: string, chain: Chain, token: string): Promise<Response> =>
  post(baseUrl, { grant_type: 'refresh_token', client_id: chain.clientId, refresh_token: token })

async function refreshTokenOf(answer: Response): Promise<string> {
  const body: { readonly refresh_token?: unknown } = await answer.json()
  return String(body.refresh_token)
}

interface Round {
  readonly plan: CrashPlan
  readonly round: number
  readonly counts: Counts
}

/** All clients refresh until the server dies; it dies after the round's share of spends. */
async function killUnderLoad(server: CrashServer, chains: readonly Chain[], around: Round): Promise<void> {
  const { plan, round, counts } = around
  const target = counts.acknowledged + plan.spendsBeforeKill
  let enough: () => void = () => {}
  let isOver = false
  const isEnough = new Promise<void>((resolve) => {
    enough = resolve
  })
  const load = chains.map(async (chain) => {
    while (!isOver) {
      chain.isInFlight = true
      const answer = await refresh(server.baseUrl, chain, chain.next)
      if (answer.status === 503) continue // the database was killed; the token may have been spent or not
      if (answer.status !== 200) return // examined after the restart
      const next = await refreshTokenOf(answer)
      chain.spent.push(chain.next)
      chain.next = next
      chain.isInFlight = false
      counts.acknowledged += 1
      if (counts.acknowledged >= target) enough()
    }
  })
  const ends = load.map((client) =>
    client.catch(() => {
      counts.reset += 1 // the connection broke: that is the kill
    }),
  )
  await Promise.race([isEnough, Promise.all(ends)])
  await plan.alsoKill?.(round)
  await server.kill()
  isOver = true
  await Promise.all(ends)
}

/** What is killed. */
interface CrashServer {
  readonly baseUrl: string
  kill(): Promise<void>
  /** It serves again. */
  restarted(): Promise<Ready>
  end(): Promise<void>
}

type Env = Readonly<Record<string, string>>

async function startProcess(folder: string, env: Env): Promise<CrashServer> {
  let server = await spawnServe(folder, env)
  const kill = async (): Promise<void> => {
    if (server.process.exitCode !== null || server.process.signalCode !== null) return
    server.process.kill('SIGKILL')
    await once(server.process, 'exit')
  }
  return {
    baseUrl: server.baseUrl,
    kill,
    async restarted() {
      const began = performance.now()
      server = await spawnServe(folder, env)
      const { status } = await fetch(`${server.baseUrl}/.well-known/oauth-authorization-server`)
      if (status !== 200) throw new Error(`not ready: ${status}`)
      return { ms: Math.round(performance.now() - began), cpuMs: cpuMsOf(server.process.pid ?? 0) }
    },
    end: kill,
  }
}

/** Kills the one that has lived for longest; the others serve on. */
async function startWorkers(folder: string, { PORT, ...env }: Env, workers: number): Promise<CrashServer> {
  const instance = await startInstance({ cwd: folder, port: Number(PORT), workers, env })
  let restarted = Promise.resolve(0)
  return {
    baseUrl: instance.baseUrl,
    async kill() {
      const [oldest = 0] = instance.workerPids()
      restarted = instance.killWorker(oldest)
    },
    async restarted() {
      const ms = Math.round(await restarted)
      const newest = instance.workerPids().at(-1) ?? 0
      return { ms, cpuMs: cpuMsOf(newest) }
    },
    async end() {
      instance.process.kill('SIGKILL')
      await instance.gone
    },
  }
}

/** User and system time, in ticks of 10 ms. Source: proc(5), /proc/pid/stat, fields 14 and 15. */
function cpuMsOf(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function summed(
  restarts: readonly Ready[],
): Pick<CrashResult, 'slowestReadyMs' | 'medianReadyMs' | 'slowestReadyCpuMs'> {
  const times = restarts.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    slowestReadyMs: times.at(-1) ?? 0,
    medianReadyMs: times[Math.floor(times.length / 2)] ?? 0,
    slowestReadyCpuMs: Math.max(0, ...restarts.map(({ cpuMs }) => cpuMs)),
  }
}

/** Answers whether the chain can go on. */
async function examine(baseUrl: string, chain: Chain, counts: Counts): Promise<boolean> {
  for (const token of chain.spent) {
    if ((await refresh(baseUrl, chain, token)).status === 200) counts.forgotten += 1
  }
  chain.spent = []
  const answer = await refresh(baseUrl, chain, chain.next)
  if (answer.status !== 200) {
    if (chain.isInFlight) counts.spentUnseen += 1
    else counts.lost += 1
    return false
  }
  if (chain.isInFlight) counts.unspent += 1
  if ((await refresh(baseUrl, chain, chain.next)).status === 200) counts.acceptedTwice += 1
  counts.acknowledged += 1
  chain.spent = [chain.next]
  chain.next = await refreshTokenOf(answer)
  chain.isInFlight = false
  return true
}
