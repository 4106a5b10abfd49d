/** Redeeming a code or a refresh token: one conditional update whose row count decides, in one transaction with the rows of
 *  what it is exchanged for. Source: rules.md, single use. The statements are written out, because every exchange runs them:
 *  building them anew cost more than running them (test/bench/store.bench.ts). */

import { sha256Hex } from '../../secret.ts'
import type { GroupCommit } from '../sqlite/group-commit.ts'
import type { Redemption, TokenPair } from '../store.ts'
import type { Prepare } from './prepare.ts'

/** What is redeemed, and the pair it is exchanged for. */
export interface RedeemRequest {
  readonly kind: 'code' | 'refresh'
  readonly jti: string
  readonly pair: TokenPair
  readonly now: number
}

/** Redeems exactly once, over all processes and instances. */
export type Redeem = (request: RedeemRequest) => Promise<Redemption>

/** The one statement that decides: at most one caller ever gets the row. */
const markRedeemed = `
  update acmcp_tokens set spent_at = $1, successor_hash = $2
  where jti_hash = $3 and kind = $4 and spent_at is null
    and exists (select 1 from acmcp_grants g where g.id = acmcp_tokens.grant_id and g.revoked_at is null)
  returning grant_id, spent_at`

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

/** For PostgreSQL. */
export function inOneStatement(prepare: Prepare): Redeem {
  const redeem = prepare<TokenRow>(redeemAtOnce)
  const find = prepare<TokenRow>(findRedeemed)
  return async (request) => {
    const { access, refresh } = request.pair
    const issued = [sha256Hex(access.jti), access.expiresAt, refresh.expiresAt]
    const rows = await redeem([...markParameters(request), ...issued])
    const [spent] = rows
    if (spent !== undefined) return { kind: 'redeemed', grantId: spent.grant_id }
    return refusalFor(await find([sha256Hex(request.jti), request.kind]))
  }
}

/** For SQLite: what comes at once shares a commit. */
export function inGroupCommits(commits: GroupCommit): Redeem {
  return (request) => {
    const mark = markParameters(request)
    const { access, refresh } = request.pair
    const accessHash = sha256Hex(access.jti)
    const refreshHash = sha256Hex(refresh.jti)
    return commits.enqueue((exec) => {
      const [spent] = exec(markRedeemed, mark) as readonly TokenRow[] // what it returns
      if (spent === undefined) return refusalFor(exec(findRedeemed, [sha256Hex(request.jti), request.kind]))
      exec(insertPair, [accessHash, spent.grant_id, access.expiresAt, refreshHash, refresh.expiresAt])
      return { kind: 'redeemed', grantId: spent.grant_id }
    })
  }
}

function markParameters({ kind, jti, pair, now }: RedeemRequest): readonly unknown[] {
  return [now, sha256Hex(pair.refresh.jti), sha256Hex(jti), kind]
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
