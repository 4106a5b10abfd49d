/** Revocation, and the look at it that every bearer-checked request takes. Source: decisions.md, revocation (RFC 7009). */
import type { Clock, User } from '../../contract/store.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Store, UserOfToken } from '../store.ts'
import { hashOf } from './hash.ts'

type Revocations = Pick<Store, 'revokeGrant' | 'revokeToken' | 'findUserOfToken'>

/** The verbs of `Store` on revocation. */
export function revocationVerbs(database: CoreDatabase, clock: Clock): Revocations {
  return {
    revokeGrant: async (grantId, reason) =>
      void (await revokeGrant(database, { grantId, reason, now: clock() })),
    revokeToken: (jti, until, reason) =>
      database.transaction().execute((work) => revokeToken(work, { jti, until, reason, now: clock() })),
    findUserOfToken: (userId, accessJti) => findUserOfToken(database, { userId, accessJti, now: clock() }),
  }
}

/** The first reason is kept. */
async function revokeGrant(
  database: CoreDatabase,
  { grantId, reason, now }: { readonly grantId: string; readonly reason: string; readonly now: number },
): Promise<void> {
  await database
    .updateTable('acmcp_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('id', '=', grantId)
    .where('revoked_at', 'is', null)
    .execute()
}

interface TokenRevocation {
  readonly jti: string
  readonly until: number
  readonly reason: string
  readonly now: number
}

async function revokeToken(work: CoreDatabase, asked: TokenRevocation): Promise<string | null> {
  const token = await work
    .selectFrom('acmcp_tokens')
    .select('grant_id')
    .where('jti_hash', '=', hashOf(asked.jti))
    .executeTakeFirst()
  if (token === undefined) return rememberRevoked(work, asked)
  await revokeGrant(work, { ...asked, grantId: token.grant_id })
  return token.grant_id
}

async function rememberRevoked(
  work: CoreDatabase,
  { jti, until, reason, now }: TokenRevocation,
): Promise<null> {
  await work
    .insertInto('acmcp_revoked_tokens')
    .values({ jti_hash: hashOf(jti), expires_at: until, revoked_at: now, reason })
    .onConflict((conflict) => conflict.column('jti_hash').doNothing())
    .execute()
  return null
}

interface Bearer {
  readonly userId: string
  readonly accessJti: string | null
  readonly now: number
}

/** The grant is looked up, not the token: a pair issued while its grant is being revoked is revoked as well. */
async function findUserOfToken(database: CoreDatabase, bearer: Bearer): Promise<UserOfToken | null> {
  const { userId, accessJti, now } = bearer
  const user = database.selectFrom('acmcp_users').select(['id', 'name', 'email']).where('id', '=', userId)
  if (accessJti === null) return ofGrant(await user.executeTakeFirst(), null)
  const hash = hashOf(accessJti)
  const live = user.where(({ and, exists, not, selectFrom }) => {
    const withGrant = selectFrom('acmcp_tokens')
      .innerJoin('acmcp_grants', 'acmcp_grants.id', 'acmcp_tokens.grant_id')
      .select('acmcp_grants.id')
      .where('acmcp_tokens.jti_hash', '=', hash)
      .where('acmcp_grants.revoked_at', 'is not', null)
    const byItself = selectFrom('acmcp_revoked_tokens')
      .select('jti_hash')
      .where('jti_hash', '=', hash)
      .where('expires_at', '>', now)
    return and([not(exists(withGrant)), not(exists(byItself))])
  })
  const found = await live
    .select(({ selectFrom }) =>
      selectFrom('acmcp_tokens').select('grant_id').where('jti_hash', '=', hash).as('grant_id'),
    )
    .executeTakeFirst()
  return ofGrant(found, found?.grant_id ?? null)
}

const ofGrant = (found: User | undefined, grantId: string | null): UserOfToken | null =>
  found === undefined ? null : { user: { id: found.id, name: found.name, email: found.email }, grantId }
