/** What a grant says beside its scopes, for both engines. */
import type { Test } from 'tap'
import { code, grant, hourMs, type Opened, pair, takeBack } from './support.ts'

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const user = { id: grant.userId, name: 'Ada', email: null }
const surface = { name: 'one', routes: '{"notes:write":["POST /notes"]}' }

export const grantTermCases: readonly Case[] = [
  [
    'grants: what they say beside scopes comes with each token, after a refresh too, and with what a client holds',
    async (t, { store }) => {
      await store.saveUser(user)
      const terms = { readOnly: true, surface: 'one', isAsked: false }
      await store.issueCode({ ...grant, readOnly: true, surface }, code)
      await store.redeemCode(code.jti, pair('a'))
      await store.rotateRefresh('refresh-a', pair('b'))
      for (const jti of [code.jti, 'access-a', 'refresh-a', 'access-b', 'refresh-b'])
        t.match(await store.findUserOfToken(user.id, jti), terms, jti)
      await store.issueCode({ ...grant, id: 'g2', surface: 'whole' }, { ...code, jti: 'code-2' })
      await store.redeemCode('code-2', pair('c'))
      const held = await store.findLiveGrants(grant.userId, grant.clientId)
      t.strictSame(
        [...held].sort((one, other) => Number(one.readOnly) - Number(other.readOnly)),
        [
          { scope: 'api', allowed: null, readOnly: false, surface: 'whole' },
          { scope: 'api', allowed: null, readOnly: true, surface: 'one' },
        ],
      )
      t.strictSame((await store.listGrants({})).map(({ readOnly }) => readOnly).sort(), [false, true])
      t.equal(await store.findSurface('one'), surface.routes)
    },
  ],
  [
    'askOnce: one of many is told yes, over all processes, and never again',
    async (t, { store, open }) => {
      await store.saveUser(user)
      await store.issueCode({ ...grant, surface }, code)
      const other = await open()
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? store : other).askOnce(grant.id)),
      )
      t.equal(all.filter((isFirst) => isFirst).length, 1)
      t.equal(await store.askOnce(grant.id), false)
      t.equal(await store.askOnce('nobody'), false)
      t.match(await store.findUserOfToken(user.id, code.jti), { isAsked: true })
    },
  ],
  [
    'surfaces: the first of a name stays; one goes a day after the last consent, unless a grant has it',
    async (t, { store, clock }) => {
      await store.keepSurface({ name: 'first', routes: 'a' })
      await store.keepSurface({ name: 'first', routes: 'b' })
      t.equal(await store.findSurface('first'), 'a')
      await store.keepSurface({ name: 'unused', routes: 'c' })
      await store.issueCode({ ...grant, surface }, { ...code, expiresAt: clock.now + 48 * hourMs })
      clock.now += 25 * hourMs
      await store.purgeExpired()
      const left = async () => Promise.all(['first', 'unused', 'one'].map((name) => store.findSurface(name)))
      t.strictSame(await left(), ['a', null, surface.routes])
      await store.issueCode(
        { ...grant, id: 'g2', surface: { ...surface, name: 'two' } },
        { ...code, jti: 'c2' },
      )
      await store.revokeGrant('g2', 'test')
      clock.now += 49 * hourMs
      await store.purgeExpired()
      t.strictSame([...(await left()), await store.findSurface('two')], ['a', null, null, null])
    },
  ],
  [
    'grants: those of the version before say nothing beside their scopes, and that serves on',
    async (t, { store, open }) => {
      await store.saveUser(user)
      await store.issueCode(grant, code)
      await takeBack(store, '0012_grant_terms')
      t.equal(await store.isCurrent(), false)
      const upgraded = await open()
      t.match(await upgraded.findUserOfToken(user.id, code.jti), {
        readOnly: false,
        surface: null,
        isAsked: false,
        spentAt: null,
      })
      t.strictSame(await store.redeemCode(code.jti, pair('a')), { kind: 'redeemed', grantId: grant.id })
    },
  ],
]
