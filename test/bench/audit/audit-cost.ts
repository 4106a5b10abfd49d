/** What the audit alone costs a tool call, with users as in life: the record, the digest of its arguments, and its share of what is
 *  written. In this process, so that nothing else is measured. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { callAudit } from '../../../runtime/capabilities/audit/audit-records.ts'
import { KeptTrail } from '../../../runtime/capabilities/audit/audit-trail.ts'
import type { ToolCallRecord } from '../../../runtime/contract/calls.ts'
import { intervalScheduler } from '../../../runtime/scheduler.ts'
import { openStore } from '../../support/whole-store.ts'

/** Microseconds of processor time. */
export interface Cpu {
  readonly process: number
  readonly mainThread: number
}

/** Until now. Source: proc(5), /proc/pid/task/tid/schedstat: nanoseconds. */
export function usedCpu(): Cpu {
  const { user, system } = process.cpuUsage()
  const schedstat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
  return { process: user + system, mainThread: Number(schedstat.split(' ')[0]) / 1000 }
}

export const cpuSince = (before: Cpu, calls: number): Cpu => {
  const { process, mainThread } = usedCpu()
  return {
    process: (process - before.process) / calls,
    mainThread: (mainThread - before.mainThread) / calls,
  }
}

const callsOfRound = 5000
const callsOfTurn = 16
const args = {
  title: 'A note of the bench',
  text: 'Some text that a model has written, about a line long.',
  tags: ['a', 'b'],
}

function callOf(user: number): ToolCallRecord {
  return {
    event: 'tool-call',
    requestId: `req-${user}`,
    tool: `tool_${user % 40}`,
    proxy: null,
    route: `tool_${user % 40}`,
    toolbox: 'bench',
    user: `google:11782364811234${user}`,
    client: `client0123456789abcdef${user % 50}`,
    grant: `grant0123456789abcdef${user}`,
    scopes: ['notes'],
    era: 'modern',
    status: 200,
    isError: false,
    error: null,
    decision: 'allowed',
    milliseconds: 3.2,
    traceId: null,
    spanId: null,
  }
}

/** The cost of each round, the first of which only warms up. */
export async function costAlone(url: string, rounds: number, users: number): Promise<readonly Cpu[]> {
  const store = await openStore({ url, clock: () => Date.now(), migrations: {}, migrate: 'apply' })
  const costs: Cpu[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const log = { info: () => {}, warn: () => {}, error: lost }
    const clock = (): number => Date.now()
    const trail = new KeptTrail({ store, clock, randomBytes, every: intervalScheduler, log })
    const secret = 'a secret of the bench'
    const observe = callAudit({ trail, secret, digestsAll: false, strictRoutes: new Set() })
    const calls = Array.from({ length: users }, (_, user) => callOf(user))
    const before = usedCpu()
    for (let done = 0; done < callsOfRound; done += 1) {
      const call = calls[(done * 7919) % users]
      if (call !== undefined) observe(call, args)
      if (done % callsOfTurn === 0) await nextTurn()
    }
    await trail.close()
    costs.push(cpuSince(before, callsOfRound))
  }
  const rows = await store.listAudit({}, 1_000_000)
  await store.close()
  if (rows.length !== callsOfRound * (rounds + 1)) throw new Error(`${rows.length} rows were written`)
  return costs.slice(1)
}

function lost(fields: unknown): never {
  throw new Error(JSON.stringify(fields))
}
