/** Runs a Node program and says what it cost: CPU of all its threads and children, peak memory (children added), wall
 *  time. Linux only. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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
const peakOf = (pid) => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))?.[1] ?? 0)
const children = () => readdirSync('/proc/self/task').flatMap((task) =>
  readFileSync('/proc/self/task/' + task + '/children', 'utf8').split(' ').filter(Boolean))
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const waited = statOf('self').slice(13, 15)
  const running = children().flatMap((pid) => statOf(pid).slice(11, 15))
  const ticks = [...waited, ...running].reduce((sum, one) => sum + one, 0)
  const cpuMs = (userCPUTime + systemCPUTime) / 1000 + ticks * 10
  const peakKiB = maxRSS + children().map(peakOf).reduce((sum, one) => sum + one, 0)
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify({ cpuMs, peakMiB: peakKiB / 1024 }))
})
`)}`

export interface Step {
  readonly args: readonly string[]
  readonly cwd: string
  /** Prepares each run. */
  readonly before?: () => void
}

/** The least that each program cost over `rounds` rounds, in which all run in turn. Throws when one fails. */
export function cheapest<Name extends string>(
  steps: Readonly<Record<Name, Step>>,
  rounds: number,
): Readonly<Record<Name, Cost>> {
  const names = Object.keys(steps) as Name[] // its own keys
  const costs = Array.from({ length: rounds }, () =>
    names.map((name) => {
      const { args, cwd, before } = steps[name]
      before?.()
      return once(args, cwd)
    }),
  )
  const least = (index: number, field: keyof Cost): number =>
    Math.min(...costs.flatMap((round) => round[index]?.[field] ?? []))
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      { cpuMs: least(index, 'cpuMs'), wallMs: least(index, 'wallMs'), peakMiB: least(index, 'peakMiB') },
    ]),
  ) as Record<Name, Cost> // one entry a name
}

/** One run of `node …args` in `cwd`. Throws when it fails. */
export function once(args: readonly string[], cwd: string): Cost {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-usage-'))
  const BENCH_USAGE = join(folder, 'usage.json')
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--import', meter, ...args], {
    cwd,
    env: { ...process.env, BENCH_USAGE },
    encoding: 'utf8',
  })
  const wallMs = performance.now() - start
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed:\n${stderr}`)
  const usage: Omit<Cost, 'wallMs'> = JSON.parse(readFileSync(BENCH_USAGE, 'utf8'))
  rmSync(folder, { recursive: true })
  return { ...usage, wallMs }
}
