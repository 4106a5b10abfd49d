/** Every lifetime one second before and after its end, over the whole application, by a clock that the test moves.
 *  Source: specification, Limits; decisions.md, OAuth; reference/oauth-and-storage, 3.6 (sessions). */
import { createHash } from 'node:crypto'
import t from 'tap'
import { openTestApp, type TestClient } from '../../runtime/testing.ts'

const start = 1_800_000_000_000
const redirectUri = 'http://127.0.0.1:7777/callback'
const verifier = 'v'.repeat(43)
const invalid = [400, 'the code or refresh token is not valid']
const used = [400, 'already used']

interface Scene {
  readonly client: TestClient
  /** Moves the clock to `seconds` after the start. */
  at(seconds: number): void
  readonly clientId: string
  readonly query: string
}

type Test = { teardown(f: () => unknown): void }

/** A registered client and a browser that has not been anywhere yet. */
async function scene(t: Test): Promise<Scene> {
  const clock = { now: start }
  const app = await openTestApp({ clock: () => clock.now })
  t.teardown(app.close)
  const client = app.client()
  const registered = await client.request({
    method: 'POST',
    url: '/oauth/register',
    payload: { redirect_uris: [redirectUri] },
  })
  const clientId = String(registered.json().client_id)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const at = (seconds: number): void => {
    clock.now = start + seconds * 1000
  }
  return { client, clientId, query, at }
}

async function codeOf({ client, query }: Scene): Promise<string> {
  await client.get('/auth/dev')
  const page = await client.get(`/oauth/authorize?${query}`)
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const form = { ...Object.fromEntries(new URLSearchParams(query)), csrf_token, decision: 'allow' }
  const allowed = await client.submit('/oauth/authorize', form)
  return new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
}

interface Answer {
  readonly seen: readonly unknown[]
  readonly access: string
  readonly refresh: string
}

async function token({ client, clientId }: Scene, fields: Record<string, string>): Promise<Answer> {
  const answer = await client.submit('/oauth/token', { client_id: clientId, ...fields })
  const { error_description, access_token, refresh_token } = answer.json()
  return {
    seen: answer.statusCode === 200 ? [200] : [answer.statusCode, error_description],
    access: String(access_token),
    refresh: String(refresh_token),
  }
}

const redeem = (scene: Scene, code: string): Promise<Answer> =>
  token(scene, { grant_type: 'authorization_code', redirect_uri: redirectUri, code, code_verifier: verifier })

const refresh = (scene: Scene, refresh_token: string): Promise<Answer> =>
  token(scene, { grant_type: 'refresh_token', refresh_token })

const api = async ({ client }: Scene, access: string): Promise<number> =>
  (await client.get('/api/users/current', { authorization: `Bearer ${access}` })).statusCode

t.test('clock: an authorization code lives 5 minutes', async (t) => {
  for (const [seconds, expected] of [
    [299, [200]],
    [300, invalid],
    [301, invalid],
  ] as const) {
    const s = await scene(t)
    const code = await codeOf(s)
    s.at(seconds)
    t.strictSame((await redeem(s, code)).seen, expected, `${seconds} s`)
  }
})

t.test('clock: an access token lives 1 hour, on the API and on the MCP endpoint', async (t) => {
  const s = await scene(t)
  const { access } = await redeem(s, await codeOf(s))
  const mcp = async (): Promise<number> =>
    (
      await s.client.request({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
      })
    ).statusCode
  for (const [seconds, status] of [
    [3599, 200],
    [3600, 401],
    [3601, 401],
  ] as const) {
    s.at(seconds)
    t.strictSame([await api(s, access), await mcp()], [status, status], `${seconds} s`)
  }
})

t.test('clock: a refresh token lives 30 days', async (t) => {
  const days = 30 * 24 * 3600
  for (const [seconds, expected] of [
    [days - 1, [200]],
    [days, invalid],
    [days + 1, invalid],
  ] as const) {
    const s = await scene(t)
    const pair = await redeem(s, await codeOf(s))
    s.at(seconds)
    t.strictSame((await refresh(s, pair.refresh)).seen, expected, `${seconds} s`)
  }
})

t.test('clock: the quiet window of a spent refresh token is 60 seconds', async (t) => {
  for (const [seconds, lives] of [
    [59, true],
    [60, true],
    [61, false],
  ] as const) {
    const s = await scene(t)
    const pair = await redeem(s, await codeOf(s))
    const next = await refresh(s, pair.refresh)
    s.at(seconds)
    t.strictSame((await refresh(s, pair.refresh)).seen, used, `${seconds} s`)
    t.equal(await api(s, next.access), lives ? 200 : 401)
    t.strictSame((await refresh(s, next.refresh)).seen, lives ? [200] : invalid)
  }
})

t.test('clock: an anonymous session lives 10 minutes: return_to is kept so long', async (t) => {
  for (const [seconds, location] of [
    [599, 'return'],
    [600, '/auth'],
    [601, '/auth'],
  ] as const) {
    const s = await scene(t)
    const authorize = `/oauth/authorize?${s.query}`
    t.equal((await s.client.get(authorize)).headers.location, '/auth')
    s.at(seconds)
    const signedIn = await s.client.get('/auth/dev')
    t.equal(signedIn.headers.location, location === 'return' ? authorize : location, `${seconds} s`)
  }
})

t.test('clock: a signed-in session lives 8 hours', async (t) => {
  const hours = 8 * 3600
  for (const [seconds, status] of [
    [hours - 1, 200],
    [hours, 303],
    [hours + 1, 303],
  ] as const) {
    const s = await scene(t)
    await s.client.get('/auth/dev')
    s.at(seconds)
    t.equal((await s.client.get(`/oauth/authorize?${s.query}`)).statusCode, status, `${seconds} s`)
  }
})

t.test('clock: a code keeps its life and its single use when the clock jumps back and forth', async (t) => {
  const s = await scene(t)
  s.at(600)
  const code = await codeOf(s)
  for (const jump of [0, 1200, 600]) {
    s.at(jump)
    if (jump === 1200) t.strictSame((await redeem(s, code)).seen, invalid)
  }
  const pair = await redeem(s, code)
  t.strictSame(pair.seen, [200])
  s.at(0)
  t.strictSame((await redeem(s, code)).seen, used, 'ten minutes back')
  t.equal(await api(s, pair.access), 401, 'and its descendants are revoked')
})
