/** Grants, codes and tokens. Source: rules.md, single use. */
import type { Clock } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Grant, Issued, Store } from '../store.ts'
import type { Redeem } from './redeem.ts'

/** A client's last use is written at most once in this time: one busy client must not serialise its users. */
const lastUseStepMs = 3_600_000

/** The verbs of `Store` on grants, codes and tokens. */
export function grantVerbs(
  database: CoreDatabase,
  clock: Clock,
  redeem: Redeem,
): Pick<Store, 'issueCode' | 'redeemCode' | 'rotateRefresh'> {
  return {
    issueCode: (grant, code) =>
      database.transaction().execute((work) => issueCode(work, { grant, code, now: clock() })),
    redeemCode: (jti, pair) => redeem({ kind: 'code', jti, pair, now: clock() }),
    rotateRefresh: (jti, pair) => redeem({ kind: 'refresh', jti, pair, now: clock() }),
  }
}

interface Issue {
  readonly grant: Grant
  readonly code: Issued
  readonly now: number
}

async function issueCode(work: CoreDatabase, { grant, code, now }: Issue): Promise<void> {
  const { id, userId, clientId, scope, resource, allowed } = grant
  const { expiresAt } = code
  await work
    .insertInto('acmcp_grants')
    .values({
      id,
      user_id: userId,
      client_id: clientId,
      scope,
      resource,
      allowed: allowed?.join(' ') ?? null,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
  await work
    .insertInto('acmcp_tokens')
    .values({ jti_hash: sha256Hex(code.jti), grant_id: id, kind: 'code', expires_at: expiresAt })
    .execute()
  await work
    .updateTable('acmcp_clients')
    .set({ last_used_at: now })
    .where('id', '=', clientId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', now - lastUseStepMs)]))
    .execute()
}

/** Scopes as the column `allowed` has them. */
export const readNames = (text: string | null): readonly string[] | null =>
  text === null ? null : text.split(' ').filter((name) => name !== '')
