/** A refresh token that is exchanged again within its grace, for both engines. Source: decisions/oauth.md, Profiles. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import { code, grant, type Opened, pair, rejection, start, takeBack, tally } from './support.ts'

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const grace = { ms: 60_000, maxRetries: 5 }
const user = { id: grant.userId, name: 'Ada', email: null }
const retried = { kind: 'retried', grantId: grant.id }
const replayed = { kind: 'replayed', grantId: grant.id, redeemedAt: start }

/** Somebody who has a refresh token, `refresh-0`. */
async function signedIn({ store }: Pick<Opened, 'store'>): Promise<void> {
  await store.saveUser(user)
  await store.issueCode(grant, code)
  await store.redeemCode(code.jti, pair('0'))
}

/** How many rows of tokens there are. */
async function rowsIn({ store }: Pick<Opened, 'store'>): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from acmcp_tokens`.execute(
    store.database,
  )
  return Number(rows[0]?.rows)
}

export const refreshGraceCases: readonly Case[] = [
  [
    'grace: a spent refresh token brings five further pairs within it, counted from its first use, and nothing more',
    async (t, opened) => {
      const { store, clock } = opened
      await signedIn(opened)
      t.strictSame(await store.rotateRefresh('refresh-0', pair('1'), grace), { ...retried, kind: 'redeemed' })
      t.strictSame(await store.rotateRefresh('refresh-0', pair('x')), replayed, 'who gives no grace')
      for (const [name, after] of [
        ['2', 0],
        ['3', 30_000],
        ['4', 60_000],
      ] as const) {
        clock.now = start + after
        t.strictSame(await store.rotateRefresh('refresh-0', pair(name), grace), retried, `${after} ms`)
      }
      clock.now = start + 60_001
      t.strictSame(await store.rotateRefresh('refresh-0', pair('x'), grace), replayed, 'after its end')
      clock.now = start + 60_000
      for (const name of ['5', '6'])
        t.strictSame(await store.rotateRefresh('refresh-0', pair(name), grace), retried)
      t.strictSame(await store.rotateRefresh('refresh-0', pair('x'), grace), replayed, 'the sixth')
      t.equal(await rowsIn(opened), 3 + 6 * 2)
      for (const name of ['1', '2', '3', '4', '5', '6']) {
        t.equal((await store.findUserOfToken(user.id, `access-${name}`))?.grantId, grant.id, name)
        const next = await store.rotateRefresh(`refresh-${name}`, pair(`${name}-next`), grace)
        t.strictSame(next, { ...retried, kind: 'redeemed' })
      }
    },
  ],
  [
    'grace: codes, unknown tokens and tokens of a grant that ended have none; with the grant go all that it brought',
    async (t, opened) => {
      const { store } = opened
      await signedIn(opened)
      t.equal((await store.redeemCode(code.jti, pair('x'))).kind, 'replayed')
      t.strictSame(await store.rotateRefresh(code.jti, pair('x'), grace), { kind: 'invalid' })
      t.strictSame(await store.rotateRefresh('access-0', pair('x'), grace), { kind: 'invalid' })
      t.strictSame(await store.rotateRefresh('nobody', pair('x'), grace), { kind: 'invalid' })
      for (const name of ['1', '2', '3']) await store.rotateRefresh('refresh-0', pair(name), grace)
      await store.revokeToken('refresh-2', start + 1, 'asked')
      t.strictSame(await store.rotateRefresh('refresh-0', pair('x'), grace), replayed)
      for (const name of ['1', '2', '3']) {
        t.equal(await store.findUserOfToken(user.id, `access-${name}`), null, name)
        t.strictSame(await store.rotateRefresh(`refresh-${name}`, pair('x'), grace), { kind: 'invalid' })
      }
    },
  ],
  [
    'grace: of 20 at once, on two stores, one is first, five are retries, and only their pairs exist',
    async (t, opened) => {
      const stores = [opened.store, await opened.open()]
      await signedIn(opened)
      const race = async (token: string): Promise<unknown> => {
        const contenders = Array.from({ length: 20 }, (_, i) =>
          stores[i % 2]?.rotateRefresh(token, pair(`${token}.${i}`), grace),
        )
        return tally((await Promise.all(contenders)).flatMap((item) => item ?? []))
      }
      t.strictSame(await race('refresh-0'), { redeemed: 1, retried: 5, replayed: 14 })
      t.equal(await rowsIn(opened), 3 + 6 * 2)
      t.strictSame(await race('refresh-0'), { replayed: 20 })
      t.equal(await rowsIn(opened), 3 + 6 * 2)
    },
  ],
  [
    'grace against revoke: whoever comes first, no token of the grant works afterwards',
    async (t, opened) => {
      const other = await opened.open()
      const { store } = opened
      await store.saveUser(user)
      for (let i = 0; i < 20; i += 1) {
        await store.issueCode({ ...grant, id: `g-${i}` }, { ...code, jti: `code-${i}` })
        await store.redeemCode(`code-${i}`, pair(`${i}`))
        await store.rotateRefresh(`refresh-${i}`, pair(`${i}-1`), grace)
        const retry = store.rotateRefresh(`refresh-${i}`, pair(`${i}-2`), grace)
        await Promise.all([retry, other.revokeGrant(`g-${i}`, 'race')])
        const next = await store.rotateRefresh(`refresh-${i}-2`, pair(`${i}-3`), grace)
        t.strictSame(next, { kind: 'invalid' })
        t.equal(await store.findUserOfToken(user.id, `access-${i}-1`), null)
      }
    },
  ],
  [
    'grace: a clash of ids uses no retry up, the new rows are in the same transaction',
    async (t, opened) => {
      const { store } = opened
      await signedIn(opened)
      await store.rotateRefresh('refresh-0', pair('1'), grace)
      for (let i = 0; i < 6; i += 1) await rejection(store.rotateRefresh('refresh-0', pair('1'), grace))
      for (const name of ['2', '3', '4', '5', '6'])
        t.strictSame(await store.rotateRefresh('refresh-0', pair(name), grace), retried, name)
    },
  ],
  [
    'grace: a token that the version before spent has one, and that version serves on',
    async (t, opened) => {
      const { store, open } = opened
      await signedIn(opened)
      await store.rotateRefresh('refresh-0', pair('1'))
      await takeBack(store, '0020_refresh_retries')
      t.equal(await store.isCurrent(), false)
      const upgraded = await open()
      t.strictSame(await upgraded.rotateRefresh('refresh-0', pair('2'), grace), retried)
      const { rows } = await sql`select jti_hash from acmcp_tokens where retries is not null`.execute(
        store.database,
      )
      t.equal(rows.length, 1)
      await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at) values ('old', 'g1', 'access', 1)`.execute(
        store.database,
      )
      t.strictSame(await store.rotateRefresh('refresh-1', pair('3')), { ...retried, kind: 'redeemed' })
    },
  ],
]
