/** Runs a task that this process has taken, with the credentials of the request that made it start, and says what becomes of it. */

import type { PermittedClient } from '../../mcp/access/permission.ts'
import { toToolResult } from '../../mcp/answers/result.ts'
import { printableText } from '../../mcp/calls/json-arguments.ts'
import { type CallEnd, type ToolCall, toolCallFrom } from '../../mcp/calls/tool-answer.ts'
import { isObject, type WireObject } from '../../mcp/protocol/constants.ts'
import type { CallMessage } from '../../mcp/protocol/message.ts'
import { type RunningTask, TaskRequest } from './running-task.ts'
import { ownAddress } from './status-address.ts'
import { endedTask, failedTask, refusedTask } from './task-answers.ts'
import { isAnswered, readInput, requestedInput, retryOf } from './task-input.ts'
import { isRepeatable, type TaskParts, type TaskTool } from './task-parts.ts'
import type { TaskChange, TaskRecord } from './task-record.ts'

/** A task that is to run now: `task` says that it is this process's. */
export interface TaskStart {
  readonly task: TaskRecord
  readonly entry: TaskTool
  readonly client: PermittedClient
  readonly message: CallMessage
  readonly args: WireObject
}

export function startTask(start: TaskStart, parts: TaskParts): void {
  const { task, entry } = start
  parts.running.start({
    task,
    isIdempotent: isRepeatable(entry),
    run: (running) => runTask(start, running, parts),
  })
}

async function runTask(start: TaskStart, running: RunningTask, parts: TaskParts): Promise<TaskChange> {
  const { task, entry, client, args, message } = start
  const { era, id, meta } = message
  const { caller, permission, watched = null } = client
  const call = toolCallFrom(
    { name: entry.tool.name, args },
    { request: new TaskRequest(client.request, running), caller, permission, watched },
    {
      ...{ era, id, meta },
      sendProgress: (params) => running.progress(progressText(params)),
      retry: retryOf(readInput(task.input)),
    },
  )
  return changeOf(await parts.runTask(call, entry.background), call, start, parts)
}

const longestText = 500

/** What a model or a user reads of it. */
function progressText({ progress, total, message }: WireObject): string {
  const done = total === undefined ? `${progress}` : `${progress} of ${total}`
  const text = typeof message === 'string' ? `${message} (${done})` : done
  return printableText(text).slice(0, longestText)
}

function changeOf(
  { answer, accepted, refusedBy }: CallEnd,
  { args }: ToolCall,
  { task, entry }: TaskStart,
  parts: TaskParts,
): TaskChange {
  switch (answer.kind) {
    case 'contents': {
      if (refusedBy?.kind === 'outage') return isRepeatable(entry) ? handedOver : failedTask(noStore)
      const address = accepted === null ? null : ownAddress(accepted, parts)
      if (address !== null) return { ...endedTask, location: address }
      return { ...endedTask, status: 'completed', outcome: JSON.stringify(toToolResult(answer.contents)) }
    }
    case 'input': {
      const input = requestedInput(answer, readInput(task.input))
      const status = isAnswered(input) ? 'working' : 'input_required' // it may carry a state, and ask nothing
      return { ...endedTask, status, input: JSON.stringify(input), args: JSON.stringify(args) }
    }
    case 'refused':
      return refusedTask(answer.refusal)
    case 'typed':
      throw new Error('a task cannot become another')
  }
}

const noStore = 'the store is not available'

/** The next request for it has it run again. */
const handedOver: TaskChange = { runner: null, leaseUntil: null }

/** The arguments of a task that has them. */
export function keptArguments({ args }: TaskRecord): WireObject | null {
  const read: unknown = args === null ? null : JSON.parse(args)
  return isObject(read) ? read : null
}
