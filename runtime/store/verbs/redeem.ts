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
  insert into acmcp_tokens ${columns} values ($1, $2, 'access', $3), ($4, $2, 'refresh', $5)`

/** Explains a refusal after the fact; nothing is decided by it. */
const findRedeemed = 'select grant_id, spent_at from acmcp_tokens where jti_hash = $1 and kind = $2'

/** The same update and the same rows as one statement: one journey to the server, one commit. */
const redeemAtOnce = `
  with spent as (${markRedeemed}),
  issued as (
    insert into acmcp_tokens ${columns}
    select $5, grant_id, 'access', $6::bigint from spent
    union all
    select $2, grant_id, 'refresh', $7::bigint from spent
  )
  select grant_id from spent`

const retryAtOnce = `
  with retried as (${markRetried}),
  issued as (
    insert into acmcp_tokens ${columns}
    select $4, grant_id, 'access', $5::bigint from retried
    union all
    select $6, grant_id, 'refresh', $7::bigint from retried
  )
  select grant_id from retried`

/** For PostgreSQL. */
export function inOneStatement(prepare: Prepare): Redeem {
  const redeem = prepare<TokenRow>(redeemAtOnce)
  const retry = prepare<TokenRow>(retryAtOnce)
  const find = prepare<TokenRow>(findRedeemed)
  return async (request) => {
    const { jti, kind, grace, now } = request
    const { access, refresh } = request.pair
    const issued = [sha256Hex(access.jti), access.expiresAt, refresh.expiresAt]
    const rows = await redeem([...markParameters(request), ...issued])
    const [spent] = rows
    if (spent !== undefined) return { kind: 'redeemed', grantId: spent.grant_id }
    if (grace !== null) {
      const issuedAgain = [sha256Hex(access.jti), access.expiresAt, sha256Hex(refresh.jti), refresh.expiresAt]
      const [retried] = await retry([...retryParameters(jti, grace, now), ...issuedAgain])
      if (retried !== undefined) return { kind: 'retried', grantId: retried.grant_id }
    }
    return refusalFor(await find([sha256Hex(jti), kind]))
  }
}

/** For SQLite: what comes at once shares a commit. */
export function inGroupCommits(commits: GroupCommit): Redeem {
  return (request) => {
    const mark = markParameters(request)
    const { jti, kind, grace, now } = request
    const { access, refresh } = request.pair
    const accessHash = sha256Hex(access.jti)
    const refreshHash = sha256Hex(refresh.jti)
    return commits.enqueue((exec) => {
      const [spent] = exec(markRedeemed, mark) as readonly TokenRow[] // what it returns
      const again = spent === undefined && grace !== null ? retryParameters(jti, grace, now) : null
      const [retried] = again === null ? [] : (exec(markRetried, again) as readonly TokenRow[])
      const row = spent ?? retried
      if (row === undefined) return refusalFor(exec(findRedeemed, [sha256Hex(jti), kind]))
      exec(insertPair, [accessHash, row.grant_id, access.expiresAt, refreshHash, refresh.expiresAt])
      return { kind: spent === undefined ? 'retried' : 'redeemed', grantId: row.grant_id }
    })
  }
}

function markParameters({ kind, jti, pair, now }: RedeemRequest): readonly unknown[] {
  return [now, sha256Hex(pair.refresh.jti), sha256Hex(jti), kind]
}

function retryParameters(jti: string, { ms, maxRetries }: RefreshGrace, now: number): readonly unknown[] {
  return [sha256Hex(jti), now - ms, maxRetries]
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
