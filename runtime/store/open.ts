import { type Dialect, Kysely } from 'kysely'
import { ledgerVerbs } from './ledger.ts'
import { migrate } from './migrate.ts'
import { peopleVerbs } from './people.ts'
import { postgresDialect } from './postgres.ts'
import { purgeExpired } from './purge.ts'
import type { CoreTables } from './schema.ts'
import { sessionVerbs } from './sessions.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Store, StoreOptions } from './store.ts'

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
    ...peopleVerbs(database, options.clock),
    ...ledgerVerbs(database, options.clock),
    ...sessionVerbs(database, options.clock),
    purgeExpired: () => purgeExpired(database, options.clock()),
    database: handle,
    close: () => database.destroy(),
  }
}

async function dialectOf(url: string): Promise<Dialect> {
  if (url.startsWith('sqlite:') && url !== 'sqlite:') return sqliteDialect(url.slice('sqlite:'.length))
  if (/^postgres(ql)?:\/\//.test(url)) return postgresDialect(url)
  throw new Error('the store address must be sqlite:path, sqlite::memory: or postgres://…')
}
