/** Rate limits over the whole application. Source: rules.md, Production expectations; rules.md, rate limits. */
import t from 'tap'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

const start = 1_800_000_000_000

interface Limited {
  readonly app: TestApp
  readonly clock: { now: number }
  /** Status, `Retry-After`, `Cache-Control`, CORS and body of one request. */
  readonly ask: (request: Ask) => Promise<readonly unknown[]>
}

interface Ask {
  readonly method?: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  readonly from?: string
  readonly forwardedFor?: string
}

async function limited(t: { teardown(f: () => unknown): void }, config: AppConfig): Promise<Limited> {
  const clock = { now: start }
  const app = await openTestApp({
    clock: () => clock.now,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // defineApp's object
  })
  t.teardown(app.close)
  const ask = async ({
    method = 'POST',
    url,
    from = '192.0.2.1',
    forwardedFor,
  }: Ask): Promise<readonly unknown[]> => {
    const answer = await app.application.server.inject({
      method,
      url,
      remoteAddress: from,
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    })
    const { headers } = answer
    return [
      answer.statusCode,
      headers['retry-after'],
      headers['cache-control'],
      headers['access-control-allow-origin'],
      answer.statusCode === 429 ? answer.json() : null,
    ]
  }
  return { app, clock, ask }
}

const tooMany = { error: 'temporarily_unavailable', error_description: 'too many requests from this address' }

t.test(
  'decisions, rate limits: each endpoint answers 429 in the OAuth shape with Retry-After, until the hour is over',
  async (t) => {
    const limits = { registerPerHour: 1, authorizePerHour: 1, tokenPerHour: 1 }
    const { ask, clock } = await limited(t, { limits })
    const into = start % 3_600_000
    const seconds = String((3_600_000 - into) / 1000)
    const requests: readonly (readonly [Ask, string | undefined])[] = [
      [{ url: '/oauth/register' }, '*'],
      [{ url: '/oauth/authorize', method: 'GET' }, undefined],
      [{ url: '/oauth/token' }, '*'],
    ]
    for (const [request, cors] of requests) {
      t.equal((await ask(request))[0], 400, `${request.url}: the first is judged`)
      t.strictSame(await ask(request), [429, seconds, 'no-store', cors, tooMany], request.url)
    }
    for (const url of ['/oauth/revoke', '/oauth/authorize', '/auth', '/auth/dev', '/auth/dev/callback']) {
      const method = url.startsWith('/auth') ? 'GET' : 'POST'
      t.equal((await ask({ url, method }))[0], 429, `${url} counts with its like`)
    }
    for (const url of ['/.well-known/oauth-authorization-server', '/health'])
      t.equal((await ask({ url, method: 'GET' }))[0], 200, `${url} is not limited`)
    t.equal((await ask({ url: '/oauth/token', from: '192.0.2.2' }))[0], 400, 'another address')
    t.equal((await ask({ url: '/oauth/token', method: 'OPTIONS' }))[0], 204, 'a preflight is not counted')
    clock.now = start - into + 3_600_000 - 1
    t.strictSame((await ask({ url: '/oauth/token' })).slice(0, 2), [429, '1'])
    clock.now += 1
    t.equal((await ask({ url: '/oauth/token' }))[0], 400, 'a new hour')
  },
)

t.test('limits: the defaults are 600, 6000 and 6000; false switches one off', async (t) => {
  const many = async (ask: Limited['ask'], request: Ask, count: number): Promise<Set<unknown>> => {
    const seen = new Set<unknown>()
    for (let call = 0; call < count; call += 1) seen.add((await ask(request))[0])
    return seen
  }
  const { ask } = await limited(t, {})
  t.strictSame(await many(ask, { url: '/oauth/register' }, 600), new Set([400]))
  t.strictSame(await many(ask, { url: '/oauth/register' }, 1), new Set([429]))
  const open = await limited(t, { limits: { registerPerHour: false } })
  t.strictSame(await many(open.ask, { url: '/oauth/register' }, 601), new Set([400]))
  const two = await limited(t, { limits: { tokenPerHour: 2 } })
  t.strictSame(await many(two.ask, { url: '/oauth/token' }, 3), new Set([400, 429]))
})

t.test('limits: an IPv6 customer is one address', async (t) => {
  const { ask } = await limited(t, { limits: { tokenPerHour: 1 } })
  t.equal((await ask({ url: '/oauth/token', from: '2001:db8:0:1::1' }))[0], 400)
  t.equal((await ask({ url: '/oauth/token', from: '2001:db8:0:1:ffff::2' }))[0], 429)
  t.equal((await ask({ url: '/oauth/token', from: '2001:db8:0:2::1' }))[0], 400)
})

t.test('limits: X-Forwarded-For is believed of configured proxies only', async (t) => {
  const url = '/oauth/token'
  const limits = { tokenPerHour: 1 }
  const nobody = await limited(t, { limits })
  t.equal((await nobody.ask({ url, forwardedFor: '198.51.100.1' }))[0], 400)
  t.equal((await nobody.ask({ url, forwardedFor: '198.51.100.2' }))[0], 429, 'the sender counts')
  for (const trustProxy of [1, ['192.0.2.0/24']]) {
    const { ask } = await limited(t, { limits, trustProxy })
    t.equal((await ask({ url, forwardedFor: '198.51.100.1' }))[0], 400)
    t.equal((await ask({ url, forwardedFor: '198.51.100.2' }))[0], 400)
    t.equal((await ask({ url, forwardedFor: 'spoofed, 198.51.100.2' }))[0], 429, 'what the proxy saw counts')
  }
  const elsewhere = await limited(t, { limits, trustProxy: ['10.0.0.0/8'] })
  t.equal((await elsewhere.ask({ url, forwardedFor: '198.51.100.1' }))[0], 400)
  t.equal((await elsewhere.ask({ url, forwardedFor: '198.51.100.2' }))[0], 429, 'not a proxy of ours')
})
