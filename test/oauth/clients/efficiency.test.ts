/** How often the store is asked. */
import t from 'tap'
import { createAuthorizationServer } from '../../../runtime/oauth/server.ts'
import { openStore } from '../../support/whole-store.ts'
import { caller, codeForm, jsonOf, register, start, type World, world } from '../support/harness.ts'

/** A world whose store notes the name of every verb that is called. */
async function watchedWorld(t: Parameters<typeof world>[0]): Promise<{ w: World; verbs: string[] }> {
  const store = await openStore({
    url: 'sqlite::memory:',
    clock: () => start,
    migrations: {},
    migrate: 'apply',
  })
  t.teardown(() => store.close())
  const verbs: string[] = []
  const watched = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        verbs.push(String(name))
        return value(...args)
      }
    },
  })
  return { w: await world(t, { store: watched }), verbs }
}

t.test('efficiency: a bearer check is one read and no write; a bad token asks nothing', async (t) => {
  const { w, verbs } = await watchedWorld(t)
  const form = await codeForm(w, await register(w))
  const access = String(jsonOf(await w.call('POST', '/oauth/token', { form })).access_token)
  verbs.length = 0
  t.ok(await w.server.userOfAccessToken(access))
  t.strictSame(verbs, ['findUserOfToken'])
  verbs.length = 0
  for (const token of ['', 'x', `${access}=`, access.slice(0, -3)]) await w.server.userOfAccessToken(token)
  t.strictSame(verbs, [])
})

t.test(
  'efficiency: an exchange is one read and one transaction; what is refused before it costs none',
  async (t) => {
    const { w, verbs } = await watchedWorld(t)
    const clientId = await register(w)
    const form = await codeForm(w, clientId)
    verbs.length = 0
    await w.call('POST', '/oauth/token', { form: { ...form, code_verifier: 'wrong' } })
    await w.call('POST', '/oauth/token', { form: { ...form, grant_type: 'password' } })
    t.strictSame(verbs, [])
    const pair = jsonOf(await w.call('POST', '/oauth/token', { form }))
    t.strictSame(verbs, ['findClient', 'redeemCode'])
    verbs.length = 0
    const refresh = {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: String(pair.refresh_token),
    }
    await w.call('POST', '/oauth/token', { form: refresh })
    t.strictSame(verbs, ['findClient', 'rotateRefresh'])
    verbs.length = 0
    await w.call('POST', '/oauth/revoke', {
      form: { client_id: clientId, token: String(pair.refresh_token) },
    })
    t.strictSame(verbs, ['revokeToken'])
  },
)

t.test('limits: two instances on one store add their counts up, and no request asks the store', async (t) => {
  const { w, verbs } = await watchedWorld(t)
  const limits = { registerPerHour: null, authorizePerHour: null, tokenPerHour: 4 }
  const { store } = w
  const [item, two] = [1, 2].map(() => {
    const server = createAuthorizationServer({ ...w.options, limits })
    return { server, call: caller(server.endpoints) }
  })
  if (item === undefined || two === undefined) throw new Error('there are two')
  const ask = async (instance: typeof item): Promise<number> =>
    (await instance.call('POST', '/oauth/token', { form: { grant_type: 'x', client_id: 'c' } })).status
  verbs.length = 0
  t.strictSame([await ask(item), await ask(item), await ask(item), await ask(two)], [400, 400, 400, 400])
  t.strictSame(verbs, [])
  for (const { server } of [item, two, item]) await server.exchangeCounts(store.shareCounts)
  t.strictSame(verbs, ['shareCounts', 'shareCounts'], 'one had nothing new to tell')
  t.equal(await ask(two), 429, 'the fifth, told by two’s own exchange')
  t.equal(await ask(item), 400, 'one was told before two had counted')
  await item.server.exchangeCounts(store.shareCounts)
  t.equal(await ask(item), 429)
})

t.test(
  'checks of a token: the signature of a token is verified once; time and store are asked each time',
  async (t) => {
    const { w, verbs } = await watchedWorld(t)
    const form = await codeForm(w, await register(w))
    const access = String(jsonOf(await w.call('POST', '/oauth/token', { form })).access_token)
    const verified = t.capture(crypto.subtle, 'verify', crypto.subtle.verify.bind(crypto.subtle))
    verbs.length = 0
    for (let call = 0; call < 3; call += 1) t.ok(await w.server.userOfAccessToken(access))
    t.strictSame([verified().length, verbs], [1, ['findUserOfToken', 'findUserOfToken', 'findUserOfToken']])
    const altered = `${access.slice(0, -5)}aaaaa`
    t.strictSame(
      [await w.server.userOfAccessToken(altered), await w.server.userOfAccessToken(altered)],
      [null, null],
    )
    w.clock.now = start + 3_599_000
    t.ok(await w.server.userOfAccessToken(access))
    w.clock.now = start + 3_600_000
    t.equal(await w.server.userOfAccessToken(access), null)
    w.clock.now = start
    await w.call('POST', '/oauth/revoke', { form: { token: access, client_id: String(form.client_id) } })
    t.equal(await w.server.userOfAccessToken(access), null)
  },
)
