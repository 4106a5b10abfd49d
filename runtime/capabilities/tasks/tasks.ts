/** Tasks of the endpoint, put together. Source: SEP-2663; decisions/mcp.md, Tasks. */
import type { Clock } from '../../contract/store.ts'
import { createRunCall } from '../../mcp/calls/run-call.ts'
import { createRunningCalls } from '../../mcp/limits/running-calls.ts'
import type { McpMethod } from '../../mcp/method.ts'
import type { EndpointPart, McpRoom } from '../../mcp/part.ts'
import type { WireObject } from '../../mcp/protocol/constants.ts'
import type { Refusal } from '../../mcp/protocol/http-refusal.ts'
import { invalidParams } from '../../mcp/protocol/invalid-params.ts'
import type { Posted } from '../../mcp/serving/fast-path.ts'
import type { ToolOptions } from '../../mcp/tools/route-tool.ts'
import type { Scheduler } from '../../scheduler.ts'
import { taskRunner } from './new-tasks.ts'
import { createRunningTasks, type RunningTasks } from './running-tasks.ts'
import { detailedTask } from './task-answers.ts'
import { keptStates, responsesIn, writable } from './task-input.ts'
import { knowsTasks, listensUnaware, nameMismatch } from './task-messages.ts'
import { cancelTask, getTask, type TaskAnswer, type TaskCall, updateTask } from './task-methods.ts'
import type { TaskParts, TaskTool } from './task-parts.ts'
import { taskOf } from './task-record.ts'
import { type TaskSettings, tasksCapability } from './task-settings.ts'

export interface TasksOptions extends Pick<ToolOptions, 'baseUrl' | 'invoke' | 'log' | 'forwardHeaders'> {
  readonly tasks: TaskSettings
  readonly clock: Clock
  readonly monotonic: Clock
  readonly every: Scheduler
}

type TasksDependencies = Pick<McpRoom['deps'], 'authenticates' | 'countCall' | 'records' | 'wrapsFor'>

export interface Tasks extends Pick<RunningTasks, 'recheck' | 'close' | 'hurry'> {
  readonly part: EndpointPart
}

export function createTasks(options: TasksOptions, deps: TasksDependencies): Tasks {
  const { tasks: settings, monotonic, every, log } = options
  const { records, wrapsFor } = deps
  const tools = new Map<string, TaskTool>()
  const running = createRunningTasks({ ...options, ...settings })
  const places = createRunningCalls({
    toolCallSeconds: settings.taskSeconds,
    concurrentToolCalls: settings.concurrentTasks,
    concurrentToolCallsPerUser: null, // the store counts those of all instances
    monotonic,
    every,
  })
  const runTask = createRunCall({
    cancellable: null,
    refusalOf: () => null,
    running: places,
    records,
    wraps: wrapsFor(keptStates),
    log,
    noun: { logged: 'task', shown: 'task' },
  })
  const parts: TaskParts = { ...options, ...deps, settings, runTask, running, places, tools }
  return {
    part: {
      capabilities: (era) => (era === 'modern' ? tasksCapability : {}),
      methods: new Map([
        ['tasks/get', taskMethod(getTask, parts, { tells: true })],
        [
          'tasks/update',
          { ...taskMethod(updateTask, parts, { mistakeIn: responsesMistake }), isLarge: true },
        ],
        ['tasks/cancel', taskMethod(cancelTask, parts)],
      ]),
      refusal: (posted) => unawareListener(posted, parts),
      runner: ({ tool, plain, sealedBy, answersOf }) => {
        if (taskOf(tool) === undefined && !settings.acceptingRoutes.has(tool.route)) return null
        const answers = { ...answersOf('GET'), paging: null, brief: null, resource: null } // another route answers
        const entry = { tool, answers, plain, background: sealedBy(keptStates) }
        tools.set(tool.name, entry)
        return taskRunner(entry, parts)
      },
    },
    recheck: running.recheck,
    close: running.close,
    hurry: running.hurry,
  }
}

interface MethodTexts {
  /** Whether its result is the whole task. */
  readonly tells?: true
  readonly mistakeIn?: (params: WireObject) => string | null
}

function taskMethod(
  act: (request: TaskCall) => Promise<TaskAnswer>,
  parts: TaskParts,
  { tells, mistakeIn }: MethodTexts = {},
): McpMethod {
  return {
    ...{ isOfExtension: true, countsItself: true, schema: null },
    answer: async ({ params, client, message }) => {
      const refusal = refusalOf(params, { client, message, parts })
      if (refusal !== null) return { kind: 'refused', refusal }
      const { taskId } = params
      if (typeof taskId !== 'string') throw invalidParams('taskId must be a text')
      const mistake = mistakeIn?.(params) ?? null
      if (mistake !== null) throw invalidParams(mistake)
      const asking = { ...client, watched: null } // what runs for it is no call of this message
      const answer = await act({ id: taskId, params, message, client: asking, parts })
      if (answer.kind === 'refused') return answer
      if (answer.task === null) throw invalidParams('Task not found')
      return { kind: 'result', result: tells ? detailedTask(taskId, answer.task, parts.clock()) : {} }
    },
  }
}

function refusalOf(
  params: WireObject,
  { client, message, parts: { countCall } }: Omit<TaskCall, 'id' | 'params'>,
): Refusal | null {
  const overload = countCall(client.caller)
  if (overload !== null) return { kind: 'overload', overload }
  const mismatch = nameMismatch(params, client.request.headers)
  if (mismatch !== null) return { kind: 'headerMismatch', mismatch }
  return knowsTasks(message) ? null : unaware
}

function responsesMistake(params: WireObject): string | null {
  const responses = responsesIn(params)
  if (responses === null) return 'inputResponses must be an object'
  return writable(responses) === null ? 'inputResponses is nested too deeply' : null
}

function unawareListener({ body, caller }: Posted, { countCall }: TaskParts): Refusal | null {
  if (body.kind !== 'json' || !listensUnaware(body.value)) return null
  const overload = countCall(caller)
  return overload === null ? unaware : { kind: 'overload', overload }
}

const unaware: Refusal = { kind: 'missingCapability', required: tasksCapability }
