/** Grants, codes and tokens. Spending is one conditional update whose row count decides, in one transaction with the
 *  rows of what it is exchanged for. Source: decisions.md, single use. */
import type { Transaction } from 'kysely'
import type { Clock } from '../contract.ts'
import { hashOf } from './hash.ts'
import type { CoreDatabase, CoreTables } from './schema.ts'
import type { Grant, Issued, Spending, Store, TokenPair } from './store.ts'

type Ledger = Pick<Store, 'issueCode' | 'redeemCode' | 'rotateRefresh'>
type Work = Transaction<CoreTables>

/** What one call of `spend` is about: a code or a refresh token, and the pair it is exchanged for. */
interface Spend {
  readonly kind: 'code' | 'refresh'
  readonly hash: string
  readonly pair: TokenPair
  readonly now: number
}

/** A client's last use is written at most once in this time: one busy client must not serialise its users. */
const lastUseStepMs = 3_600_000

/** The verbs of `Store` on grants, codes and tokens. */
export function ledgerVerbs(database: CoreDatabase, clock: Clock): Ledger {
  return {
    issueCode: (grant, code) =>
      database.transaction().execute((work) => issueCode(work, { grant, code, now: clock() })),
    redeemCode: (jti, pair) => spend(database, { kind: 'code', hash: hashOf(jti), pair, now: clock() }),
    rotateRefresh: (jti, pair) => spend(database, { kind: 'refresh', hash: hashOf(jti), pair, now: clock() }),
  }
}

async function issueCode(
  work: Work,
  issue: { readonly grant: Grant; readonly code: Issued; readonly now: number },
): Promise<void> {
  const { grant, code, now } = issue
  await work
    .insertInto('grants')
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
    .insertInto('tokens')
    .values(tokenRow(grant.id, 'code', code))
    .execute()
  await touchClient(work, grant.clientId, now)
}

async function spend(database: CoreDatabase, asked: Spend): Promise<Spending> {
  return database.transaction().execute(async (work): Promise<Spending> => {
    const grantId = await markSpent(work, asked)
    if (grantId === null) return whySpendingFailed(work, asked)
    const { access, refresh } = asked.pair
    const rows = [tokenRow(grantId, 'access', access), tokenRow(grantId, 'refresh', refresh)]
    await work.insertInto('tokens').values(rows).execute()
    const expires_at = Math.max(access.expiresAt, refresh.expiresAt)
    await work.updateTable('grants').set({ expires_at }).where('id', '=', grantId).execute()
    return { kind: 'first' }
  })
}

/** The one statement that decides: at most one caller ever gets the row. Answers its grant, or null. */
async function markSpent(work: Work, asked: Spend): Promise<string | null> {
  const row = await work
    .updateTable('tokens')
    .set({ spent_at: asked.now, successor_hash: hashOf(asked.pair.refresh.jti) })
    .where('jti_hash', '=', asked.hash)
    .where('kind', '=', asked.kind)
    .where('spent_at', 'is', null)
    .where('grant_id', 'in', (query) =>
      query.selectFrom('grants').select('id').where('revoked_at', 'is', null),
    )
    .returning('grant_id')
    .executeTakeFirst()
  return row?.grant_id ?? null
}

/** Explains a refusal after the fact; nothing is decided here. */
async function whySpendingFailed(work: Work, asked: Spend): Promise<Spending> {
  const row = await work
    .selectFrom('tokens')
    .select(['grant_id', 'spent_at'])
    .where('jti_hash', '=', asked.hash)
    .where('kind', '=', asked.kind)
    .executeTakeFirst()
  if (row === undefined || row.spent_at === null) return { kind: 'unknown' }
  return { kind: 'again', grantId: row.grant_id, firstSpentAt: row.spent_at }
}

async function touchClient(work: Work, clientId: string, now: number): Promise<void> {
  await work
    .updateTable('clients')
    .set({ last_used_at: now })
    .where('id', '=', clientId)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<', now - lastUseStepMs)]),
    )
    .execute()
}

function tokenRow(grantId: string, kind: CoreTables['tokens']['kind'], token: Issued): CoreTables['tokens'] {
  return {
    jti_hash: hashOf(token.jti),
    grant_id: grantId,
    kind,
    expires_at: token.expiresAt,
    spent_at: null,
    successor_hash: null,
  }
}
