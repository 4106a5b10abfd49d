/** `tasks/get`, `tasks/update` and `tasks/cancel`. Whichever instance is asked, the store says how a task is; what is there to do for it
 *  is done with the credentials of the client that asks. */

import { toContents, toToolResult } from '../../mcp/answers/result.ts'
import { endedCall, type ToolCall, toolCallFrom } from '../../mcp/calls/tool-answer.ts'
import type { MethodCall } from '../../mcp/method.ts'
import type { Refusal } from '../../mcp/protocol/http-refusal.ts'
import { refusalByRoute } from '../../mcp/protocol/http-refusal.ts'
import { keptArguments, startTask } from './background.ts'
import { askStatus, isUnderWay } from './status-address.ts'
import { endedTask, failedTask, hasEnded } from './task-answers.ts'
import { asMade } from './task-headers.ts'
import { answeredInput, isAnswered, readInput, responsesIn } from './task-input.ts'
import { isRepeatable, isWaiting, storedId, type TaskParts, type TaskTool, taskOwner } from './task-parts.ts'
import type { TaskChange, TaskRecord } from './task-record.ts'

/** `task`: null = there is none, or not for that client. */
export type TaskAnswer =
  | { readonly kind: 'task'; readonly task: TaskRecord | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** One request about one task. */
export interface TaskCall extends MethodCall {
  readonly id: string
  readonly parts: TaskParts
}

/** What the guards of its route say of the caller is asked again; then it is looked after. */
export async function getTask(request: TaskCall): Promise<TaskAnswer> {
  const found = await find(request)
  if (found === null) return nothing
  const { task } = found
  const refused = await refusedBy(found)
  if (refused !== null) return refused
  if (task.status !== 'working') return { kind: 'task', task }
  return task.location === null ? resume(found, request) : poll(task.location, found, request)
}

/** The last answer starts it again, for the route asks for all of them. */
export async function updateTask(request: TaskCall): Promise<TaskAnswer> {
  const { parts, params } = request
  const responses = responsesIn(params) ?? {}
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await find(request)
    if (found === null) return nothing
    const { task } = found
    const refused = await refusedBy(found)
    if (refused !== null) return refused
    const before = task.status === 'input_required' ? readInput(task.input) : null
    const input = before && answeredInput(before, responses)
    if (input === null) return { kind: 'task', task }
    const waits: TaskChange = isAnswered(input) ? { status: 'working' } : {}
    const change = { ...waits, input: JSON.stringify(input) }
    const changed = await parts.settings.store.changeTask(task, change)
    if (changed !== null)
      return isWaiting(changed)
        ? resume({ ...found, task: changed }, request)
        : { kind: 'task', task: changed }
  }
  throw new Error('a task changes all the time')
}

/** What has ended stays as it is. */
export async function cancelTask(request: TaskCall): Promise<TaskAnswer> {
  const { store } = request.parts.settings
  for (let tries = 0; tries < maxTries; tries += 1) {
    const task = await lookUp(request)
    if (task === null || hasEnded(task)) return { kind: 'task', task }
    const cancelled = await store.changeTask(task, { ...endedTask, status: 'cancelled' })
    if (cancelled === null) continue
    request.parts.running.cancelled(task)
    return { kind: 'task', task: cancelled }
  }
  throw new Error('a task changes all the time')
}

const nothing: TaskAnswer = { kind: 'task', task: null }
/** Another request changed it in between. */
const maxTries = 20

interface Found {
  readonly task: TaskRecord
  readonly entry: TaskTool
  /** The call that the guards judge: they see the caller, not the message. */
  readonly call: ToolCall
}

/** Null also for the task of a tool that this build does not have. */
async function find({ id, message, client, parts }: TaskCall): Promise<Found | null> {
  const task = await lookUp({ id, client, parts })
  const entry = task && parts.tools.get(task.tool)
  if (task === null || !entry) return null
  return { task, entry, call: toolCallFrom({ name: task.tool, args: {} }, client, message) }
}

/** What the guards say of the caller; null = they let it pass. A caller whom they would answer with a failed call has no such task. */
async function refusedBy({ entry, call }: Found): Promise<TaskAnswer | null> {
  const verdict = (await entry.plain.guarded(call)?.judge()) ?? null
  if (verdict === null) return null
  return verdict.refusal === null ? nothing : { kind: 'refused', refusal: verdict.refusal }
}

/** Another process works on it, or none yet, or the one that did is dead. */
async function resume({ task, entry }: Found, taskRequest: TaskCall): Promise<TaskAnswer> {
  const { parts, client } = taskRequest
  const { running, settings } = parts
  if (running.isHeld(task)) return { kind: 'task', task }
  const args = keptArguments(task)
  const mayRun = args !== null && (isWaiting(task) || isRepeatable(entry))
  if (!mayRun)
    return change(task, failedTask('the process that ran it ended before it was done'), taskRequest)
  if (running.isClosing || parts.places.overload(client.caller) !== null) return { kind: 'task', task }
  const request = await asMade(client.request, task, parts)
  const taken = await settings.store.changeTask(task, running.lease())
  if (taken === null) return again(taskRequest)
  startTask({ task: taken, entry, client: { ...client, request }, message: taskRequest.message, args }, parts)
  return { kind: 'task', task: taken }
}

async function poll(
  address: string,
  { task, entry, call }: Found,
  taskRequest: TaskCall,
): Promise<TaskAnswer> {
  const { parts, client } = taskRequest
  const request = await asMade(client.request, task, parts)
  const answer = await askStatus(address, request, parts)
  if (answer === null) return change(task, failedTask('its status address is served no more'), taskRequest)
  const { outcome } = answer
  const refusal = parts.authenticates ? refusalByRoute(outcome) : null
  if (refusal !== null) return { kind: 'refused', refusal }
  if (isUnderWay(outcome)) return { kind: 'task', task }
  if (outcome.status === 401 || outcome.status === 403) return nothing // of the caller, and no end of the task
  const { tool, answers: settings } = entry
  const answered = { settings, args: {}, calledAs: tool.name, url: answer.address, why: '' }
  const contents = await toContents(outcome, answered)
  const { status } = outcome
  const end = endedCall({ tool, args: call.args }, { kind: 'contents', contents, outputSchema: null }, status)
  await parts.records.ended(call, end, parts.records.begin(call))
  const result = JSON.stringify(toToolResult(contents))
  return change(task, { ...endedTask, status: 'completed', outcome: result }, taskRequest)
}

async function change(task: TaskRecord, to: TaskChange, request: TaskCall): Promise<TaskAnswer> {
  const changed = await request.parts.settings.store.changeTask(task, to)
  return changed === null ? again(request) : { kind: 'task', task: changed }
}

/** Another request was first. */
const again = async (request: TaskCall): Promise<TaskAnswer> => ({
  kind: 'task',
  task: await lookUp(request),
})

const lookUp = ({
  id,
  client,
  parts,
}: Pick<TaskCall, 'id' | 'client' | 'parts'>): Promise<TaskRecord | null> =>
  parts.settings.store.findTask(storedId(id, client), taskOwner(client))
