/** The verbs of `Store` on the audit. */
import { type RawBuilder, sql } from 'kysely'
import type { AuditEvent, AuditRecord, CallDecision } from '../../contract/calls.ts'
import type { Engine } from '../engine.ts'
import type { CoreDatabase } from '../schema.ts'
import type { AuditFilter, CalledTool, Store } from '../store.ts'
import { type AuditRow, auditColumns, firstIdAt } from './audit-rows.ts'

/** Of a grant that calls all day long, and of all that are asked about, these are counted. */
const maxCounted = { ofOne: 1000, ofAll: 20_000 }

export function auditVerbs(
  database: CoreDatabase,
  { appendAudit: append, alongIndexes }: Pick<Engine, 'appendAudit' | 'alongIndexes'>,
): Pick<Store, 'appendAudit' | 'listAudit' | 'listAuditAfter' | 'findAuditBefore' | 'listCalledTools'> {
  return {
    appendAudit: append,
    listAudit: (filter, limit) => alongIndexes(database, (work) => listAudit(work, filter, limit)),
    listAuditAfter: (filter, after, limit) =>
      alongIndexes(database, (work) => listAuditAfter(work, filter, { after, limit })),
    findAuditBefore: (filter, limit) =>
      alongIndexes(database, (work) => findAuditBefore(work, filter, limit)),
    listCalledTools: (grantIds, since) =>
      alongIndexes(database, (work) => listCalledTools(work, grantIds, since)),
  }
}

/** The column of each filter. */
const filtered = [
  ['user', 'user_id'],
  ['client', 'client_id'],
  ['grant', 'grant_id'],
  ['tool', 'tool'],
  ['event', 'event'],
] as const

async function listAudit(
  database: CoreDatabase,
  filter: AuditFilter,
  limit: number,
): Promise<readonly AuditRecord[]> {
  const rows = await rowsAfter(database, filter, '')
    .select(auditColumns)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(recordOf).reverse()
}

/** Of those that fit. One lower end, of the time or of the id: of two SQLite would look at every row above the first. */
function rowsAfter(database: CoreDatabase, filter: AuditFilter, after: string) {
  const first = filter.since === undefined ? '' : firstIdAt(filter.since) // ids are longer, and so greater
  let wanted = database.selectFrom('acmcp_audit').where('id', '>', first > after ? first : after)
  for (const [name, column] of filtered) {
    const value = filter[name]
    if (value !== undefined) wanted = wanted.where(column, '=', value)
  }
  return wanted
}

/** Where the newest begin in the index. */
async function findAuditBefore(database: CoreDatabase, filter: AuditFilter, limit: number): Promise<string> {
  const wanted = rowsAfter(database, filter, '').select('id').orderBy('id', 'desc').limit(1).offset(limit)
  return (await wanted.executeTakeFirst())?.id ?? ''
}

/** A page goes on in an index from where the last one ended: that of the user, or of the grant, else the primary key. */
async function listAuditAfter(
  database: CoreDatabase,
  filter: AuditFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly AuditRecord[]> {
  const rows = await rowsAfter(database, filter, after)
    .select(auditColumns)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(recordOf)
}

const isCounted = (row: string): RawBuilder<unknown> =>
  sql.raw(`${row}.event = 'tool-call' and ${row}.decision = 'allowed' and ${row}.route is not null`)

/** Of each grant the oldest row that counts is looked up once, which bounds what is read of it. */
async function listCalledTools(
  database: CoreDatabase,
  grantIds: readonly string[],
  since: number,
): Promise<readonly CalledTool[]> {
  if (grantIds.length === 0) return []
  const first = firstIdAt(since)
  const most = Math.min(maxCounted.ofOne, Math.ceil(maxCounted.ofAll / grantIds.length))
  const { rows } = await sql<CalledTool>`
    select "grantId", tool, count from (
      with chosen as materialized (
        select g.id, coalesce((
          select b.id from acmcp_audit b
          where b.grant_id = g.id and b.id >= ${first} and ${isCounted('b')}
          order by b.id desc limit 1 offset ${most - 1}), ${first}) as oldest
        from acmcp_grants g where g.id in (${sql.join(grantIds)}))
      select c.id as "grantId", a.tool, count(*) as count
      from chosen c join acmcp_audit a on a.grant_id = c.id and a.id >= c.oldest
      where ${isCounted('a')} group by c.id, a.tool) called
    order by count desc, tool`.execute(database)
  return rows
}

/** Written by `documentOf` and by nobody else. */
function recordOf(row: AuditRow): AuditRecord {
  const { id, at, tool, route, status, decision, is_error: isError, detail } = row
  return {
    id,
    at,
    event: row.event as AuditEvent,
    user: row.user_id,
    client: row.client_id,
    clientName: row.client_name,
    grant: row.grant_id,
    tool,
    route,
    decision: decision === null || decision === 'allowed' ? decision : (Number(decision) as CallDecision),
    status,
    isError: isError === null ? null : isError === 1,
    milliseconds: row.duration_ms,
    requestId: row.request_id,
    traceId: row.trace_id,
    argumentsDigest: row.arguments_digest,
    detail: detail === null ? null : (JSON.parse(detail) as AuditRecord['detail']),
  }
}
