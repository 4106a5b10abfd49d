/** Runs a Node program and says what it cost: CPU of all its threads, peak memory, wall time. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMiB: number
}

/** Read by the child as it ends; the parent's own usage would count every child before it. */
const meter = `data:text/javascript,${encodeURIComponent(`
import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())))
`)}`

/** The cheapest of `runs` runs of `node …args` in `cwd`. `before` prepares each run. Throws when a run fails. */
export function cheapest(
  args: readonly string[],
  cwd: string,
  { runs = 3, before = (): void => {} }: { readonly runs?: number; readonly before?: () => void } = {},
): Cost {
  const costs: Cost[] = []
  for (let run = 0; run < runs; run += 1) {
    before()
    costs.push(once(args, cwd))
  }
  return {
    cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)),
    wallMs: Math.min(...costs.map(({ wallMs }) => wallMs)),
    peakMiB: Math.min(...costs.map(({ peakMiB }) => peakMiB)),
  }
}

function once(args: readonly string[], cwd: string): Cost {
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
  const usage = JSON.parse(readFileSync(BENCH_USAGE, 'utf8'))
  rmSync(folder, { recursive: true })
  const cpuMs = (usage.userCPUTime + usage.systemCPUTime) / 1000
  return { cpuMs, wallMs, peakMiB: usage.maxRSS / 1024 }
}
