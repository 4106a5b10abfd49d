import { type Dialect, Kysely } from 'kysely'
import { clientVerbs } from './clients.ts'
import { countVerbs } from './counts.ts'
import { ledgerVerbs } from './ledger.ts'
import { migrate } from './migrate.ts'
import { postgresDialect } from './postgres.ts'
import { purgeExpired } from './purge.ts'
import { revocationVerbs } from './revocation.ts'
import type { CoreTables } from './schema.ts'
import { sessionVerbs } from './sessions.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Store, StoreOptions } from './store.ts'
import { userVerbs } from './users.ts'

const defaultClientCap = 100_000

/** Opens the database at `url` and brings its schema up to date (or refuses to start behind it). Throws on an address
 *  that is neither `sqlite:` nor `postgres:`, on a pending migration with `refuse`, and what the database throws. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = new Kysely<CoreTables>({ dialect: await dialectOf(options.url) })
  // The application sees its own tables on the same handle, never the core's types.
  const handle = database as unknown as Kysely<unknown>
  try {
    await migrate(handle, options.migrations, options.migrate)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return {
    ...userVerbs(database, options.clock),
    ...clientVerbs(database, options.clock, options.clientCap ?? defaultClientCap),
    ...ledgerVerbs(database, options.clock),
    ...revocationVerbs(database, options.clock),
    ...countVerbs(database),
    ...sessionVerbs(database, options.clock),
    purgeExpired: () => purgeExpired(database, options.clock()),
    isShared: !options.url.startsWith('sqlite:'),
    database: handle,
    close: () => database.destroy(),
  }
}

async function dialectOf(url: string): Promise<Dialect> {
  if (url.startsWith('sqlite:') && url !== 'sqlite:') return sqliteDialect(url.slice('sqlite:'.length))
  if (/^postgres(ql)?:\/\//.test(url)) return postgresDialect(url)
  throw new Error('the store address must be sqlite:path, sqlite::memory: or postgres://…')
}
