/** Whether the store has every migration that this build needs, asked in one cheap statement, and whether it can be written. */
import { sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { WatchedHealth } from '../health.ts'
import { coreMigrations } from '../schema.ts'
import { type Store, StoreBusy, StoreUnavailable } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'

export interface StoreReadiness {
  /** The names of its migrations. One more than these is that of a newer build beside this one. */
  readonly application: readonly string[]
  readonly probeWrite: Engine['probeWrite']
  readonly health: Pick<WatchedHealth, 'isWriteOut'>
}

export function readinessVerbs(
  database: CoreDatabase,
  { application, probeWrite, health }: StoreReadiness,
): Pick<Store, 'isCurrent' | 'probeWrite'> {
  const needed = [
    ...Object.keys(coreMigrations).map((name) => `core ${name}`),
    ...application.map((name) => `app ${name}`),
  ]
  const applied = sql<{ name: string }>`select 'core ' || name as name from core_migration
    union all select 'app ' || name from app_migration`
  return {
    async isCurrent() {
      const { rows } = await applied.execute(database)
      const names = new Set(rows.map(({ name }) => name))
      return needed.every((name) => names.has(name))
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
