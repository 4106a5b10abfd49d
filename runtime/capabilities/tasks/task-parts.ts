/** What the parts of tasks have in common. */
import type { ToolEntry } from '../../contract/mcp.ts'
import type { Clock } from '../../contract/store.ts'
import type { AnswerSettings } from '../../mcp/answers/answered-call.ts'
import type { Client } from '../../mcp/auth/caller.ts'
import { credentialKey } from '../../mcp/auth/credentials.ts'
import type { CallRecords } from '../../mcp/calls/call-records.ts'
import type { RunCall } from '../../mcp/calls/run-call.ts'
import type { Runner } from '../../mcp/calls/tool-answer.ts'
import type { CountCall } from '../../mcp/limits/limits.ts'
import type { RunningCalls } from '../../mcp/limits/running-calls.ts'
import type { ToolOptions } from '../../mcp/tools/route-tool.ts'
import { sha256Hex } from '../../secret.ts'
import type { RunningTasks } from './running-tasks.ts'
import type { TaskRecord } from './task-record.ts'
import type { TaskSettings } from './task-settings.ts'

/** A tool whose calls can become tasks. */
export interface TaskTool {
  readonly tool: ToolEntry
  /** Of what its status address answers: its pages are no calls of the tool. */
  readonly answers: AnswerSettings
  /** Runs it while the client waits. */
  readonly plain: Runner
  /** The same for a task: what a question carries along stays with the task, as JSON. */
  readonly background: Runner
}

export interface TaskParts extends Pick<ToolOptions, 'baseUrl' | 'invoke' | 'log' | 'forwardHeaders'> {
  readonly settings: TaskSettings
  readonly clock: Clock
  /** Whether a route's 401 is the endpoint's to answer. */
  readonly authenticates: boolean
  readonly countCall: CountCall
  readonly records: CallRecords
  /** Runs a task in its place, for its time. */
  readonly runTask: RunCall
  /** Those that this process works on. */
  readonly running: RunningTasks
  /** Their places and their time. */
  readonly places: RunningCalls
  readonly tools: ReadonlyMap<string, TaskTool>
}

/** The one caller that finds a task: the same user with the same client, else the same credentials, else the same address. */
export const taskOwner = ({ caller: { key, auth } }: Pick<Client, 'caller'>): string =>
  sha256Hex(JSON.stringify([key, auth?.clientId ?? null]))

/** The id as the store has it. A caller known by address alone finds a task only with the credentials that made it: routes may judge those,
 *  and behind a proxy all have one address. */
export const storedId = (id: string, { request, caller }: Client): string =>
  caller.auth === null ? `${id} ${credentialKey(request.headers)}` : id

/** Whether a task whose process died is run again. */
export const isRepeatable = ({ tool }: TaskTool): boolean => tool.repeatable === true

/** Whether no process works on it, though it is no address that is asked: a request with credentials starts it. */
export const isWaiting = ({ status, runner, location }: TaskRecord): boolean =>
  status === 'working' && runner === null && location === null
