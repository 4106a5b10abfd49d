/** Grants for which no user was asked, of clients that act for none and of users whose organization decides: one of each that lives, renewed with every token. */
import type { Clock } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import type { Grant, Issued, Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { resizeClients } from './clients.ts'
import { insertGrant, insertToken, markUsed, refuseBlocked } from './grants.ts'
import type { Prepare } from './prepare.ts'

/** The verbs of `Store` on them. */
export function clientGrantVerbs(
  database: CoreDatabase,
  clock: Clock,
  prepare: Prepare,
): Pick<Store, 'issueUnasked' | 'findGrantOfToken'> {
  const find = prepare<{ readonly grant_id: string }>(findGrantOfToken)
  return {
    issueUnasked: (grant, token) =>
      database.transaction().execute((work) => issueUnasked(work, { grant, token, now: clock() })),
    findGrantOfToken: async (subject, jti) => (await find([sha256Hex(jti), subject]))[0]?.grant_id ?? null,
  }
}

/** Every request with such a token runs it. A token without a row is none: they are issued here alone. */
const findGrantOfToken = `
  select t.grant_id from acmcp_tokens t join acmcp_grants g on g.id = t.grant_id
  where t.jti_hash = $1 and t.kind = 'access' and g.user_id = $2 and g.revoked_at is null`

interface Issue {
  readonly grant: Grant
  readonly token: Issued
  readonly now: number
}

async function issueUnasked(work: CoreDatabase, issue: Issue): Promise<string> {
  if ((issue.grant.kind ?? null) !== null) await refuseBlocked(work, issue.grant.userId)
  const grantId = (await renew(work, issue)) ?? (await open(work, issue))
  await insertToken(work, 'access', { ...issue.token, grantId })
  await markUsed(work, issue.grant.clientId, issue.now)
  return grantId
}

/** A revoked one stays as it is: its tokens are refused by it. The purge moves `expires_at` back to the end of the last token. */
async function renew(work: CoreDatabase, { grant, token }: Issue): Promise<string | null> {
  const { userId, clientId, scope, resource, kind = null } = grant
  const renewed = await work
    .updateTable('acmcp_grants')
    .set({ scope, resource, allowed: grant.allowed?.join(' ') ?? null, expires_at: token.expiresAt })
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .where('kind', kind === null ? 'is' : '=', kind)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return renewed[0]?.id ?? null
}

/** Those that come at once take turns, and the second finds that of the first. */
async function open(work: CoreDatabase, issue: Issue): Promise<string> {
  await resizeClients(work, 0)
  const found = await renew(work, issue)
  if (found !== null) return found
  const { grant, token, now } = issue
  await insertGrant(
    work,
    { ...grant, readOnly: false, surface: 'whole' },
    { now, expiresAt: token.expiresAt },
  )
  return grant.id
}
