/** Grants, codes and tokens. Source: rules.md, single use. */
import type { Clock, Surface } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import { type Grant, type HeldGrant, type Issued, type Store, UserBlocked } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { wasAnyoneErased } from './last-erasure.ts'
import type { Redeem } from './redeem.ts'

/** A client's last use is written at most once in this time: one busy client must not serialise its users. */
const lastUseStepMs = 3_600_000

/** The verbs of `Store` on grants, codes and tokens. */
export function grantVerbs(
  database: CoreDatabase,
  clock: Clock,
  redeem: Redeem,
): Pick<Store, 'issueCode' | 'redeemCode' | 'rotateRefresh' | 'keepSurface' | 'findSurface' | 'askOnce'> {
  return {
    issueCode: (grant, code) =>
      database.transaction().execute((work) => issueCode(work, { grant, code, now: clock() })),
    redeemCode: (jti, pair) => redeem({ kind: 'code', jti, pair, now: clock(), grace: null }),
    rotateRefresh: (jti, pair, grace = null) => redeem({ kind: 'refresh', jti, pair, now: clock(), grace }),
    keepSurface: (surface) => keepSurface(database, surface, clock()),
    findSurface: async (name) => {
      const surfaces = database.selectFrom('acmcp_surfaces').select('routes').where('name', '=', name)
      return (await surfaces.executeTakeFirst())?.routes ?? null
    },
    askOnce: async (id) => {
      const grants = database.updateTable('acmcp_grants').set({ asked_at: clock() }).where('id', '=', id)
      const { numUpdatedRows } = await grants.where('asked_at', 'is', null).executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

/** Its time is written whether or not it was there: the row's lock keeps the purge from a surface that a grant is about to have. */
async function keepSurface(work: CoreDatabase, { name, routes }: Surface, now: number): Promise<void> {
  await work
    .insertInto('acmcp_surfaces')
    .values({ name, routes, used_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ used_at: now }))
    .execute()
}

interface Issue {
  readonly grant: Grant
  readonly code: Issued
  readonly now: number
}

async function issueCode(work: CoreDatabase, { grant, code, now }: Issue): Promise<void> {
  const { id, userId, clientId, surface } = grant
  await refuseBlocked(work, userId)
  if (typeof surface === 'object') await keepSurface(work, surface, now)
  await insertGrant(work, grant, { now, expiresAt: code.expiresAt })
  await insertToken(work, 'code', { ...code, grantId: id })
  await markUsed(work, clientId, now)
}

export async function insertGrant(
  work: CoreDatabase,
  { readOnly = false, surface, ...grant }: Grant,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): Promise<void> {
  await work
    .insertInto('acmcp_grants')
    .values({
      id: grant.id,
      user_id: grant.userId,
      client_id: grant.clientId,
      scope: grant.scope,
      resource: grant.resource,
      allowed: grant.allowed?.join(' ') ?? null,
      read_only: readOnly ? 1 : null,
      surface: typeof surface === 'object' ? surface.name : (surface ?? null),
      kind: grant.kind ?? null,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
}

export async function insertToken(
  work: CoreDatabase,
  kind: 'code' | 'access',
  { jti, expiresAt, grantId }: Issued & { readonly grantId: string },
): Promise<void> {
  const row = { jti_hash: sha256Hex(jti), grant_id: grantId, kind, expires_at: expiresAt }
  await work.insertInto('acmcp_tokens').values(row).execute()
}

/** Of a registered client. */
export async function markUsed(work: CoreDatabase, clientId: string, now: number): Promise<void> {
  await work
    .updateTable('acmcp_clients')
    .set({ last_used_at: now })
    .where('id', '=', clientId)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', now - lastUseStepMs)]))
    .execute()
}

/** Its row is locked, so that an operator who blocks the user finds the grant. Without one they may have been erased meanwhile. */
export async function refuseBlocked(work: CoreDatabase, userId: string): Promise<void> {
  const user = await work
    .updateTable('acmcp_users')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('id', '=', userId)
    .returning('blocked_at')
    .executeTakeFirst()
  const isGone = user === undefined ? await wasAnyoneErased(work) : user.blocked_at !== null
  if (isGone) throw new UserBlocked()
}

interface Terms {
  readonly allowed: string | null
  readonly read_only: number | null
}

/** What a grant allows, of its row. */
export const termsIn = ({ allowed, read_only }: Terms): Pick<HeldGrant, 'allowed' | 'readOnly'> => ({
  allowed: allowed?.split(' ').filter((name) => name !== '') ?? null,
  readOnly: read_only === 1,
})
