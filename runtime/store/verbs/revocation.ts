/** Revocation, and the look at it that every bearer-checked request takes. Source: rules.md, revocation. */
import type { Clock, User } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import { withAttributes } from '../../user-attributes.ts'
import type { Store, TokenHolder } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { termsIn } from './grants.ts'
import type { Prepare } from './prepare.ts'

type Revocations = Pick<Store, 'revokeGrant' | 'revokeToken' | 'findUserOfToken'>

/** The verbs of `Store` on revocation. */
export function revocationVerbs(database: CoreDatabase, clock: Clock, prepare: Prepare): Revocations {
  const find = prepare<UserRow>(findUserOfToken)
  return {
    revokeGrant: (id, reason) => revokeGrant(database, { id, reason, now: clock() }),
    revokeToken: (jti, until, reason) =>
      database.transaction().execute((work) => revokeToken(work, { jti, until, reason, now: clock() })),
    findUserOfToken: async (userId, jti, issuedAt = 0) => {
      const [row] = await find([jti === null ? null : sha256Hex(jti), userId, clock(), issuedAt])
      if (row === undefined) return null
      const { id, name, email, attributes, grantId, surface, spentAt, asked_at } = row
      const user = withAttributes({ id, name, email }, attributes)
      return { user, grantId, ...termsIn(row), surface, isAsked: asked_at !== null, spentAt }
    },
  }
}

interface UserRow extends User, Pick<TokenHolder, 'grantId' | 'surface' | 'spentAt'> {
  readonly attributes: string | null
  readonly allowed: string | null
  readonly read_only: number | null
  readonly asked_at: number | null
}

/** Every request with a bearer runs it. The grant is looked up, not the token: a pair issued while its grant is being revoked
 *  is revoked as well. A token without a `jti` (null) has no row. */
const findUserOfToken = `
  select u.id, u.name, u.email, u.attributes, t.grant_id as "grantId", g.allowed, g.read_only, g.surface, g.asked_at,
    t.spent_at as "spentAt"
  from acmcp_users u
  left join acmcp_tokens t on t.jti_hash = $1
  left join acmcp_grants g on g.id = t.grant_id
  where u.id = $2 and g.revoked_at is null and u.blocked_at is null
    and (t.grant_id is not null or coalesce(u.tokens_since, 0) <= $4)
    and not exists (select 1 from acmcp_revoked_tokens r where r.jti_hash = $1 and r.expires_at > $3)`

interface GrantRevocation {
  readonly id: string
  readonly reason: string
  readonly now: number
}

/** The first reason is kept. */
async function revokeGrant(database: CoreDatabase, { id, reason, now }: GrantRevocation): Promise<void> {
  await database
    .updateTable('acmcp_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

interface TokenRevocation {
  readonly jti: string
  readonly until: number
  readonly reason: string
  readonly now: number
}

async function revokeToken(work: CoreDatabase, revocation: TokenRevocation): Promise<string | null> {
  const { jti, until, reason, now } = revocation
  const hash = sha256Hex(jti)
  const tokens = work.selectFrom('acmcp_tokens').select('grant_id').where('jti_hash', '=', hash)
  const token = await tokens.executeTakeFirst()
  if (token !== undefined) {
    await revokeGrant(work, { id: token.grant_id, reason, now })
    return token.grant_id
  }
  await work
    .insertInto('acmcp_revoked_tokens')
    .values({ jti_hash: hash, expires_at: until, revoked_at: now, reason })
    .onConflict((conflict) => conflict.column('jti_hash').doNothing())
    .execute()
  return null
}
