/** When the rows of the core's tables end, and whose they are. */
import { sql } from 'kysely'
import type { CoreTables, TableRules } from './tables.ts'
import { sessionErasure } from './verbs/sessions.ts'

/** The name of what scopes let clients change at the first start with this: grants of before refer to it. */
export const firstSurface = 'first'

const hourMs = 3_600_000
/** Source: decisions/store.md, Care. */
const dayMs = 24 * hourMs

/** In the order of the purge and of an erasure: a grant ends when its last token has gone, and a user goes last. */
export const coreTables: {
  readonly [Name in keyof CoreTables]: TableRules<keyof CoreTables[Name] & string>
} = {
  acmcp_sessions: {
    key: 'id_hash',
    ends: { column: 'expires_at' },
    person: { column: 'data', erasure: 'delete', countedAs: 'sessions', own: sessionErasure },
  },
  acmcp_tokens: { key: 'jti_hash', ends: { column: 'expires_at' } },
  acmcp_grants: {
    key: 'id',
    person: {
      column: 'user_id',
      erasure: 'rename',
      countedAs: 'grants',
      // their revocation counts as long as a token lives
      set: ({ blockedAt }) =>
        sql`, revoked_at = coalesce(revoked_at, ${blockedAt}), revoked_reason = coalesce(revoked_reason, 'erased')`,
    },
  },
  acmcp_surfaces: {
    key: 'name',
    ends: {
      column: 'used_at', // a day after the last consent: one under way has set the time anew
      afterMs: dayMs,
      where: () => sql`name <> ${firstSurface}
        and not exists (select 1 from acmcp_grants g where g.surface = acmcp_surfaces.name)`,
    },
  },
  acmcp_revoked_tokens: { key: 'jti_hash', ends: { column: 'expires_at' } },
  acmcp_used_once: { key: 'id_hash', ends: { column: 'expires_at' } },
  acmcp_shared_counts: { key: 'key' },
  acmcp_clients: { key: 'id' },
  acmcp_users: { key: 'id', person: { column: 'id', erasure: 'delete', countedAs: null } },
  acmcp_sizes: { key: 'name' },
  acmcp_changes: { key: 'version' },
}
