import { Kysely, sql } from 'kysely'
import { type Engine, engineOf } from './engine.ts'
import { bigintColumnsOf } from './exact-integers.ts'
import { type OutageListener, type WatchedHealth, watchHealth } from './health.ts'
import { migrate } from './migrations/migrate.ts'
import { purgeExpired } from './purge.ts'
import { type Store, StoreBusy, type StoreOptions, StoreUnavailable } from './store.ts'
import type { CoreDatabase, CoreTables } from './tables.ts'
import { clientGrantVerbs } from './verbs/client-grants.ts'
import { clientVerbs } from './verbs/clients.ts'
import { countVerbs, useOnceVerb } from './verbs/counts.ts'
import { grantVerbs } from './verbs/grants.ts'
import { liveGrantVerbs } from './verbs/live-grants.ts'
import { revocationVerbs } from './verbs/revocation.ts'
import { revokeGrantsVerbs } from './verbs/revoke-grants.ts'
import { sessionVerbs } from './verbs/sessions.ts'
import { standingVerbs } from './verbs/standing.ts'
import { userVerbs } from './verbs/users.ts'
import type { VerbParts } from './verbs/verb-parts.ts'
import { wholeSchema } from './whole-schema.ts'

const defaultClientCap = 100_000

/** Opens the database at `url` and brings its schema up to date (or refuses to start behind it). Throws on an address
 *  that is neither `sqlite:` nor `postgres:`, `StoreBehind` on a pending migration with `refuse`, `StoreAhead`,
 *  `StoreUnavailable`, `MigrationFailed` and `TableTaken`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, clock, monotonic = clock, keptMs = new Map() } = options
  const { tables, migrations: core } = wholeSchema(options.tables)
  const health = watchHealth(options.onOutage ?? silent, clock)
  const engine = await engineOf(url, {
    health,
    pool: options.pool,
    bigints: bigintColumnsOf(options.migrations),
  })
  const database = new Kysely<CoreTables>({ dialect: engine.dialect })
  // The application sees its own tables on the same handle, never the core's types.
  const handle = database as unknown as Kysely<unknown>
  const { prepare, redeem } = engine
  try {
    const lists = { core, application: options.migrations }
    await migrate(engine, handle, { lists, mode: options.migrate })
  } catch (error) {
    await database.destroy()
    throw error
  }
  const ends: (() => Promise<void>)[] = []
  const beforeClose: VerbParts['beforeClose'] = (end) => void ends.push(end)
  const parts: VerbParts = { database, clock, monotonic, engine, tables, beforeClose }
  return {
    ...userVerbs(database, clock, prepare),
    ...clientVerbs(database, { clock, prepare, cap: options.clientCap ?? defaultClientCap }),
    ...grantVerbs(database, clock, redeem),
    ...clientGrantVerbs(database, clock, prepare),
    ...useOnceVerb(database),
    ...revocationVerbs(database, clock, prepare),
    ...sessionVerbs(database, clock, prepare),
    ...liveGrantVerbs(parts),
    ...revokeGrantsVerbs(parts),
    ...countVerbs(database),
    ...standingVerbs(database),
    ...readinessVerbs(database, {
      migrations: [
        ...Object.keys(core).map((name) => `core ${name}`),
        ...Object.keys(options.migrations ?? {}).map((name) => `app ${name}`),
      ],
      probeWrite: engine.probeWrite,
      health,
    }),
    purgeExpired: async (signal = null) =>
      (await engine.withExclusiveLock(database, (alone) =>
        purgeExpired(alone, clock(), { tables, signal, keptMs }),
      )) ?? 0,
    isShared: engine.isShared,
    poolUse: engine.poolUse,
    joinBus: engine.joinBus,
    verbs: (make) => make(parts as never), // its handle has the tables that the capability names
    database: handle,
    close: async () => {
      health.close()
      for (const end of ends) await end()
      await database.destroy()
    },
  }
}

const silent: OutageListener = { began: () => {}, ended: () => {} }

interface StoreReadiness {
  /** Owner and name of each. One more than these is that of a newer build beside this one. */
  readonly migrations: readonly string[]
  readonly probeWrite: Engine['probeWrite']
  readonly health: Pick<WatchedHealth, 'isWriteOut'>
}

/** Whether the store has every migration that this build needs, asked in one cheap statement, and whether it can be written. */
function readinessVerbs(
  database: CoreDatabase,
  { migrations, probeWrite, health }: StoreReadiness,
): Pick<Store, 'isCurrent' | 'probeWrite'> {
  const applied = sql<{ name: string }>`select 'core ' || name as name from core_migration
    union all select 'app ' || name from app_migration`
  return {
    async isCurrent() {
      const { rows } = await applied.execute(database)
      const names = new Set(rows.map(({ name }) => name))
      return migrations.every((name) => names.has(name))
    },
    probeWrite: () =>
      sayingSo(async () => {
        await probeWrite(database)
        if (health.isWriteOut()) await writeNothingNew(database)
      }),
  }
}

/** What the probe does not see, a write told: only one that works ends that. */
const writeNothingNew = (database: CoreDatabase): Promise<unknown> =>
  sql`update acmcp_sizes set size = size where name = 'clients'`.execute(database)

/** Rejects with a `StoreUnavailable` that says so. While others keep it locked it is being written. */
async function sayingSo(probe: () => Promise<void>): Promise<void> {
  try {
    await probe()
  } catch (error) {
    if (error instanceof StoreBusy) return
    if (!(error instanceof StoreUnavailable)) throw error
    throw new StoreUnavailable('the store cannot be written', { cause: error.cause })
  }
}
