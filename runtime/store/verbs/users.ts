/** Users. */
import type { Clock, User } from '../../contract/store.ts'
import { withAttributes } from '../../user-attributes.ts'
import type { CoreDatabase } from '../schema.ts'
import { type Store, UserBlocked } from '../store.ts'
import type { Prepare } from './prepare.ts'

/** The verbs of `Store` on users. */
export function userVerbs(
  database: CoreDatabase,
  clock: Clock,
  prepare: Prepare,
): Pick<Store, 'saveUser' | 'saveSignIn' | 'forgetAttributes' | 'findUser'> {
  const find = prepare<User & SignInColumns>(
    'select id, name, email, attributes from acmcp_users where id = $1 and blocked_at is null',
  )
  return {
    saveUser: (user) => saveUser(database, user, { updated_at: clock() }),
    saveSignIn: (user, attributes) => {
      const now = clock()
      return saveUser(database, user, { updated_at: now, signed_in_at: now, attributes })
    },
    forgetAttributes: async (userId) => {
      const { numUpdatedRows } = await database
        .updateTable('acmcp_users')
        .set({ attributes: null })
        .where('id', '=', userId)
        .where('attributes', 'is not', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    findUser: async (userId) => {
      const [row] = await find([userId])
      if (row === undefined) return null
      const { id, name, email, attributes } = row
      return withAttributes({ id, name, email }, attributes)
    },
  }
}

interface SignInColumns {
  readonly attributes: string | null
}

async function saveUser(
  database: CoreDatabase,
  { id, name, email }: User,
  others: { readonly updated_at: number } & Partial<{ signed_in_at: number; attributes: string | null }>,
): Promise<void> {
  const record = { name, email, ...others }
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('acmcp_users')
    .values({ id, ...record })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(record).where('acmcp_users.blocked_at', 'is', null),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new UserBlocked()
}
