/** Spending a code or a refresh token: one conditional update whose row count decides, in one transaction with the rows of
 *  what it is exchanged for. Source: decisions.md, single use. The statements are written out, because every exchange
 *  runs them: building them anew cost more than running them (test/bench/store.bench.ts). */
import { CompiledQuery } from 'kysely'
import type { CoreDatabase } from '../schema.ts'
import type { Commits, RunNow } from '../sqlite/group-commit.ts'
import type { Spending, TokenPair } from '../store.ts'
import { hashOf } from './hash.ts'

/** What is spent, and the pair it is exchanged for. */
export interface Spend {
  readonly kind: 'code' | 'refresh'
  readonly jti: string
  readonly pair: TokenPair
  readonly now: number
}

/** The one statement that decides: at most one caller ever gets the row. */
const markSpent = `
  update acmcp_tokens set spent_at = $1, successor_hash = $2
  where jti_hash = $3 and kind = $4 and spent_at is null
    and exists (select 1 from acmcp_grants g where g.id = acmcp_tokens.grant_id and g.revoked_at is null)
  returning grant_id, spent_at`

const columns = '(jti_hash, grant_id, kind, expires_at)'

const insertPair = `
  insert into acmcp_tokens ${columns} values ($1, $2, 'access', $3), ($4, $2, 'refresh', $5)`

/** Explains a refusal after the fact; nothing is decided by it. */
const findSpent = 'select grant_id, spent_at from acmcp_tokens where jti_hash = $1 and kind = $2'

/** The same update and the same rows as one statement: one journey to the server, one commit. */
const spendAtOnce = `
  with spent as (${markSpent}),
  issued as (
    insert into acmcp_tokens ${columns}
    select $5, grant_id, 'access', $6::bigint from spent
    union all
    select $2, grant_id, 'refresh', $7::bigint from spent
  )
  select grant_id from spent`

/** Spends what is asked on PostgreSQL, exactly once over all instances. */
export async function spend(database: CoreDatabase, asked: Spend): Promise<Spending> {
  const { access, refresh } = asked.pair
  const parameters = [...markParameters(asked), hashOf(access.jti), access.expiresAt, refresh.expiresAt]
  const { rows } = await database.executeQuery(CompiledQuery.raw(spendAtOnce, parameters))
  if (rows.length === 1) return { kind: 'first' }
  const question = CompiledQuery.raw(findSpent, [hashOf(asked.jti), asked.kind])
  const found = await database.executeQuery(question as CompiledQuery<SpentRow>) // what it selects
  return refusalFor(found.rows[0])
}

/** SQLite writes numbered parameters with a question mark. */
const sqliteMark = markSpent.replaceAll('$', '?')
const sqliteInsert = insertPair.replaceAll('$', '?')
const sqliteFind = findSpent.replaceAll('$', '?')

/** Spends what is asked on SQLite, exactly once over all processes; spends that come at once share a commit. */
export function spendTogether(commits: Commits, asked: Spend): Promise<Spending> {
  const mark = markParameters(asked)
  const { access, refresh } = asked.pair
  const accessHash = hashOf(access.jti)
  const refreshHash = hashOf(refresh.jti)
  return commits.durably((run) => {
    const [spent] = run(sqliteMark, mark) as readonly SpentRow[] // what it returns
    if (spent === undefined) return whyRefused(run, asked)
    run(sqliteInsert, [accessHash, spent.grant_id, access.expiresAt, refreshHash, refresh.expiresAt])
    return { kind: 'first' }
  })
}

function markParameters({ kind, jti, pair, now }: Spend): readonly unknown[] {
  return [now, hashOf(pair.refresh.jti), hashOf(jti), kind]
}

function whyRefused(run: RunNow, { kind, jti }: Spend): Spending {
  const [row] = run(sqliteFind, [hashOf(jti), kind]) as readonly SpentRow[] // what it selects
  return refusalFor(row)
}

interface SpentRow {
  readonly grant_id: string
  readonly spent_at: number | null
}

function refusalFor(row: SpentRow | undefined): Spending {
  if (row === undefined || row.spent_at === null) return { kind: 'unknown' }
  return { kind: 'again', grantId: row.grant_id, firstSpentAt: row.spent_at }
}
