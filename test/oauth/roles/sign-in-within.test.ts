/** A connection whose user has not signed in for long (`grants.signInWithin`). Source: rules.md, Token 3; decisions/oauth.md, Roles. */
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createScopes } from '../../../runtime/scopes.ts'
import {
  answer,
  consentFor,
  refreshed,
  signIn,
  tokensIn,
  type Visit,
  visit,
} from '../support/consent-form.ts'
import {
  authorizeParameters,
  location,
  oauthError,
  query,
  register,
  seen,
  world,
} from '../support/harness.ts'

const dayMs = 86_400_000
const refused = oauthError('invalid_grant', 'the code or refresh token is not valid')
const notes = createScopes({ 'notes:read': 'See your notes' })

/** Signs in again, in that browser. */
const again = ({ world: { call }, browser }: Visit): Promise<unknown> => call('GET', '/auth/dev', { browser })

for (const [what, scopes] of [
  ['with scopes', notes],
  ['without', createScopes({})],
] as const)
  t.test(
    `signInWithin, ${what}: an older sign-in is invalid_grant, nothing is spent, and a new one mends it`,
    async (t) => {
      const w = await world(t, { scopes, signInWithinMs: 7 * dayMs })
      const clientId = await register(w)
      const item = await visit(w, clientId)
      const { refresh } = await signIn(item, null)
      w.clock.now += 7 * dayMs
      const next = tokensIn(await refreshed(item, refresh))
      w.clock.now += 1
      const before = w.logged.length
      for (const _ of [1, 2]) t.strictSame(seen(await refreshed(item, next.refresh)), refused)
      const line = 'refresh refused {"reason":"the user has not signed in within grants.signInWithin"}'
      t.strictSame(w.logged.slice(before), [line, line], 'the log says why, the audit has nothing')
      const broken = await refreshed(item, `${next.refresh}x`)
      t.strictSame(
        await refreshed(item, next.refresh).then(({ status, headers, body }) => [status, headers, body]),
        [broken.status, broken.headers, broken.body],
        'byte for byte that of a token that is none',
      )
      await again(item)
      const mended = tokensIn(await refreshed(item, next.refresh))
      t.ok(mended.access)
      w.clock.now += 60_001
      t.strictSame(seen(await refreshed(item, next.refresh)), oauthError('invalid_grant', 'already used'))
      t.strictSame(
        seen(await refreshed(item, mended.refresh)),
        refused,
        'and a replay ends the family as before',
      )
    },
  )

for (const [what, scopes] of [
  ['with scopes', notes],
  ['without', createScopes({})],
] as const)
  t.test(
    `signInWithin, ${what}: a spent refresh token ends its family, however old the sign-in is`,
    async (t) => {
      const w = await world(t, { scopes, signInWithinMs: 7 * dayMs })
      const item = await visit(w, await register(w))
      const { refresh } = await signIn(item, null)
      const next = tokensIn(await refreshed(item, refresh))
      w.clock.now += 7 * dayMs + 1
      t.strictSame(seen(await refreshed(item, refresh)), oauthError('invalid_grant', 'already used'))
      t.equal(await w.server.userOfAccessToken(next.access), null)
      await again(item)
      t.strictSame(seen(await refreshed(item, next.refresh)), refused, 'the thief and the owner alike')
    },
  )

t.test('signInWithin: a user from before has no time, and is asked once', async (t) => {
  const before = await world(t)
  const clientId = await register(before)
  const item = await visit(before, clientId)
  const first = await signIn(item, null)
  const now = await later(t, item, 7 * dayMs)
  const { refresh } = tokensIn(await refreshed(now, first.refresh))
  await sql`update acmcp_users set signed_in_at = null`.execute(now.world.store.database)
  t.strictSame(seen(await refreshed(now, refresh)), refused)
  const unasked = tokensIn(await refreshed(item, refresh))
  await again(now)
  t.ok(tokensIn(await refreshed(now, unasked.refresh)).access)
})

const later = async (t: Test, item: Visit, signInWithinMs: number): Promise<Visit> => ({
  ...item,
  world: await world(t, { store: item.world.store, signInWithinMs }),
})

t.test(
  'signInWithin: codes are redeemed; the authorize page asks a browser whose sign-in is older to sign in',
  async (t) => {
    const w = await world(t, { scopes: notes, signInWithinMs: dayMs })
    const item = await visit(w)
    const parameters = authorizeParameters(item.clientId)
    const form = await consentFor(item, 'api')
    w.clock.now += dayMs
    const code = await answer(item, form)
    await w.store.saveSignIn({ id: 'dev:developer', name: 'D', email: null }, null, w.clock.now)
    w.clock.now += 1
    t.match(location(code), 'code=')
    const page = await w.call('GET', query(parameters), { browser: item.browser })
    t.strictSame([page.status, page.headers.location], [303, '/auth'])
    await again(item)
    t.equal((await w.call('GET', query(parameters), { browser: item.browser })).status, 200)
  },
)
