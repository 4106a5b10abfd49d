/** Browser sessions: data as JSON under the hash of the id; and how an identity provider ends them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SessionStore } from '../../contract/session-store.ts'
import type { Clock } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import type { Store } from '../store.ts'
import type { CoreDatabase, OwnErasure } from '../tables.ts'
import type { Prepare } from './prepare.ts'

type SessionVerbs = SessionStore & Pick<Store, 'revokeSessions' | 'endSessions' | 'findSessionUsers'>

/** The verbs of `SessionStore`; an expired session reads as null before it is purged. */
export function sessionVerbs(database: CoreDatabase, clock: Clock, prepare: Prepare): SessionVerbs {
  const find = prepare<{ readonly data: string }>(
    'select data from acmcp_sessions where id_hash = $1 and expires_at > $2',
  )
  return {
    readSession: async (id) => {
      const [row] = await find([sha256Hex(id), clock()])
      // Written below alone.
      return row === undefined ? null : (JSON.parse(row.data) as Readonly<Record<string, unknown>>)
    },
    writeSession: async (id, data, expiresAt) => {
      const record = recordOf(data, expiresAt)
      await database
        .insertInto('acmcp_sessions')
        .values({ id_hash: sha256Hex(id), ...record })
        .onConflict((conflict) => conflict.column('id_hash').doUpdateSet(record))
        .execute()
    },
    /** The row count decides. */
    updateSession: async (id, data, expiresAt) => {
      const record = recordOf(data, expiresAt)
      const update = database.updateTable('acmcp_sessions').set(record).where('id_hash', '=', sha256Hex(id))
      return (await update.executeTakeFirst()).numUpdatedRows === 1n
    },
    destroySession: async (id) => {
      await database.deleteFrom('acmcp_sessions').where('id_hash', '=', sha256Hex(id)).execute()
    },
    revokeSessions: (userId) => removeSessions(database, userId),
    findSessionUsers: async (sidHash) => {
      const sessions = database.selectFrom('acmcp_sessions').select('data').where('sid_hash', '=', sidHash)
      return [...new Set((await sessions.execute()).flatMap(({ data }) => userIn(data) ?? []))]
    },
    endSessions: async (userId, sidHash) => {
      const named = sidHash === null ? [] : await endBySid(database, sidHash)
      const others = userId === null ? [] : await endOfUser(database, userId, sidHash !== null)
      const counts = new Map<string, number>()
      for (const user of [...named, ...others]) counts.set(user, (counts.get(user) ?? 0) + 1)
      return counts
    },
  }
}

const recordOf = (
  data: Readonly<Record<string, unknown>>,
  expiresAt: number,
): { readonly data: string; readonly expires_at: number; readonly sid_hash: string | null } => ({
  data: JSON.stringify(data),
  expires_at: expiresAt,
  sid_hash: typeof data.sid_hash === 'string' ? data.sid_hash : null,
})

const batch = 500

export const sessionErasure: OwnErasure = {
  count: async (database, userId) => {
    let sessions = 0
    for await (const ids of sessionsOf(database, userId)) sessions += ids.length
    return sessions
  },
  erase: (database, { user }) => removeSessions(database, user.id),
}

async function removeSessions(database: CoreDatabase, userId: string): Promise<number> {
  let ended = 0
  for await (const ids of sessionsOf(database, userId)) {
    await database.deleteFrom('acmcp_sessions').where('id_hash', 'in', ids).execute()
    ended += ids.length
  }
  return ended
}

/** Their hashes, in batches that hold some. Whose a session is stands in its data alone: all are looked at. */
async function* sessionsOf(database: CoreDatabase, userId: string): AsyncGenerator<readonly string[]> {
  let last = ''
  for (;;) {
    const rows = await database
      .selectFrom('acmcp_sessions')
      .select(['id_hash', 'data'])
      .where('id_hash', '>', last)
      .orderBy('id_hash')
      .limit(batch)
      .execute()
    const ids = rows.filter(({ data }) => userIn(data) === userId).map(({ id_hash }) => id_hash)
    if (ids.length > 0) yield ids
    last = rows.at(-1)?.id_hash ?? last
    if (rows.length < batch) return
    await nextTurn() // SQLite does not wait for anything
  }
}

/** Whose they were, once for each. */
async function endBySid(database: CoreDatabase, sidHash: string): Promise<readonly string[]> {
  const ended = await database
    .deleteFrom('acmcp_sessions')
    .where('sid_hash', '=', sidHash)
    .returning('data')
    .execute()
  return ended.flatMap(({ data }) => userIn(data) ?? [])
}

/** Whose a session is stands in its data alone, as JSON writes it: the database looks through all of them, we at those that may fit. */
async function endOfUser(
  database: CoreDatabase,
  userId: string,
  isNameless: boolean,
): Promise<readonly string[]> {
  const text = `"user_id":${JSON.stringify(userId)}`.replace(/[!%_]/g, '!$&')
  const { rows } = await sql<{ readonly id_hash: string; readonly data: string }>`
    select id_hash, data from acmcp_sessions where data like ${`%${text}%`} escape '!'
      ${isNameless ? sql`and sid_hash is null` : sql``}`.execute(database)
  const ids = rows.filter(({ data }) => userIn(data) === userId).map(({ id_hash }) => id_hash)
  let ended = 0
  for (let at = 0; at < ids.length; at += batch) {
    const some = database.deleteFrom('acmcp_sessions').where('id_hash', 'in', ids.slice(at, at + batch))
    ended += Number((await some.executeTakeFirst()).numDeletedRows)
  }
  return new Array<string>(ended).fill(userId)
}

/** As `signIn` of the authorization server writes it. */
function userIn(data: string): string | null {
  const { user_id: user } = JSON.parse(data) as { readonly user_id?: unknown }
  return typeof user === 'string' ? user : null
}
