/** What counts once, over all processes and instances. Source: rules.md, single use. */
import { sha256Hex } from '../../secret.ts'
import type { Store, UsedOnce } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'

/** An id is kept as SHA-256 of its kind and parts. The insert decides: of many at once, and of all that come later, one makes the row. */
export function useOnceVerb(database: CoreDatabase): Pick<Store, 'useOnce' | 'wasUsed'> {
  return {
    useOnce: async (kind, id, expiresAt) => {
      const { numInsertedOrUpdatedRows = 0n } = await database
        .insertInto('acmcp_used_once')
        .values({ id_hash: keyOf(kind, id), expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id_hash').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },
    wasUsed: async (kind, id) => {
      const rows = database
        .selectFrom('acmcp_used_once')
        .select('id_hash')
        .where('id_hash', '=', keyOf(kind, id))
      return (await rows.executeTakeFirst()) !== undefined
    },
  }
}

const keyOf = (kind: UsedOnce, id: readonly string[]): string => sha256Hex(JSON.stringify([kind, ...id]))
