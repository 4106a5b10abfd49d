/** The table of the audit, and how rows get there, as one JSON document: PostgreSQL reads it in one statement, SQLite takes one row
 *  after another by a prepared statement (half the time of one for all) in one transaction. */
import type { NewAuditRecord } from '../../contract/calls.ts'
import type { GroupCommit } from '../sqlite/group-commit.ts'
import { erasedPrefix } from '../store.ts'
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

type Value = string | number | null

/** Column, type, and what a record says there. */
const columns: readonly (readonly [
  keyof AuditRow,
  'text' | 'bigint' | 'double precision',
  (record: NewAuditRecord) => Value,
])[] = [
  ['id', 'text', ({ id }) => id],
  ['at', 'bigint', ({ at }) => at],
  ['event', 'text', ({ entry }) => entry.event],
  ['user_id', 'text', ({ entry }) => entry.user ?? null],
  ['client_id', 'text', ({ entry }) => entry.client ?? null],
  ['client_name', 'text', ({ entry }) => entry.clientName ?? null],
  ['grant_id', 'text', ({ entry }) => entry.grant ?? null],
  ['tool', 'text', ({ entry }) => entry.tool ?? null],
  ['route', 'text', ({ entry }) => entry.route ?? null],
  ['decision', 'text', ({ entry: { decision = null } }) => (decision === null ? null : String(decision))],
  ['status', 'bigint', ({ entry }) => entry.status ?? null],
  ['is_error', 'bigint', ({ entry: { isError = null } }) => (isError === null ? null : Number(isError))],
  ['duration_ms', 'double precision', ({ entry }) => toMicroseconds(entry.milliseconds ?? null)],
  ['request_id', 'text', ({ entry }) => entry.requestId ?? null],
  ['trace_id', 'text', ({ entry }) => entry.traceId ?? null],
  ['arguments_digest', 'text', ({ entry }) => entry.argumentsDigest ?? null],
  ['detail', 'text', ({ entry: { detail = null } }) => (detail === null ? null : JSON.stringify(detail))],
]

/** No finer than that. */
const toMicroseconds = (milliseconds: number | null): number | null =>
  milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000

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
export type AppendAudit = (records: readonly NewAuditRecord[]) => Promise<void>

const names = columns.map(([name]) => name).join(', ')

const indexOf = (name: keyof AuditRow): number => columns.findIndex(([column]) => column === name)

/** What may tell of a person, or lead to a log that does. */
export const personalColumns: readonly (keyof AuditRow)[] = [
  'arguments_digest',
  'detail',
  'request_id',
  'trace_id',
]

/** The values of a row; `value` is how the column at this index is said. `e`: its grant, where that is one of somebody who has been erased. */
function valuesBy(value: (index: number) => string, nameInClient: string): string {
  const said = (name: keyof AuditRow): string => value(indexOf(name))
  return columns
    .map(([name]) => {
      if (name === 'client_name')
        return `coalesce(${said(name)}, (select ${nameInClient} from acmcp_clients c where c.id = ${said('client_id')}))`
      if (name === 'tool')
        return `case when e.user_id is null or ${said('route')} is not null then ${said(name)} end`
      if (name === 'user_id') return `coalesce(e.user_id, ${said(name)})`
      return personalColumns.includes(name)
        ? `case when e.user_id is null then ${said(name)} end`
        : said(name)
    })
    .join(', ')
}

/** A user's id has a colon after its provider. */
const joinErased = (grant: string): string =>
  `left join acmcp_grants e on e.id = ${grant} and e.user_id like '${erasedPrefix}%' and e.user_id not like '%:%'`

const sqliteValue = (index: number): string => `?${index + 1}`
const postgresValue = (index: number): string => `(r ->> ${index})::${columns[index]?.[1]}`

const insertInSqlite = `
  insert into acmcp_audit (${names})
  select ${valuesBy(sqliteValue, "c.metadata ->> 'name'")}
  from (select 1) ${joinErased(sqliteValue(indexOf('grant_id')))} where true
  on conflict (id) do nothing`

const insertInPostgres = `
  insert into acmcp_audit (${names})
  select ${valuesBy(postgresValue, "c.metadata::json ->> 'name'")}
  from jsonb_array_elements($1::jsonb) as r ${joinErased(postgresValue(indexOf('grant_id')))}
  on conflict (id) do nothing`

/** Takes what `documentOf` wrote. */
export function appendInGroupCommits(commits: GroupCommit): (document: string) => Promise<void> {
  return (document) => {
    const rows = JSON.parse(document) as readonly (readonly Value[])[] // as documentOf wrote it
    return commits.enqueue((exec) => {
      for (const row of rows) exec(insertInSqlite, row)
    })
  }
}

export function appendPrepared(prepare: Prepare): AppendAudit {
  const insert = prepare(insertInPostgres)
  return async (records) => {
    await insert([documentOf(records)])
  }
}

/** A caller may have sent what PostgreSQL keeps in no text, and libsql up to its first NUL. */
const unstorable = /[\0\p{Cs}]/gu

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(unstorable, '\ufffd') : value

/** JSON: of each record its values in the order of the columns, of what both engines can store. */
export function documentOf(records: readonly NewAuditRecord[]): string {
  const rows = records.map((record) => columns.map(([, , read]) => read(record)))
  const document = JSON.stringify(rows)
  if (!/\\u(?:0000|d[89a-f])/i.test(document)) return document
  return JSON.stringify(rows, (_name, value: unknown) => storable(value))
}
