/** Whether the store has every migration that this build needs, asked in one cheap statement. */
import { sql } from 'kysely'
import { type CoreDatabase, coreMigrations } from '../schema.ts'
import type { Store } from '../store.ts'

/** `application`: the names of its migrations. One more than these is that of a newer build beside this one. */
export function readinessVerbs(
  database: CoreDatabase,
  application: readonly string[],
): Pick<Store, 'isCurrent'> {
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
  }
}
