/** Users. */
import type { Clock, User } from '../../contract/store.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Store } from '../store.ts'
import type { Prepare } from './prepare.ts'

/** The verbs of `Store` on users. */
export function userVerbs(
  database: CoreDatabase,
  clock: Clock,
  prepare: Prepare,
): Pick<Store, 'saveUser' | 'findUser'> {
  const find = prepare<User>('select id, name, email from acmcp_users where id = $1')
  return {
    saveUser: (user) => saveUser(database, user, clock()),
    findUser: async (id) => (await find([id]))[0] ?? null,
  }
}

async function saveUser(database: CoreDatabase, { id, name, email }: User, now: number): Promise<void> {
  const record = { name, email, updated_at: now }
  await database
    .insertInto('acmcp_users')
    .values({ id, ...record })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(record))
    .execute()
}
