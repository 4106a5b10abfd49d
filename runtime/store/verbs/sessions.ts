/** Browser sessions: data as JSON under the hash of the id. */

import type { SessionStore } from '../../contract/session-store.ts'
import type { Clock } from '../../contract/store.ts'
import type { CoreDatabase } from '../schema.ts'
import { hashOf } from './hash.ts'

/** The verbs of `SessionStore`; an expired session reads as null before it is purged. */
export function sessionVerbs(database: CoreDatabase, clock: Clock): SessionStore {
  return {
    readSession: (id) => readSession(database, id, clock()),
    writeSession: (id, data, expiresAt) =>
      writeSession(database, id, { data: JSON.stringify(data), expires_at: expiresAt }),
    updateSession: (id, data, expiresAt) =>
      updateSession(database, id, { data: JSON.stringify(data), expires_at: expiresAt }),
    destroySession: async (id) => {
      await database.deleteFrom('acmcp_sessions').where('id_hash', '=', hashOf(id)).execute()
    },
  }
}

async function readSession(
  database: CoreDatabase,
  id: string,
  now: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  const row = await database
    .selectFrom('acmcp_sessions')
    .select('data')
    .where('id_hash', '=', hashOf(id))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  // Written below and by nobody else.
  return row === undefined ? null : (JSON.parse(row.data) as Readonly<Record<string, unknown>>)
}

interface SessionRecord {
  readonly data: string
  readonly expires_at: number
}

/** The row count decides. */
async function updateSession(database: CoreDatabase, id: string, record: SessionRecord): Promise<boolean> {
  const update = database.updateTable('acmcp_sessions').set(record).where('id_hash', '=', hashOf(id))
  return (await update.executeTakeFirst()).numUpdatedRows === 1n
}

async function writeSession(database: CoreDatabase, id: string, record: SessionRecord): Promise<void> {
  await database
    .insertInto('acmcp_sessions')
    .values({ id_hash: hashOf(id), ...record })
    .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(record))
    .execute()
}
