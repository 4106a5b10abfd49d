/** The table of tasks, and a row of it as the rest of the runtime sees it. */
import type { TaskRecord, TaskStatus } from '../../contract/store.ts'

export interface TaskRow {
  readonly id_hash: string
  readonly owner: string
  readonly user_id: string | null
  readonly client_id: string | null
  readonly grant_id: string | null
  readonly tool: string
  readonly status: TaskStatus
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at: number
  readonly revision: number
  readonly runner: string | null
  readonly lease_until: number | null
  readonly message: string | null
  readonly arguments: string | null
  readonly location: string | null
  readonly input: string | null
  readonly outcome: string | null
}

/** An owner's are counted before it gets another. */
export const taskTable = `
  create table acmcp_tasks (
    id_hash text primary key, owner text not null, user_id text, client_id text, grant_id text, tool text not null,
    status text not null, created_at bigint not null, updated_at bigint not null, expires_at bigint not null,
    revision bigint not null, runner text, lease_until bigint, message text, arguments text, location text,
    input text, outcome text);
  create index acmcp_tasks_expires_at on acmcp_tasks (expires_at);
  create index acmcp_tasks_owner on acmcp_tasks (owner, status)`

/** What a call carried beside its credentials. A table of its own: instances of the version before read every column of the other one. */
export interface TaskHeadersRow {
  readonly id_hash: string
  readonly headers: string
  readonly expires_at: number
}

export const taskHeadersTable = `
  create table acmcp_task_headers (id_hash text primary key, headers text not null, expires_at bigint not null);
  create index acmcp_task_headers_expires_at on acmcp_task_headers (expires_at)`

/** The columns that a change may set. */
export const columnOf = {
  status: 'status',
  runner: 'runner',
  leaseUntil: 'lease_until',
  message: 'message',
  args: 'arguments',
  location: 'location',
  input: 'input',
  outcome: 'outcome',
} as const

export const taskOf = (row: TaskRow): TaskRecord => ({
  key: row.id_hash,
  owner: row.owner,
  user: row.user_id,
  client: row.client_id,
  grant: row.grant_id,
  tool: row.tool,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  expiresAt: row.expires_at,
  revision: row.revision,
  runner: row.runner,
  leaseUntil: row.lease_until,
  message: row.message,
  args: row.arguments,
  location: row.location,
  input: row.input,
  outcome: row.outcome,
})

export const rowOf = (task: TaskRecord): TaskRow => ({
  id_hash: task.key,
  owner: task.owner,
  user_id: task.user,
  client_id: task.client,
  grant_id: task.grant,
  tool: task.tool,
  status: task.status,
  created_at: task.createdAt,
  updated_at: task.updatedAt,
  expires_at: task.expiresAt,
  revision: task.revision,
  runner: task.runner,
  lease_until: task.leaseUntil,
  message: task.message,
  arguments: task.args,
  location: task.location,
  input: task.input,
  outcome: task.outcome,
})
