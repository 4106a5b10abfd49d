/** A task, and the store of them. Source: SEP-2663. */
import type { ToolEntry } from '../../contract/mcp.ts'

/** What `@mcp` says of tasks, under that very name. */
export interface TaskWords {
  /** A call becomes a task for clients that know tasks; `required`: others are refused. Absent where it is answered. */
  readonly task?: 'optional' | 'required'
}

export const taskOf = (tool: ToolEntry): TaskWords['task'] => (tool as ToolEntry & TaskWords).task // as the build has written it

/** Where a task is; the last three are ends. Source: SEP-2663, Task status. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A tool call that its client comes back for. Times are milliseconds since the epoch. No credential is in it. */
export interface TaskRecord {
  /** What the store knows it by: the SHA-256 of its id, which is told the client alone. */
  readonly key: string
  /** Names the caller that made it: a caller with another name does not find it. */
  readonly owner: string
  /** Ids, as far as a token says them. */
  readonly user: string | null
  readonly client: string | null
  readonly grant: string | null
  readonly tool: string
  readonly status: TaskStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number
  /** Counts its changes: a change is made of the newest one or not at all. */
  readonly revision: number
  /** The process that works on it, and until when that is believed without a sign of life; null = none does. */
  readonly runner: string | null
  readonly leaseUntil: number | null
  readonly message: string | null
  /** What it was called with, as JSON; null once that is needed no more. */
  readonly args: string | null
  /** The address that says how far it is; null = it runs here. */
  readonly location: string | null
  /** The questions to its user and what came back, as JSON; null = none was asked. */
  readonly input: string | null
  /** The result, or the error, as JSON; null before its end. */
  readonly outcome: string | null
}

export type NewTask = Omit<TaskRecord, 'key' | 'createdAt' | 'updatedAt' | 'revision' | 'outcome'> & {
  readonly id: string
  /** Those of the headers that came with the call which it carries whenever it runs, as JSON; null = none. No credential is among them. */
  readonly headers: string | null
}

/** What may change of it. */
export type TaskChange = Partial<
  Pick<TaskRecord, 'status' | 'runner' | 'leaseUntil' | 'message' | 'args' | 'location' | 'input' | 'outcome'>
>

/** How many tasks one owner may have, those that have ended and are kept included, and how many that have not. */
export interface TaskQuota {
  readonly kept: number
  readonly unfinished: number
  /** Of kept results, of one owner and of all. */
  readonly ownerBytes: number
  readonly allBytes: number
}

/** Tasks at rest: the truth about them, whichever instance is asked. */
export interface TaskStore {
  /** Null, and nothing is stored, where the owner has as many as it may. */
  createTask(task: NewTask, quota: TaskQuota): Promise<TaskRecord | null>
  /** Null also for one that has expired, or is another's. */
  findTask(id: string, owner: string): Promise<TaskRecord | null>
  /** The headers that it was made with, as JSON; null = none. */
  headersOfTask(task: Pick<TaskRecord, 'key'>): Promise<string | null>
  /** The task as it then is; null where another process changed it first, or it has gone. */
  changeTask(task: TaskRecord, change: TaskChange): Promise<TaskRecord | null>
  /** A sign of life of a process for the tasks that it works on; resolves with the keys of those that are still its own. Any other that
   *  names it, because it never heard that it got it, is left to the next instance that is asked for it. */
  renewTasks(runner: string, keys: readonly string[], leaseUntil: number): Promise<readonly string[]>
}
