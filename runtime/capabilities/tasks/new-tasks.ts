/** Calls that become tasks: of a tool marked `@mcp task` before it runs, of any other when its route answered 202 with an address. */

import {
  type CallEnd,
  endedCall,
  failedCall,
  type Runner,
  refusedAnswer,
  type ToolAnswer,
  type ToolCall,
} from '../../mcp/calls/tool-answer.ts'
import type { Refusal } from '../../mcp/protocol/http-refusal.ts'
import { startTask } from './background.ts'
import { ownAddress } from './status-address.ts'
import { taskMembers } from './task-answers.ts'
import { headersToKeep } from './task-headers.ts'
import { writable } from './task-input.ts'
import { knowsTasks } from './task-messages.ts'
import { isRepeatable, storedId, type TaskParts, type TaskTool, taskOwner } from './task-parts.ts'
import { type NewTask, type TaskQuota, type TaskRecord, taskOf } from './task-record.ts'
import { tasksCapability } from './task-settings.ts'

/** The tool as clients call it. A client that knows no tasks waits, unless the tool cannot be waited for. */
export function taskRunner(entry: TaskTool, parts: TaskParts): Runner {
  const { tool, plain } = entry
  const task = taskOf(tool)
  const accepts = parts.settings.acceptingRoutes.has(tool.route)
  return {
    ...plain,
    run: async (call) => {
      const isKnown = knowsTasks(call.message)
      if (task === 'required' && !isKnown) return withoutTasks(call, tool.name)
      if (task !== undefined && isKnown && !parts.running.isClosing) return begin(call, entry, parts)
      const end = await plain.run(call)
      if (!accepts || !isKnown) return end
      return (await accepted(end, call, entry, parts)) ?? end
    },
  }
}

function withoutTasks({ message, args }: ToolCall, name: string): CallEnd {
  const subject = { tool: null, args }
  if (message.era === 'modern')
    return endedCall(subject, refusedAnswer({ kind: 'missingCapability', required: tasksCapability }))
  return endedCall(subject, failedCall(`${name} needs a client of MCP 2026-07-28 that knows tasks`))
}

/** The guards first, as of any call: one that they refuse is no task, for no client could see it; then it is in the store before the client hears of it. */
async function begin(call: ToolCall, entry: TaskTool, parts: TaskParts): Promise<CallEnd> {
  const subject = { tool: entry.tool, args: call.args }
  const verdict = (await entry.plain.guarded(call)?.judge()) ?? null
  if (verdict !== null)
    return verdict.refusal === null
      ? entry.plain.run(call)
      : endedCall(subject, refusedAnswer(verdict.refusal))
  const overload = parts.places.overload(call.client.caller)
  if (overload !== null) return endedCall(subject, refusedAnswer({ kind: 'overload', overload }))
  const id = newId(parts)
  const args = isRepeatable(entry) ? writable(call.args) : null
  const task = await create(call, { id, ...parts.running.lease(), args, location: null }, entry, parts)
  if (task === null) return endedCall(subject, refusedAnswer(noRoom))
  startTask({ ...{ task, entry, client: call.client, message: call.message }, args: call.args }, parts)
  return endedCall(subject, created(id, task, parts), 202)
}

/** Null where the ordinary answer must do: the address is no route of ours, or there is no room. */
async function accepted(
  end: CallEnd,
  call: ToolCall,
  entry: TaskTool,
  parts: TaskParts,
): Promise<CallEnd | null> {
  const location = end.accepted === null ? null : ownAddress(end.accepted, parts)
  if (location === null) return null
  const id = newId(parts)
  const task = await create(call, { id, runner: null, leaseUntil: null, args: null, location }, entry, parts)
  return task === null ? null : { ...end, answer: created(id, task, parts), status: 202 }
}

type OwnFields = Pick<NewTask, 'id' | 'runner' | 'leaseUntil' | 'args' | 'location'>

function create(
  call: ToolCall,
  own: OwnFields,
  { tool }: TaskTool,
  { settings, clock, forwardHeaders }: TaskParts,
): Promise<TaskRecord | null> {
  const { client } = call
  const { auth } = client.caller
  return settings.store.createTask(
    {
      ...own,
      id: storedId(own.id, client),
      owner: taskOwner(client),
      user: auth?.user?.id ?? null,
      client: auth?.clientId ?? null,
      grant: auth?.grantId ?? null,
      tool: tool.name,
      status: 'working',
      expiresAt: clock() + lifetimeMs(settings),
      message: null,
      input: null,
      headers: headersToKeep(client.request, forwardHeaders),
    },
    quotaOf(settings),
  )
}

const longestSeconds = 24 * 3600

/** Of the call itself, and of its result. */
const lifetimeMs = ({ taskSeconds, taskKeptSeconds }: TaskParts['settings']): number =>
  Math.round(((taskSeconds ?? longestSeconds) + taskKeptSeconds) * 1000)

/** Of results that are kept: with these no further task begins. What runs by then still has its own. */
const ownerBytes = 64 * 1024 * 1024
const allBytes = 1024 * 1024 * 1024

const quotaOf = ({ tasksPerUser, keptTasksPerUser }: TaskParts['settings']): TaskQuota => ({
  unfinished: tasksPerUser ?? Number.MAX_SAFE_INTEGER,
  kept: keptTasksPerUser ?? Number.MAX_SAFE_INTEGER,
  ownerBytes,
  allBytes,
})

/** It cannot be guessed: 192 bits. Source: SEP-2663, Task ID unguessability. */
const newId = ({ settings }: TaskParts): string => Buffer.from(settings.randomBytes(24)).toString('base64url')

const created = (id: string, task: TaskRecord, { clock }: TaskParts): ToolAnswer => ({
  kind: 'typed',
  resultType: 'task',
  result: taskMembers(id, task, clock()),
})

const noRoom: Refusal = { kind: 'overload', overload: { status: 429, retryAfterSeconds: 30, of: 'calls' } }
