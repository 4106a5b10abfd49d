/** The table of the audit, and how rows get there, as one JSON document: PostgreSQL reads it in one statement, SQLite takes one row
 *  after another by a prepared statement (half the time of one for all) in one transaction. */
import type { GroupCommit } from '../sqlite/group-commit.ts'
import type { Prepare } from './prepare.ts'

export interface AuditRow {
  readonly id: string
  readonly at: number
  readonly event: string
  readonly user_id: string | null
  readonly client_id: string | null
  readonly client_name: string | null
  readonly grant_id: string | null
  readonly tool: string | null
  readonly route: string | null
  /** `allowed`, or the HTTP status that says why not; null for a change of access. */
  readonly decision: string | null
  readonly status: number | null
  readonly is_error: number | null
  readonly duration_ms: number | null
  readonly request_id: string | null
  readonly trace_id: string | null
  readonly arguments_digest: string | null
  /** JSON. */
  readonly detail: string | null
}

/** Column and type. */
const columns: readonly (readonly [keyof AuditRow, 'text' | 'bigint' | 'double precision'])[] = [
  ['id', 'text'],
  ['at', 'bigint'],
  ['event', 'text'],
  ['user_id', 'text'],
  ['client_id', 'text'],
  ['client_name', 'text'],
  ['grant_id', 'text'],
  ['tool', 'text'],
  ['route', 'text'],
  ['decision', 'text'],
  ['status', 'bigint'],
  ['is_error', 'bigint'],
  ['duration_ms', 'double precision'],
  ['request_id', 'text'],
  ['trace_id', 'text'],
  ['arguments_digest', 'text'],
  ['detail', 'text'],
]

export const auditColumns: readonly (keyof AuditRow)[] = columns.map(([name]) => name)

const required: ReadonlySet<string> = new Set(['at', 'event'])

function definition([name, type]: (typeof columns)[number]): string {
  if (name === 'id') return 'id text primary key'
  return `${name} ${type}${required.has(name) ? ' not null' : ''}`
}

/** What `0007_audit` makes; `0010_paging` makes two indexes of its one. Each costs a row more than all else: with many users every entry
 *  changes a page of its own. So there are no others: what else operators look for is read back from the newest row. */
export const auditTable: string = `
  create table acmcp_audit (${columns.map(definition).join(', ')});
  create index acmcp_audit_user_grant on acmcp_audit (user_id, grant_id, id)`

/** The first id that a row of that time (milliseconds) can have. */
export const firstIdAt = (time: number): string =>
  Math.max(0, Math.floor(time)).toString(16).padStart(12, '0')

/** Durable when it resolves. A row that is there already stays: whoever heard nothing of a commit writes it again. */
export type AppendAuditRows = (rows: readonly AuditRow[]) => Promise<void>

const positions = new Map<string, number>(columns.map(([name], index) => [name, index + 1]))
const names = columns.map(([name]) => name).join(', ')

/** `value` is how a row says what the column has. */
const valuesBy = (value: (name: string) => string, nameIn: string): string =>
  columns
    .map(([name]) =>
      name === 'client_name'
        ? `coalesce(${value(name)}, (select ${nameIn} from acmcp_clients c where c.id = ${value('client_id')}))`
        : value(name),
    )
    .join(', ')

const insertInSqlite = `
  insert into acmcp_audit (${names})
  values (${valuesBy((name) => `?${positions.get(name)}`, "c.metadata ->> 'name'")})
  on conflict (id) do nothing`

const insertInPostgres = `
  insert into acmcp_audit (${names})
  select ${valuesBy((name) => `r.${name}`, "c.metadata::json ->> 'name'")}
  from json_to_recordset($1) as r(${columns.map((column) => column.join(' ')).join(', ')})
  on conflict (id) do nothing`

/** Takes what `documentOf` wrote. */
export function appendInGroupCommits(commits: GroupCommit): (document: string) => Promise<void> {
  return (document) => {
    const rows = JSON.parse(document) as readonly AuditRow[] // as documentOf wrote it
    return commits.enqueue((exec) => {
      for (const row of rows) exec(insertInSqlite, valuesOf(row))
    })
  }
}

export function appendPrepared(prepare: Prepare): AppendAuditRows {
  const insert = prepare(insertInPostgres)
  return async (rows) => {
    await insert([documentOf(rows)])
  }
}

const valuesOf = (row: AuditRow): readonly unknown[] => columns.map(([name]) => row[name])

/** A caller may have sent what PostgreSQL keeps in no text, and libsql up to its first NUL. */
const unstorable = /[\0\p{Cs}]/gu

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(unstorable, '\ufffd') : value

/** JSON, of what both engines can store. */
export function documentOf(rows: readonly AuditRow[]): string {
  const document = JSON.stringify(rows)
  if (!/\\u(?:0000|d[89a-f])/i.test(document)) return document
  return JSON.stringify(rows, (_name, value: unknown) => storable(value))
}
