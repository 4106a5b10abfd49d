/** Users of whom nothing is to stay: what goes, what lives on without them, and what a crash leaves. */

import { sql } from 'kysely'
import t from 'tap'
import type { AuditRecord } from '../../runtime/contract/calls.ts'
import type { Store } from '../../runtime/store/store.ts'
import type { TestApp } from '../../runtime/testing.ts'
import { auditAt } from '../audit/support/vault.ts'
import { clientOf } from '../mcp/tasks/jobs.ts'
import { authorizationRequest, redemption, registerClient, tokensIn } from '../oauth/support/scene.ts'
import { wholeStore } from '../support/whole-store.ts'
import { dumpOf, freshStores, hooks, instance, linesWith, status, withoutAudit } from './team.ts'

t.setTimeout(240_000)

const engines = await freshStores(t)

const person = { id: 'dev:subject-7731', name: 'Ada Personne', email: 'ada.personne@example.com' }
const attributes = { phone: '+49 170 5550199', groups: ['group-of-ada'] }
const others = { id: 'dev:other', name: 'Other', email: null }
const words = ['subject-7731', 'Personne', 'ada.personne', '5550199', 'group-of-ada']

interface Left {
  readonly access: string
  readonly refresh: string
  readonly clientId: string
}

/** All that somebody leaves: two connections, sessions, a task, a key, an approval, rows of the audit in which they stand. */
async function live(app: TestApp): Promise<Left> {
  const browser = app.client()
  await browser.signIn(person, { attributes } as never)
  const client = app.client()
  const clientId = await registerClient(client)
  const scene = { client: browser, clientId, request: authorizationRequest(clientId) }
  const page = await browser.get(`/oauth/authorize?${new URLSearchParams(scene.request)}`)
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const allowed = await browser.submit('/oauth/authorize', {
    ...scene.request,
    csrf_token,
    decision: 'allow',
  })
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
  const tokens = tokensIn(await client.submit('/oauth/token', redemption(scene, code)))
  const bearer = client
    .withBearer(tokens.access)
    .withHeaders({ 'idempotency-key': 'order of Personne', 'x-request-id': 'ada.personne-1' })
  await bearer.json('/team/orders', { what: 'a hat for Ada Personne' })
  await bearer.request({ method: 'DELETE', url: '/team/rooms/Personne' })
  const tools = clientOf({ application: app.application as never, beat: async () => {} }, tokens.access)
  await tools.call('team_me')
  await tools.call('ada.personne@example.com')
  await tools.call('team_work')
  await app.client().get('/auth/dev')
  return { ...tokens, clientId }
}

/** So many grants, each with a code, and as many sessions. */
async function connect({ database }: Store, user: string, count: number): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  const [id, expires] = [sql`'n' || cast(${count} as text) || '-' || i`, sql`cast(4000000000000 as bigint)`]
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers} select ${id}, ${user}, 'c', 'api', '', 1, ${expires} from n`.execute(database)
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers} select ${id}, ${id}, 'code', ${expires} from n`.execute(database)
  await sql`insert into acmcp_sessions (id_hash, data, expires_at)
    ${numbers} select ${id}, cast(${JSON.stringify({ user_id: user })} as text), ${expires} from n`.execute(
    database,
  )
}

const rowsOf = (rows: readonly AuditRecord[], user: string | null): readonly AuditRecord[] =>
  rows.filter((row) => row.user === user)

/** The tables that name somebody. */
const named = [
  'approvals',
  'audit_batches',
  'audit_owners',
  'grants',
  'idempotency_keys',
  'sessions',
  'tasks',
  'users',
].map((table) => `acmcp_${table}`)

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, erase: nothing of the person is in the store, and the audit keeps what happened`,
    async (t) => {
      hooks.working = async () => 'work for Personne'
      const url = await fresh()
      const app = await instance(t, url)
      const { users } = app.services
      const { store } = app.application
      await app.accessToken(others)
      const left = await live(app)
      const before = await dumpOf(store)
      const tables = new Set(linesWith(before, words).map((line) => line.split(' ')[0]))
      t.strictSame([...tables].sort(), named, 'there is much')
      const counted = await users.erase(person.id, { dryRun: true })
      t.equal(withoutAudit(await dumpOf(store)), withoutAudit(before), 'a dry run changes nothing')
      t.match(counted, { sessions: 1, grants: 1, tasks: 1, approvals: 1, idempotencyKeys: 1 })
      const asked: unknown[] = []
      hooks.erase = async (user) => {
        asked.push(user, await status(app.client().withBearer(left.access)))
      }
      const erased = await users.erase(person.id)
      t.strictSame(asked, [person, 401], 'the application is asked when access has ended')
      t.match(erased, { sessions: 0, grants: 1, tasks: 1, approvals: 1, idempotencyKeys: 1 })
      t.strictSame(linesWith(await dumpOf(store), words), [])
      t.strictSame([await users.show(person.id), await users.erase(person.id)], [null, null])
      // what clients and browsers still send
      const refreshing = {
        grant_type: 'refresh_token',
        client_id: left.clientId,
        refresh_token: left.refresh,
      }
      t.equal((await app.client().submit('/oauth/token', refreshing)).statusCode, 400)
      t.equal(await status(app.client().withBearer(left.access)), 401)
      await app.client().submit('/oauth/revoke', { token: left.refresh, client_id: left.clientId })
      await app.close()
      const rows = await auditAt(url)
      const [{ user: pseudonym = null } = {}] = rows.filter(({ event }) => event === 'erasure')
      t.match(pseudonym, /^erased-[0-9a-f]{32}$/)
      const theirs = rowsOf(rows, pseudonym)
      t.ok(theirs.length > 6)
      t.strictSame(
        theirs.filter(
          ({ event, ...row }) =>
            event !== 'erasure' && (row.detail ?? row.argumentsDigest ?? row.requestId) !== null,
        ),
        [],
      )
      t.ok(theirs.some(({ event, route }) => event === 'request' && route === 'team_order'))
      t.ok(
        theirs.some(({ event }) => event === 'revocation'),
        'what came late has the pseudonym, too',
      )
      t.strictSame(linesWith(JSON.stringify(rows, null, 1), words), [])
      t.ok(rowsOf(rows, others.id).length > 0, 'others keep their name')
    },
  )

  t.test(
    `${engine}, erase: who signs in again with the same id is another, and revives no token`,
    async (t) => {
      const app = await instance(t, await fresh())
      hooks.erase = async () => {}
      const left = await live(app)
      await app.services.users.erase(person.id)
      const anew = await app.accessToken(person)
      t.equal(await status(app.client().withBearer(anew)), 200)
      t.equal(await status(app.client().withBearer(left.access)), 401)
      const refreshing = {
        grant_type: 'refresh_token',
        client_id: left.clientId,
        refresh_token: left.refresh,
      }
      t.equal((await app.client().submit('/oauth/token', refreshing)).statusCode, 400)
      t.equal(await status(app.client().withBearer(anew)), 200, 'a replay ends nothing of theirs')
    },
  )

  t.test(
    `${engine}, erase: what onErase throws, or a crash, leaves them blocked, and the next instance goes on`,
    async (t) => {
      const url = await fresh()
      const clock = { now: Date.parse('2026-11-27T10:00:00Z') }
      const first = await instance(t, url, { clock: () => clock.now })
      await first.client().signIn(person, { attributes } as never)
      const calls: string[] = []
      hooks.erase = async ({ id }) => {
        calls.push(id)
        throw new Error('the disk is full')
      }
      await t.rejects(first.services.users.erase(person.id), { message: 'the disk is full' })
      t.match(await first.services.users.show(person.id), { blockedAt: clock.now, erasedAs: /^erased-/ })
      t.equal(await first.services.users.unblock(person.id), false, 'there is no way back')
      t.strictSame((await first.client().get('/auth/dev')).statusCode, 303)
      const signal = new AbortController().signal
      await first.application.purge(signal)
      t.equal(calls.length, 1, 'it is not tried again at once')
      clock.now += 60_000
      await first.application.purge(signal)
      t.equal(calls.length, 2)
      // the process ends after the application has done its part
      const done = new Promise<void>((resolve) => {
        hooks.erase = async ({ id }) => {
          calls.push(id)
          resolve()
          await new Promise(() => {})
        }
      })
      clock.now += 120_000
      void first.application.purge(signal)
      await done
      await first.close()
      hooks.erase = async ({ id }) => void calls.push(id)
      const next = await instance(t, url, { clock: () => clock.now })
      await next.application.purge(signal)
      t.strictSame(calls, [person.id, person.id, person.id, person.id])
      t.strictSame(linesWith(await dumpOf(next.application.store), words), [])
    },
  )

  t.test(
    `${engine}, erase: an instance that is still at it takes nothing of who has signed in anew`,
    async (t) => {
      const url = await fresh()
      const [first, second] = [await instance(t, url), await instance(t, url)]
      await first.client().signIn(person, { attributes } as never)
      const waiting: (() => void)[] = []
      const bothAsked = new Promise<void>((resolve) => {
        hooks.erase = () =>
          new Promise<void>((done) => {
            waiting.push(done)
            if (waiting.length === 2) resolve()
          })
      })
      const erased = first.services.users.erase(person.id)
      const again = second.services.users.erase(person.id)
      await bothAsked
      waiting[0]?.()
      await Promise.race([erased, again])
      const anew = await first.accessToken(person)
      waiting[1]?.()
      await Promise.all([erased, again])
      t.equal(await status(first.client().withBearer(anew)), 200)
      t.match(await first.services.users.show(person.id), { blockedAt: null })
    },
  )

  t.test(`${engine}, erase: thousands of rows go in batches, and those of others stay`, async (t) => {
    const app = await instance(t, await fresh())
    hooks.erase = async () => {}
    const { store } = app.application
    for (const [user, grants, rows] of [
      [person, 520, 1300],
      [others, 2, 3],
    ] as const) {
      await store.saveUser(user)
      const row = (at: number): AuditRecord =>
        ({ event: 'tool-call', user: user.id, tool: 'team_me', route: 'team_me', detail: { at } }) as never
      await wholeStore(store).appendAudit(
        Array.from({ length: rows }, (_, at) => ({
          id: `${user === person ? 'a' : 'b'}${String(at).padStart(31, '0')}`,
          at,
          entry: row(at),
        })),
      )
      await connect(store, user.id, grants)
    }
    t.match(await app.services.users.erase(person.id), { grants: 520, auditRows: 1300 })
    t.match(await app.services.users.erase(others.id, { dryRun: true }), {
      sessions: 2,
      grants: 2,
      auditRows: 3,
    })
    t.strictSame(linesWith(await dumpOf(store), words), [])
  })
}
