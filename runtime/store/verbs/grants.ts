/** Grants, codes and tokens. Source: decisions.md, single use. */
import type { Transaction } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import type { CoreDatabase, CoreTables } from '../schema.ts'
import type { Commits } from '../sqlite/group-commit.ts'
import type { Grant, Issued, Spending, Store } from '../store.ts'
import { hashOf } from './hash.ts'
import { type Spend, spend, spendTogether } from './redeem.ts'

type Ledger = Pick<Store, 'issueCode' | 'redeemCode' | 'rotateRefresh'>
type Work = Transaction<CoreTables>

/** A client's last use is written at most once in this time: one busy client must not serialise its users. */
const lastUseStepMs = 3_600_000

/** The verbs of `Store` on grants, codes and tokens. With `commits`, spends that come at once share a commit. */
export function ledgerVerbs(database: CoreDatabase, clock: Clock, commits: Commits | null): Ledger {
  const spendOnce = (asked: Spend): Promise<Spending> =>
    commits === null ? spend(database, asked) : spendTogether(commits, asked)
  return {
    issueCode: (grant, code) =>
      database.transaction().execute((work) => issueCode(work, { grant, code, now: clock() })),
    redeemCode: (jti, pair) => spendOnce({ kind: 'code', jti, pair, now: clock() }),
    rotateRefresh: (jti, pair) => spendOnce({ kind: 'refresh', jti, pair, now: clock() }),
  }
}

async function issueCode(
  work: Work,
  issue: { readonly grant: Grant; readonly code: Issued; readonly now: number },
): Promise<void> {
  const { grant, code, now } = issue
  await work
    .insertInto('acmcp_grants')
    .values({
      id: grant.id,
      user_id: grant.userId,
      client_id: grant.clientId,
      scope: grant.scope,
      resource: grant.resource,
      created_at: now,
      expires_at: code.expiresAt,
      revoked_at: null,
      revoked_reason: null,
    })
    .execute()
  await work
    .insertInto('acmcp_tokens')
    .values({
      jti_hash: hashOf(code.jti),
      grant_id: grant.id,
      kind: 'code',
      expires_at: code.expiresAt,
      spent_at: null,
      successor_hash: null,
    })
    .execute()
  await touchClient(work, grant.clientId, now)
}

async function touchClient(work: Work, clientId: string, now: number): Promise<void> {
  await work
    .updateTable('acmcp_clients')
    .set({ last_used_at: now })
    .where('id', '=', clientId)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<', now - lastUseStepMs)]),
    )
    .execute()
}
