/** A refresh token that is used again in the profile `compatible`: whole applications on both engines, two instances, answers that are
 *  lost, and each rule that holds for a retry too. Source: decisions/oauth.md, Profiles. */

import { connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { AuthServerError } from '../../../runtime/errors.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import type { TestAppOptions } from '../../../runtime/testing.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { wholeStore } from '../../support/whole-store.ts'
import { refreshed, signIn, tokensIn, type Visit, visit } from '../support/consent-form.ts'
import { compatibleWorld, jsonOf, oauthError, register, seen, world } from '../support/harness.ts'
import { callApi, openScene, postToken, refreshing, type Scene, tokensOf } from '../support/scene.ts'

t.setTimeout(240_000) // a busy machine

const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/grace.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const used = oauthError('invalid_grant', 'already used')
const invalid = oauthError('invalid_grant', 'the code or refresh token is not valid')
const gone = oauthError(
  'invalid_client',
  'no client has this id here, or not any more: register again, or compare the id with the one that the owner of this server set up',
  401,
)
const off = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false } as const

function sceneOn(t: Test, databaseUrl: string, oauth: object = { profile: 'compatible' }): Promise<Scene> {
  const change: TestAppOptions['change'] = (bundle) => ({
    ...bundle,
    config: { ...Object(bundle.config), limits: off, oauth },
  })
  const sessionSecrets = ['another secret of the test, more than 32 bytes']
  return openScene(t, { change, environment: { databaseUrl, sessionSecrets } })
}

const tryAgain = async (scene: Scene, refresh: string): Promise<number> =>
  (await postToken(scene, refreshing(scene, refresh))).statusCode

const tallied = (statuses: readonly number[]): Readonly<Record<number, number>> =>
  Object.fromEntries(
    [200, 400].map((wanted) => [wanted, statuses.filter((status) => status === wanted).length]),
  )

/** How many rows of each kind the audit has of tokens; asked of an instance that started after the others had closed. */
async function auditCounts({ app }: Scene): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { event, detail } of await wholeStore(app.application.store).listAudit({}, 100)) {
    const row = `${event} ${JSON.stringify(detail)}`
    if (['issue', 'refresh', 'reuse'].includes(event)) counts[row] = (counts[row] ?? 0) + 1
  }
  return counts
}

/** An address that passes everything on to the application, and cuts the connection once an answer begins to arrive. */
async function losingAnswers(t: Test, scene: Scene): Promise<string> {
  const target = new URL(await scene.app.application.server.listen({ host: '127.0.0.1', port: 0 }))
  const cut = (client: Socket): void => {
    const upstream = connect(Number(target.port), target.hostname)
    client.on('error', () => {}).pipe(upstream)
    upstream
      .on('error', () => {})
      .once('data', () => {
        client.destroy()
        upstream.destroy()
      })
  }
  const proxy = createServer(cut)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => proxy.close(resolve)))
  return `http://127.0.0.1:${Object(proxy.address()).port}`
}

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, issue, a lost answer: the socket is cut after the commit, the client tries again and stays signed in`,
    async (t) => {
      const scene = await sceneOn(t, await fresh())
      const { refresh } = await tokensOf(scene)
      const url = `${await losingAnswers(t, scene)}/oauth/token`
      const body = new URLSearchParams(refreshing(scene, refresh))
      for (const _ of [1, 2]) await t.rejects(fetch(url, { method: 'POST', body }), 'the answer is lost')
      const answer = await postToken(scene, refreshing(scene, refresh))
      t.equal(answer.statusCode, 200)
      const { access_token: access, refresh_token: next } = answer.json()
      t.equal((await callApi(scene, access)).statusCode, 200)
      t.equal(await tryAgain(scene, next), 200)
    },
  )

  t.test(
    `${engine}, issue, races: of 20 refreshes at once on two instances six get a pair, all of one family`,
    async (t) => {
      const url = await fresh()
      const scene = await sceneOn(t, url)
      const other = { ...(await sceneOn(t, url)), clientId: scene.clientId }
      const { access, refresh } = await tokensOf(scene)
      const ask = (i: number) => (i % 2 === 0 ? scene : other).app.client()
      const form = refreshing(scene, refresh)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(i).submit('/oauth/token', form)),
      )
      t.strictSame(tallied(answers.map(({ statusCode }) => statusCode)), { 200: 6, 400: 14 })
      const pairs = answers.flatMap((answer) => (answer.statusCode === 200 ? [answer.json()] : []))
      const statuses = async (): Promise<readonly number[]> => {
        const all = [access, ...pairs.map(({ access_token }) => access_token)]
        return Promise.all(all.map(async (token) => (await callApi(other, token)).statusCode))
      }
      t.strictSame(await statuses(), Array(7).fill(200))
      for (const { refresh_token } of pairs) t.equal(await tryAgain(other, refresh_token), 200)
      scene.at(60)
      t.equal(await tryAgain(scene, refresh), 400)
      t.strictSame(await statuses(), Array(7).fill(200), 'all five are used up: the family lives')
      other.at(61)
      t.equal(await tryAgain(other, refresh), 400)
      t.strictSame(await statuses(), Array(7).fill(401), 'after the grace a reuse ends all of it')
      for (const { refresh_token } of pairs) t.equal(await tryAgain(scene, refresh_token), 400)
      await Promise.all([scene.app.close(), other.app.close()])
      t.strictSame(await auditCounts(await sceneOn(t, url)), {
        'issue null': 1,
        'refresh null': 7,
        'refresh {"retry":true}': 5,
        'reuse {"reason":"refresh token reused","familyRevoked":false}': 14 + 1 + 6,
        'reuse {"reason":"refresh token reused","familyRevoked":true}': 1,
      })
    },
  )
}

t.test(
  'issue, refresh grace: none in specification, none where it is 0, as long as the setting says',
  async (t) => {
    for (const [oauth, atSecond, expected] of [
      [{}, 0, 400],
      [{ profile: 'specification', refreshGraceSeconds: 60 }, 0, 400],
      [{ profile: 'compatible', refreshGraceSeconds: 0 }, 0, 400],
      [{ profile: 'compatible', refreshGraceSeconds: 5 }, 5, 200],
      [{ profile: 'compatible', refreshGraceSeconds: 5 }, 6, 400],
      [{ profile: 'compatible', refreshGraceSeconds: 600 }, 600, 200],
    ] as const) {
      const scene = await sceneOn(t, 'sqlite::memory:', oauth)
      const { refresh } = await tokensOf(scene)
      t.equal(await tryAgain(scene, refresh), 200)
      scene.at(atSecond)
      t.equal(await tryAgain(scene, refresh), expected, JSON.stringify([oauth, atSecond]))
      await scene.app.close()
    }
    for (const value of [-1, 1.5, 601, '60', null])
      await t.rejects(
        sceneOn(t, 'sqlite::memory:', { refreshGraceSeconds: value }),
        /oauth\.refreshGraceSeconds must be a whole number from 0 to 600/,
        String(value),
      )
  },
)

/** Somebody who has used the refresh token once. */
async function usedOnce(
  item: Visit,
  scope: string | null = null,
): Promise<{ refresh: string; access: string; next: string }> {
  const { refresh } = await signIn(item, scope)
  const { access, refresh: next } = tokensIn(await refreshed(item, refresh))
  return { refresh, access, next }
}

t.test(
  'issue, refresh grace: another client gets nothing, and neither does a client that is gone',
  async (t) => {
    const w = await compatibleWorld(t)
    const item = await visit(w)
    const { refresh, next } = await usedOnce(item)
    const other = { ...item, clientId: await register(w) }
    t.strictSame(seen(await refreshed(other, refresh)), invalid)
    t.strictSame(seen(await refreshed({ ...item, clientId: 'never registered' }, refresh)), gone)
    t.equal((await refreshed(item, refresh)).status, 200, 'and its tries count for nobody')
    await w.store.removeClient(item.clientId)
    t.strictSame(seen(await refreshed(item, refresh)), gone)
    t.strictSame(seen(await refreshed(item, next)), gone)
    w.clock.now += 60_001
    t.strictSame(seen(await refreshed(item, refresh)), gone)
  },
)

t.test(
  'issue, refresh grace: a retry is refused once its user revoked, whichever token was named',
  async (t) => {
    const w = await compatibleWorld(t)
    const item = await visit(w)
    const { refresh, access, next } = await usedOnce(item)
    const again = tokensIn(await refreshed(item, refresh))
    const form = { client_id: item.clientId, token: again.refresh }
    t.equal((await w.call('POST', '/oauth/revoke', { form })).status, 200)
    for (const token of [access, again.access]) t.equal(await w.server.userOfAccessToken(token), null)
    for (const token of [refresh, next, again.refresh]) t.equal((await refreshed(item, token)).status, 400)
  },
)

t.test(
  'issue, refresh grace: a spent token of another generation has its own, and a spent code has none',
  async (t) => {
    const w = await compatibleWorld(t)
    const item = await visit(w)
    const { refresh, next } = await usedOnce(item)
    w.clock.now += 40_000
    t.equal((await refreshed(item, next)).status, 200)
    w.clock.now += 20_000
    for (const token of [refresh, next]) t.equal((await refreshed(item, token)).status, 200)
    w.clock.now += 20_000
    t.equal((await refreshed(item, next)).status, 200)
    w.clock.now += 20_001
    const living = tokensIn(await refreshed(item, (await usedOnce(item)).refresh))
    t.strictSame(seen(await refreshed(item, next)), used)
    t.ok(await w.server.userOfAccessToken(living.access), 'another connection of that client lives')
  },
)

t.test(
  'issue, refresh grace: what is narrower stays narrower, and what a user can no longer have is left out',
  async (t) => {
    const may = new Set(['notes:read', 'notes:write'])
    const scopes = createScopes({
      'notes:read': { text: 'See your notes', mayHave: () => may.has('notes:read') },
      'notes:write': { text: 'Write notes', mayHave: () => may.has('notes:write') },
    })
    const w = await compatibleWorld(t, { scopes })
    const item = await visit(w)
    const { refresh } = await usedOnce(item, 'notes:read')
    t.strictSame(seen(await refreshed(item, refresh, { scope: 'notes:read notes:write' }))[1], {
      error: 'invalid_scope',
      error_description: 'more than was granted',
    })
    const both = await usedOnce(item, 'notes:read notes:write')
    t.equal(jsonOf(await refreshed(item, both.refresh, { scope: 'notes:read' })).scope, 'notes:read')
    may.delete('notes:write')
    t.equal(jsonOf(await refreshed(item, both.refresh)).scope, 'notes:read')
    may.delete('notes:read')
    t.strictSame(
      seen(await refreshed(item, both.refresh)),
      oauthError('invalid_grant', 'nothing remains of what was granted'),
    )
  },
)

t.test(
  'issue, refresh grace: signInWithin and checkToken are asked for a retry as for the first use',
  async (t) => {
    let isLeft = false
    const w = await compatibleWorld(t, {
      signInWithinMs: 10_000,
      checkToken: () => {
        if (isLeft) throw new AuthServerError('access_denied', 'the account is closed', 403)
      },
    })
    const item = await visit(w)
    const { refresh, access } = await usedOnce(item)
    w.clock.now += 10_000
    t.equal((await refreshed(item, refresh)).status, 200)
    w.clock.now += 1
    t.strictSame(seen(await refreshed(item, refresh)), invalid, 'the user has not signed in for too long')
    await w.call('GET', '/auth/dev', { browser: item.browser })
    isLeft = true
    t.strictSame((await refreshed(item, refresh)).status, 403)
    isLeft = false
    t.equal((await refreshed(item, refresh)).status, 200)
    w.clock.now += 60_000
    t.strictSame(seen(await refreshed(item, refresh)), used, 'a reuse, however old the sign-in is')
    t.equal(await w.server.userOfAccessToken(access), null)
  },
)

t.test(
  'issue, in specification a second use is answered as ever, and the log names what would take it',
  async (t) => {
    const w = await world(t)
    const item = await visit(w)
    const { refresh, next } = await usedOnce(item)
    w.logged.length = 0
    t.strictSame(seen(await refreshed(item, refresh)), used)
    t.match(w.logged.at(-1), /"hint":"oauth\.profile: 'compatible'/)
    w.clock.now += 60_001
    w.logged.length = 0
    t.strictSame(seen(await refreshed(item, refresh)), used)
    t.notMatch(w.logged.join('\n'), 'hint', 'a late one is refused in both')
    t.strictSame(seen(await refreshed(item, next)), invalid)
  },
)

t.test(
  'issue, after a restart under specification: a token that was spent in compatible has no grace any more',
  async (t) => {
    const w = await compatibleWorld(t)
    const item = await visit(w)
    const { refresh, next } = await usedOnce(item)
    const again = tokensIn(await refreshed(item, refresh))
    const s = await world(t, { ...w.options, profile: profiles.specification, refreshGrace: null })
    const later = { ...item, world: s }
    t.strictSame(seen(await refreshed(later, refresh)), used)
    for (const token of [next, again.refresh])
      t.equal((await refreshed(later, token)).status, 200, 'what it brought lives on')
  },
)
