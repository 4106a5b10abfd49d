/** Measures `--watch`: what one change costs a process that built before. Linux only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cost } from './measure.ts'

/** What the process does after its report, before the next change. */
const pauseMs = 2000
const msPerTick = 10

/** The median that one of `rounds` changes cost `node …args`, from `change` to the line that counts the routes. */
export async function watched(
  args: readonly string[],
  { cwd, change, rounds }: { readonly cwd: string; readonly change: () => void; readonly rounds: number },
): Promise<Omit<Cost, 'peakMiB'>> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  const reports = new EventTarget() // several lines may come at once
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes(' routes')) reports.dispatchEvent(new Event('built'))
  })
  const built = (): Promise<unknown> => once(reports, 'built')
  await built()
  const costs: Omit<Cost, 'peakMiB'>[] = []
  for (let round = 0; round < rounds; round++) {
    await wait(pauseMs)
    const [start, cpuBefore] = [performance.now(), cpuOf(child.pid)]
    const report = built()
    change()
    await report
    costs.push({ wallMs: performance.now() - start, cpuMs: cpuOf(child.pid) - cpuBefore })
  }
  child.kill()
  await once(child, 'exit')
  const median = (field: 'wallMs' | 'cpuMs'): number =>
    costs.map((cost) => cost[field]).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0
  return { wallMs: median('wallMs'), cpuMs: median('cpuMs') }
}

/** User and system time of a process, in ms. Source: proc_pid_stat(5), fields 14 and 15. */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}
