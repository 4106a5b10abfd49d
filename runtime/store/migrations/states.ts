/** Which migrations a store has and which it lacks, and whether a build may serve a store that has more than it knows. */
import { Kysely, sql } from 'kysely'
import { engineOf, isMissing } from '../engine.ts'
import { schemaDialectOf } from '../schema-dialect.ts'
import type { CapabilityTable } from '../tables.ts'
import { type WholeSchema, wholeSchema } from '../whole-schema.ts'
import type { Migration } from './migration.ts'
import { StoreAhead } from './migration-errors.ts'

/** Null = they are not known, and nothing is asked of them. */
export type ApplicationMigrations = Readonly<Record<string, Migration>> | null

/** Those of acmcp itself and those of the application. */
export interface MigrationLists {
  readonly core: WholeSchema['migrations']
  readonly application: ApplicationMigrations
}

/** One migration and whether it has run. */
export interface MigrationState {
  readonly owner: 'core' | 'app'
  readonly name: string
  readonly isApplied: boolean
  /** Whether the version before works on the schema that it makes. */
  readonly isAdditive: boolean
  /** False for one that the store has and this build has not. */
  readonly isKnown: boolean
}

/** Every migration of the core and of the application in the order in which they run. Changes nothing. */
export async function migrationStates(
  database: Kysely<unknown>,
  { core, application }: MigrationLists,
): Promise<readonly MigrationState[]> {
  const seen = await appliedIn(database)
  const states = statesOf('core', core, seen)
  return application === null ? states : [...states, ...statesOf('app', application, seen)]
}

/** Those of a store that is not there. */
function pendingMigrations({ core, application }: MigrationLists): readonly MigrationState[] {
  const nothing = { core: [], app: [], additive: new Set<string>() }
  return [...statesOf('core', core, nothing), ...statesOf('app', application ?? {}, nothing)]
}

interface Applied {
  readonly core: readonly string[]
  readonly app: readonly string[]
  /** By `keyOf`. */
  readonly additive: ReadonlySet<string>
}

const tables = ['core_migration', 'app_migration', 'acmcp_additive_migrations'] as const

async function appliedIn(database: Kysely<unknown>): Promise<Applied> {
  const there = await schemaDialectOf(database).namesTaken(database, tables)
  const namesIn = async (table: (typeof tables)[number]): Promise<readonly string[]> => {
    if (!there.includes(table)) return []
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(database)
    return rows.map(({ name }) => name)
  }
  const [core, app] = [await namesIn('core_migration'), await namesIn('app_migration')]
  if (!there.includes('acmcp_additive_migrations')) return { core, app, additive: new Set() }
  const { rows } = await sql<{ owner: string; name: string }>`
    select owner, name from acmcp_additive_migrations`.execute(database)
  return { core, app, additive: new Set(rows.map(({ owner, name }) => keyOf(owner, name))) }
}

const keyOf = (owner: string, name: string): string => `${owner} ${name}`

function statesOf(
  owner: 'core' | 'app',
  known: Readonly<Record<string, Migration>>,
  seen: Applied,
): readonly MigrationState[] {
  const names = [...new Set([...Object.keys(known), ...seen[owner]])].sort()
  return names.map((name) => ({
    owner,
    name,
    isApplied: seen[owner].includes(name),
    isAdditive: Object.hasOwn(known, name)
      ? known[name]?.additive === true
      : seen.additive.has(keyOf(owner, name)),
    isKnown: Object.hasOwn(known, name),
  }))
}

/** Those of a newer build beside which this one must not run, and those that were renamed or removed: a newer build
 *  only adds to the end of a list. */
export function strangersIn(states: readonly MigrationState[]): readonly MigrationState[] {
  return states.filter(({ owner, name, isAdditive, isKnown }) => {
    const isLater = states.every((other) => other.owner !== owner || !other.isKnown || other.name < name)
    return !isKnown && !(isAdditive && isLater)
  })
}

/** Throws `StoreAhead`. What is pending beside strangers was renamed: the migrator says so. */
export function refuseStrangers(states: readonly MigrationState[]): void {
  const strangers = strangersIn(states).filter(
    ({ owner }) => !states.some((other) => other.owner === owner && !other.isApplied),
  )
  if (strangers.length > 0) throw new StoreAhead(strangers.map(({ owner, name }) => `${owner} ${name}`))
}

export interface StoreStatus {
  readonly engine: string
  /** Without a password. */
  readonly address: string
  readonly migrations: readonly MigrationState[]
}

export interface InspectedStore {
  readonly url: string
  readonly migrations: ApplicationMigrations
  /** Of the capabilities. */
  readonly tables: readonly CapabilityTable[]
}

/** Looks at the store at `url`, which no process has opened, for `acmcp store status` and `migrate`. Changes nothing. A SQLite file that is not there is not made. Throws `StoreUnavailable`. */
export async function inspectStore({ url, migrations, tables }: InspectedStore): Promise<StoreStatus> {
  const lists = { core: wholeSchema(tables).migrations, application: migrations }
  const engine = await engineOf(url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) return { ...seen, migrations: pendingMigrations(lists) }
  const database = new Kysely<unknown>({ dialect: engine.migrationDialect ?? engine.dialect })
  const states = await migrationStates(database, lists).finally(() => database.destroy())
  return { ...seen, migrations: states }
}
