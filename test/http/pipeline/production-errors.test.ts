/** No answer in production tells what the server is made of. Source: rules.md, Unhandled exceptions. */
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { databaseOf } from '../../../runtime/store/database.ts'
import type { TestApp, TestClient } from '../../../runtime/testing.ts'
import { answerTo, listening } from '../support/raw.ts'

const secret = 'select password from accounts where id = 7'

/** Every way in which a route can fail of itself. */
const failures: Readonly<Record<string, (controller: Controller) => unknown>> = {
  'an error with a statement': () => {
    throw new Error(secret)
  },
  'with a cause': () => {
    throw new Error('outside', { cause: new Error(secret) })
  },
  'a text': () => {
    throw secret
  },
  'an error that looks like an answer': () => {
    throw Object.assign(new Error(secret), { status: 400, statusCode: 400, expose: true })
  },
  'a wrong statement': (controller) =>
    databaseOf<{ no_such_table: { id: number } }>(controller.services)
      .selectFrom('no_such_table')
      .selectAll()
      .execute(),
  'an answer that is no JSON': () => {
    const value: Record<string, unknown> = { secret }
    value.self = value
    return value
  },
  'a header that is none': ({ response }) => response.set('X-A', `${secret}\n`),
  'a stream that breaks at once': (controller) => controller.render({ status: 200, body: brokenStream() }),
  nothing: () => Promise.reject(undefined),
}

async function* brokenStream(): AsyncGenerator<string> {
  yield* []
  throw new Error(secret)
}

/** Stacks, paths, statements and the names of libraries. */
const telling =
  /\n\s+at |node:|node_modules|\/(?:work|home|root|tmp|usr|dist|runtime)\/|\.[cm]?[jt]s\b|password|no_such|select |SQLITE|libsql|kysely|fastify|FST_|TypeError|outside/i

function check(t: Test, about: string, text: string): void {
  t.notMatch(text, telling, about)
}

const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['x-break'] === 'hook') throw new Error(secret)
  })
}

interface Opened {
  readonly app: TestApp
  readonly port: number
  readonly lines: string[]
}

async function open(
  t: Test,
  isHooked: boolean,
  call?: (controller: Controller) => unknown,
  limits: object = {},
): Promise<Opened> {
  const lines: string[] = []
  const { app, port } = await listening(
    { mcp: { path: '/mcp' }, plugins: isHooked ? [plugin] : [], limits },
    {
      ...(call === undefined ? {} : { call }),
      environment: { production: true, logLevel: 'error' },
      logStream: { write: (line) => lines.push(line) },
    },
  )
  t.teardown(app.close)
  return { app, port, lines }
}

const mcp = (client: TestClient, payload: unknown, headers: object = {}): Promise<LightMyRequestResponse> =>
  client.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params })

t.test(
  'whatever a route throws, HTTP and tool calls say that it failed, and only the log says why',
  async (t) => {
    for (const isHooked of [false, true]) {
      let call: (controller: Controller) => unknown = () => ({})
      const { app, lines } = await open(t, isHooked, (controller) => call(controller))
      for (const [name, failure] of Object.entries(failures)) {
        call = failure
        const about = `${name}, ${isHooked ? 'behind plugins' : 'directly'}`
        lines.length = 0
        for (const accept of ['*/*', 'text/html', 'application/yaml']) {
          const { statusCode, body } = await app.client().get('/health', { accept })
          t.strictSame([statusCode, body], [500, accept === '*/*' ? '{}' : ''], `${about}, ${accept}`)
        }
        t.equal(lines.length, 3, `${about}: each is logged`)
        const { isError, content } = await app.client().tool('users_current')
        t.strictSame([isError, content[0]?.text], [true, '500 Internal Server Error\ninternal error'], about)
      }
      if (!isHooked) continue
      const { statusCode, body } = await app.client().get('/health', { 'x-break': 'hook' })
      t.strictSame([statusCode, body], [500, '{}'], 'a hook')
    }
  },
)

t.test('no refusal of the server tells of its inside', async (t) => {
  for (const isHooked of [false, true]) {
    const limits = { bodyBytes: 2000, urlBytes: 500, headerBytes: 4000, registerPerHour: 1 }
    const { app, port } = await open(t, isHooked, undefined, limits)
    const client = app.client()
    const bearer = { authorization: `Bearer ${await app.accessToken()}` }
    const json = { ...bearer, 'content-type': 'application/json' }
    const note = (payload: string, headers: object = json) =>
      client.request({ method: 'POST', url: '/api/notes', headers: { ...headers }, payload })
    const form = (url: string, payload: string) =>
      client.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload,
      })
    const answers: readonly (readonly [number, Promise<LightMyRequestResponse>])[] = [
      [404, client.get('/nowhere/../../etc/passwd')],
      [405, client.request({ method: 'DELETE', url: '/health' })],
      [400, client.get('/%zz')],
      [414, client.get(`/${'x'.repeat(600)}`)],
      [401, client.get('/api/notes')],
      [401, client.get('/api/notes', { authorization: 'Bearer e30.e30.x' })],
      [406, client.get('/health', { accept: 'image/png' })],
      [400, note('{"text":')],
      [422, note('{}')],
      [400, note('{"text":7}')],
      [413, note(`{"text":"${'x'.repeat(3000)}"}`)],
      [415, note('text', { ...bearer, 'content-type': 'application/x-unknown' })],
      [429, client.json('/oauth/register', { redirect_uris: ['http://127.0.0.1/cb'] })],
      [400, form('/oauth/token', 'grant_type=authorization_code&client_id=x&code=%00')],
      [400, form('/oauth/token', "grant_type=refresh_token&client_id=x&refresh_token=' or 1=1 --")],
      [400, client.get("/oauth/authorize?client_id=' or 1=1 --&redirect_uri=x")],
      [404, client.get('/auth/nobody')],
      [400, mcp(client, '{"jsonrpc":')],
      [400, mcp(client, rpc('tools/list', {}), { 'mcp-protocol-version': '1999-01-01' })],
      [413, mcp(client, rpc('ping', { x: 'x'.repeat(3000) }))],
      [406, mcp(client, rpc('ping', {}), { accept: 'text/html' })],
      [415, mcp(client, 'x', { 'content-type': 'text/plain' })],
    ]
    for (const [at, [status, sent]] of answers.entries()) {
      const { statusCode, body } = await sent
      t.equal(statusCode, status, `${at}: ${body.slice(0, 100)}`)
      check(t, `${at}, ${status}`, body)
    }
    for (const head of ['GET /health HTTP/1.1\r\nHost: x\r\nBad header\r\n\r\n', 'nonsense\r\n\r\n'])
      check(t, head, (await answerTo(port, head)).split('\r\n\r\n')[1] ?? 'no body')
  }
})

t.test('no failed tool call or JSON-RPC error tells of the inside', async (t) => {
  for (const isHooked of [false, true]) {
    const { app } = await open(t, isHooked)
    const client = app.client()
    const bearer = { authorization: `Bearer ${await app.accessToken()}` }
    const call = (name: string, args: unknown): object => rpc('tools/call', { name, arguments: args })
    const messages = [
      call('notes_create', {}),
      call('notes_create', { text: 7 }),
      call('notes_create', { text: 'a', unknown: true }),
      call('notes_create', []),
      call('../../etc/passwd', {}),
      call('call_tool', { name: '__proto__', arguments: {} }),
      call('notes_show', { id: "' or 1=1 --" }),
      call('notes_show', { id: '\u0000' }),
      rpc('tools/list', { cursor: 'nonsense' }),
      rpc('nonsense', {}),
      rpc('prompts/get', { name: 'x' }),
    ]
    for (const message of messages) {
      const { statusCode, body } = await mcp(client, message, bearer)
      t.ok(statusCode < 500, `${statusCode}`)
      t.match(body, /error/i, 'it is one')
      check(t, JSON.stringify(message), body)
    }
  }
})
