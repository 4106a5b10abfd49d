/** The tables of tasks. */
import { sql } from 'kysely'
import type { RowOf } from '../../store/columns.ts'
import { adding } from '../../store/migrations/migration.ts'
import type { CapabilityTable } from '../../store/tables.ts'
import type { TaskRecord } from './task-record.ts'

/** Named in every statement: one that is prepared answers the same columns whatever a later migration adds. */
export const taskColumns = {
  id_hash: 'key',
  owner: 'owner',
  user_id: 'user',
  client_id: 'client',
  grant_id: 'grant',
  tool: 'tool',
  status: 'status',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  expires_at: 'expiresAt',
  revision: 'revision',
  runner: 'runner',
  lease_until: 'leaseUntil',
  message: 'message',
  arguments: 'args',
  location: 'location',
  input: 'input',
  outcome: 'outcome',
} as const

export interface TaskTables {
  readonly acmcp_tasks: RowOf<TaskRecord, typeof taskColumns>
  /** What a call carried beside its credentials. A table of its own: instances of the version before read every column of the other one. */
  readonly acmcp_task_headers: {
    readonly id_hash: string
    readonly headers: string
    readonly expires_at: number
  }
}

/** An owner's are counted before it gets another. */
const tasks = `
  create table acmcp_tasks (
    id_hash text primary key, owner text not null, user_id text, client_id text, grant_id text, tool text not null,
    status text not null, created_at bigint not null, updated_at bigint not null, expires_at bigint not null,
    revision bigint not null, runner text, lease_until bigint, message text, arguments text, location text,
    input text, outcome text);
  create index acmcp_tasks_expires_at on acmcp_tasks (expires_at);
  create index acmcp_tasks_owner on acmcp_tasks (owner, status)`

const headers = `
  create table acmcp_task_headers (id_hash text primary key, headers text not null, expires_at bigint not null);
  create index acmcp_task_headers_expires_at on acmcp_task_headers (expires_at)`

export const taskTable: CapabilityTable<keyof TaskTables['acmcp_tasks']> = {
  name: 'acmcp_tasks',
  migrations: {
    '0008_tasks': adding(tasks, ['tasks']),
    '0016_leaving': adding('create index acmcp_tasks_user on acmcp_tasks (user_id)'),
  },
  key: 'id_hash',
  ends: { column: 'expires_at' },
  person: {
    column: 'user_id',
    erasure: 'delete',
    countedAs: 'tasks',
    before: (keys) => sql`acmcp_task_headers where id_hash in (${keys})`,
    // the process that runs one notices with its next sign of life; what a client still asks of it is refused before
    whenBlocked: {
      where: sql`status in ('working', 'input_required')`,
      set: (now) => sql`status = 'cancelled', updated_at = ${now}, revision = revision + 1,
        runner = null, lease_until = null, arguments = null, input = null`,
    },
  },
}

export const taskHeadersTable: CapabilityTable<keyof TaskTables['acmcp_task_headers']> = {
  name: 'acmcp_task_headers',
  migrations: { '0009_task_headers': adding(headers, ['task_headers']) },
  key: 'id_hash',
  ends: { column: 'expires_at' },
}
