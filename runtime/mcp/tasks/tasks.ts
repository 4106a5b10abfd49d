/** Tasks of the endpoint, put together. Source: SEP-2663; decisions/mcp.md, Tasks. */
import type { Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import { createRunCall, type RunCallOptions } from '../calls/run-call.ts'
import { createRunningCalls } from '../limits/running-calls.ts'
import { errorCodes, type WireObject } from '../protocol/constants.ts'
import { messageAnswer, type Served, servedAs, servedRefusal } from '../protocol/http-refusal.ts'
import type { Posted } from '../serving/fast-path.ts'
import type { ResultWriter } from '../serving/result-writer.ts'
import type { ToolDependencies, ToolOptions } from '../tools/route-tool.ts'
import { taskRunner } from './new-tasks.ts'
import { createRunningTasks, type RunningTasks } from './running-tasks.ts'
import { detailedTask } from './task-answers.ts'
import { responsesIn, writable } from './task-input.ts'
import { knowsTasks, listensUnaware, nameMismatch, type TaskMessage, taskMessage } from './task-messages.ts'
import { cancelTask, getTask, type TaskAnswer, updateTask } from './task-methods.ts'
import type { TaskParts, TaskRunners, TaskTool } from './task-parts.ts'
import { type TaskSettings, tasksCapability } from './task-settings.ts'

export interface TasksOptions extends Pick<ToolOptions, 'baseUrl' | 'invoke' | 'log' | 'forwardHeaders'> {
  readonly tasks: TaskSettings
  readonly clock: Clock
  readonly monotonic: Clock
  readonly every: Scheduler
}

type TasksDependencies = Pick<ToolDependencies, 'authenticates' | 'countCall' | 'records'> &
  Pick<RunCallOptions, 'wraps'>

export interface Tasks extends TaskRunners, Pick<RunningTasks, 'recheck' | 'close' | 'hurry'> {
  /** Serves what is about tasks; null for every other message. */
  readonly serve: (posted: Posted, texts: ResultWriter) => Promise<Served> | null
}

export function createTasks(options: TasksOptions, deps: TasksDependencies): Tasks {
  const { tasks: settings, monotonic, every, log } = options
  const { countCall, records, wraps } = deps
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
    wraps,
    log,
    noun: 'task',
  })
  const parts: TaskParts = { ...options, ...deps, settings, runTask, running, places, tools }
  return {
    isFor: ({ task, route }) => task !== undefined || settings.acceptingRoutes.has(route),
    runner(entry) {
      tools.set(entry.tool.name, entry)
      return taskRunner(entry, parts)
    },
    serve: (posted, texts) => {
      const { body, request } = posted
      const value = body.kind === 'json' ? body.value : null
      const isUnaware = listensUnaware(value)
      const message = isUnaware ? null : taskMessage(value, request.headers)
      if (message === null && !isUnaware) return null
      const overload = countCall(posted.caller)
      if (overload !== null) return Promise.resolve(servedRefusal({ kind: 'overload', overload }))
      return message === null ? Promise.resolve(unaware) : answered(message, posted, parts, texts)
    },
    recheck: running.recheck,
    close: running.close,
    hurry: running.hurry,
  }
}

async function answered(
  message: TaskMessage,
  client: Posted,
  parts: TaskParts,
  texts: ResultWriter,
): Promise<Served> {
  const { id, method, params } = message
  const mismatch = nameMismatch(message, client.request.headers)
  if (mismatch !== null) return servedRefusal({ kind: 'headerMismatch', mismatch })
  if (!knowsTasks(message)) return unaware
  const wrong = (mistake: string): Served =>
    servedAs(messageAnswer(texts.error(id, errorCodes.invalidParams, mistake)))
  const { taskId } = params
  if (typeof taskId !== 'string') return wrong('taskId must be a text')
  const mistake = method === 'tasks/update' ? responsesMistake(params) : null
  if (mistake !== null) return wrong(mistake)
  const asking = { ...client, watched: null } // what runs for it is no call of this message
  const answer = await methods[method]({ id: taskId, message, client: asking, parts })
  if (answer.kind === 'refused') return servedRefusal(answer.refusal)
  if (answer.task === null) return wrong('Task not found')
  const details = method === 'tasks/get' ? detailedTask(taskId, answer.task, parts.clock()) : {}
  return servedAs(messageAnswer(texts.result(id, 'modern', details)))
}

function responsesMistake(params: WireObject): string | null {
  const responses = responsesIn(params)
  if (responses === null) return 'inputResponses must be an object'
  return writable(responses) === null ? 'inputResponses is nested too deeply' : null
}

const methods: Readonly<
  Record<TaskMessage['method'], (request: Parameters<typeof getTask>[0]) => Promise<TaskAnswer>>
> = {
  'tasks/get': getTask,
  'tasks/update': updateTask,
  'tasks/cancel': cancelTask,
}

const unaware = servedRefusal({ kind: 'missingCapability', required: tasksCapability })
