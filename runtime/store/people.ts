/** Users and registered clients. */
import type { Clock, User } from '../contract.ts'
import type { CoreDatabase } from './schema.ts'
import type { Client, Store } from './store.ts'

type People = Pick<Store, 'saveUser' | 'findUser' | 'saveClient' | 'findClient'>

/** The verbs of `Store` on users and clients; a client that is saved again replaces its metadata only. */
export function peopleVerbs(database: CoreDatabase, clock: Clock): People {
  return {
    saveUser: (user) => saveUser(database, user, clock()),
    findUser: (id) => findUser(database, id),
    saveClient: (client) => saveClient(database, client, clock()),
    findClient: (id) => findClient(database, id),
  }
}

async function saveUser(database: CoreDatabase, user: User, now: number): Promise<void> {
  const record = { name: user.name, email: user.email, updated_at: now }
  await database
    .insertInto('users')
    .values({ id: user.id, ...record })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(record))
    .execute()
}

async function findUser(database: CoreDatabase, id: string): Promise<User | null> {
  const query = database.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

async function saveClient(database: CoreDatabase, client: Client, now: number): Promise<void> {
  const { id, ...rest } = client
  const metadata = JSON.stringify(rest)
  await database
    .insertInto('clients')
    .values({ id, metadata, created_at: now, last_used_at: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ metadata }))
    .execute()
}

async function findClient(database: CoreDatabase, id: string): Promise<Client | null> {
  const query = database.selectFrom('clients').select(['id', 'metadata']).where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row === undefined) return null
  // Written by `saveClient` above and by nobody else.
  const metadata = JSON.parse(row.metadata) as Omit<Client, 'id'>
  return { id: row.id, ...metadata }
}
