/** The people who sign in, and what they may do here. acmcp identifies them; their role is ours to keep. */
import type { Services, User } from 'acmcp'
import { sql } from 'kysely'
import { type DeskDatabase, databaseFor, type Tables } from '../database/tables.ts'
import type { Member, Role } from '../model/member.ts'
import { containing, offsetOf, type Page, type Paging } from '../model/paging.ts'

/** The admins of the first day: ids of users, with commas in between. */
const firstAdmins: ReadonlySet<string> = new Set(process.env.DESK_ADMINS?.split(','))

/** The member that `user` is. A user who comes for the first time becomes a customer, or one of the first admins. */
export async function memberOf(services: Services, user: User): Promise<Member> {
  const { id, name, email } = user
  const known = await findMember(databaseFor(services), id)
  if (known !== null && known.name === name && known.email === email) return known
  const since = known?.since ?? new Date(services.clock())
  const role = known?.role ?? (firstAdmins.has(id) ? 'admin' : 'customer')
  await databaseFor(services)
    .insertInto('users')
    .values({ id, name, email, role, created_at: since.getTime() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ name, email }))
    .execute()
  return { id, name, email, role, since }
}

/** Whether `user` may be asked for the scope of admins. */
export async function isAdmin(user: User, services: Services): Promise<boolean> {
  return (await memberOf(services, user)).role === 'admin'
}

export async function findMember(database: DeskDatabase, id: string): Promise<Member | null> {
  const row = await database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : memberFrom(row)
}

export interface MemberSearch extends Paging {
  /** Empty: all. */
  readonly roles: readonly Role[]
  readonly search: string
}

/** Members by name. */
export async function listMembers(
  database: DeskDatabase,
  { roles, search, ...paging }: MemberSearch,
): Promise<Page<Member>> {
  const pattern = containing(search)
  const all = database.selectFrom('users').where(sql<boolean>`lower(name) like ${pattern} escape '!'`)
  const found = roles.length === 0 ? all : all.where('role', 'in', roles)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = found.selectAll().orderBy('name').orderBy('id').limit(paging.perPage).offset(offsetOf(paging))
  return { items: (await page.execute()).map(memberFrom), ...paging, total }
}

/** The member with the role from now on, or null for a user who has never signed in. */
export async function giveRole(database: DeskDatabase, id: string, role: Role): Promise<Member | null> {
  const update = database.updateTable('users').set({ role }).where('id', '=', id)
  const row = await update.returningAll().executeTakeFirst()
  return row === undefined ? null : memberFrom(row)
}

function memberFrom({ id, name, email, role, created_at }: Tables['users']): Member {
  return { id, name, email, role, since: new Date(created_at) }
}
