/** Whether a store is whole, for `acmcp store check`. Changes nothing. */
import { type Kysely, sql } from 'kysely'
import { type Engine, engineOf, isMissing } from '../engine.ts'
import { type MigrationState, migrationStates, strangersIn } from '../migrations/states.ts'
import type { CoreDatabase } from '../schema.ts'
import { SqliteTrouble } from '../sqlite/sqlite-errors.ts'
import { StoreUnavailable } from '../store.ts'
import { sayingSo } from '../verbs/readiness.ts'
import type { StoreFinding } from './care.ts'
import { type Looked, patiently } from './inspect.ts'

export interface StoreCheck {
  readonly engine: string
  /** Without a password. */
  readonly address: string
  readonly checks: readonly CheckedPart[]
}

/** One thing that was looked at; whole when nothing was found. */
export interface CheckedPart {
  readonly name: 'database' | 'migrations' | 'tokens' | 'clients' | 'writing'
  readonly findings: readonly StoreFinding[]
}

/** Looks at everything that can be wrong at rest. Tables of the core are looked at when its migrations have run. A damaged
 *  file is a finding; throws `StoreUnavailable` when the store cannot be asked. */
export async function checkStore({ url, migrations }: Omit<Looked, 'clock'>): Promise<StoreCheck> {
  const engine = await engineOf(url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) throw new StoreUnavailable(`there is no store at ${engine.address}`)
  return patiently(engine, async (database) => {
    const handle = database as unknown as Kysely<unknown> // asks for no table by type
    const checks: CheckedPart[] = []
    const look = async (
      name: CheckedPart['name'],
      find: () => Promise<readonly StoreFinding[]>,
    ): Promise<void> => {
      checks.push({ name, findings: await find().catch(damaged) })
    }
    await look('database', () => engine.care.damage(handle))
    if (checks.some(({ findings }) => findings.length > 0) && engine.file !== null) return { ...seen, checks }
    const states = await migrationStates(handle, migrations)
    await look('migrations', async () => unfit(states))
    const isCurrent = states.every(({ owner, isApplied }) => owner === 'app' || isApplied)
    if (isCurrent) await look('tokens', () => orphans(handle))
    if (isCurrent) await look('clients', () => miscounted(handle))
    if (isCurrent) await look('writing', () => unwritable(engine, database))
    return { ...seen, checks }
  })
}

async function unwritable(engine: Engine, database: CoreDatabase): Promise<readonly StoreFinding[]> {
  try {
    await sayingSo(() => engine.probeWrite(database))
    return []
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const why = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return [{ what: `${error.message}${why}`, remedy: engine.care.writable }]
  }
}

/** What SQLite says of a file that it cannot read. */
function damaged(error: unknown): readonly StoreFinding[] {
  const cause = error instanceof StoreUnavailable ? error.cause : null
  if (!(cause instanceof SqliteTrouble) || !cause.isDamage) throw error
  return [{ what: cause.message, remedy: 'stop the server and restore a backup: acmcp store restore FILE' }]
}

function unfit(states: readonly MigrationState[]): readonly StoreFinding[] {
  const pending = states.filter(({ isApplied }) => !isApplied)
  const behind = pending.map(({ owner, name }) => ({
    what: `${owner} ${name} is pending`,
    remedy: 'acmcp store migrate --plan says what that needs',
  }))
  const strange = strangersIn(states).map(({ owner, name }) => ({
    what: `${owner} ${name} has run, but this build does not know it`,
    remedy: 'serve the build that has it, or restore the backup from before it',
  }))
  return [...behind, ...strange]
}

/** Of no use to their holders: every verb looks for the grant. */
async function orphans(database: Kysely<unknown>): Promise<readonly StoreFinding[]> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from acmcp_tokens as t
    where not exists (select 1 from acmcp_grants as g where g.id = t.grant_id)`.execute(database)
  const count = rows[0]?.rows ?? 0
  if (count === 0) return []
  const what = `${count} tokens belong to no grant: nobody can use them, and something removed their grants`
  return [{ what, remedy: 'DELETE FROM acmcp_tokens WHERE grant_id NOT IN (SELECT id FROM acmcp_grants)' }]
}

/** The cap of clients goes by the size that is kept. */
async function miscounted(database: Kysely<unknown>): Promise<readonly StoreFinding[]> {
  const { rows } = await sql<{ kept: number | null; counted: number }>`
    select (select size from acmcp_sizes where name = 'clients') as kept, count(*) as counted from acmcp_clients`.execute(
    database,
  )
  const { kept = null, counted = 0 } = rows[0] ?? {}
  if (kept === counted) return []
  const what = `the store keeps that it has ${kept ?? 'no number of'} clients, but has ${counted}`
  const remedy =
    kept === null
      ? `INSERT INTO acmcp_sizes (name, size) SELECT 'clients', count(*) FROM acmcp_clients`
      : `UPDATE acmcp_sizes SET size = (SELECT count(*) FROM acmcp_clients) WHERE name = 'clients'`
  return [{ what, remedy }]
}
