/** The verbs of `Store` on the audit. */
import { sql } from 'kysely'
import type { AuditEvent, AuditRecord, CallDecision, NewAuditRecord } from '../../contract/calls.ts'
import type { CoreDatabase } from '../schema.ts'
import type { AuditFilter, CalledTool, Store } from '../store.ts'
import { type AppendAuditRows, type AuditRow, firstIdAt } from './audit-rows.ts'

/** Of a grant that calls all day long, these are counted. */
const mostCounted = 1000

export function auditVerbs(
  database: CoreDatabase,
  append: AppendAuditRows,
): Pick<Store, 'appendAudit' | 'listAudit' | 'listCalledTools'> {
  return {
    appendAudit: (records) => append(records.map(rowOf)),
    listAudit: (filter, limit) => listAudit(database, filter, limit),
    listCalledTools: (grantId, since) => listCalledTools(database, grantId, since),
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
  // of a user the index alone says which: SQLite would fetch each of the rows to sort them
  let wanted = database.selectFrom('acmcp_audit').select('id').orderBy('id', 'desc').limit(limit)
  for (const [name, column] of filtered) {
    const value = filter[name]
    if (value !== undefined) wanted = wanted.where(column, '=', value)
  }
  if (filter.since !== undefined) wanted = wanted.where('id', '>=', firstIdAt(filter.since))
  const rows = await database
    .selectFrom('acmcp_audit')
    .selectAll()
    .where('id', 'in', wanted)
    .orderBy('id')
    .execute()
  return rows.map(recordOf)
}

async function listCalledTools(
  database: CoreDatabase,
  grantId: string,
  since: number,
): Promise<readonly CalledTool[]> {
  const { rows } = await sql<CalledTool>`
    select tool, count(*) as count from (
      select tool from acmcp_audit
      where user_id = (select user_id from acmcp_grants where id = ${grantId})
        and grant_id = ${grantId} and id >= ${firstIdAt(since)}
        and event = 'tool-call' and decision = 'allowed' and route is not null
      order by id desc limit ${mostCounted}) recent
    group by tool order by count(*) desc, tool`.execute(database)
  return rows
}

function rowOf({ id, at, entry }: NewAuditRecord): AuditRow {
  const { decision = null, isError = null, milliseconds = null, detail = null } = entry
  return {
    id,
    at,
    event: entry.event,
    user_id: entry.user ?? null,
    client_id: entry.client ?? null,
    client_name: entry.clientName ?? null,
    grant_id: entry.grant ?? null,
    tool: entry.tool ?? null,
    route: entry.route ?? null,
    decision: decision === null ? null : String(decision),
    status: entry.status ?? null,
    is_error: isError === null ? null : Number(isError),
    duration_ms: milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000,
    request_id: entry.requestId ?? null,
    trace_id: entry.traceId ?? null,
    arguments_digest: entry.argumentsDigest ?? null,
    detail: detail === null ? null : JSON.stringify(detail),
  }
}

/** Written above and by nobody else. */
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
