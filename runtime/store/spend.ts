/** Spending a code or a refresh token: one conditional update whose row count decides, in one transaction with the rows of
 *  what it is exchanged for. Source: decisions.md, single use. The statements are written out, because every exchange
 *  runs them: building them anew cost more than running them (test/bench/store.bench.ts). */
import { CompiledQuery, PostgresAdapter } from 'kysely'
import { hashOf } from './hash.ts'
import type { CoreDatabase } from './schema.ts'
import type { Spending, TokenPair } from './store.ts'

/** What is spent, and the pair it is exchanged for. */
export interface Spend {
  readonly kind: 'code' | 'refresh'
  readonly jti: string
  readonly pair: TokenPair
  readonly now: number
}

/** The one statement that decides: at most one caller ever gets the row. */
const markSpent = `
  update tokens set spent_at = $1, successor_hash = $2
  where jti_hash = $3 and kind = $4 and spent_at is null
    and exists (select 1 from grants where grants.id = tokens.grant_id and grants.revoked_at is null)
  returning grant_id`

const columns = '(jti_hash, grant_id, kind, expires_at)'

const insertPair = `
  insert into tokens ${columns} values ($1, $2, 'access', $3), ($4, $2, 'refresh', $5)`

/** SQLite writes numbered parameters with a question mark. */
const sqliteMark = markSpent.replaceAll('$', '?')
const sqliteInsert = insertPair.replaceAll('$', '?')

/** The same update and the same rows as one statement: one journey to the server, one commit. */
const spendAtOnce = `
  with spent as (${markSpent}),
  issued as (
    insert into tokens ${columns}
    select $5, grant_id, 'access', $6::bigint from spent
    union all
    select $2, grant_id, 'refresh', $7::bigint from spent
  )
  select grant_id from spent`

/** Spends what is asked, exactly once over all processes and instances. */
export async function spend(database: CoreDatabase, asked: Spend): Promise<Spending> {
  const isFirst = isPostgres(database)
    ? await spendInPostgres(database, asked)
    : await spendInSqlite(database, asked)
  return isFirst ? { kind: 'first' } : whySpendingFailed(database, asked)
}

const isPostgres = (database: CoreDatabase): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter

function markParameters({ kind, jti, pair, now }: Spend): readonly unknown[] {
  return [now, hashOf(pair.refresh.jti), hashOf(jti), kind]
}

async function spendInPostgres(database: CoreDatabase, asked: Spend): Promise<boolean> {
  const { access, refresh } = asked.pair
  const parameters = [...markParameters(asked), hashOf(access.jti), access.expiresAt, refresh.expiresAt]
  const { rows } = await database.executeQuery(CompiledQuery.raw(spendAtOnce, parameters))
  return rows.length === 1
}

async function spendInSqlite(database: CoreDatabase, asked: Spend): Promise<boolean> {
  return database.transaction().execute(async (work) => {
    const mark = CompiledQuery.raw(sqliteMark, [...markParameters(asked)])
    const { rows } = await work.executeQuery(mark as CompiledQuery<SpentRow>) // what it returns
    const grantId = rows[0]?.grant_id
    if (grantId === undefined) return false
    const { access, refresh } = asked.pair
    const parameters = [hashOf(access.jti), grantId, access.expiresAt, hashOf(refresh.jti), refresh.expiresAt]
    await work.executeQuery(CompiledQuery.raw(sqliteInsert, parameters))
    return true
  })
}

interface SpentRow {
  readonly grant_id: string
}

/** Explains a refusal after the fact; nothing is decided here. */
async function whySpendingFailed(database: CoreDatabase, { kind, jti }: Spend): Promise<Spending> {
  const row = await database
    .selectFrom('tokens')
    .select(['grant_id', 'spent_at'])
    .where('jti_hash', '=', hashOf(jti))
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (row === undefined || row.spent_at === null) return { kind: 'unknown' }
  return { kind: 'again', grantId: row.grant_id, firstSpentAt: row.spent_at }
}
