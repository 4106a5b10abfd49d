/** What is wrong with a job, by what its client heard and by what the application wrote down. */

import type { Job } from './job.ts'
import type { Run } from './jobs-app.ts'
import type { Answer } from './task-client.ts'

export interface Evidence {
  readonly runs: ReadonlyMap<string, readonly Run[]>
  /** Process ids. */
  readonly killed: ReadonlySet<number>
}

const died = 'the process that ran it ended before it was done'

/** Null = nothing is. */
export function wrongWith(job: Job, { runs: all, killed }: Evidence): string | null {
  const { end, kind, cancels } = job
  const runs = all.get(job.name) ?? []
  if (end === null) return 'lost: it has no end'
  if (cancels.some((answer) => !isAck(answer))) return `a cancel was answered ${JSON.stringify(cancels)}`
  if (kind !== 'remake' && runs.length > 1) return 'run twice'
  const survivors = runs.filter(({ pid }) => !killed.has(pid))
  if (survivors.length > 1) return 'run again while a process worked on it'
  if (survivors.some(({ state }) => state === 'begun')) return 'it still runs'
  switch (end.said.status) {
    case 'completed':
      return wrongResult(job, runs)
    case 'failed':
      if (kind === 'remake') return `failed: ${end.said.statusMessage}`
      if (end.said.statusMessage !== died) return `failed: ${JSON.stringify(end.said)}`
      return survivors.length === 0 ? null : 'failed, though its process lives'
    case 'cancelled':
      return cancels.length > 0 ? null : 'cancelled, and nobody asked for it'
    default:
      return `no end: ${end.status} ${JSON.stringify(end.said)}`
  }
}

function wrongResult({ end, name, kind }: Job, runs: readonly Run[]): string | null {
  if (kind === 'cancelled soon') return 'completed, though it never ends'
  const reported = end?.said.result?.structuredContent
  if (reported !== `${name} is done`) return `its result is ${JSON.stringify(end?.said)}`
  return runs.some(({ state }) => state === 'ended') ? null : 'completed, though it never ended'
}

const isAck = ({ status, said }: Answer): boolean => status === 200 && said?.resultType === 'complete'
