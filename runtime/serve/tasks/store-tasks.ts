/** What `acmcp store` does, on the store that `acmcp serve` would use. Of the settings it reads DATABASE_URL alone. Loads no compiler and no server. */
import { BootError } from '../../boot/boot-error.ts'
import { loadBundle } from '../../boot/bundle.ts'
import { readStoreAddress, type Variables } from '../../boot/environment.ts'
import { auditKeptMs, type ResolvedConfig, resolveConfig } from '../../boot/resolve-config.ts'
import { ConfigError } from '../../boot/settings/checks.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import { engineOf, isMissing } from '../../store/engine.ts'
import { inspectStore, type StoreContents, type StoreStatus } from '../../store/inspect.ts'
import { openStore } from '../../store/open.ts'
import { BackupExists, backupFile } from '../../store/sqlite/backup.ts'
import type { StoreOptions } from '../../store/store.ts'

export interface StoreTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Where `backup` writes; a name beside the store when not given. */
  readonly file?: string
  readonly print: (line: string) => void
}

type StoreTarget = Omit<StoreOptions, 'migrate'>
type Task = (options: StoreTaskOptions, store: StoreTarget) => Promise<boolean>

const tasks: ReadonlyMap<string, Task> = new Map([
  ['status', status],
  ['migrate', migrate],
  ['purge', purge],
  ['backup', backup],
])

/** Does `name` (status, migrate, purge or backup) and resolves with whether all is well: a store that is behind is not. Throws
 *  `BootError` with one clear line. */
export async function storeTask(name: string, options: StoreTaskOptions): Promise<boolean> {
  const task = tasks.get(name)
  if (task === undefined)
    throw new BootError(`acmcp store can do ${[...tasks.keys()].join(', ')}, not ${name}`)
  try {
    return await task(options, await storeOptions(options))
  } catch (error) {
    throw storeRefusal(error)
  }
}

async function storeOptions({ cwd, env }: StoreTaskOptions): Promise<StoreTarget> {
  const url = readStoreAddress(env, cwd)
  return { url, ...(await storeSettings(cwd)), clock: () => Date.now() }
}

/** What the configuration of the last build says of the store. */
export async function storeSettings(
  cwd: string,
): Promise<Pick<StoreTarget, 'migrations' | 'auditKeptMs'> & Pick<ResolvedConfig, 'audit'>> {
  const { config } = await loadBundle(cwd)
  try {
    const resolved = resolveConfig(config)
    const { migrations, audit } = resolved
    return { migrations, audit, auditKeptMs: auditKeptMs(resolved) }
  } catch (error) {
    throw error instanceof ConfigError ? new BootError(error.message) : error
  }
}

async function status({ print }: StoreTaskOptions, store: StoreTarget): Promise<boolean> {
  const seen = await inspectStore(store)
  print(`${seen.engine} at ${seen.address}`)
  const pending = printMigrations(seen, print)
  if (seen.contents !== null) printContents(seen.contents, print)
  return pending === 0
}

/** Resolves with how many are pending. */
function printMigrations({ migrations }: StoreStatus, print: (line: string) => void): number {
  for (const { owner, name, isApplied } of migrations) {
    print(`  ${isApplied ? 'applied' : 'pending'}  ${owner} ${name}`)
  }
  const pending = migrations.filter(({ isApplied }) => !isApplied).length
  print(pending === 0 ? 'the schema is current' : `${pending} pending: run acmcp store migrate`)
  return pending
}

function printContents({ rows, oldestExpiredMs }: StoreContents, print: (line: string) => void): void {
  for (const [table, count] of Object.entries(rows)) print(`  ${table}: ${count}`)
  const age = oldestExpiredMs === null ? 'none' : `${Math.floor(oldestExpiredMs / 1000)} s`
  print(`oldest expired row: ${age}`)
}

async function migrate({ print }: StoreTaskOptions, store: StoreTarget): Promise<boolean> {
  const before = await inspectStore(store)
  await (await openStore({ ...store, migrate: 'apply' })).close()
  const pending = before.migrations.filter(({ isApplied }) => !isApplied)
  for (const { owner, name } of pending) print(`applied ${owner} ${name}`)
  print('the schema is current')
  return true
}

async function purge({ print }: StoreTaskOptions, options: StoreTarget): Promise<boolean> {
  const store = await openStore({ ...options, migrate: 'refuse' })
  const rows = await store.purgeExpired().finally(() => store.close())
  print(`purged ${rows} rows`)
  return true
}

async function backup({ file, print }: StoreTaskOptions, store: StoreTarget): Promise<boolean> {
  const engine = await engineOf(store.url)
  if (engine.backupTool !== null) {
    throw new BootError(`acmcp store backup copies SQLite files: use ${engine.backupTool} for ${engine.name}`)
  }
  if (engine.file === null || isMissing(engine)) throw new BootError(`there is no store at ${engine.address}`)
  const copy = file ?? `${engine.file}.${timeStamp(store.clock())}.bak`
  try {
    backupFile(engine.file, copy)
  } catch (error) {
    throw error instanceof BackupExists ? new BootError(`${error.message}: it is not overwritten`) : error
  }
  print(`copied to ${copy}`)
  return true
}

const timeStamp = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
