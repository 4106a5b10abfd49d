/** Exception handlers of the worked example over HTTP and MCP: what needs a server, and rule 12. Source: rules.md, Exception
 *  handlers 12, OAuth error response. */
import t from 'tap'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { Route } from '../../../runtime/contract/route.ts'
import { AuthServerError, NotFound } from '../../../runtime/errors.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { codeOf, redemption, registered } from '../../oauth/support/scene.ts'

interface Opened {
  teardown(close: () => Promise<void>): void
}

/** The example with one route changed. */
async function open(t: Opened, id: string, change: (route: Route) => Partial<Route>): Promise<TestApp> {
  const changed = (bundle: AppBundle): AppBundle => ({
    ...bundle,
    routes: bundle.routes.map((route) => (route.id === id ? { ...route, ...change(route) } : route)),
  })
  const app = await openTestApp({ change: changed })
  t.teardown(app.close)
  return app
}

const raising = (error: unknown): Partial<Route> => ({ call: () => Promise.reject(error) })

t.test('a tagged handler of the base controller answers for a route of a subclass', async (t) => {
  const app = await open(t, 'health_show', () => raising(new NotFound('gone')))
  const { statusCode, body } = await app.client().get('/health')
  t.strictSame([statusCode, body], [404, '{"error":"gone"}'])
})

t.test('HEAD gets the status and headers of the handler and no body', async (t) => {
  const app = await open(t, 'health_show', () => raising(new NotFound('gone')))
  const base = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${base}/health`, { method: 'HEAD' })
  t.strictSame(
    [answer.status, answer.headers.get('content-type'), await answer.text()],
    [404, 'application/json; charset=utf-8', ''],
  )
})

t.test('spec, Exception handlers 4: what a handler changes in the session is saved', async (t) => {
  const app = await open(t, 'health_show', () => ({
    call: (controller: Controller) => {
      if (controller.request.session.get('seen') === true) return { status: 'seen' }
      throw new NotFound('first')
    },
    handlers: [
      {
        error: NotFound,
        match: null,
        status: 404,
        contentType: null,
        depth: 0,
        call: (controller: Controller) => {
          controller.request.session.set('seen', true)
          return controller.redirectTo('/health')
        },
      },
    ],
  }))
  const client = app.client()
  t.equal((await client.get('/health')).statusCode, 302)
  t.strictSame((await client.get('/health')).json(), { status: 'seen' })
})

const codes: readonly (readonly [error: string, status: number])[] = [
  ['invalid_request', 400],
  ['unsupported_response_type', 400],
  ['invalid_target', 400],
  ['invalid_scope', 400],
  ['invalid_grant', 400],
  ['unsupported_grant_type', 400],
  ['invalid_client_metadata', 400],
]

t.test(
  'spec, Exception handlers 12 and OAuth error response: it answers its status and code; the description falls back to the code',
  async (t) => {
    for (const [code, status] of codes) {
      const app = await open(t, 'health_show', () => raising(new AuthServerError(code)))
      const { statusCode, body } = await app.client().get('/health')
      t.strictSame([statusCode, body], [status, JSON.stringify({ error: code, error_description: code })])
    }
    const app = await openTestApp()
    t.teardown(app.close)
    const { statusCode, body } = await app.client().get('/api/users/current')
    t.strictSame([statusCode, body], [401, '{"error":"invalid_token"}'], 'invalid_token has only error')
  },
)

t.test('spec, Exception handlers 12: an unknown sign-in provider is invalid_request with 404', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const { statusCode, body } = await app.client().get('/auth/nobody')
  t.equal(statusCode, 404)
  t.equal(JSON.parse(body).error, 'invalid_request')
})

t.test('an error of the configured token check keeps its own type and status', async (t) => {
  class Locked extends Error {
    readonly error = 'access_denied'
    readonly status = 423
  }
  const refuses = [
    new AuthServerError('use_dpop_nonce', 'send a nonce', 401),
    new Locked('user 17 is locked'),
  ]
  const checkToken = (): void => {
    const refusal = refuses.shift()
    if (refusal !== undefined) throw refusal
  }
  const app = await openTestApp({
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), oauth: { checkToken } } }), // a plain object
  })
  t.teardown(app.close)
  const exchange = await exchangeOf(app)
  const answers = [await exchange(), await exchange(), await exchange()]
  t.strictSame(
    answers.map(({ statusCode, body }) => [statusCode, statusCode === 200 ? null : JSON.parse(body)]),
    [
      [401, { error: 'use_dpop_nonce', error_description: 'send a nonce' }],
      [423, { error: 'access_denied', error_description: 'access_denied' }],
      [200, null],
    ],
    'and the code is not burnt',
  )
})

t.test('spec, Exception handlers 12: raised by a route, it keeps them too', async (t) => {
  const app = await open(t, 'health_show', () =>
    raising(new AuthServerError('use_dpop_nonce', 'send a nonce', 401)),
  )
  const { statusCode, body } = await app.client().get('/health')
  t.strictSame([statusCode, body], [401, '{"error":"use_dpop_nonce","error_description":"send a nonce"}'])
})

/** What exchanges a code of the development user. */
async function exchangeOf(app: TestApp): Promise<() => ReturnType<TestClient['submit']>> {
  const scene = await registered(app.client())
  const fields = redemption(scene, await codeOf(scene))
  return () => scene.client.submit('/oauth/token', fields)
}

t.test('spec, Exception handlers 12: the same error raised in a filter gets the same answer', async (t) => {
  const app = await open(t, 'notes_index', (route) => ({
    filters: route.filters.map((filter) => ({
      ...filter,
      call: () => Promise.reject(new AuthServerError('invalid_scope', 'no such scope', 403)),
    })),
  }))
  const { statusCode, body } = await app.client().get('/api/notes')
  t.strictSame([statusCode, body], [403, '{"error":"invalid_scope","error_description":"no such scope"}'])
})

t.test('a missing grant_type is 400 invalid_request and never stored', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const { statusCode, headers, body } = await app.client().submit('/oauth/token', { client_id: 'nobody' })
  t.strictSame(
    [statusCode, headers['cache-control'], JSON.parse(body).error],
    [400, 'no-store', 'invalid_request'],
  )
})

t.test('the same error through a tool call has the same status and body', async (t) => {
  const error = new AuthServerError('invalid_target', 'another resource', 409)
  const app = await open(t, 'notes_create', () => raising(error))
  const authorization = `Bearer ${await app.accessToken()}`
  const direct = await app
    .client()
    .request({ method: 'POST', url: '/api/notes', headers: { authorization }, payload: { text: 'a' } })
  t.equal(direct.statusCode, 409)
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'notes_create', arguments: { text: 'a' } },
  }
  const answer = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    payload: call,
  })
  const { result } = JSON.parse(/\{.*\}/s.exec(answer.body)?.[0] ?? '{}')
  t.strictSame([result.isError, result.content[0].text], [true, `409 Conflict\n${direct.body}`])
})
