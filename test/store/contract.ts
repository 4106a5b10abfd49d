/** The one contract of the store: every verb, whole values, a clock that the test moves, races. Both engines run it. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import { StoreBehind } from '../../runtime/store/migrations/migration-errors.ts'
import { type Client, ClientLimit, StoreUnavailable } from '../../runtime/store/store.ts'
import { attributesOf } from '../../runtime/user-attributes.ts'
import { approvalCases } from './approvals/approval-contract.ts'
import { capabilityTableCases } from './capability-tables.ts'
import { clientGrantCases } from './client-grants.ts'
import { grantTermCases } from './grant-terms.ts'
import { idempotencyCases } from './idempotency/idempotency-contract.ts'
import { leavingCases } from './leaving-cases.ts'
import { refreshGraceCases } from './refresh-grace.ts'
import {
  code,
  grant,
  hourMs,
  noTerms,
  notes,
  type Opened,
  openedAt,
  pair,
  rejection,
  start,
  takeBack,
  tally,
} from './support.ts'
import { taskCases } from './tasks/task-contract.ts'

/** A test and the store it is given, on an empty database of its own. */
type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const user = { id: 'dev:developer', name: 'Developer', email: 'dev@example.com' }

function client(id: string): Client {
  return {
    id,
    name: null,
    redirectUris: ['https://a.example/cb', 'http://127.0.0.1/cb'],
    grantTypes: ['authorization_code'],
    responseTypes: ['code'],
  }
}

/** Which of these clients are there. */
async function found({ store }: Opened, ids: readonly string[]): Promise<readonly string[]> {
  const clients = await Promise.all(ids.map((id) => store.findClient(id)))
  return clients.flatMap((item) => (item === null ? [] : [item.id]))
}

const users: readonly Case[] = [
  [
    'saveUser: signing in again replaces the record, an address that is no longer given included',
    async (t, { store }) => {
      t.equal(await store.findUser('google:1'), null)
      await store.saveUser({ id: 'google:1', name: 'Ada', email: 'ada@example.com' })
      t.strictSame(await store.findUser('google:1'), {
        id: 'google:1',
        name: 'Ada',
        email: 'ada@example.com',
      })
      await store.saveUser({ id: 'google:1', name: 'Ada ✓', email: null })
      t.strictSame(await store.findUser('google:1'), { id: 'google:1', name: 'Ada ✓', email: null })
    },
  ],
  [
    'saveSignIn: attributes and the time come with the user by both ways, are replaced, and outlive a record that is saved alone',
    async (t, { store, clock, open }) => {
      await store.saveUser(user)
      await store.issueCode(grant, code)
      const other = await open()
      const seen = async (): Promise<readonly unknown[]> => {
        const holder = await other.findUserOfToken(user.id, 'code-1')
        const found = await other.findUser(user.id)
        if (holder === null || found === null) throw new Error('nobody')
        t.strictSame([holder.user, found], [user, user], 'the record is the record')
        const symbols = [holder.user, found].map((item) => Object.getOwnPropertySymbols(item).length)
        const signedInAt = (await other.findStanding(user.id))?.signedInAt
        return [attributesOf(holder.user), attributesOf(found), signedInAt, symbols]
      }
      t.strictSame(await seen(), [null, null, null, [0, 0]], 'nobody has signed in')
      const attributes = { groups: ['ä\u0000', '"\'$1'], n: 2 ** 53, none: null }
      await store.saveSignIn(user, JSON.stringify(attributes), start)
      t.strictSame(await seen(), [attributes, attributes, start, [1, 1]])
      clock.now += hourMs
      await store.saveUser(user)
      t.strictSame(await seen(), [attributes, attributes, start, [1, 1]])
      t.strictSame(
        [await store.forgetAttributes('nobody', clock.now), await store.forgetAttributes(user.id, clock.now)],
        [false, true],
      )
      t.strictSame(await seen(), [null, null, start, [0, 0]], 'the last sign-in stays')
      await store.saveSignIn(user, null, clock.now)
      t.strictSame(await seen(), [null, null, start + hourMs, [0, 0]])
      clock.now += hourMs
      await store.saveSignIn(user, JSON.stringify(attributes), clock.now, false)
      t.strictSame(
        await seen(),
        [attributes, attributes, start + hourMs, [1, 1]],
        'an assertion is no sign-in',
      )
    },
  ],
  [
    'saveSignIn: one that began before another, and ends later, replaces nothing, nor does one before a refusal',
    async (t, { store, clock, open }) => {
      const other = await open()
      const seen = async (): Promise<unknown> => {
        const found = await store.findUser(user.id)
        return found === null ? null : [found.name, attributesOf(found)]
      }
      const renamed = { ...user, name: 'Ada L.' }
      clock.now += hourMs
      await store.saveSignIn(renamed, '{"groups":["newer"]}', start + 2)
      await other.saveSignIn(user, '{"groups":["older"]}', start + 1)
      t.strictSame(await seen(), ['Ada L.', { groups: ['newer'] }])
      t.equal(await other.forgetAttributes(user.id, start + 1), false, 'an older refusal')
      t.strictSame(await seen(), ['Ada L.', { groups: ['newer'] }])
      await other.saveSignIn(renamed, '{"groups":["same"]}', start + 2)
      t.strictSame(await seen(), ['Ada L.', { groups: ['same'] }], 'of two that began at once the last one')
      t.equal(await store.forgetAttributes(user.id, start + 3), true)
      await other.saveSignIn(user, '{"groups":["older"]}', start + 2)
      t.strictSame(await seen(), ['Ada L.', null])
    },
  ],
  [
    'saveSignIn: a store of the version before has nobody’s, and that version writes on',
    async (t, opened) => {
      const { store, open } = opened
      await store.saveUser(user)
      await takeBack(store, '0014_sign_ins')
      const next = await open()
      await next.issueCode(grant, code)
      t.equal((await next.findStanding(user.id))?.signedInAt, null)
      await sql`insert into acmcp_users (id, name, email, updated_at) values ('old', 'Old', null, 1)`.execute(
        next.database,
      )
      t.strictSame(await next.findUser('old'), { id: 'old', name: 'Old', email: null })
    },
  ],
  [
    'findUserOfToken: the user of a live token, of a foreign one and of one without jti; null for nobody',
    async (t, { store }) => {
      await store.saveUser(user)
      await store.issueCode(grant, code)
      await store.redeemCode('code-1', pair('a'))
      for (const jti of ['access-a', 'signed elsewhere', null]) {
        const grantId = jti === 'access-a' ? grant.id : null
        t.strictSame(await store.findUserOfToken(user.id, jti), { user, grantId, allowed: null, ...noTerms })
        t.equal(await store.findUserOfToken('nobody', jti), null)
      }
    },
  ],
  [
    'grants: what consent allowed comes with the user of the code and of every token, in that order, also when it is nothing',
    async (t, { store }) => {
      await store.saveUser(user)
      const names = ['notes:write', 'notes:read', 'it\'s%_"{1,2}[a];']
      for (const [id, allowed] of [
        ['g1', names],
        ['g2', []],
        ['g3', ['one']],
      ] as const) {
        await store.issueCode({ ...grant, id, allowed }, { ...code, jti: `code-${id}` })
        const expected = { user, grantId: id, allowed, ...noTerms }
        t.strictSame(await store.findUserOfToken(user.id, `code-${id}`), expected)
        await store.redeemCode(`code-${id}`, pair(id))
        await store.rotateRefresh(`refresh-${id}`, pair(`${id}-next`))
        const tokens = [`access-${id}`, `refresh-${id}`, `access-${id}-next`, `refresh-${id}-next`]
        for (const jti of tokens) {
          const spentAt = jti === `refresh-${id}` ? start : null
          t.strictSame(await store.findUserOfToken(user.id, jti), { ...expected, spentAt }, jti)
        }
      }
      await store.revokeGrant('g1', 'test')
      t.equal(await store.findUserOfToken(user.id, 'refresh-g1-next'), null)
    },
  ],
  [
    'findLiveGrants: of this user and client, while a token of it works: no code, no revoked, no ended grant; alike ones once',
    async (t, { store, clock }) => {
      const issue = async (id: string, changes: Partial<typeof grant>): Promise<void> => {
        await store.issueCode({ ...grant, id, ...changes }, { ...code, jti: `code-${id}` })
        await store.redeemCode(`code-${id}`, pair(id))
      }
      await issue('g1', { scope: 'b', allowed: ['b'] })
      await issue('g2', { scope: 'b', allowed: ['b'] })
      await issue('g3', { scope: 'api' })
      await issue('g4', { scope: 'revoked', allowed: ['revoked'] })
      await issue('g5', { userId: 'another', scope: 'x', allowed: ['x'] })
      await issue('g6', { clientId: 'another', scope: 'x', allowed: ['x'] })
      await store.issueCode({ ...grant, id: 'g7', scope: 'code' }, { ...code, jti: 'code-g7' })
      await store.revokeGrant('g4', 'test')
      const live = [
        { scope: 'api', allowed: null, readOnly: false, surface: null },
        { scope: 'b', allowed: ['b'], readOnly: false, surface: null },
      ]
      t.strictSame(await store.findLiveGrants(grant.userId, grant.clientId), live)
      await store.revokeGrant('g1', 'test')
      await store.revokeGrant('g2', 'test')
      t.strictSame(await store.findLiveGrants(grant.userId, grant.clientId), live.slice(0, 1))
      const { refresh } = pair('g3')
      clock.now = refresh.expiresAt - 1
      t.equal((await store.findLiveGrants(grant.userId, grant.clientId)).length, 1)
      clock.now = refresh.expiresAt
      t.strictSame(await store.findLiveGrants(grant.userId, grant.clientId), [])
    },
  ],
]

const clients: readonly Case[] = [
  [
    'saveClient: what is saved is found; saved again it is replaced and still one',
    async (t, opened) => {
      const { open, store } = opened
      await store.saveClient(client('c1'))
      t.strictSame([await store.findClient('c1'), await store.findClient('c2')], [client('c1'), null])
      const renamed = { ...client('c1'), name: 'A client' }
      const capped = await open({ clientCap: 2 })
      await capped.saveClient(renamed)
      await capped.saveClient(client('c2'))
      t.strictSame([await store.findClient('c1'), await store.findClient('c2')], [renamed, client('c2')])
    },
  ],
  [
    'findClientNames: those that there are, each once; those without a name are not among them',
    async (t, { store }) => {
      for (const [id, name] of [
        ['c1', 'One'],
        ['c2', 'Two'],
        ['c3', null],
      ] as const)
        await store.saveClient({ ...client(id), name })
      t.strictSame([...(await store.findClientNames(['c2', 'nobody', 'c2', 'c1', 'c3']))].sort(), [
        ['c1', 'One'],
        ['c2', 'Two'],
      ])
      t.strictSame([...(await store.findClientNames([]))], [])
    },
  ],
  [
    'saveClient: at the cap the oldest that was never used makes room',
    async (t, opened) => {
      const capped = await opened.open({ clientCap: 3 })
      for (const id of ['c1', 'c2', 'c3']) {
        await capped.saveClient(client(id))
        opened.clock.now += 1
      }
      await capped.issueCode(grant, code) // c1 is used
      await capped.saveClient(client('c4'))
      t.strictSame(await found(opened, ['c1', 'c2', 'c3', 'c4']), ['c1', 'c3', 'c4'])
    },
  ],
  [
    'client cap: of clients that are all used the one used longest ago makes room, first one without a live grant',
    async (t, opened) => {
      const capped = await opened.open({ clientCap: 3 })
      await capped.saveUser(user)
      for (const id of ['c1', 'c2', 'c3']) {
        await capped.saveClient(client(id))
        await capped.issueCode({ ...grant, id: `g-${id}`, clientId: id }, { ...code, jti: `code-${id}` })
        await capped.redeemCode(`code-${id}`, pair(id))
        opened.clock.now += 1
      }
      await capped.revokeGrant('g-c2', 'test')
      const all = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
      await capped.saveClient(client('c4'))
      t.strictSame(await found(opened, all), ['c1', 'c3', 'c4'], 'c2 holds no live grant')
      await capped.saveClient(client('c5'))
      t.strictSame(await found(opened, all), ['c1', 'c3', 'c5'], 'c4 was never used')
      await capped.issueCode({ ...grant, id: 'g-c5', clientId: 'c5' }, { ...code, jti: 'code-c5' })
      await capped.saveClient(client('c6'))
      t.strictSame(await found(opened, all), ['c3', 'c5', 'c6'], 'c1 was used longest ago')
      const holder = await capped.findUserOfToken(user.id, 'access-c1')
      t.strictSame(holder?.user, user, 'its tokens live on')
      t.strictSame(await capped.rotateRefresh('refresh-c1', pair('next')), {
        kind: 'redeemed',
        grantId: 'g-c1',
      })
      const { rows } = await sql`select name, size from acmcp_sizes`.execute(opened.store.database)
      t.strictSame(rows, [{ name: 'clients', size: 3 }])
    },
  ],
  [
    'saveClient: a store that may keep no client throws ClientLimit (503), and nothing is saved',
    async (t, opened) => {
      const capped = await opened.open({ clientCap: 0 })
      const error = await rejection(capped.saveClient(client('c1')))
      t.ok(error instanceof ClientLimit && error instanceof StoreUnavailable)
      t.strictSame([(error as ClientLimit).status, (error as ClientLimit).retryAfterSeconds], [503, 3600])
      t.strictSame(await found(opened, ['c1']), [])
    },
  ],
  [
    'saveClient: 40 registrations at once, from two stores, leave exactly the cap',
    async (t, opened) => {
      const stores = [await opened.open({ clientCap: 10 }), await opened.open({ clientCap: 10 })]
      const ids = Array.from({ length: 40 }, (_, i) => `c${i}`)
      await Promise.all(ids.map((id, i) => stores[i % 2]?.saveClient(client(id))))
      t.equal((await found(opened, ids)).length, 10)
      const { rows } = await sql`select name, size from acmcp_sizes`.execute(opened.store.database)
      t.strictSame(rows, [{ name: 'clients', size: 10 }])
    },
  ],
]

const spending: readonly Case[] = [
  [
    'spend: first, again with the time of the first, and unknown; a code is no refresh token',
    async (t, { store, clock }) => {
      await store.issueCode(grant, code)
      t.strictSame(await store.redeemCode('code-2', pair('x')), { kind: 'invalid' })
      t.strictSame(await store.rotateRefresh('code-1', pair('x')), { kind: 'invalid' })
      t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
      clock.now = start + 7
      const again = { kind: 'replayed', grantId: 'g1', redeemedAt: start }
      t.strictSame(await store.redeemCode('code-1', pair('b')), again)
      t.strictSame(await store.redeemCode('refresh-a', pair('b')), { kind: 'invalid' })
      t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'redeemed', grantId: 'g1' })
      clock.now = start + 70_000
      const reuse = { kind: 'replayed', grantId: 'g1', redeemedAt: start + 7 }
      t.strictSame(await store.rotateRefresh('refresh-a', pair('c')), reuse)
      t.strictSame(
        await store.rotateRefresh('refresh-b', pair('c')),
        { kind: 'redeemed', grantId: 'g1' },
        'the winner lives on',
      )
    },
  ],
  ...['https://client.example/metadata.json', 'acmcp-pages'].map(
    (clientId): Case => [
      `a client without a row (${clientId}): code, tokens, revocation and purge work, and no cap knows of it`,
      async (t, { store, clock, open }) => {
        const capped = await open({ clientCap: 1 })
        await capped.saveClient(client('c1'))
        await store.saveUser(user)
        await store.issueCode({ ...grant, clientId }, code)
        t.strictSame([await store.findClient(clientId), await store.findClient('c1')], [null, client('c1')])
        t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
        t.strictSame((await store.findUserOfToken(user.id, 'access-a'))?.user, user)
        clock.now = start + 2 * hourMs
        t.equal(await store.purgeExpired(), 2, 'the code and the access token: the grant lives')
        t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'redeemed', grantId: 'g1' })
        t.equal(await store.revokeToken('refresh-b', start + 24 * hourMs, 'asked'), 'g1')
        t.strictSame(await store.rotateRefresh('refresh-b', pair('c')), { kind: 'invalid' })
        const { rows } = await sql`select name, size from acmcp_sizes`.execute(store.database)
        t.strictSame(rows, [{ name: 'clients', size: 1 }])
        clock.now = start + 100 * 24 * hourMs
        t.equal(await store.purgeExpired(), 5, 'three tokens, their grant, and the client never used')
      },
    ],
  ),
  [
    'spend: 50 at once, one of them with ids that clash: it alone fails and burns nothing',
    async (t, { store }) => {
      const names = Array.from({ length: 50 }, (_, i) => `n${i}`)
      for (const name of names)
        await store.issueCode({ ...grant, id: name }, { ...code, jti: `code-${name}` })
      const clash = { ...pair('x'), refresh: { jti: 'code-n0', expiresAt: start } }
      const results = await Promise.allSettled(
        names.map((name, i) => store.redeemCode(`code-${name}`, i === 25 ? clash : pair(name))),
      )
      const failed = results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))
      t.strictSame(failed, [25])
      t.strictSame(await store.redeemCode('code-n25', pair('n25')), { kind: 'redeemed', grantId: 'n25' })
      t.strictSame((await store.redeemCode('code-n24', pair('y'))).kind, 'replayed')
    },
  ],
  [
    'spend: a clash of ids burns nothing, the new rows are in the same transaction',
    async (t, { store }) => {
      await store.issueCode(grant, code)
      await rejection(
        store.redeemCode('code-1', { ...pair('a'), refresh: { jti: 'code-1', expiresAt: start } }),
      )
      t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'invalid' })
      t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
    },
  ],
  [
    'decisions, single use: of 50 contenders for one code, on two stores, exactly one is first',
    async (t, { store, open }) => {
      const other = await open()
      await store.issueCode(grant, code)
      const contenders = Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? store : other).redeemCode('code-1', pair(String(i))),
      )
      t.strictSame(tally(await Promise.all(contenders)), { redeemed: 1, replayed: 49 })
    },
  ],
  [
    'decisions, single use: of 50 contenders for one refresh token exactly one is first, and only its pair exists',
    async (t, { store, open }) => {
      const other = await open()
      await store.issueCode(grant, code)
      await store.redeemCode('code-1', pair('0'))
      const names = Array.from({ length: 50 }, (_, i) => `r${i}`)
      const results = await Promise.all(
        names.map((name, i) => (i % 2 ? store : other).rotateRefresh('refresh-0', pair(name))),
      )
      t.strictSame(tally(results), { redeemed: 1, replayed: 49 })
      const next = await Promise.all(
        names.map((name) => store.rotateRefresh(`refresh-${name}`, pair(`${name}-next`))),
      )
      t.strictSame(tally(next), { redeemed: 1, invalid: 49 })
    },
  ],
  [
    'spend against revoke: whoever comes first, no token of the grant works afterwards',
    async (t, { store, open }) => {
      const other = await open()
      await store.saveUser(user)
      for (let i = 0; i < 20; i += 1) {
        await store.issueCode({ ...grant, id: `g-${i}` }, { jti: `code-${i}`, expiresAt: start + 1000 })
        await Promise.all([store.redeemCode(`code-${i}`, pair(`${i}`)), other.revokeGrant(`g-${i}`, 'race')])
        t.strictSame(await store.rotateRefresh(`refresh-${i}`, pair(`${i}-next`)), { kind: 'invalid' })
        const { rows } = await sql<{ tokens: number }>`
          select count(*) as tokens from acmcp_tokens where grant_id = ${`g-${i}`}`.execute(store.database)
        const issued = rows[0]?.tokens === 3
        const found = await store.findUserOfToken(user.id, `access-${i}`)
        t.strictSame(found?.user ?? null, issued ? null : user)
      }
    },
  ],
]

const revocation: readonly Case[] = [
  [
    'revokeGrant: takes code, refresh and access tokens along; the first reason is kept',
    async (t, { store }) => {
      await store.saveUser(user)
      await store.issueCode(grant, code)
      await store.redeemCode('code-1', pair('a'))
      await store.issueCode({ ...grant, id: 'g2' }, { jti: 'code-2', expiresAt: start + 1 })
      await store.revokeGrant('g1', 'test')
      await store.revokeGrant('g1', 'another reason')
      await store.revokeGrant('g2', 'test')
      await store.revokeGrant('unknown', 'test')
      t.equal(await store.findUserOfToken(user.id, 'access-a'), null)
      t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'invalid' })
      t.strictSame(await store.redeemCode('code-2', pair('c')), { kind: 'invalid' })
      const { rows } = await sql`select id, revoked_at, revoked_reason from acmcp_grants order by id`.execute(
        store.database,
      )
      t.strictSame(rows, [
        { id: 'g1', revoked_at: start, revoked_reason: 'test' },
        { id: 'g2', revoked_at: start, revoked_reason: 'test' },
      ])
    },
  ],
  ...['code-1', 'access-a', 'refresh-a'].map(
    (jti): Case => [
      `revokeToken: ${jti.split('-')[0]} tokens take their grant along, as often as it is asked`,
      async (t, { store }) => {
        await store.saveUser(user)
        await store.issueCode(grant, code)
        await store.redeemCode('code-1', pair('a'))
        t.equal(await store.revokeToken(jti, start + 1, 'first'), 'g1')
        t.equal(await store.revokeToken(jti, start + 1, 'second'), 'g1')
        t.equal(await store.findUserOfToken(user.id, 'access-a'), null)
        t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'invalid' })
        const { rows } = await sql`select revoked_reason from acmcp_grants`.execute(store.database)
        t.strictSame(rows, [{ revoked_reason: 'first' }])
      },
    ],
  ),
  [
    'revokeToken: a token of another holder of the key is remembered, hashed, until its end and no longer',
    async (t, { store, clock }) => {
      await store.saveUser(user)
      t.equal(await store.revokeToken('foreign', start + 1000, 'asked'), null)
      t.equal(await store.revokeToken('foreign', start + 1000, 'asked again'), null)
      clock.now = start + 999
      t.equal(await store.purgeExpired(), 0)
      t.equal(await store.findUserOfToken(user.id, 'foreign'), null)
      t.strictSame((await store.findUserOfToken(user.id, 'another'))?.user, user)
      const { rows } = await sql`select length(jti_hash) as length, reason from acmcp_revoked_tokens`.execute(
        store.database,
      )
      t.strictSame(rows, [{ length: 64, reason: 'asked' }])
      clock.now = start + 1000
      t.strictSame((await store.findUserOfToken(user.id, 'foreign'))?.user, user)
      t.equal(await store.purgeExpired(), 1)
    },
  ],
]

const sessions: readonly Case[] = [
  [
    'sessions: those end that a provider names, and of its user those of which no name is known',
    async (t, { store, clock }) => {
      const [ada, grace] = ['acme:a"%_!\\', 'acme:a"%_!\\x']
      const write = (id: string, data: Readonly<Record<string, unknown>>): Promise<void> =>
        store.writeSession(id, data, clock.now + 1000)
      const here = async (): Promise<readonly string[]> => {
        const found = await Promise.all(
          ['a1', 'a2', 'a3', 'g1', 'g2', 'x'].map((id) => store.readSession(id)),
        )
        return found.flatMap((data) => (data === null ? [] : [String(data.id)]))
      }
      const all = async (): Promise<void> => {
        await write('a1', { id: 'a1', user_id: ada, sid_hash: 's1' })
        await write('a2', { id: 'a2', user_id: ada, sid_hash: 's2' })
        await write('a3', { id: 'a3', user_id: ada })
        await write('g1', { id: 'g1', user_id: grace, sid_hash: 's1' })
        await write('g2', { id: 'g2', user_id: grace })
        await write('x', { id: 'x', said: `"user_id":${JSON.stringify(ada)}` })
      }
      const counts = async (ended: Promise<ReadonlyMap<string, number>>): Promise<object> =>
        Object.fromEntries(await ended)
      await all()
      t.strictSame(await counts(store.endSessions(ada, 's1')), { [ada]: 2, [grace]: 1 })
      t.strictSame(await here(), ['a2', 'g2', 'x'])
      await all()
      t.strictSame(await counts(store.endSessions(null, 's1')), { [ada]: 1, [grace]: 1 })
      t.strictSame(await here(), ['a2', 'a3', 'g2', 'x'])
      await all()
      t.strictSame(await counts(store.endSessions(ada, null)), { [ada]: 3 })
      t.strictSame(await here(), ['g1', 'g2', 'x'])
      t.strictSame(await counts(store.endSessions(ada, 's3')), {})
      t.equal(
        await store.updateSession('a1', { user_id: ada }, clock.now + 1000),
        false,
        'it does not come back',
      )
      await write('a1', { id: 'a1', user_id: ada, sid_hash: 's1' })
      await store.updateSession('a1', { id: 'a1', user_id: ada, sid_hash: 's4' }, clock.now + 1000)
      t.strictSame(await counts(store.endSessions(null, 's1')), { [grace]: 1 })
      t.strictSame(await counts(store.endSessions(null, 's4')), { [ada]: 1 })
      t.equal(await store.revokeSessions(grace), 1)
      t.strictSame(await here(), ['x'])
    },
  ],
  [
    'sessions: written, replaced, read until their end, destroyed',
    async (t, { store, clock }) => {
      t.equal(await store.readSession('s'), null)
      await store.writeSession('s', { user_id: 'u' }, start + 500)
      await store.writeSession('s', { user_id: 'v', nested: { list: [1, null] } }, start + 1000)
      clock.now = start + 999
      t.strictSame(await store.readSession('s'), { user_id: 'v', nested: { list: [1, null] } })
      clock.now = start + 1000
      t.equal(await store.readSession('s'), null)
      clock.now = start
      await store.destroySession('s')
      await store.destroySession('s')
      t.equal(await store.readSession('s'), null)
    },
  ],
  [
    'signing out: a session is updated while it is there; one that was destroyed does not come back',
    async (t, { store, clock }) => {
      await store.writeSession('s', { user_id: 'u' }, start + 500)
      t.equal(await store.updateSession('s', { user_id: 'v' }, start + 1000), true)
      clock.now = start + 999
      t.strictSame(await store.readSession('s'), { user_id: 'v' })
      await store.destroySession('s')
      t.equal(await store.updateSession('s', { user_id: 'w' }, start + 2000), false)
      t.equal(await store.readSession('s'), null)
    },
  ],
]

const counts: readonly Case[] = [
  [
    'shareCounts: sums over instances, window by window; no counts, no work',
    async (t, { store, open }) => {
      const other = await open()
      t.strictSame(await store.shareCounts(start, []), new Map())
      const twice = [
        { key: 'a', count: 2 },
        { key: 'a', count: 1 },
      ]
      t.strictSame(await store.shareCounts(start, twice), new Map([['a', 3]]))
      const more = [
        { key: 'b', count: 1 },
        { key: 'a', count: 4 },
      ]
      const sums = await other.shareCounts(start, more)
      t.strictSame([...sums].sort(), [
        ['a', 7],
        ['b', 1],
      ])
      t.strictSame(await other.shareCounts(start + 60_000, [{ key: 'a', count: 5 }]), new Map([['a', 5]]))
    },
  ],
  [
    'shareCounts: many keys in opposite orders from two instances neither wait for each other nor lose a count',
    async (t, { store, open }) => {
      const other = await open()
      const keys = Array.from({ length: 6000 }, (_, i) => `key-${i}`)
      const up = keys.map((key) => ({ key, count: 1 }))
      const down = [...up].reverse()
      const all = await Promise.all(
        [0, 1, 2].flatMap(() => [store.shareCounts(start, up), other.shareCounts(start, down)]),
      )
      t.ok(all.every((sums) => sums.size === 6000))
      const sums = await store.shareCounts(start, up)
      t.strictSame([sums.size, new Set(sums.values())], [6000, new Set([7])])
    },
  ],
  [
    'shareCounts: windows of a day are kept for a day and an hour',
    async (t, { store, clock }) => {
      await store.shareCounts(start, [
        { key: 'day a', count: 2 },
        { key: 'dayb', count: 1 },
      ])
      clock.now = start + 25 * hourMs - 1
      t.equal(await store.purgeExpired(), 1)
      t.strictSame(await store.shareCounts(start, [{ key: 'day a', count: 1 }]), new Map([['day a', 3]]))
      clock.now = start + 25 * hourMs
      t.equal(await store.purgeExpired(), 1)
    },
  ],
  [
    'shareCounts: windows of more than two hours ago are purged',
    async (t, { store, clock }) => {
      await store.shareCounts(start, [
        { key: 'a', count: 2 },
        { key: 'b', count: 1 },
      ])
      await store.shareCounts(start + 1, [{ key: 'a', count: 1 }])
      clock.now = start + 2 * hourMs - 1
      t.equal(await store.purgeExpired(), 0)
      clock.now = start + 2 * hourMs
      t.equal(await store.purgeExpired(), 2)
      t.strictSame(await store.shareCounts(start + 1, [{ key: 'a', count: 1 }]), new Map([['a', 2]]))
    },
  ],
]

const purge: readonly Case[] = [
  [
    'purge: in batches what has expired, and nothing a millisecond earlier',
    async (t, { store, clock }) => {
      await sql`insert into acmcp_sessions (id_hash, data, expires_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1201)
        select 'h' || i, '{}', ${start + 1000} from n`.execute(store.database)
      await store.saveUser(user)
      await store.issueCode(grant, { jti: 'code-1', expiresAt: start + 1000 })
      await store.redeemCode('code-1', pair('a'))
      await store.issueCode({ ...grant, id: 'g2' }, { jti: 'code-2', expiresAt: start + 1000 })
      clock.now = start + 999
      t.equal(await store.purgeExpired(), 0)
      t.strictSame(
        await store.redeemCode('code-1', pair('b')),
        { kind: 'replayed', grantId: 'g1', redeemedAt: start },
        'the spent marker is there until the last moment',
      )
      clock.now = start + 1000
      t.equal(
        await store.purgeExpired(),
        1201 + 2 + 1,
        'sessions, two codes, the grant that was never redeemed',
      )
      t.strictSame(
        await store.redeemCode('code-1', pair('b')),
        { kind: 'invalid' },
        'a purged code stays refused',
      )
      await store.revokeGrant('g1', 'test')
      t.equal(await store.findUserOfToken(user.id, 'access-a'), null, 'the revocation outlives the code')
      clock.now = start + 24 * hourMs
      t.equal(await store.purgeExpired(), 3, 'access, refresh and grant')
      t.equal(await store.purgeExpired(), 0)
    },
  ],
  [
    'purge: a client that was never used goes after 24 hours, one that was used stays',
    async (t, opened) => {
      const { store, clock } = opened
      await store.saveClient(client('c1'))
      await store.saveClient(client('c2'))
      await store.issueCode(grant, { ...code, expiresAt: start + 30 * 24 * hourMs })
      clock.now = start + 24 * hourMs - 1
      t.equal(await store.purgeExpired(), 0)
      clock.now = start + 24 * hourMs
      t.equal(await store.purgeExpired(), 1)
      t.strictSame(await found(opened, ['c1', 'c2']), ['c1'])
    },
  ],
  [
    'purge: a client idle for 90 days goes, unless a live grant holds it; a revoked grant does not',
    async (t, opened) => {
      const { store, clock } = opened
      const far = start + 200 * 24 * hourMs
      for (const id of ['idle', 'live', 'revoked']) {
        await store.saveClient(client(id))
        const expiresAt = id === 'idle' ? start + 1000 : far
        await store.issueCode({ ...grant, id: `g-${id}`, clientId: id }, { jti: `code-${id}`, expiresAt })
      }
      await store.revokeGrant('g-revoked', 'test')
      clock.now = start + 90 * 24 * hourMs - 1
      t.equal(await store.purgeExpired(), 2, 'the expired code and its grant only')
      clock.now = start + 90 * 24 * hourMs
      t.equal(await store.purgeExpired(), 2)
      t.strictSame(await found(opened, ['idle', 'live', 'revoked']), ['live'])
    },
  ],
  [
    'purge: two at once remove every row once',
    async (t, { store, open, clock }) => {
      const other = await open()
      await sql`insert into acmcp_sessions (id_hash, data, expires_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
        select 'h' || i, '{}', ${start} from n`.execute(store.database)
      clock.now = start + 1
      const removed = await Promise.all([store.purgeExpired(), other.purgeExpired()])
      t.equal((removed[0] ?? 0) + (removed[1] ?? 0), 1100)
    },
  ],
]

const life: readonly Case[] = [
  [
    'what was acknowledged is there after a reopen',
    async (t, { store, open }) => {
      await store.saveUser(user)
      await store.saveClient(client('c1'))
      await store.issueCode(grant, code)
      await store.redeemCode('code-1', pair('a'))
      await store.writeSession('s', { a: 1 }, start + 1)
      const again = await open()
      t.strictSame(
        [await again.findUser(user.id), await again.findClient('c1'), await again.readSession('s')],
        [user, client('c1'), { a: 1 }],
      )
      const spent = { kind: 'replayed', grantId: 'g1', redeemedAt: start }
      t.strictSame(await again.redeemCode('code-1', pair('b')), spent)
    },
  ],
  [
    "the handle: an application's transaction is all or nothing, and 64-bit numbers are numbers",
    async (t, { open }) => {
      const { database } = await open({ migrations: { '0001_notes': notes } })
      await rejection(
        database.transaction().execute(async (work) => {
          await sql`insert into notes values ('lost')`.execute(work)
          throw new Error('no')
        }),
      )
      await database.transaction().execute((work) => sql`insert into notes values ('kept')`.execute(work))
      t.strictSame((await sql`select text from notes`.execute(database)).rows, [{ text: 'kept' }])
      const { rows } = await sql`select cast(${start} as bigint) as time, count(*) as n from notes`.execute(
        database,
      )
      t.strictSame(rows, [{ time: start, n: 1 }])
    },
  ],
  [
    "an application's mistake in SQL is its own error, not StoreUnavailable",
    async (t, { store }) => {
      const error = await rejection(sql`select * from nowhere`.execute(store.database))
      t.ok(error instanceof Error && !(error instanceof StoreUnavailable))
      t.match(String(error), /nowhere/)
    },
  ],
]

const migrations: readonly Case[] = [
  [
    'migrations: core and application run once, each list can grow',
    async (t, { open }) => {
      await open({ migrations: { '0001_notes': notes } })
      const more = {
        up: async (db: Opened['store']['database']) =>
          void (await sql`insert into notes values ('x')`.execute(db)),
      }
      const store = await open({ migrations: { '0001_notes': notes, '0002_more': more } })
      const twice = { up: async () => void t.fail('ran twice') }
      await open({ migrations: { '0001_notes': notes, '0002_more': twice } })
      t.strictSame((await sql`select text from notes`.execute(store.database)).rows, [{ text: 'x' }])
    },
  ],
  [
    'migrations: four openers at once, each change is made once',
    async (t, { open }) => {
      let runs = 0
      const counted = {
        up: async (database: Opened['store']['database']): Promise<void> => {
          runs += 1
          await notes.up(database)
        },
      }
      await Promise.all([1, 2, 3, 4].map(() => open({ migrations: { '0001_notes': counted } })))
      t.equal(runs, 1)
    },
  ],
  [
    'migrations: a failing one is rolled back whole and reported',
    async (t, { open }) => {
      const broken = {
        up: async (database: Opened['store']['database']): Promise<void> => {
          await notes.up(database)
          throw new Error('broken migration')
        },
      }
      const error = await rejection(open({ migrations: { '0001_notes': broken } }))
      t.match(error, { message: 'broken migration' })
      await open({ migrations: { '0001_notes': notes } })
    },
  ],
  [
    "migrations: 'refuse' starts on a current store only and changes nothing",
    async (t, { open }) => {
      const error = await rejection(open({ migrations: { '0001_notes': notes }, migrate: 'refuse' }))
      t.ok(error instanceof StoreBehind)
      t.equal(
        String(error),
        'Error: the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate',
      )
      const store = await open({ migrate: 'refuse' })
      await rejection(sql`select * from notes`.execute(store.database))
    },
  ],
]

const cases = [
  users,
  clients,
  spending,
  revocation,
  sessions,
  counts,
  taskCases,
  approvalCases,
  grantTermCases,
  refreshGraceCases,
  idempotencyCases,
  clientGrantCases,
  leavingCases,
  capabilityTableCases,
  purge,
  life,
  migrations,
].flat()

/** Runs the contract. `fresh` answers the address of an empty database. */
export async function storeContract(t: Test, engine: string, fresh: () => Promise<string>): Promise<void> {
  for (const [name, run] of cases) {
    await t.test(`${engine}, ${name}`, async (t) => run(t, await openedAt(await fresh(), t)))
  }
}
