/** Users. */
import { type RawBuilder, sql } from 'kysely'
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
    saveUser: (user) => saveUser(database, user, clock()),
    saveSignIn: (user, attributes, beganAt) =>
      saveSignIn(database, { user, attributes, beganAt, now: clock() }),
    forgetAttributes: async (userId, beganAt) => {
      const { numUpdatedRows } = await database
        .updateTable('acmcp_users')
        .set({ attributes: null, attributes_at: beganAt })
        .where('id', '=', userId)
        .where(notSince(beganAt))
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

interface SavedSignIn {
  readonly user: User
  readonly attributes: string | null
  readonly beganAt: number
  readonly now: number
}

async function saveSignIn(
  database: CoreDatabase,
  { user: { id, name, email }, attributes, beganAt, now }: SavedSignIn,
): Promise<void> {
  const record = { name, email, updated_at: now, signed_in_at: now, attributes, attributes_at: beganAt }
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('acmcp_users')
    .values({ id, ...record })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(record).where(notSince(beganAt)).where(notBlocked),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) await refuseBlocked(database, id)
}

/** Whether no sign-in that began later has been heard. */
const notSince = (beganAt: number): RawBuilder<boolean> =>
  sql`(acmcp_users.attributes_at is null or acmcp_users.attributes_at <= ${beganAt})`

const notBlocked: RawBuilder<boolean> = sql`acmcp_users.blocked_at is null`

/** What a later sign-in has said stays as it is. */
async function refuseBlocked(database: CoreDatabase, id: string): Promise<void> {
  const row = await database
    .selectFrom('acmcp_users')
    .select('blocked_at')
    .where('id', '=', id)
    .executeTakeFirst()
  if (typeof row?.blocked_at === 'number') throw new UserBlocked()
}

async function saveUser(database: CoreDatabase, { id, name, email }: User, now: number): Promise<void> {
  const record = { name, email, updated_at: now }
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('acmcp_users')
    .values({ id, ...record })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(record).where(notBlocked))
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new UserBlocked()
}
