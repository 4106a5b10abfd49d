/** Clients that act for no user, and what counts once: a part of the store's contract. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import type { Grant } from '../../runtime/store/store.ts'
import { type Opened, start } from './support.ts'

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const subject = 'client:ci-bot'
const of = (id: string, scope = 'api'): Grant => ({
  ...{ id, userId: subject, clientId: 'ci-bot', scope, resource: '', allowed: null },
})
const token = (jti: string, expiresAt = start + 10 * 60_000) => ({ jti, expiresAt })

export const clientGrantCases: readonly Case[] = [
  [
    'useOnce: once for kind and parts, whatever the end; nothing runs together; the purge takes what has ended',
    async (t, { store, clock }) => {
      const use = (id: readonly string[], end = start + 60_000): Promise<boolean> =>
        store.useOnce('client-assertion', id, end)
      t.strictSame(await Promise.all([use(['a', 'bc']), use(['ab', 'c']), use(['abc'])]), [true, true, true])
      t.strictSame([await use(['a', 'bc']), await use(['a', 'bc'], start + 9 * 60_000)], [false, false])
      t.strictSame(
        [
          await store.wasUsed('client-assertion', ['a', 'bc']),
          await store.wasUsed('logout-token', ['a', 'bc']),
        ],
        [true, false],
      )
      t.equal(await store.wasUsed('client-assertion', ['a', 'b', 'c']), false)
      const { rows } = await sql`select id_hash from acmcp_used_once`.execute(store.database)
      t.notMatch(JSON.stringify(rows), /abc/, 'ids are not kept as they are')
      t.equal(await store.purgeExpired(), 0)
      clock.now = start + 60_000
      t.equal(await store.purgeExpired(), 3)
      t.equal(await use(['a', 'bc']), true)
    },
  ],
  [
    'useOnce: of many at once, at two instances, one',
    async (t, { store, open }) => {
      const other = await open()
      for (let round = 0; round < 5; round += 1) {
        const uses = Array.from({ length: 40 }, (_, at) =>
          (at % 2 === 0 ? store : other).useOnce('client-assertion', ['ci-bot', `j${round}`], start + 60_000),
        )
        t.equal((await Promise.all(uses)).filter((isFirst) => isFirst).length, 1)
      }
    },
  ],
  [
    'issueUnasked: one grant, renewed with every token; a revoked one stays so, and the next token has another',
    async (t, { store, clock }) => {
      const first = await Promise.all(['a', 'b', 'c'].map((id) => store.issueUnasked(of(id), token(id))))
      const [grantId = ''] = first
      t.strictSame(new Set(first).size, 1)
      t.strictSame(await store.findGrantOfToken(subject, 'a'), grantId)
      t.strictSame(await store.findGrantOfToken('client:other', 'a'), null)
      t.strictSame(await store.findGrantOfToken(subject, 'none'), null, 'without a row there is none')
      t.strictSame(await store.issueUnasked(of('d', 'notes:read'), token('d')), grantId)
      t.strictSame(
        (await store.listGrants({})).map(({ user, client, scope }) => [user.id, client.id, scope]),
        [[subject, 'ci-bot', 'notes:read']],
      )
      t.equal(await store.revokeToken('a', start + 60_000, 'revoked by the client'), grantId)
      t.strictSame(await store.findGrantOfToken(subject, 'd'), null)
      t.equal(await store.issueUnasked(of('e'), token('e')), 'e')
      t.strictSame(
        [await store.findGrantOfToken(subject, 'd'), await store.findGrantOfToken(subject, 'e')],
        [null, 'e'],
      )
      const { userIds } = await store.revokeGrants({ clientId: 'ci-bot' }, 'by an operator', null)
      t.strictSame([userIds, await store.findGrantOfToken(subject, 'e')], [[subject], null])
      clock.now = start + 10 * 60_000
      t.equal(await store.purgeExpired(), 7, 'five tokens, two grants')
    },
  ],
]
