/** The verbs on idempotency keys: each change is a conditional write whose row decides, over all instances. */
import { Kysely, type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import { insertable } from '../../store/columns.ts'
import { StoreBusy } from '../../store/store.ts'
import type { VerbEngine, VerbParts } from '../../store/verbs/verb-parts.ts'
import type { IdempotencyTables } from './key-table.ts'
import type {
  Claimed,
  HeldKey,
  IdempotencyStore,
  KeyOutcome,
  KeyQuota,
  KeyRow,
  Lease,
  NewClaim,
  StandingKey,
} from './types.ts'

type KeyParts = VerbParts<IdempotencyTables>
type KeyDatabase = KeyParts['database']

export function idempotencyVerbs({ database, clock, engine: { skipLocked } }: KeyParts): IdempotencyStore {
  return {
    claimKey: (claim, quota, over) => claimKey(database, claim, { quota, over, clock }),
    settleKey: (held, outcome) => settleKey(database, held, outcome),
    settleKeyIn: async (transaction, held, outcome) => settleKey(handleOf(transaction), held, outcome),
    releaseKey: async (held) => {
      await changeRows(database, held.rows, (work, row) => removeRow(work, row, held))
    },
    renewKeys: async (claims, leaseUntil) => {
      for (let from = 0; from < claims.length; from += batch)
        await renewClaims(database, claims.slice(from, from + batch), { leaseUntil, skipLocked })
    },
  }
}

const batch = 500
/** So often a key may go between the write that finds it in the way and the look at it. */
const attempts = 10

/** The statements name everything as it is: plugins of the application change nothing of them. */
function handleOf(transaction: object): KeyDatabase {
  if (transaction instanceof Kysely) return transaction as KeyDatabase
  throw new TypeError('the transaction must be one of the database that `databaseOf(services)` answers')
}

interface Claiming {
  readonly quota: KeyQuota
  readonly over: readonly Lease[]
  readonly clock: Clock
}

async function claimKey(
  database: KeyDatabase,
  claim: NewClaim,
  { quota: most, over, clock }: Claiming,
): Promise<Claimed> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const now = clock()
    const room = hasRoom(claim, now, most)
    const free = isFree(now, over)
    const isClaimed = await changeRows(database, claim.rows, (work, row) =>
      insertRow(work, row, { claim, now, free, room: row === claim.rows[0] ? room : null }),
    )
    if (isClaimed) return { kind: 'claimed' }
    const key = await findStanding(database, claim.rows, free)
    if (key !== null) return { kind: 'standing', key }
    const { rows } = await sql`select 1 as room where ${room}`.execute(database)
    if (rows.length === 0) return { kind: 'full' }
  }
  throw new StoreBusy({ cause: new Error('others claimed the key and released it all the time') })
}

/** Two that come at once may both find room for the last one: the bound is for growth, not exact. */
function hasRoom({ owner, source }: NewClaim, now: number, most: KeyQuota): RawBuilder<boolean> {
  const isCounted = sql<boolean>`expires_at > ${now} and (grant_id is null or grant_id not in (
    select id from acmcp_grants where user_id = ${owner} and revoked_at is not null))`
  return sql`(
    (select count(*) from acmcp_idempotency_keys where owner = ${owner} and ${isCounted}) < ${most.owner}
    and (select count(*) < ${most.source} and coalesce(sum(bytes), 0) < ${most.sourceBytes}
      from acmcp_idempotency_keys where source = ${source} and ${isCounted}))`
}

/** Whether another claim may have the row `acmcp_idempotency_keys`. */
function isFree(now: number, over: readonly Lease[]): RawBuilder<boolean> {
  const expired = sql<boolean>`acmcp_idempotency_keys.expires_at <= ${now}`
  if (over.length === 0) return expired
  const leases = over.map(
    ({ claim, leaseUntil }) =>
      sql`(acmcp_idempotency_keys.claim = ${claim} and acmcp_idempotency_keys.lease_until = ${leaseUntil})`,
  )
  return sql`(${expired} or (acmcp_idempotency_keys.is_transactional = 1
    and acmcp_idempotency_keys.state = 'running' and (${sql.join(leases, sql` or `)})))`
}

interface Insertion {
  readonly claim: NewClaim
  readonly now: number
  readonly free: RawBuilder<boolean>
  /** Null = another row of the claim is the one that is counted. */
  readonly room: RawBuilder<boolean> | null
}

/** A row that is not free is seen before the conflict: PostgreSQL would wait there for the transaction that settles it. */
async function insertRow(
  work: KeyDatabase,
  { id, digest }: KeyRow,
  { claim: { claim, owner, source, grant, isTransactional, ...more }, now, free, room }: Insertion,
): Promise<boolean> {
  const { columns, values } = insertable({
    ...{ id, digest, claim, route: more.route, state: 'running', is_transactional: isTransactional ? 1 : 0 },
    ...{ lease_until: more.leaseUntil, created_at: now, expires_at: more.expiresAt },
    ...(room === null ? {} : { owner, source, grant_id: grant }),
  })
  return isOne(
    await sql`
      insert into acmcp_idempotency_keys (${columns}) select ${values}
      where coalesce((select ${free} from acmcp_idempotency_keys where id = ${id}), ${room ?? sql`1 = 1`})
      on conflict (id) do update
        set digest = excluded.digest, claim = excluded.claim, owner = excluded.owner, source = excluded.source,
          grant_id = excluded.grant_id, bytes = null, route = excluded.route, state = 'running', is_transactional = excluded.is_transactional, lease_until = excluded.lease_until,
          status = null, sealed = null, created_at = excluded.created_at, expires_at = excluded.expires_at
        where ${free}`.execute(work),
  )
}

const isOne = ({ numAffectedRows }: { readonly numAffectedRows?: bigint }): boolean => numAffectedRows === 1n

async function findStanding(
  database: KeyDatabase,
  rows: readonly KeyRow[],
  free: RawBuilder<boolean>,
): Promise<StandingKey | null> {
  const found = await database
    .selectFrom('acmcp_idempotency_keys')
    .select(['id', 'digest', 'claim', 'state', 'status', 'sealed', 'expires_at as expiresAt'])
    .select(['lease_until as leaseUntil', 'is_transactional'])
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where(sql<boolean>`not (${free})`)
    .orderBy('id')
    .executeTakeFirst()
  if (found === undefined) return null
  const { is_transactional, ...key } = found
  return { ...key, isTransactional: is_transactional === 1 }
}

/** Changes all rows or none, in the order of their ids, so that instances never wait for each other in a circle. */
async function changeRows(
  database: KeyDatabase,
  rows: readonly KeyRow[],
  change: (work: KeyDatabase, row: KeyRow) => Promise<boolean>,
): Promise<boolean> {
  const changeEach = async (work: KeyDatabase): Promise<boolean> => {
    for (const row of rows) if (!(await change(work, row))) return false
    return true
  }
  if (rows.length === 1) return changeEach(database)
  return database.isTransaction ? inSavepoint(database, changeEach) : inTransaction(database, changeEach)
}

class NotAll extends Error {}

async function inTransaction(
  database: KeyDatabase,
  change: (work: KeyDatabase) => Promise<boolean>,
): Promise<boolean> {
  try {
    await database.transaction().execute(async (work) => {
      if (!(await change(work))) throw new NotAll()
    })
    return true
  } catch (error) {
    if (error instanceof NotAll) return false
    throw error
  }
}

async function inSavepoint(
  work: KeyDatabase,
  change: (work: KeyDatabase) => Promise<boolean>,
): Promise<boolean> {
  await sql`savepoint acmcp_idempotency_keys`.execute(work)
  let isChanged = false
  try {
    isChanged = await change(work)
  } finally {
    const end = isChanged ? sql`release savepoint` : sql`rollback to savepoint`
    await sql`${end} acmcp_idempotency_keys`.execute(work)
  }
  return isChanged
}

const settleKey = (database: KeyDatabase, held: HeldKey, outcome: KeyOutcome): Promise<boolean> =>
  changeRows(database, held.rows, (work, row) => settleRow(work, row, { held, outcome }))

interface Settlement {
  readonly held: HeldKey
  readonly outcome: KeyOutcome
}

const settleRow = async (
  work: KeyDatabase,
  { id }: KeyRow,
  { held: { claim, rows }, outcome: { state, status, sealed } }: Settlement,
): Promise<boolean> =>
  isOne(
    await sql`
      update acmcp_idempotency_keys set state = ${state}, status = ${status}, sealed = ${sealed},
        bytes = ${(sealed?.length ?? 0) * rows.length}
      where id = ${id} and claim = ${claim} and state = 'running'`.execute(work),
  )

/** One that has another claim by now stays. */
async function removeRow(work: KeyDatabase, { id }: KeyRow, { claim }: HeldKey): Promise<true> {
  await sql`
    delete from acmcp_idempotency_keys where id = ${id} and claim = ${claim} and state = 'running'`.execute(
    work,
  )
  return true
}

/** None expires while its call runs: it counts as long from its end. A row that a transaction under way has settled is left alone: a call that claims it waits for that, and the other leases must not end meanwhile. */
async function renewClaims(
  database: KeyDatabase,
  claims: readonly string[],
  { leaseUntil, skipLocked }: Pick<VerbEngine, 'skipLocked'> & { readonly leaseUntil: number },
): Promise<void> {
  await sql`
    update acmcp_idempotency_keys set lease_until = ${leaseUntil},
      expires_at = expires_at + case when lease_until < ${leaseUntil} then ${leaseUntil} - lease_until else 0 end
    where state = 'running' and id in (
      select id from acmcp_idempotency_keys where claim in (${sql.join(claims)}) and state = 'running'
      ${skipLocked})`.execute(database)
}
