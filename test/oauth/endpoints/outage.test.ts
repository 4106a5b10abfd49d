/** The store goes away and comes back, without a restart. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { openTestApp, type TestClient } from '../../../runtime/testing.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { codeOf, consentForm, redemption, redirectUri, registered } from '../support/scene.ts'

interface Ready {
  readonly browser: TestClient
  readonly authorize: Readonly<Record<string, string>>
  readonly redeem: Readonly<Record<string, string>>
}

/** A signed-in browser, an authorization request and a code that nobody has redeemed. */
async function prepare(browser: TestClient): Promise<Ready> {
  const scene = await registered(browser)
  const redeem = redemption(scene, await codeOf(scene))
  return { browser, authorize: { ...(await consentForm(scene)), decision: 'allow' }, redeem }
}

const seen = (answer: LightMyRequestResponse): readonly unknown[] => [
  answer.statusCode,
  answer.headers['retry-after'],
  answer.headers['cache-control'],
  answer.json(),
]

t.test(
  'outage: 503 with Retry-After in each endpoint’s own shape, nothing is burned, recovery by itself',
  async (t) => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    mkdirSync(data)
    const app = await openTestApp({ environment: { databaseUrl: `sqlite:${join(data, 'acmcp.db')}` } })
    t.teardown(app.close)
    const { browser, authorize, redeem } = await prepare(app.client())
    const token = await app.accessToken()
    const authorization = `Bearer ${token}`
    const stranger = app.client()
    const get = `/oauth/authorize?${new URLSearchParams(authorize)}`
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const mcp = (): Promise<LightMyRequestResponse> =>
      stranger.request({
        method: 'POST',
        url: '/mcp',
        headers: { authorization, accept: 'application/json, text/event-stream' },
        payload: message,
      })

    renameSync(data, join(folder, 'away'))
    const oauth = [
      503,
      '5',
      'no-store',
      { error: 'temporarily_unavailable', error_description: 'the store is not available' },
    ]
    const register = {
      method: 'POST',
      url: '/oauth/register',
      payload: { redirect_uris: [redirectUri] },
    } as const
    t.strictSame(seen(await stranger.request(register)), oauth, 'register')
    t.strictSame(seen(await stranger.get(get)), oauth, 'authorize')
    t.strictSame(seen(await browser.get(get)), oauth, 'authorize, whose session cannot be read')
    t.strictSame(seen(await browser.submit('/oauth/authorize', authorize)), oauth, 'the consent form')
    t.strictSame(seen(await stranger.submit('/oauth/token', redeem)), oauth, 'token')
    const revocation = { client_id: redeem.client_id ?? '', token }
    const foreign = await stranger.submit('/oauth/revoke', revocation)
    t.equal(foreign.statusCode, 400, 'a refusal needs no store')
    for (const url of ['/auth', '/auth/dev']) t.strictSame(seen(await browser.get(url)), oauth, url)
    t.strictSame(seen(await stranger.get('/auth/dev')), oauth, '/auth/dev without a session')
    t.strictSame(
      seen(await stranger.get('/api/notes/', { authorization })),
      [503, '5', 'no-store', { error: 'the store is not available' }],
      'the API',
    )
    t.strictSame(
      seen(await mcp()),
      [
        503,
        '5',
        'no-store',
        { jsonrpc: '2.0', error: { code: -32600, message: 'Service unavailable' }, id: null },
      ],
      'the MCP endpoint does not sign anybody out',
    )
    t.equal((await stranger.get('/.well-known/oauth-authorization-server')).statusCode, 200)

    renameSync(join(folder, 'away'), data)
    t.equal((await stranger.submit('/oauth/token', redeem)).statusCode, 200, 'the code was not burned')
    t.equal((await browser.get(get)).statusCode, 200, 'the session is there')
    t.equal((await stranger.get('/api/notes/', { authorization })).statusCode, 200)
    t.equal((await mcp()).statusCode, 200)
    t.equal((await stranger.request(register)).statusCode, 201)
  },
)

t.test('outage: one line at error with the cause when it begins, one when it ends', async (t) => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const lines: string[] = []
  const app = await openTestApp({
    environment: { databaseUrl: `sqlite:${join(data, 'acmcp.db')}`, logLevel: 'error' },
    logStream: { write: (line) => void lines.push(line) },
  })
  t.teardown(app.close)
  const authorization = `Bearer ${await app.accessToken()}`
  const statuses = async (): Promise<readonly number[]> => {
    const answers = [1, 2, 3].map(() => app.client().get('/api/notes/', { authorization }))
    return (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  }
  for (let i = 0; i < 2; i += 1) {
    renameSync(data, join(folder, 'away'))
    // A read may see the file that was there for another tenth of a second.
    while ((await app.client().get('/api/notes/', { authorization })).statusCode === 200);
    t.strictSame(await statuses(), [503, 503, 503])
    renameSync(join(folder, 'away'), data)
    t.strictSame(await statuses(), [200, 200, 200])
  }
  const seen = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'store-outage')
    .map(({ level, msg, state, err }) => [level, msg, state, err?.message.replace(folder, '') ?? null])
  const pair = [
    [50, 'the store is not available', 'began', '/data/acmcp.db is gone'],
    [50, 'the store is available again', 'ended', null],
  ]
  t.strictSame(seen, [...pair, ...pair])
})

t.test('a `no store` line of the log has the id of its request', async (t) => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const lines: string[] = []
  const app = await openTestApp({
    environment: { databaseUrl: `sqlite:${join(data, 'acmcp.db')}`, logLevel: 'info' },
    logStream: { write: (line) => void lines.push(line) },
  })
  t.teardown(app.close)
  renameSync(data, join(folder, 'away'))
  const register = {
    method: 'POST',
    url: '/oauth/register',
    payload: { redirect_uris: [redirectUri] },
  } as const
  for (const answer of [await app.client().request(register), await app.client().request(register)])
    t.equal(answer.statusCode, 503)
  // The line of a request is written after its answer.
  while (lines.filter((line) => line.includes('"event":"response"')).length < 2)
    await new Promise((resolve) => setImmediate(resolve))
  const all = lines.map((line) => JSON.parse(line))
  const requested = all.filter(({ event, status }) => event === 'response' && status === 503)
  const reported = all.filter(({ msg }) => msg === 'no store')
  t.strictSame(
    reported.map(({ requestId, reason, cause }) => [requestId, reason, cause]),
    requested.map(({ requestId }) => [
      requestId,
      'Error: the store is not available',
      `Error: ${join(data, 'acmcp.db')} is gone`,
    ]),
  )
  t.equal(new Set(reported.map(({ requestId }) => requestId)).size, 2)
})
