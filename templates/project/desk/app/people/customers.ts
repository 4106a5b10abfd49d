/** The people who ask for help: written down by an agent, or come to the desk by themselves. */
import { randomUUID } from 'node:crypto'
import { Conflict } from 'acmcp'
import { sql } from 'kysely'
import { orConflict } from '../database/broken-keys.ts'
import type { DeskDatabase, Tables } from '../database/tables.ts'
import type { Customer, NewCustomer } from '../model/customer.ts'
import type { Member } from '../model/member.ts'
import { containing, offsetOf, type Page, type Paging } from '../model/paging.ts'

/** Customers by name, of which name, address or organisation contains `search`. */
export async function listCustomers(
  database: DeskDatabase,
  search: string,
  paging: Paging,
): Promise<Page<Customer>> {
  const pattern = containing(search)
  const found = database
    .selectFrom('customers')
    .where(
      sql<boolean>`lower(name || ' ' || email || ' ' || coalesce(organisation, '')) like ${pattern} escape '!'`,
    )
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = found.selectAll().orderBy('name').orderBy('id').limit(paging.perPage).offset(offsetOf(paging))
  return { items: (await page.execute()).map(customerFrom), ...paging, total }
}

export async function findCustomer(database: DeskDatabase, id: string): Promise<Customer | null> {
  const row = await database.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : customerFrom(row)
}

/** Stores a customer whose address is new; else returns null, and stores nothing. */
export async function addCustomer(
  database: DeskDatabase,
  customer: NewCustomer,
  at: Date,
): Promise<Customer | null> {
  const row = { ...rowOf(customer), id: randomUUID(), user_id: null, created_at: at.getTime() }
  const inserted = await database
    .insertInto('customers')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n ? customerFrom(row) : null
}

export async function findByEmail(database: DeskDatabase, email: string): Promise<Customer | null> {
  const found = database.selectFrom('customers').selectAll().where('email', '=', email.toLowerCase())
  const row = await found.executeTakeFirst()
  return row === undefined ? null : customerFrom(row)
}

/** Null: there is none. Throws `Conflict` when another customer has the address. */
export async function replaceCustomer(
  database: DeskDatabase,
  id: string,
  customer: NewCustomer,
): Promise<Customer | null> {
  const update = database.updateTable('customers').set(rowOf(customer)).where('id', '=', id).returningAll()
  const row = await orConflict(update.executeTakeFirst(), 'another customer has this address')
  return row === undefined ? null : customerFrom(row)
}

/** The customer is this user from now on, and the user sees their tickets. Null: there is none. Throws `Conflict` for a user who is
 *  a customer already, or who has never signed in, and unless `mayMove` for a customer who is another user. */
export async function linkCustomer(
  database: DeskDatabase,
  id: string,
  { user, mayMove }: { readonly user: string; readonly mayMove: boolean },
): Promise<Customer | null> {
  const update = database
    .updateTable('customers')
    .set({ user_id: user })
    .where('id', '=', id)
    .$if(!mayMove, (query) =>
      query.where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', user)])),
    )
    .returningAll()
  const row = await orConflict(
    update.executeTakeFirst(),
    'this user has never signed in, or is a customer already',
  )
  if (row !== undefined) return customerFrom(row)
  if ((await findCustomer(database, id)) === null) return null
  throw new Conflict('this customer has an account: only an admin can move them to another')
}

/** The numbers of a customer's tickets. */
export async function customerTickets(database: DeskDatabase, id: string): Promise<number[]> {
  const rows = await database.selectFrom('tickets').select('number').where('customer_id', '=', id).execute()
  return rows.map(({ number }) => number)
}

/** Whether there was one: their tickets go with them. */
export async function eraseCustomer(database: DeskDatabase, id: string): Promise<boolean> {
  const deleted = await database.deleteFrom('customers').where('id', '=', id).executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** The id of the customer that `member` is. A member who asks for the first time becomes one. No customer is found by an address:
 *  its owner of today is not proven to be that of before. */
export async function customerIdOf(database: DeskDatabase, member: Member, at: Date): Promise<string> {
  const own = database.selectFrom('customers').select('id').where('user_id', '=', member.id)
  const known = await own.executeTakeFirst()
  if (known !== undefined) return known.id
  if (member.email === null) throw new Conflict('your account has no e-mail address')
  const content = { name: member.name, email: member.email.toLowerCase(), organisation: null }
  await database
    .insertInto('customers')
    .values({ id: randomUUID(), ...content, user_id: member.id, created_at: at.getTime() })
    .onConflict((conflict) => conflict.doNothing()) // another request of theirs may be as far
    .execute()
  const added = await own.executeTakeFirst()
  if (added === undefined)
    throw new Conflict('your address is known already: ask an agent to link your account')
  return added.id
}

const rowOf = ({ name, email, organisation }: NewCustomer) => ({
  name,
  email: email.toLowerCase(),
  organisation,
})

function customerFrom({ id, name, email, organisation, user_id, created_at }: Tables['customers']): Customer {
  return { id, name, email, organisation, hasAccount: user_id !== null, since: new Date(created_at) }
}
