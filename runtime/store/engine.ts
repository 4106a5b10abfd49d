/** The two engines, told apart by the store's address. */
import { existsSync } from 'node:fs'
import type { Dialect } from 'kysely'
import { type Health, unwatched } from './health.ts'
import type { Commits } from './sqlite/group-commit.ts'
import { sqliteDialect } from './sqlite/sqlite.ts'
import { StoreAddressError } from './store.ts'

/** What a store's address leads to. A migration may wait and work for longer than a verb: it has connections of its own,
 *  but in memory, where there is only one. */
export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** For people: without a password. */
  readonly address: string
  /** The file of a store that has one. */
  readonly file: string | null
  readonly dialect: Dialect
  readonly migrationDialect: Dialect | null
  /** Null where the server itself puts commits together. */
  readonly commits: Commits | null
}

const patienceMs = 5000
const migrationPatienceMs = 60_000
const memory = ':memory:'

/** Rejects with `StoreAddressError` on an address that is neither `sqlite:` nor `postgres:`. Connects to nothing yet.
 *  `health` learns of every use but those of migrations. */
export async function engineOf(url: string, health: Health = unwatched): Promise<Engine> {
  if (url.startsWith('sqlite:') && url !== 'sqlite:') return sqliteEngine(url.slice('sqlite:'.length), health)
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return postgresEngine(url, health)
  throw new StoreAddressError('the store address must be sqlite:path, sqlite::memory: or postgres://…')
}

function sqliteEngine(path: string, health: Health): Engine {
  const inMemory = path === memory
  const dialect = sqliteDialect(path, patienceMs, health)
  return {
    name: 'SQLite',
    address: `sqlite:${path}`,
    file: inMemory ? null : path,
    dialect,
    migrationDialect: inMemory ? null : sqliteDialect(path, migrationPatienceMs),
    commits: dialect.commits,
  }
}

async function postgresEngine(url: string, health: Health): Promise<Engine> {
  const { postgresDialect } = await import('./postgres.ts') // loads pg
  return {
    name: 'PostgreSQL',
    address: withoutPassword(url),
    file: null,
    dialect: postgresDialect(url, 'limited', health),
    migrationDialect: postgresDialect(url, 'unlimited'),
    commits: null,
  }
}

function withoutPassword(url: string): string {
  const address = new URL(url)
  address.password = ''
  address.search = '' // may hold a password too
  return address.href
}

/** Whether nothing has ever been stored there. Opening would make the file. */
export function isMissing(engine: Engine): boolean {
  return engine.file !== null && !existsSync(engine.file)
}
