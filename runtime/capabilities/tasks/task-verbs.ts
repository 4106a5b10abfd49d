/** The verbs on tasks. Source: SEP-2663. */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import { insertable, rowOf, selected } from '../../store/columns.ts'
import type { VerbParts } from '../../store/verbs/verb-parts.ts'
import type { NewTask, TaskChange, TaskQuota, TaskRecord, TaskStore } from './task-record.ts'
import { type TaskTables, taskColumns } from './task-table.ts'

type TaskParts = VerbParts<TaskTables>
type TaskDatabase = TaskParts['database']

/** Every poll runs `findTask`. */
export function taskVerbs({ database, clock, monotonic, engine: { prepare } }: TaskParts): TaskStore {
  const columns = selected(taskColumns).map((column) => column.replace(/\w+$/, '"$&"')) // `user` and `grant` are words of SQL
  const find = prepare<TaskRecord>(
    `select ${columns} from acmcp_tasks where id_hash = $1 and owner = $2 and expires_at > $3`,
  )
  const allKept = keptBytes(monotonic, () => bytesOfResults(database, clock()))
  return {
    createTask: async (task, quota) =>
      (await allKept()) < quota.allBytes ? createTask(database, task, { quota, now: clock() }) : null,
    headersOfTask: async ({ key }) => {
      const row = await database
        .selectFrom('acmcp_task_headers')
        .select('headers')
        .where('id_hash', '=', key)
        .executeTakeFirst()
      return row?.headers ?? null
    },
    findTask: async (id, owner) => (await find([sha256Hex(id), owner, clock()]))[0] ?? null,
    changeTask: (task, change) => changeTask(database, task, { change, now: clock() }),
    renewTasks: (runner, keys, leaseUntil) => renewTasks(database, { runner, keys, leaseUntil }),
  }
}

/** Asking each time would look at every task that is kept. */
const remeasureMs = 10_000

/** The bytes of all results, as they were some seconds ago at most. */
function keptBytes(monotonic: Clock, measure: () => Promise<number>): () => Promise<number> {
  let measured: { readonly at: number; readonly bytes: Promise<number> } | null = null
  return () => {
    const now = monotonic()
    if (measured === null || now - measured.at >= remeasureMs) {
      const bytes = measure()
      measured = { at: now, bytes }
      bytes.catch(() => {
        measured = null
      })
    }
    return measured.bytes
  }
}

async function bytesOfResults(database: TaskDatabase, now: number): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select coalesce(sum(octet_length(outcome)), 0) as bytes from acmcp_tasks where expires_at > ${now}`.execute(
    database,
  )
  return Number(rows[0]?.bytes ?? 0)
}

interface Creation {
  readonly quota: TaskQuota
  readonly now: number
}

/** Its headers with it or not at all: without them it would do its work for another tenant. */
function createTask(database: TaskDatabase, task: NewTask, creation: Creation): Promise<TaskRecord | null> {
  const { headers, ...plain } = task
  if (headers === null) return insertTask(database, plain, creation)
  return database.transaction().execute(async (work) => {
    const created = await insertTask(work, plain, creation)
    if (created === null) return null
    const row = { id_hash: created.key, headers, expires_at: created.expiresAt }
    await work.insertInto('acmcp_task_headers').values(row).execute()
    return created
  })
}

/** Two that come at once may both find room for the last one: the bound is for growth, not exact. */
async function insertTask(
  database: TaskDatabase,
  { id, ...task }: Omit<NewTask, 'headers'>,
  { quota, now }: Creation,
): Promise<TaskRecord | null> {
  const times = { createdAt: now, updatedAt: now, revision: 1 }
  const created: TaskRecord = { key: sha256Hex(id), ...task, ...times, outcome: null }
  const { columns, values } = insertable(rowOf(taskColumns, created))
  const kept = sql`select count(*) from acmcp_tasks where owner = ${task.owner} and expires_at > ${now}`
  const { numAffectedRows } = await sql`
    insert into acmcp_tasks (${columns}) select ${values}
    where (${kept}) < ${quota.kept} and ${hasHolder(task)}
      and (${kept} and status in ('working', 'input_required')) < ${quota.unfinished}
      and (select coalesce(sum(octet_length(outcome)), 0) from acmcp_tasks
        where owner = ${task.owner} and expires_at > ${now}) < ${quota.ownerBytes}`.execute(database)
  return Number(numAffectedRows ?? 0) === 1 ? created : null
}

/** False once the user is blocked, or the grant of the call has ended. */
const hasHolder = ({ user, grant }: Pick<NewTask, 'user' | 'grant'>): RawBuilder<boolean> => sql`
  not exists (select 1 from acmcp_users where id = ${user} and blocked_at is not null)
  and not exists (select 1 from acmcp_grants where id = ${grant} and revoked_at is not null)`

/** The row count decides. */
async function changeTask(
  database: TaskDatabase,
  task: TaskRecord,
  { change, now }: { readonly change: TaskChange; readonly now: number },
): Promise<TaskRecord | null> {
  const changes = { ...change, updatedAt: now, revision: task.revision + 1 }
  const { numUpdatedRows } = await database
    .updateTable('acmcp_tasks')
    .set(rowOf(taskColumns, changes))
    .where('id_hash', '=', task.key)
    .where('revision', '=', task.revision)
    .executeTakeFirst()
  return numUpdatedRows === 1n ? { ...task, ...changes } : null
}

/** No change of the task: a client that asks sees the same. */
async function renewTasks(
  database: TaskDatabase,
  { runner, keys, leaseUntil }: { runner: string; keys: readonly string[]; leaseUntil: number },
): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const rows = await database
    .updateTable('acmcp_tasks')
    .set({ lease_until: leaseUntil })
    .where('id_hash', 'in', keys)
    .where('runner', '=', runner)
    .where('status', '=', 'working')
    .where(
      sql<boolean>`not exists (select 1 from acmcp_users u where u.id = acmcp_tasks.user_id and u.blocked_at is not null)`,
    )
    .returning('id_hash')
    .execute()
  return rows.map(({ id_hash }) => id_hash)
}
