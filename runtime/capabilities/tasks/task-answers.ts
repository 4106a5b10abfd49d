/** A task as its client sees it. Source: SEP-2663, Tasks. */

import { errorCodes } from '../../mcp/protocol/constants.ts'
import { failureOf, type Refusal } from '../../mcp/protocol/http-refusal.ts'
import { outstanding, readInput } from './task-input.ts'
import type { TaskChange, TaskRecord } from './task-record.ts'

/** What every answer about it says; `now` in milliseconds. */
export function taskMembers(id: string, task: TaskRecord, now: number): object {
  return {
    taskId: id,
    status: task.status,
    ...(task.message === null ? {} : { statusMessage: task.message }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.expiresAt - task.createdAt,
    pollIntervalMs: pollInterval(now - task.createdAt),
  }
}

const shortestPollMs = 1000
const longestPollMs = 30_000

/** A tenth of its age: what takes long is asked for seldom, and found a tenth later at most. */
const pollInterval = (ageMs: number): number =>
  Math.round(Math.min(longestPollMs, Math.max(shortestPollMs, ageMs / 10)))

/** The same with the questions, the result or the error. */
export function detailedTask(id: string, task: TaskRecord, now: number): object {
  return { ...taskMembers(id, task, now), ...detailOf(task) }
}

function detailOf({ status, outcome, input }: TaskRecord): object {
  const requested = readInput(input)
  if (status === 'input_required' && requested !== null) return { inputRequests: outstanding(requested) }
  if (status === 'completed') return { result: JSON.parse(outcome ?? '{}') }
  if (status === 'failed') return { error: JSON.parse(outcome ?? '{}') }
  return {}
}

export const hasEnded = ({ status }: TaskRecord): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** The end of one that fails; `data` as JSON-RPC has it. */
export const failedTask = (
  message: string,
  error: object = { code: errorCodes.internalError, message },
): TaskChange => ({
  ...endedTask,
  status: 'failed',
  message,
  outcome: JSON.stringify(error),
})

/** No process runs it any more, and what it needed for that is forgotten. */
export const endedTask: TaskChange = {
  ...{ runner: null, leaseUntil: null, message: null, args: null, input: null, location: null },
}

/** A call that is refused while its task runs; what HTTP answers has the code of the endpoint's own refusals. */
export function refusedTask(refusal: Refusal): TaskChange {
  const error = failureOf(refusal)
  if (error !== null) return failedTask(error.message, error)
  const message = refusal.kind === 'unauthorized' ? 'Unauthorized' : 'Insufficient scope'
  return failedTask(message, { code: errorCodes.invalidRequest, message })
}
