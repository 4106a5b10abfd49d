/** One job: its task from the call to its end, as its client sees it. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, TaskClient } from './task-client.ts'

export const kinds = ['make', 'remake', 'pay', 'cancelled soon', 'cancelled late'] as const

export type JobKind = (typeof kinds)[number]

/** What became of it. */
export interface Job {
  readonly kind: JobKind
  /** Its name; one whose call broke off has no task. */
  readonly name: string
  readonly taskId: string
  readonly client: TaskClient
  readonly cancels: readonly Answer[]
  /** The first answer that said that it has ended; null = none did in time. */
  readonly end: Answer | null
  readonly seconds: number
}

export interface Followed {
  readonly job: Job
  /** Names of jobs whose call broke off before. */
  readonly abandoned: readonly string[]
}

/** How often each kind comes, of ten. */
const often: readonly JobKind[] = [
  ...(['make', 'make', 'make', 'remake', 'remake', 'remake'] as const),
  ...(['pay', 'pay', 'cancelled soon', 'cancelled late'] as const),
]

const tools: Readonly<Record<JobKind, string>> = {
  make: 'jobs_make',
  remake: 'jobs_remake',
  pay: 'jobs_pay',
  'cancelled soon': 'jobs_make',
  'cancelled late': 'jobs_make',
}

const patienceMs = 240_000
const endless = 3_600_000

/** A number from 0 to 1 that is the same in each run. */
const spread = (number: number, salt: number): number => ((number * 7919 + salt * 104_729) % 1000) / 1000

export async function follow(number: number, client: TaskClient): Promise<Followed> {
  const kind = often[number % often.length] ?? 'make'
  const workMs = Math.round(200 + 2800 * spread(number, 1))
  const ms = kind === 'cancelled soon' ? endless : workMs
  const abandoned: string[] = []
  for (;;) {
    const name = `${number}.${abandoned.length}`
    const created = await client.create(tools[kind], { job: name, ms })
    if (created?.status !== 200) {
      abandoned.push(name)
      if (created !== null && created.status !== 429 && created.status !== 503)
        throw new Error(`a call was answered ${created.status} ${JSON.stringify(created.said)}`)
      await delay(500)
      continue
    }
    const { taskId } = created.said
    if (typeof taskId !== 'string') throw new Error(`no task: ${JSON.stringify(created.said)}`)
    // a late one is cancelled about when it ends
    const cancelAfterMs =
      kind === 'cancelled soon' ? 2000 * spread(number, 2) : workMs + 200 * spread(number, 2) - 100
    const isCancelled = kind === 'cancelled soon' || kind === 'cancelled late'
    const began = performance.now()
    const [end, cancels] = await Promise.all([
      untilEnd(taskId, client),
      isCancelled ? cancelTwice(taskId, client, cancelAfterMs) : [],
    ])
    const seconds = (performance.now() - began) / 1000
    return { job: { kind, name, taskId, client, cancels, end, seconds }, abandoned }
  }
}

/** At two servers at once. */
async function cancelTwice(taskId: string, client: TaskClient, afterMs: number): Promise<readonly Answer[]> {
  await delay(afterMs)
  return Promise.all([client.cancel(taskId), client.cancel(taskId)])
}

const ends: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled'])

/** Asks as often as it is told to, and answers what is asked. */
async function untilEnd(taskId: string, client: TaskClient): Promise<Answer | null> {
  const began = performance.now()
  while (performance.now() - began < patienceMs) {
    const answer = await client.get(taskId)
    const { status, inputRequests, pollIntervalMs } = answer.said
    if (ends.has(status) || answer.status !== 200 || answer.said.code !== undefined) return answer
    if (status === 'input_required') {
      const accepted = { action: 'accept', content: { euros: 5 } }
      const responses = Object.keys(inputRequests).map((key) => [key, accepted])
      await client.update(taskId, Object.fromEntries(responses))
    }
    await delay(Number(pollIntervalMs))
  }
  return null
}
