/** Users. */
import { type RawBuilder, sql } from 'kysely'
import type { Clock, User } from '../../contract/store.ts'
import { withAttributes } from '../../user-attributes.ts'
import { type Store, UserBlocked } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { lastErasure } from './last-erasure.ts'
import type { Prepare } from './prepare.ts'

/** The verbs of `Store` on users. */
export function userVerbs(
  database: CoreDatabase,
  clock: Clock,
  prepare: Prepare,
): Pick<Store, 'saveUser' | 'saveSignIn' | 'forgetAttributes' | 'findUser'> {
  const find = prepare<User & { readonly attributes: string | null }>(
    'select id, name, email, attributes from acmcp_users where id = $1 and blocked_at is null',
  )
  return {
    saveUser: (user) => saveUser(database, user, clock()),
    saveSignIn: (user, attributes, beganAt, hasSignedIn = true) =>
      saveSignIn(database, { user, attributes, beganAt, now: clock(), hasSignedIn }),
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

interface SavedSignIn {
  readonly user: User
  readonly attributes: string | null
  readonly beganAt: number
  readonly now: number
  readonly hasSignedIn: boolean
}

/** Of what is known of them only what began later is replaced; that they signed in now is true of each. */
async function saveSignIn(
  database: CoreDatabase,
  { user: { id, name, email }, attributes, beganAt, now, hasSignedIn }: SavedSignIn,
): Promise<void> {
  const times = { updated_at: now, ...(hasSignedIn ? { signed_in_at: now } : {}) }
  const newest = (column: 'name' | 'email' | 'attributes' | 'attributes_at'): RawBuilder<never> =>
    sql`case when ${notSince(beganAt)} then excluded.${sql.ref(column)} else acmcp_users.${sql.ref(column)} end`
  const record = {
    name: newest('name'),
    email: newest('email'),
    attributes: newest('attributes'),
    attributes_at: newest('attributes_at'),
  }
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('acmcp_users')
    .values({ id, name, email, attributes, attributes_at: beganAt, tokens_since: lastErasure, ...times })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ ...record, ...times })
        .where(notBlocked),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new UserBlocked()
}

/** Whether no sign-in that began later has been heard. */
const notSince = (beganAt: number): RawBuilder<boolean> =>
  sql`(acmcp_users.attributes_at is null or acmcp_users.attributes_at <= ${beganAt})`

const notBlocked: RawBuilder<boolean> = sql`acmcp_users.blocked_at is null`

async function saveUser(database: CoreDatabase, { id, name, email }: User, now: number): Promise<void> {
  const record = { name, email, updated_at: now }
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('acmcp_users')
    .values({ id, tokens_since: lastErasure, ...record })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(record).where(notBlocked))
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new UserBlocked()
}
