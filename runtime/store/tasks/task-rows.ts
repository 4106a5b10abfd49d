/** The tables of tasks. */

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

/** An owner's are counted before it gets another. */
export const taskTable = `
  create table acmcp_tasks (
    id_hash text primary key, owner text not null, user_id text, client_id text, grant_id text, tool text not null,
    status text not null, created_at bigint not null, updated_at bigint not null, expires_at bigint not null,
    revision bigint not null, runner text, lease_until bigint, message text, arguments text, location text,
    input text, outcome text);
  create index acmcp_tasks_expires_at on acmcp_tasks (expires_at);
  create index acmcp_tasks_owner on acmcp_tasks (owner, status)`

export const taskHeadersTable = `
  create table acmcp_task_headers (id_hash text primary key, headers text not null, expires_at bigint not null);
  create index acmcp_task_headers_expires_at on acmcp_task_headers (expires_at)`
