/** Users who are blocked and erased: a part of the store's contract. */

import { sql } from 'kysely'
import type { Test } from 'tap'
import { auditTables } from '../../runtime/capabilities/audit/tables.ts'
import type { NewAuditRecord } from '../../runtime/contract/calls.ts'
import type { UserStanding } from '../../runtime/contract/store.ts'
import type { NamedTable } from '../../runtime/store/tables.ts'
import type { WholeStore } from '../support/whole-store.ts'
import { code, grant, hourMs, type Opened, pair, start, takeBack } from './support.ts'

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const user = { id: grant.userId, name: 'Ada', email: null }
const pseudonym = 'erased-00000000000000000000000000000001'

const row = (id: string, entry: object): NewAuditRecord => ({
  id: id.padStart(32, '0'),
  at: start,
  entry: { event: 'tool-call', user: user.id, grant: grant.id, ...entry },
})

const task = (id: string, of: string, more: object = {}) => ({
  ...{ id, owner: of, user: of, client: 'c1', grant: null, tool: 'make', status: 'working' as const },
  ...{ expiresAt: start + hourMs, runner: 'r1', leaseUntil: start + 30_000, message: null, args: '{}' },
  ...{ location: null, input: null, headers: null, ...more },
})
const room = { kept: 100, unfinished: 100, ownerBytes: 1e6, allBytes: 1e6 }

async function erasing({ store }: Opened): Promise<UserStanding> {
  await store.beginErasure(user.id, pseudonym)
  const standing = await store.findStanding(user.id)
  if (standing === null) throw new Error('nobody')
  return standing
}

/** Tables of the store with a column that reads like somebody's, which say of nobody whose their rows are. */
async function tablesOfNobody({ database, verbs }: WholeStore): Promise<readonly string[]> {
  const declared = new Map(
    verbs(({ tables }) => tables).map((table): [string, NamedTable] => [table.name, table]),
  )
  const ours = (await database.introspection.getTables()).filter(
    ({ name }) => name.startsWith('acmcp_') && name !== 'acmcp_additive_migrations', // its owners are lists of migrations
  )
  return ours
    .filter(({ columns }) => columns.some(({ name }) => /user|owner|person|subject|e?mail/.test(name)))
    .map(({ name }) => name)
    .filter((name) => declared.get(name)?.person === undefined)
}

export const leavingCases: readonly Case[] = [
  [
    'a table with a column that reads like somebody’s says whose its rows are, and what becomes of them',
    async (t, { store }) => {
      t.strictSame(await tablesOfNobody(store), [])
      await sql`create table acmcp_forgotten (id text primary key, user_id text)`.execute(store.database)
      t.strictSame(await tablesOfNobody(store), ['acmcp_forgotten'])
    },
  ],
  [
    'blockUser: once, and back, but not of one who is being erased; the first pseudonym is kept',
    async (t, opened) => {
      const { store } = opened
      t.equal(await store.blockUser(user.id), false, 'nobody')
      await store.saveSignIn(user, null, start)
      t.strictSame([await store.unblockUser(user.id), await store.blockUser(user.id)], [false, true])
      t.strictSame([await store.blockUser(user.id), await store.unblockUser(user.id)], [false, true])
      const standing = { user, signedInAt: start, blockedAt: start, erasedAs: pseudonym }
      t.strictSame(await erasing(opened), standing)
      await store.beginErasure(user.id, 'erased-other')
      t.strictSame(await store.listErasures(10), [standing])
      t.equal(await store.unblockUser(user.id), false)
      t.equal(await store.findUser(user.id), null)
    },
  ],
  [
    'endRows: tasks of the user that have not ended; none begins for them, and no sign of life counts',
    async (t, { store }) => {
      for (const id of [user.id, 'dev:eve']) await store.saveUser({ ...user, id })
      await store.issueCode({ ...grant, userId: 'dev:eve' }, code)
      await store.createTask(task('1', user.id), room)
      await store.createTask(task('2', user.id, { status: 'input_required', runner: null }), room)
      await store.createTask(task('3', 'dev:eve'), room)
      const keys = (
        await sql<{ id_hash: string }>`select id_hash from acmcp_tasks`.execute(store.database)
      ).rows.map((found) => found.id_hash)
      await store.blockUser(user.id)
      t.equal((await store.renewTasks('r1', keys, start + 60_000)).length, 1)
      t.strictSame([await store.endRows(user.id), await store.endRows(user.id)], [{ tasks: 2 }, { tasks: 0 }])
      t.match(await store.findTask('1', user.id), { status: 'cancelled', revision: 2, args: null })
      t.match(await store.findTask('3', 'dev:eve'), { status: 'working', revision: 1 })
      t.equal(await store.createTask(task('4', user.id), room), null)
      await store.revokeGrant(grant.id, 'test')
      t.equal(await store.createTask(task('5', 'dev:eve', { grant: grant.id }), room), null)
      t.not(await store.createTask(task('6', 'dev:eve'), room), null)
    },
  ],
  [
    'eraseRows, eraseUser: tokens are refused on, and rows of the audit that come late have the pseudonym',
    async (t, opened) => {
      const { store, clock } = opened
      await store.saveSignIn(user, '{"phone":"5"}', start)
      await store.issueCode(grant, code)
      await store.redeemCode(code.jti, pair('a'))
      const told = { detail: { reason: 'Ada' }, requestId: 'Ada', traceId: 'Ada', argumentsDigest: 'd' }
      await store.appendAudit([
        row('1', { ...told, tool: 'make', route: 'make' }),
        row('2', { user: 'dev:eve', ...told, grant: null }),
      ])
      const standing = await erasing(opened)
      const kept = { sessions: 0, grants: 1, tasks: 0, approvals: 0, idempotencyKeys: 0 }
      t.strictSame(await store.eraseRows(standing), kept)
      await store.appendAudit([row('3', { ...told, tool: 'Ada' })])
      t.strictSame(await store.eraseUser(standing), { auditRows: 1 })
      await store.appendAudit([row('4', { ...told, tool: 'make', route: 'make', status: 200 })])
      const none = { detail: null, requestId: null, traceId: null, argumentsDigest: null }
      t.match(await store.listAudit({}, 10), [
        { user: pseudonym, tool: 'make', route: 'make', ...none },
        { user: 'dev:eve', ...told },
        { user: pseudonym, tool: null, ...none },
        { user: pseudonym, tool: 'make', status: 200, grant: grant.id, ...none },
      ])
      await store.saveSignIn(user, null, start)
      for (const jti of ['access-a', 'refresh-a'])
        t.equal(await store.findUserOfToken(user.id, jti), null, jti)
      t.match(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'invalid' })
      clock.now = start + 25 * hourMs
      await store.purgeExpired()
      t.strictSame((await sql`select id from acmcp_grants`.execute(store.database)).rows, [])
    },
  ],
  [
    'eraseUser: two at one time whom the same batches name, and rows of the version before; the index says what is left, and goes with the batches',
    async (t, { store, open, clock }) => {
      const eve = { ...user, id: 'dev:eve' }
      for (const someone of [user, eve]) await store.saveSignIn(someone, null, start)
      await sql`insert into acmcp_audit (id, at, event, user_id, tool, detail, request_id)
        values (${'0'.repeat(32)}, 0, 'sign-in', ${user.id}, 'x', '{"by":"Ada"}', 'r')`.execute(
        store.database,
      )
      for (let batch = 1; batch <= 120; batch += 1) {
        const ofEve = {
          user: eve.id,
          grant: 'of-eve',
          requestId: 'r',
          tool: 'make',
          route: 'make',
          decision: 'allowed',
        }
        await store.appendAudit([
          row(`${batch}0`, { requestId: 'r' }),
          row(`${batch}1`, ofEve),
          row(`${batch}2`, { user: 'dev:bob' }),
        ])
      }
      await store.beginErasure(user.id, pseudonym)
      await store.beginErasure(eve.id, 'erased-eve')
      t.equal((await store.countRows(user.id)).auditRows, 121)
      const both = await store.listErasures(2)
      t.strictSame(await Promise.all(both.map((one) => store.eraseUser(one))), [
        { auditRows: 121 },
        { auditRows: 120 },
      ])
      const counts =
        await sql`select owner, sum(count) as count, count(used_at) as uses, count(called) as called
        from acmcp_audit_owners group by owner order by owner`.execute(store.database)
      t.strictSame(
        counts.rows.map((found) =>
          Object.values(found as object).map((value) =>
            Number.isNaN(Number(value)) ? value : Number(value),
          ),
        ),
        [
          ['dev:bob', 120, 0, 0],
          [pseudonym, 120, 0, 0],
          ['erased-eve', 120, 0, 0],
          [grant.id, 240, 120, 0],
          ['of-eve', 120, 120, 120],
        ],
      )
      for (const id of [user.id, eve.id]) t.strictSame(await store.listAudit({ user: id }, 10), [])
      const found = await store.listAudit({ user: pseudonym }, 1000)
      t.strictSame(
        [found.length, found.filter(({ requestId, detail }) => requestId ?? detail).length],
        [121, 0],
      )
      t.match(found[0], { event: 'sign-in', tool: null })
      clock.now = start + hourMs
      const purging = await open({ keptMs: new Map(auditTables.map(({ name }) => [name, 1])) })
      t.equal(await purging.purgeExpired(), 361)
      t.strictSame((await sql`select owner from acmcp_audit_owners`.execute(store.database)).rows, [])
    },
  ],
  [
    'appendAudit: users of a provider that is called as pseudonyms begin are none who were erased',
    async (t, { store }) => {
      const someone = { ...user, id: 'erased-corp:1' }
      await store.saveUser(someone)
      await store.issueCode({ ...grant, userId: someone.id }, code)
      await store.appendAudit([row('1', { user: someone.id, requestId: 'r', tool: 'make' })])
      t.match(await store.listAudit({}, 10), [{ user: someone.id, requestId: 'r', tool: 'make' }])
    },
  ],
  [
    'findGone: an id that the database cannot keep is nobody, and spoils no question about others',
    async (t, { store }) => {
      await store.saveUser(user)
      t.strictSame(await store.findGone(['\0', user.id, `${user.id}\0`]), ['\0', `${user.id}\0`])
    },
  ],
  [
    'eraseUser: what was under way opens no grant for somebody who is there no more',
    async (t, opened) => {
      const { store } = opened
      await store.saveSignIn(user, null, start)
      const standing = await erasing(opened)
      await store.eraseRows(standing)
      await store.eraseUser(standing)
      const blocked = { message: 'the user is blocked' }
      await t.rejects(store.issueCode(grant, code), blocked)
      await t.rejects(store.issueUnasked({ ...grant, kind: 'enterprise' }, code), blocked)
      t.strictSame((await sql`select id from acmcp_grants`.execute(store.database)).rows, [])
    },
  ],
  [
    'eraseUser: tokens of others from before count no more for whoever signs in with that id',
    async (t, opened) => {
      const { store, clock } = opened
      await store.saveSignIn(user, null, start)
      t.not(await store.findUserOfToken(user.id, 'foreign', start), null)
      const standing = await erasing(opened)
      await store.eraseRows(standing)
      clock.now = start + hourMs
      await store.eraseUser(standing)
      await store.saveSignIn(user, null, start + hourMs)
      t.equal(await store.findUserOfToken(user.id, 'foreign', start), null)
      t.equal(await store.findUserOfToken(user.id, null, start), null)
      t.not(await store.findUserOfToken(user.id, 'foreign', start + hourMs), null)
      await store.saveUser({ ...user, id: 'dev:eve' })
      t.not(await store.findUserOfToken('dev:eve', null, start + hourMs), null, 'others have theirs')
    },
  ],
  [
    'blockUser: a store of the version before gets it while that serves on',
    async (t, { store, open }) => {
      await store.saveUser(user)
      await takeBack(store, '0016_leaving')
      const next = await open()
      t.equal(await next.blockUser(user.id), true)
      await sql`update acmcp_users set name = 'Anew' where id = ${user.id}`.execute(store.database)
      t.match(await next.findStanding(user.id), { user: { name: 'Anew' }, blockedAt: start, erasedAs: null })
    },
  ],
]
