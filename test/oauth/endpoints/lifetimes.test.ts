/** Every lifetime one second before and after its end, over the whole application, by a clock that the test moves.
 *  Source: rules.md, Limits; rules.md, OAuth. */
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import {
  authorizeUrl,
  callApi,
  codeOf,
  openScene,
  postToken,
  redemption,
  refreshing,
  type Scene,
  send,
  tokensIn,
  tokensOf,
} from '../support/scene.ts'

const invalid = [400, 'the code or refresh token is not valid']
const used = [400, 'already used']
const good = [200, undefined]

const seen = (answer: LightMyRequestResponse): readonly unknown[] => [
  answer.statusCode,
  answer.json().error_description,
]

const redeem = (s: Scene, code: string): Promise<LightMyRequestResponse> => postToken(s, redemption(s, code))
const refresh = (s: Scene, token: string): Promise<LightMyRequestResponse> =>
  postToken(s, refreshing(s, token))

t.test('spec, Limits: an authorization code lives 5 minutes', async (t) => {
  for (const [seconds, expected] of [
    [299, good],
    [300, invalid],
    [301, invalid],
  ] as const) {
    const s = await openScene(t)
    const code = await codeOf(s)
    s.at(seconds)
    t.strictSame(seen(await redeem(s, code)), expected, `${seconds} s`)
  }
})

t.test('spec, Limits: an access token lives 1 hour, on the API and on the MCP endpoint', async (t) => {
  const s = await openScene(t)
  const { access } = await tokensOf(s)
  const mcp = (): Promise<LightMyRequestResponse> =>
    send(s, {
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${access}`, accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
  for (const [seconds, status] of [
    [3599, 200],
    [3600, 401],
    [3601, 401],
  ] as const) {
    s.at(seconds)
    t.strictSame(
      [(await callApi(s, access)).statusCode, (await mcp()).statusCode],
      [status, status],
      `${seconds} s`,
    )
  }
})

t.test('spec, Limits: a refresh token lives 30 days', async (t) => {
  const days = 30 * 24 * 3600
  for (const [seconds, expected] of [
    [days - 1, good],
    [days, invalid],
    [days + 1, invalid],
  ] as const) {
    const s = await openScene(t)
    const pair = await tokensOf(s)
    s.at(seconds)
    t.strictSame(seen(await refresh(s, pair.refresh)), expected, `${seconds} s`)
  }
})

t.test('clock: the quiet window of a spent refresh token is 60 seconds', async (t) => {
  for (const [seconds, lives] of [
    [59, true],
    [60, true],
    [61, false],
  ] as const) {
    const s = await openScene(t)
    const pair = await tokensOf(s)
    const next = tokensIn(await refresh(s, pair.refresh))
    s.at(seconds)
    t.strictSame(seen(await refresh(s, pair.refresh)), used, `${seconds} s`)
    t.equal((await callApi(s, next.access)).statusCode, lives ? 200 : 401)
    t.strictSame(seen(await refresh(s, next.refresh)), lives ? good : invalid)
  }
})

t.test('clock: an anonymous session lives 10 minutes: return_to is kept so long', async (t) => {
  for (const [seconds, isKept] of [
    [599, true],
    [600, false],
    [601, false],
  ] as const) {
    const s = await openScene(t)
    const url = authorizeUrl(s.request)
    t.equal((await s.client.get(url)).headers.location, '/auth')
    s.at(seconds)
    const signedIn = await s.client.get('/auth/dev')
    t.equal(signedIn.headers.location, isKept ? url : '/auth', `${seconds} s`)
  }
})

t.test('clock: a signed-in session lives 8 hours', async (t) => {
  const hours = 8 * 3600
  for (const [seconds, status] of [
    [hours - 1, 200],
    [hours, 303],
    [hours + 1, 303],
  ] as const) {
    const s = await openScene(t)
    await s.client.get('/auth/dev')
    s.at(seconds)
    t.equal((await s.client.get(authorizeUrl(s.request))).statusCode, status, `${seconds} s`)
  }
})

t.test('clock: a code keeps its life and its single use when the clock jumps back and forth', async (t) => {
  const s = await openScene(t)
  s.at(600)
  const code = await codeOf(s)
  s.at(1200)
  t.strictSame(seen(await redeem(s, code)), invalid, 'ten minutes ahead')
  s.at(600)
  const pair = tokensIn(await redeem(s, code))
  t.equal((await callApi(s, pair.access)).statusCode, 200)
  s.at(0)
  t.strictSame(seen(await redeem(s, code)), used, 'ten minutes back')
  t.equal((await callApi(s, pair.access)).statusCode, 401, 'and its descendants are revoked')
})
