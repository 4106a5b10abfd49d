/** What counts once, over all processes and instances. Source: rules.md, single use. */
import { sha256Hex } from '../../secret.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Store } from '../store.ts'

/** An id is kept as SHA-256 of its kind and parts. The insert decides: of many at once, and of all that come later, one makes the row. */
export function useOnceVerb(database: CoreDatabase): Pick<Store, 'useOnce'> {
  return {
    useOnce: async (kind, id, expiresAt) => {
      const { numInsertedOrUpdatedRows = 0n } = await database
        .insertInto('acmcp_used_once')
        .values({ id_hash: sha256Hex(JSON.stringify([kind, ...id])), expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id_hash').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },
  }
}
