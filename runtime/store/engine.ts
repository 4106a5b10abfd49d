/** The two engines, told apart by the store's address. What differs between them is here, or in what is imported here. */
import { existsSync } from 'node:fs'
import { type Dialect, sql } from 'kysely'
import type { Bus } from '../contract/bus.ts'
import type { PoolUse } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'
import { type BigintColumns, noBigintColumns } from './exact-integers.ts'
import { type Health, unwatched } from './health.ts'
import type { PoolLimits } from './pool.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import { SqliteBus } from './sqlite/sqlite-bus.ts'
import { probeFile } from './sqlite/sqlite-file.ts'
import { StoreAddressError } from './store.ts'
import type { CoreDatabase } from './tables.ts'
import { inGroupCommits, inOneStatement, type Redeem } from './verbs/redeem.ts'
import type { VerbEngine } from './verbs/verb-parts.ts'

/** What a store's address leads to. A migration may wait and work for longer than a verb: it has connections of its own,
 *  but in memory, where there is only one. */
export interface Engine extends VerbEngine {
  readonly name: string
  /** For people: without a password. */
  readonly address: string
  /** The file of a store that has one. */
  readonly file: string | null
  /** The program of the database that copies it, as a shell runs it with the address in DATABASE_URL: it may hold a password. Null
   *  where `backupFile` does. */
  readonly backupCommand: ((file: string) => string) | null
  /** Whether other machines may use the same store. */
  readonly isShared: boolean
  readonly dialect: Dialect
  readonly migrationDialect: Dialect | null
  /** Null where there is no pool. */
  readonly poolUse: (() => PoolUse) | null
  readonly redeem: Redeem
  /** Joins the other instances. Rejects with `DeafConnection`. */
  readonly joinBus: (every: Scheduler, secrets: readonly string[]) => Promise<Bus>
  /** Rejects when nothing can be written now. Blocks no writer, and waits for none. */
  readonly probeWrite: (database: CoreDatabase) => Promise<void>
  /** The same as `alongIndexes`, or resolves with null while another instance does such work. */
  readonly withExclusiveLock: WithExclusiveLock
}

export type WithExclusiveLock = <Result>(
  database: CoreDatabase,
  work: (database: CoreDatabase) => Promise<Result>,
) => Promise<Result | null>

const patienceMs = 5000
const migrationPatienceMs = 60_000
const memory = ':memory:'

/** Of an instance that has no others. */
const silentBus: Bus = { publish: () => {}, subscribe: () => {}, onGap: () => {}, close: async () => true }

export interface EngineOptions {
  readonly health?: Health
  readonly pool?: PoolLimits | undefined
  /** Of the application's tables. */
  readonly bigints?: BigintColumns
}

/** Rejects with `StoreAddressError` on an address that is neither `sqlite:` nor `postgres:`. Connects to nothing yet.
 *  `health` learns of every use but those of migrations. */
export async function engineOf(
  url: string,
  { health = unwatched, pool, bigints = noBigintColumns }: EngineOptions = {},
): Promise<Engine> {
  if (url.startsWith('sqlite:') && url !== 'sqlite:')
    return sqliteEngine(url.slice('sqlite:'.length), health, bigints)
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(withHost(url)))
    return postgresEngine(url, { health, pool, bigints })
  throw new StoreAddressError('the store address must be sqlite:path, sqlite::memory: or postgres://…')
}

function sqliteEngine(path: string, health: Health, bigints: BigintColumns): Engine {
  const inMemory = path === memory
  const { dialect, prepare, commits, takeTurn, identity } = openSqlite(path, { patienceMs, health, bigints })
  return {
    name: 'SQLite',
    address: `sqlite:${path}`,
    file: inMemory ? null : path,
    backupCommand: null,
    isShared: false,
    dialect,
    migrationDialect: inMemory
      ? null
      : openSqlite(path, { patienceMs: migrationPatienceMs, bigints }).dialect,
    prepare,
    poolUse: null,
    redeem: inGroupCommits(commits),
    sqlite: { file: inMemory ? null : path, patienceMs, commits, takeTurn, identity, health },
    joinBus: async (every) => {
      if (inMemory) return silentBus
      const bus = new SqliteBus({ prepare, commits, every })
      await bus.join()
      return bus
    },
    probeWrite: inMemory ? async () => {} : () => probeFile(path),
    skipLocked: sql``, // a transaction locks the whole file
    jsonArray: sql`json_array`,
    alongIndexes: (database, work) => work(database), // it knows no statistics, unless an operator took them
    withExclusiveLock: (database, work) => work(database),
  }
}

async function postgresEngine(
  url: string,
  { health, pool, bigints }: Required<EngineOptions>,
): Promise<Engine> {
  const { alongIndexes, openPostgres, probeServer, underAdvisoryLock } = await import(
    './postgres/postgres.ts'
  ) // loads pg
  const { dialect, prepare, poolUse } = openPostgres(url, { time: 'limited', pool, health, bigints })
  return {
    name: 'PostgreSQL',
    address: withoutPassword(url),
    file: null,
    backupCommand: (file) => `pg_dump --format=custom --file=${shellWord(file)} "$DATABASE_URL"`,
    isShared: true,
    dialect,
    migrationDialect: openPostgres(url, { time: 'unlimited', pool, bigints }).dialect,
    prepare,
    poolUse,
    redeem: inOneStatement(prepare),
    sqlite: null,
    joinBus: async (every, secrets) => {
      const { PostgresBus } = await import('./postgres/postgres-bus.ts')
      const bus = new PostgresBus({ url, every, health, secrets })
      try {
        await bus.join()
        return bus
      } catch (error) {
        await bus.close()
        throw error
      }
    },
    probeWrite: probeServer,
    skipLocked: sql`for update skip locked`,
    jsonArray: sql`json_build_array`,
    alongIndexes,
    withExclusiveLock: underAdvisoryLock,
  }
}

const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** An address with a user and no host names its socket in the query. */
const withHost = (url: string): string => url.replace('@/', '@localhost/')

function withoutPassword(url: string): string {
  const address = new URL(withHost(url))
  address.password = ''
  address.search = '' // may hold a password too
  return address.href
}

/** Whether nothing has ever been stored there. Opening would make the file. */
export function isMissing(engine: Engine): boolean {
  return engine.file !== null && !existsSync(engine.file)
}
