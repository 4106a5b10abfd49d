/** Sessions that an identity provider ends. */
import { sql } from 'kysely'
import type { Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'

export function providerSessionsVerb(
  database: CoreDatabase,
): Pick<Store, 'endSessions' | 'findSessionUsers'> {
  return {
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

/** Whose they were, once for each. */
async function endBySid(database: CoreDatabase, sidHash: string): Promise<readonly string[]> {
  const ended = await database
    .deleteFrom('acmcp_sessions')
    .where('sid_hash', '=', sidHash)
    .returning('data')
    .execute()
  return ended.flatMap(({ data }) => userIn(data) ?? [])
}

const batch = 500

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
