/** Single use and binding over the whole application. Source: rules.md, Security requirements. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { openTestApp, type TestClient } from '../../runtime/testing.ts'
import { codeOf, redemption, registerClient, registered } from '../oauth/support/scene.ts'

interface Redemption {
  readonly client: TestClient
  readonly fields: Readonly<Record<string, string>>
}

/** A signed-in browser that has allowed; `fields` redeem the code. */
async function allowed(client: TestClient): Promise<Redemption> {
  const scene = await registered(client)
  return { client, fields: redemption(scene, await codeOf(scene)) }
}

t.test(
  'a code is refused to another client and with a wrong verifier, redeemed once, then refused',
  async (t) => {
    const app = await openTestApp()
    t.teardown(app.close)
    const { client, fields } = await allowed(app.client())
    const redeem = async (change: Readonly<Record<string, string>>): Promise<[number, string]> => {
      const answer = await client.submit('/oauth/token', { ...fields, ...change })
      return [answer.statusCode, String(answer.json().error)]
    }
    const other = await registerClient(app.client())
    t.strictSame(await redeem({ client_id: other }), [400, 'invalid_grant'])
    t.strictSame(await redeem({ code_verifier: randomBytes(32).toString('base64url') }), [
      400,
      'invalid_grant',
    ])
    t.strictSame(await redeem({ code_verifier: '' }), [400, 'invalid_grant'])
    t.strictSame(await redeem({}), [200, 'undefined'])
    t.strictSame(await redeem({}), [400, 'invalid_grant'])
  },
)

t.test('a refresh token is used once', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const { client, fields } = await allowed(app.client())
  const tokens = (await client.submit('/oauth/token', fields)).json()
  const refresh = {
    grant_type: 'refresh_token',
    client_id: String(fields.client_id),
    refresh_token: tokens.refresh_token,
  }
  const first = await client.submit('/oauth/token', refresh)
  t.equal(first.statusCode, 200)
  const again = await client.submit('/oauth/token', refresh)
  t.strictSame(
    [again.statusCode, again.json()],
    [400, { error: 'invalid_grant', error_description: 'already used' }],
  )
  const next = await client.submit('/oauth/token', { ...refresh, refresh_token: first.json().refresh_token })
  t.equal(next.statusCode, 200)
})

t.test(
  'the example: users, notes in insertion order per user, hidden controllers are no tools',
  async (t) => {
    const app = await openTestApp()
    t.teardown(app.close)
    const token = await app.accessToken()
    const client = app.client()
    const api = (method: 'GET' | 'POST', url: string, payload?: object): ReturnType<TestClient['request']> =>
      client.request({
        method,
        url,
        headers: { authorization: `Bearer ${token}` },
        ...(payload ? { payload } : {}),
      })
    const current = await api('GET', '/api/users/current')
    t.strictSame(current.json(), { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' })
    t.strictSame((await api('GET', '/api/notes/')).json(), [])
    for (const text of ['b', 'a', 'c']) t.equal((await api('POST', '/api/notes', { text })).statusCode, 201)
    t.strictSame((await api('GET', '/api/notes')).json(), ['b', 'a', 'c'])
    const missing = await api('POST', '/api/notes/', {})
    t.strictSame(
      [missing.statusCode, missing.json()],
      [422, { error: "missing required parameter 'text'", parameter: 'text', restriction: 'string' }],
    )
    const anonymous = await client.get('/api/notes/')
    t.strictSame([anonymous.statusCode, anonymous.json()], [401, { error: 'invalid_token' }])
    t.equal((await client.get('/health')).statusCode, 200)
  },
)
