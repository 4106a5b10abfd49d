/** Redeeming a code or a refresh token: one conditional update whose row count decides, in one transaction with the rows of
 *  what it is exchanged for. Source: rules.md, single use. The statements are written out, because every exchange runs them:
 *  building them anew cost more than running them (test/bench/store.bench.ts). */

import { sha256Hex } from '../../secret.ts'
import type { GroupCommit } from '../sqlite/group-commit.ts'
import type { Redemption, RefreshGrace, TokenPair } from '../store.ts'
import type { Prepare } from './prepare.ts'

/** What is redeemed, and the pair it is exchanged for. */
export interface RedeemRequest {
  readonly kind: 'code' | 'refresh'
  readonly jti: string
  readonly pair: TokenPair
  readonly now: number
  /** For how long a spent one is exchanged again; null = never. */
  readonly grace: RefreshGrace | null
}

/** Redeems exactly once, over all processes and instances. */
export type Redeem = (request: RedeemRequest) => Promise<Redemption>

/** The one statement that decides: at most one caller ever gets the row. */
const markRedeemed = `
  update acmcp_tokens set spent_at = $1, successor_hash = $2
  where jti_hash = $3 and kind = $4 and spent_at is null
    and exists (select 1 from acmcp_grants g where g.id = acmcp_tokens.grant_id and g.revoked_at is null)
  returning grant_id, spent_at`

/** The same of one that was spent a moment ago. The row counts: of callers at once, too, as many get it as the token has retries left. */
const markRetried = `
  update acmcp_tokens set retries = coalesce(retries, 0) + 1
  where jti_hash = $1 and kind = 'refresh' and spent_at >= $2 and coalesce(retries, 0) < $3
    and exists (select 1 from acmcp_grants g where g.id = acmcp_tokens.grant_id and g.revoked_at is null)
  returning grant_id`

const columns = '(jti_hash, grant_id, kind, expires_at)'

const insertPair = `
  insert into acmcp_tokens ${columns} values ($1, $5, 'access', $2), ($3, $5, 'refresh', $4)`

/** Explains a refusal after the fact; nothing is decided by it. */
const findRedeemed = 'select grant_id, spent_at from acmcp_tokens where jti_hash = $1 and kind = $2'

/** One of these updates and the same rows as one statement: one journey to the server, one commit. `next`: the number of the first
 *  parameter after its own. */
const atOnce = (mark: string, next: number): string => `
  with marked as (${mark}),
  issued as (
    insert into acmcp_tokens ${columns}
    select $${next}, grant_id, 'access', $${next + 1}::bigint from marked
    union all
    select $${next + 2}, grant_id, 'refresh', $${next + 3}::bigint from marked
  )
  select grant_id from marked`

/** For PostgreSQL. */
export function inOneStatement(prepare: Prepare): Redeem {
  const redeem = prepare<TokenRow>(atOnce(markRedeemed, 5))
  const retry = prepare<TokenRow>(atOnce(markRetried, 4))
  const find = prepare<TokenRow>(findRedeemed)
  return async (request) => {
    const { mark, again, issued, spent } = parametersOf(request)
    const [redeemed] = await redeem([...mark, ...issued])
    if (redeemed !== undefined) return { kind: 'redeemed', grantId: redeemed.grant_id }
    const [retried] = again === null ? [] : await retry([...again, ...issued])
    if (retried !== undefined) return { kind: 'retried', grantId: retried.grant_id }
    return refusalFor(await find(spent))
  }
}

/** For SQLite: what comes at once shares a commit. */
export function inGroupCommits(commits: GroupCommit): Redeem {
  return (request) => {
    const { mark, again, issued, spent } = parametersOf(request)
    return commits.enqueue((exec) => {
      const rowOf = (sql: string, parameters: readonly unknown[]) =>
        (exec(sql, parameters) as readonly TokenRow[])[0] // what it returns
      const redeemed = rowOf(markRedeemed, mark)
      const row = redeemed ?? (again === null ? undefined : rowOf(markRetried, again))
      if (row === undefined) return refusalFor(exec(findRedeemed, spent))
      exec(insertPair, [...issued, row.grant_id])
      return { kind: redeemed === undefined ? 'retried' : 'redeemed', grantId: row.grant_id }
    })
  }
}

/** Of each statement above, in the order of their numbers. */
function parametersOf({ kind, jti, pair: { access, refresh }, now, grace }: RedeemRequest): {
  readonly mark: readonly unknown[]
  /** Null = it is not exchanged again. */
  readonly again: readonly unknown[] | null
  readonly issued: readonly unknown[]
  readonly spent: readonly unknown[]
} {
  const [token, successor] = [sha256Hex(jti), sha256Hex(refresh.jti)]
  return {
    mark: [now, successor, token, kind],
    again: grace === null ? null : [token, now - grace.ms, grace.maxRetries],
    issued: [sha256Hex(access.jti), access.expiresAt, successor, refresh.expiresAt],
    spent: [token, kind],
  }
}

interface TokenRow {
  readonly grant_id: string
  readonly spent_at: number | null
}

function refusalFor(rows: readonly unknown[]): Redemption {
  const [row] = rows as readonly TokenRow[] // what `findRedeemed` selects
  if (row === undefined || row.spent_at === null) return { kind: 'invalid' }
  return { kind: 'replayed', grantId: row.grant_id, redeemedAt: row.spent_at }
}
