/** What the tests of outages share: every verb, and what kind of answer it gives. */
import { sql } from 'kysely'
import type { NewApproval, NewDecision } from '../../../runtime/capabilities/approval/types.ts'
import type { HeldKey, KeyOutcome, NewClaim } from '../../../runtime/capabilities/idempotency/types.ts'
import type { User } from '../../../runtime/contract/store.ts'
import type { OutageListener } from '../../../runtime/store/health.ts'
import { type Client, StoreUnavailable } from '../../../runtime/store/store.ts'
import type { WholeStore } from '../../support/whole-store.ts'
import { code, grant, type Opened, pair, start } from '../support.ts'

export const user: User = { id: 'u', name: 'U', email: null }
const client: Client = { id: 'c1', name: null, redirectUris: [], grantTypes: [], responseTypes: [] }
const approval: NewApproval = {
  ...{ id: 'a', user: 'u', client: null, grant: null, route: 'get /', digest: 'd', sealed: '' },
  expiresAt: start + 1000,
}
const decision: NewDecision = {
  ...{ id: 'a', user: 'u', digest: 'd', decision: 'approved', method: 'page' },
  ...{ authTime: null, expiresAt: start + 1000 },
}
const claim: NewClaim = {
  ...{
    rows: [{ id: 'k', digest: 'd' }],
    claim: 'c',
    owner: 'u',
    source: 's',
    grant: null,
    route: 'post /',
    isTransactional: false,
  },
  ...{ leaseUntil: start + 1000, expiresAt: start + 1000 },
}
const nobodys: HeldKey = { rows: claim.rows, claim: 'nobody' }
const outcome: KeyOutcome = { state: 'done', status: 200, sealed: null }

export const reads: Readonly<Record<string, (store: WholeStore) => Promise<unknown>>> = {
  findUser: (store) => store.findUser('u'),
  findUserOfToken: (store) => store.findUserOfToken('u', 'access-a'),
  findLiveGrants: (store) => store.findLiveGrants('u', 'c1'),
  findSurface: (store) => store.findSurface('first'),
  findClient: (store) => store.findClient('c1'),
  findClientNames: (store) => store.findClientNames(['c1']),
  readSession: (store) => store.readSession('s'),
  findApproval: (store) => store.findApproval('a'),
  wasUsed: (store) => store.wasUsed('logout-token', ['nobody']),
  listApprovals: (store) => store.listApprovals({ user: 'u' }, 10),
}

export const writes: Readonly<Record<string, (store: WholeStore) => Promise<unknown>>> = {
  saveUser: (store) => store.saveUser(user),
  saveClient: (store) => store.saveClient(client),
  issueCode: (store) =>
    store.issueCode({ ...grant, id: 'g-new' }, { jti: 'code-new', expiresAt: start + 1000 }),
  keepSurface: (store) => store.keepSurface({ name: 'first', routes: '{}' }),
  askOnce: (store) => store.askOnce('nobody'),
  redeemCode: (store) => store.redeemCode('code-1', pair('b')),
  rotateRefresh: (store) => store.rotateRefresh('refresh-a', pair('c')),
  revokeGrant: (store) => store.revokeGrant('g-other', 'test'),
  revokeToken: (store) => store.revokeToken('foreign', start + 1, 'test'),
  shareCounts: (store) => store.shareCounts(start, [{ key: 'k', count: 1 }]),
  writeSession: (store) => store.writeSession('s', {}, start + 1),
  updateSession: (store) => store.updateSession('nobody', {}, start + 1),
  destroySession: (store) => store.destroySession('nobody'),
  endSessions: (store) => store.endSessions('nobody', 'none'),
  useOnce: (store) => store.useOnce('logout-token', ['acme', 'a'], start + 1000),
  askApproval: (store) => store.askApproval(approval, { pending: 10, denied: 3 }),
  decideApproval: (store) => store.decideApproval(decision),
  spendApproval: (store) => store.spendApproval('d', start + 1),
  releaseApproval: (store) => store.releaseApproval({ id: 'a', spentAt: start }, start + 1),
  claimKey: (store) => store.claimKey(claim, { owner: 10, source: 10, sourceBytes: 10 }, []),
  settleKey: (store) => store.settleKey(nobodys, outcome),
  settleKeyIn: (store) => store.settleKeyIn(store.database, nobodys, outcome),
  releaseKey: (store) => store.releaseKey(nobodys),
  renewKeys: (store) => store.renewKeys(['nobody'], start + 1000),
  purgeExpired: (store) => store.purgeExpired(),
  'the application, alone': (store) =>
    sql`delete from acmcp_users where id = 'nobody'`.execute(store.database),
  'the application, in a transaction': (store) =>
    store.database
      .transaction()
      .execute((work) => sql`delete from acmcp_users where id = 'nobody'`.execute(work)),
}

/** By verb, what kind of answer it gave. */
export async function answers(
  store: WholeStore,
  verbs: Readonly<Record<string, (store: WholeStore) => Promise<unknown>>>,
): Promise<Readonly<Record<string, string>>> {
  const all: [string, string][] = []
  for (const [name, verb] of Object.entries(verbs)) {
    const kind = await verb(store).then(
      () => 'an answer',
      (error: unknown) => (error instanceof StoreUnavailable ? `${error.status}` : `raw: ${String(error)}`),
    )
    all.push([name, kind])
  }
  return Object.fromEntries(all)
}

export const each = (
  verbs: Readonly<Record<string, unknown>>,
  answer: string,
): Readonly<Record<string, string>> => Object.fromEntries(Object.keys(verbs).map((name) => [name, answer]))

/** A store with one user, a live pair and something to lose. */
export async function filled({ store }: Opened): Promise<void> {
  await store.saveUser(user)
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('a'))
}

/** What a listener is told, a word each: what the driver said, or `ended`. */
export function outages(): { readonly reported: readonly string[]; readonly onOutage: OutageListener } {
  const reported: string[] = []
  return {
    reported,
    onOutage: {
      began: (cause) => void reported.push(String(cause)),
      ended: () => void reported.push('ended'),
    },
  }
}
