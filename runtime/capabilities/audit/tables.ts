/** When rows of the audit end, and whose they are. */
import { sql } from 'kysely'
import { adding } from '../../store/migrations/migration.ts'
import { schemaDialectOf } from '../../store/schema-dialect.ts'
import type { CapabilityTable } from '../../store/tables.ts'
import { auditErasure } from './audit-erasure.ts'
import { batchesBefore, rowsBefore } from './audit-purge.ts'
import { firstIdAt } from './audit-rows.ts'
import { auditBatches, auditOwners, auditPaging, auditTable } from './audit-tables.ts'

/** A row an entry, of versions before there were batches. */
const oldRows: CapabilityTable = {
  name: 'acmcp_audit',
  migrations: { '0007_audit': adding(auditTable, ['audit']), '0010_paging': adding(auditPaging) },
  key: 'id',
  old: (end) => rowsBefore(firstIdAt(end)),
  person: {
    column: 'user_id',
    erasure: 'rename',
    countedAs: 'auditRows',
    isInOrder: true,
    isWrittenLate: true,
    set: () => sql`, tool = case when route is null then null else tool end,
      arguments_digest = null, detail = null, request_id = null, trace_id = null`,
  },
}

/** Rows are added, and removed when they are old; only what tells of an erased user is changed. */
const batches: CapabilityTable = {
  name: 'acmcp_audit_batches',
  migrations: {
    '0021_audit_batches': adding(auditBatches, ['audit_batches']),
  },
  key: 'id',
  old: (end) => batchesBefore(firstIdAt(end)),
}

const owners: CapabilityTable = {
  name: 'acmcp_audit_owners',
  migrations: {
    '0021_audit_batches': adding(
      (database) => `${auditOwners} ${schemaDialectOf(database).inKeyOrder}`,
      ['audit_owners'],
    ),
  },
  key: 'batch',
  person: {
    column: 'owner',
    erasure: 'rename',
    countedAs: 'auditRows',
    isWrittenLate: true,
    own: auditErasure,
  },
  // one look into an index; into that of the version before where there has been no use since
  lastUse: (grantId) => sql<number | null>`coalesce(
    (select o.used_at from acmcp_audit_owners o
      where o.owner = ${grantId} and o.used_at is not null order by o.batch desc limit 1),
    (select a.at from acmcp_audit a
      where a.grant_id = ${grantId} and a.event in ('tool-call', 'request', 'refresh') order by a.id desc limit 1))`,
}

export const auditTables: readonly CapabilityTable[] = [oldRows, batches, owners]
