/** Runs a Node program and says what it cost: CPU of all its threads and children, the peak of the memory that it and its
 *  children hold at one time, wall time. Linux only. */
import { spawn } from 'node:child_process'
import { once as event } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMiB: number
}

/** Read by the program as it ends, for the parent's own usage would count every program before it: its own usage, that
 *  of the children it waited for (`cutime`, `cstime`), and that of those that still run, such as esbuild's service.
 *  Source: proc_pid_stat(5). */
const meter = `data:text/javascript,${encodeURIComponent(`
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
const statOf = (pid) => readFileSync('/proc/' + pid + '/stat', 'utf8').replace(/^.*\\) /s, '').split(' ').map(Number)
const children = () => readdirSync('/proc/self/task').flatMap((task) =>
  readFileSync('/proc/self/task/' + task + '/children', 'utf8').split(' ').filter(Boolean))
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const waited = statOf('self').slice(13, 15)
  const running = children().flatMap((pid) => statOf(pid).slice(11, 15))
  const ticks = [...waited, ...running].reduce((sum, one) => sum + one, 0)
  const cpuMs = (userCPUTime + systemCPUTime) / 1000 + ticks * 10
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpuMs, maxRSS }))
})
`)}`

export interface Step {
  readonly args: readonly string[]
  readonly cwd: string
  /** Prepares each run. */
  readonly before?: () => void
}

/** The least that each program cost over `rounds` rounds, in which all run in turn. Throws when one fails. */
export async function cheapest<Name extends string>(
  steps: Readonly<Record<Name, Step>>,
  rounds: number,
): Promise<Readonly<Record<Name, Cost>>> {
  const names = Object.keys(steps) as Name[] // its own keys
  const costs = new Map<Name, Cost>()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const { args, cwd, before } = steps[name]
      before?.()
      costs.set(name, less(await once(args, cwd), costs.get(name)))
    }
  }
  return Object.fromEntries(costs) as Record<Name, Cost> // one entry a name
}

function less(cost: Cost, known: Cost = cost): Cost {
  return {
    cpuMs: Math.min(cost.cpuMs, known.cpuMs),
    wallMs: Math.min(cost.wallMs, known.wallMs),
    peakMiB: Math.min(cost.peakMiB, known.peakMiB),
  }
}

const sampleMs = 10

/** One run of `node …args` in `cwd`. Throws when it fails. */
export async function once(args: readonly string[], cwd: string): Promise<Cost> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-usage-'))
  const BENCH_USAGE = join(folder, 'usage.json')
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', meter, ...args], {
    cwd,
    env: { ...process.env, BENCH_USAGE },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let familyKiB = 0
  const sampling = setInterval(() => {
    familyKiB = Math.max(familyKiB, heldBy(child.pid ?? 0))
  }, sampleMs)
  let problems = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problems += text
  })
  const [status] = await event(child, 'close')
  const wallMs = performance.now() - start
  clearInterval(sampling)
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed:\n${problems}`)
  const { cpuMs, maxRSS }: { cpuMs: number; maxRSS: number } = JSON.parse(readFileSync(BENCH_USAGE, 'utf8'))
  rmSync(folder, { recursive: true })
  return { cpuMs, wallMs, peakMiB: Math.max(maxRSS, familyKiB) / 1024 }
}

/** The memory (KiB) that a process holds now, and the most that each of its children ever held. */
function heldBy(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    const sizes = children.map((child) => sizeOf(child, 'VmHWM'))
    return sizes.reduce((sum, size) => sum + size, sizeOf(pid, 'VmRSS'))
  } catch {
    return 0 // it just ended
  }
}

function sizeOf(pid: number | string, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
}
