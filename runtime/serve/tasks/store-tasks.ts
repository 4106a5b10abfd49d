/** What `acmcp store` does, on the store that `acmcp serve` would use. Of the settings each reads DATABASE_URL alone, and of the
 *  last build its migrations, where they are asked for. Loads no compiler and no server. */
import { inspectApplicationStore, openApplicationStore } from '../../boot/application-store.ts'
import { BootError } from '../../boot/boot-error.ts'
import { isBuilt, loadBundle } from '../../boot/bundle.ts'
import { readStoreAddress, type Variables } from '../../boot/environment.ts'
import { resolveConfig } from '../../boot/resolve-config.ts'
import type { ResolvedConfig } from '../../boot/resolved-config.ts'
import { ConfigError } from '../../boot/settings/checks.ts'
import { keptMsOf } from '../../boot/start-capabilities.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import { capabilities } from '../../capabilities/index.ts'
import { engineOf, isMissing } from '../../store/engine.ts'
import {
  type ApplicationMigrations,
  type MigrationState,
  type StoreStatus,
  strangersIn,
} from '../../store/migrations/states.ts'
import { BackupExists, backupFile } from '../../store/sqlite/files/backup.ts'

export type { MigrationState, StoreStatus }

export interface StoreTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
}

/** `isWhole`: false where there was no build, so that nothing was asked of the application's migrations. */
export type Seen<Result> = Result & { readonly isWhole: boolean }

const clock = (): number => Date.now()

/** Rejects, as all of these do, with `BootError`. */
export const storeStatus = (options: StoreTaskOptions): Promise<Seen<StoreStatus>> =>
  task(options, async (url) => {
    const migrations = await migrationsOfBuild(options.cwd)
    return { ...(await inspectApplicationStore({ url, migrations })), isWhole: migrations !== null }
  })

/** What a rollout of the last build needs. `nothing`: the schema is as it must be. `new`: nothing is stored yet. `migrate-first`:
 *  the version before runs on while and after the schema changes. `stop-first`: it does not. `impossible`: the store has
 *  what this build must not run beside. */
export interface RolloutPlan {
  readonly engine: string
  readonly address: string
  readonly rollout: 'nothing' | 'new' | 'migrate-first' | 'stop-first' | 'impossible'
  readonly pending: readonly MigrationState[]
  /** Those of a newer build. */
  readonly unknown: readonly MigrationState[]
}

/** Changes nothing. */
export const planMigrations = (options: StoreTaskOptions): Promise<RolloutPlan> =>
  task(options, async (url) => {
    const migrations = await requiredMigrations(options.cwd)
    const { engine, address, migrations: states } = await inspectApplicationStore({ url, migrations })
    const pending = states.filter(({ isApplied }) => !isApplied)
    const unknown = states.filter(({ isKnown }) => !isKnown)
    return { engine, address, rollout: rolloutOf(states), pending, unknown }
  })

function rolloutOf(states: readonly MigrationState[]): RolloutPlan['rollout'] {
  const pending = states.filter(({ isApplied }) => !isApplied)
  const isBesideUnknown = states.some(
    ({ isKnown, owner }) => !isKnown && pending.some((state) => state.owner === owner),
  )
  if (strangersIn(states).length > 0 || isBesideUnknown) return 'impossible'
  if (pending.length === 0) return 'nothing'
  if (pending.length === states.length) return 'new'
  return pending.every(({ isAdditive }) => isAdditive) ? 'migrate-first' : 'stop-first'
}

/** Resolves with what it applied. */
export const migrateStore = (options: StoreTaskOptions): Promise<readonly MigrationState[]> =>
  task(options, async (url) => {
    const migrations = await requiredMigrations(options.cwd)
    const before = await inspectApplicationStore({ url, migrations })
    await (await openApplicationStore({ url, migrations, clock, migrate: 'apply' })).close()
    return before.migrations.filter(({ isApplied }) => !isApplied)
  })

/** Resolves with how many rows went. */
export const purgeStore = (options: StoreTaskOptions): Promise<number> =>
  task(options, async (url) => {
    const kept = isBuilt(options.cwd)
      ? { keptMs: keptMsOf(capabilities, await configOfBuild(options.cwd)) }
      : {}
    const store = await openApplicationStore({ url, migrations: null, clock, migrate: 'refuse', ...kept })
    return store.purgeExpired().finally(() => store.close())
  })

/** Copies a SQLite store to `file` (null = beside it, with the time) and resolves with the copy. Rejects where another program makes
 *  copies, and names it. */
export const backupStore = (options: StoreTaskOptions, file: string | null): Promise<string> =>
  task(options, async (url) => {
    const engine = await engineOf(url)
    if (engine.backupCommand !== null) {
      const command = engine.backupCommand(file ?? `acmcp-${timeStamp()}.dump`)
      throw new BootError(`${engine.name} makes its own backups: ${command}`)
    }
    if (engine.file === null || isMissing(engine))
      throw new BootError(`there is no store at ${engine.address}`)
    const copy = file ?? `${engine.file}.${timeStamp()}.bak`
    try {
      backupFile(engine.file, copy)
    } catch (error) {
      throw error instanceof BackupExists ? new BootError(`${error.message}: it is not overwritten`) : error
    }
    return copy
  })

async function task<Result>(
  { cwd, env }: StoreTaskOptions,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(readStoreAddress(env, cwd))
  } catch (error) {
    throw storeRefusal(error)
  }
}

/** Null where nothing was built. */
const migrationsOfBuild = async (cwd: string): Promise<ApplicationMigrations> =>
  isBuilt(cwd) ? requiredMigrations(cwd) : null

const requiredMigrations = async (cwd: string): Promise<NonNullable<ApplicationMigrations>> =>
  (await configOfBuild(cwd)).migrations

/** Of the last build. */
export async function configOfBuild(cwd: string): Promise<ResolvedConfig> {
  const { config } = await loadBundle(cwd)
  try {
    return resolveConfig(config)
  } catch (error) {
    throw error instanceof ConfigError ? new BootError(error.message) : error
  }
}

const timeStamp = (): string => new Date(clock()).toISOString().replace(/[-:]|\.\d+/g, '')
