/** Calls that become tasks: of a tool marked `@mcp task` before it runs, of any other when its route answered 202 with an address. */
import type { NewTask, TaskRecord, TaskRoom } from '../../contract/store.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import { failure } from '../tools/result.ts'
import type { Runner, ToolAnswer, ToolCall } from '../tools/tool-answer.ts'
import { addresses, startTask } from './background.ts'
import { ownAddress } from './status-address.ts'
import { taskMembers } from './task-answers.ts'
import { headersToKeep } from './task-headers.ts'
import { writable } from './task-input.ts'
import { knowsTasks } from './task-messages.ts'
import { isRepeatable, storedId, type TaskParts, type TaskTool, taskOwner } from './task-parts.ts'
import { tasksCapability } from './task-settings.ts'

/** The tool as clients call it. A client that knows no tasks waits, unless the tool cannot be waited for. */
export function taskRunner(entry: TaskTool, parts: TaskParts): Runner {
  const { tool, plain } = entry
  const accepts = parts.settings.acceptingRoutes.has(tool.route)
  return {
    ...plain,
    run: async (call) => {
      const isKnown = knowsTasks(call.message)
      if (tool.task === 'required' && !isKnown) return withoutTasks(call, tool.name)
      if (tool.task !== undefined && isKnown && !parts.running.isClosing) return begin(call, entry, parts)
      const answer = await plain.run(call)
      if (!accepts || !isKnown || call.note.accepted === null) return answer
      return (await accepted(call.note.accepted, call, parts)) ?? answer
    },
  }
}

function withoutTasks({ message }: ToolCall, name: string): ToolAnswer {
  if (message.era === 'modern') return refused({ kind: 'missingCapability', required: tasksCapability })
  const result = failure(`${name} needs a client of MCP 2026-07-28 that knows tasks`)
  return { kind: 'contents', contents: { kind: 'result', result }, outputSchema: null }
}

/** The guards first, as of any call: one that they let fail is no task, for nobody could see it; then it is in the store before the client hears of it. */
async function begin(call: ToolCall, entry: TaskTool, parts: TaskParts): Promise<ToolAnswer> {
  const verdict = (await entry.plain.guarded(call)?.judge()) ?? null
  if (verdict !== null) return verdict.refusal === null ? entry.plain.run(call) : refused(verdict.refusal)
  const overload = parts.places.overload(call.caller)
  if (overload !== null) return refused({ kind: 'overload', overload })
  const id = newId(parts)
  const args = isRepeatable(entry) ? writable(call.args) : null
  const task = await create(call, { id, ...parts.running.lease(), args, location: null }, parts)
  if (task === null) return refused(noRoom)
  const { client: request, caller, permission, message } = call
  startTask({ task, entry, client: { request, caller, permission }, message, args: call.args }, parts)
  return created(id, task, call, parts)
}

/** Null where the ordinary answer must do: the address is no route of ours, or there is no room. */
async function accepted(href: string, call: ToolCall, parts: TaskParts): Promise<ToolAnswer | null> {
  const location = ownAddress(href, addresses(parts))
  if (location === null) return null
  const id = newId(parts)
  const task = await create(call, { id, runner: null, leaseUntil: null, args: null, location }, parts)
  return task === null ? null : created(id, task, call, parts)
}

type OwnFields = Pick<NewTask, 'id' | 'runner' | 'leaseUntil' | 'args' | 'location'>

function create(
  call: ToolCall,
  own: OwnFields,
  { settings, clock, forwardHeaders }: TaskParts,
): Promise<TaskRecord | null> {
  const { auth } = call.caller
  return settings.store.createTask(
    {
      ...own,
      id: storedId(own.id, { request: call.client, caller: call.caller }),
      owner: taskOwner(call),
      user: auth?.user.id ?? null,
      client: auth?.clientId ?? null,
      grant: auth?.grantId ?? null,
      tool: call.note.tool?.name ?? call.name,
      status: 'working',
      expiresAt: clock() + lifetimeMs(settings),
      message: null,
      input: null,
      headers: headersToKeep(call.client, forwardHeaders),
    },
    roomOf(settings),
  )
}

const longestSeconds = 24 * 3600

/** Of the call itself, and of its result. */
const lifetimeMs = ({ taskSeconds, taskKeptSeconds }: TaskParts['settings']): number =>
  Math.round(((taskSeconds ?? longestSeconds) + taskKeptSeconds) * 1000)

const roomOf = ({ tasksPerUser, keptTasksPerUser }: TaskParts['settings']): TaskRoom => ({
  unfinished: tasksPerUser ?? Number.MAX_SAFE_INTEGER,
  kept: keptTasksPerUser ?? Number.MAX_SAFE_INTEGER,
})

/** Nobody guesses it: 192 bits. Source: SEP-2663, Task ID unguessability. */
const newId = ({ settings }: TaskParts): string => Buffer.from(settings.randomBytes(24)).toString('base64url')

function created(id: string, task: TaskRecord, { note }: ToolCall, { clock }: TaskParts): ToolAnswer {
  note.status = 202
  return { kind: 'task', created: taskMembers(id, task, clock()) }
}

const noRoom: Refusal = { kind: 'overload', overload: { status: 429, retryAfterSeconds: 30 } }

const refused = (refusal: Refusal): ToolAnswer => ({ kind: 'refused', refusal })
