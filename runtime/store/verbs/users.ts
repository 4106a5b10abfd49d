/** Users. */
import type { Clock, User } from '../../contract/store.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Store } from '../store.ts'

type Users = Pick<Store, 'saveUser' | 'findUser'>

/** The verbs of `Store` on users. */
export function userVerbs(database: CoreDatabase, clock: Clock): Users {
  return {
    saveUser: (user) => saveUser(database, user, clock()),
    findUser: (id) => findUser(database, id),
  }
}

async function saveUser(database: CoreDatabase, user: User, now: number): Promise<void> {
  const record = { name: user.name, email: user.email, updated_at: now }
  await database
    .insertInto('acmcp_users')
    .values({ id: user.id, ...record })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(record))
    .execute()
}

async function findUser(database: CoreDatabase, id: string): Promise<User | null> {
  const query = database.selectFrom('acmcp_users').select(['id', 'name', 'email']).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}
