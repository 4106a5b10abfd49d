/** Headers of answers that the application did not set: cookies of a reset answer, caches, TLS; and JSON that is none.
 *  Source: rules.md, Unhandled exceptions; RFC 6797. */
import t, { type Test } from 'tap'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { openProbe, type Probe, report } from '../support/one-route.ts'
import { answerTo, listening } from '../support/raw.ts'
import { endpoint, recordedStore, shell } from '../support/shell.ts'

const marking = (probe: Probe): never => {
  probe.request.session.set('seen', true)
  probe.response.setCookie('own', '1')
  throw new RangeError('broken')
}

t.test(
  'spec, Unhandled exceptions: the cookie of a session set in the failing action stays only when it is kept',
  async (t) => {
    const cookies = async (
      errors: object,
      handlers: Parameters<typeof openProbe>[1]['handlers'] = [],
    ): Promise<unknown> => {
      const app = await openProbe(t, { call: marking, handlers, config: { errors } })
      const { statusCode, headers } = await app.client().get('/probe')
      return [
        statusCode,
        [headers['set-cookie'] ?? []]
          .flat()
          .map((line) => String(line).split('=')[0])
          .sort(),
      ]
    }
    t.strictSame(await cookies({}), [500, []])
    t.strictSame(await cookies({ keepHeaders: ['X-Request-ID'] }), [500, []])
    t.strictSame(await cookies({ keepHeaders: ['Set-Cookie'] }), [500, ['acmcp_session', 'own']])
    t.strictSame(
      await cookies({}, [report(RangeError, 409)]),
      [409, ['acmcp_session', 'own']],
      'a handled one',
    )
  },
)

t.test(
  'spec, Unhandled exceptions: what the failing action did to its session is dropped with the answer',
  async (t) => {
    const store = recordedStore()
    const failing = endpoint('/fail', ({ session }) => {
      session.set('seen', true)
      throw new Error('broken')
    })
    const { app } = await shell([{ ...failing, routeId: 'fail' }], { session: { store } })
    t.teardown(() => app.close())
    const { statusCode, headers } = await app.inject('/fail')
    t.strictSame([statusCode, headers['set-cookie'], store.done], [500, undefined, []])
  },
)

const open = (t: Test, call: (probe: Probe) => unknown, environment: object = {}): Promise<TestApp> =>
  listening({}, { call: call as never, environment }).then(({ app }) => {
    t.teardown(app.close)
    return app
  })

t.test(
  'security: JSON of a route is neither guessed at nor kept, unless the application says so',
  async (t) => {
    const headersOf = async (call: (probe: Probe) => unknown, accept = '*/*'): Promise<unknown> => {
      const { headers } = await (await open(t, call)).client().get('/health', { accept })
      return [headers['x-content-type-options'], headers['cache-control']]
    }
    t.strictSame(await headersOf(() => ({ a: 1 })), ['nosniff', 'no-store'])
    t.strictSame(await headersOf((probe) => probe.render({ status: 404, json: {} })), ['nosniff', 'no-store'])
    const cached = (probe: Probe): object => {
      probe.response.set('Cache-Control', 'max-age=60')
      return { a: 1 }
    }
    t.strictSame(await headersOf(cached), ['nosniff', 'max-age=60'])
    t.strictSame(await headersOf(() => 'a', 'text/plain'), [undefined, undefined])
  },
)

t.test('security: YAML answers are as JSON is, whoever wrote them', async (t) => {
  const headersOf = async (call: (probe: Probe) => unknown, accept: string): Promise<unknown> => {
    const { headers } = await (await open(t, call)).client().get('/health', { accept })
    return [headers['content-type'], headers['x-content-type-options'], headers['cache-control']]
  }
  for (const type of ['application/yaml', 'text/yaml']) {
    t.strictSame(await headersOf(() => ({ a: 1 }), type), [`${type}; charset=utf-8`, 'nosniff', 'no-store'])
  }
  const rendered = (probe: Probe) => probe.render({ status: 404, yaml: { a: 1 } })
  t.strictSame(((await headersOf(rendered, '*/*')) as string[]).slice(1), ['nosniff', 'no-store'])
  const cached = (probe: Probe): object => {
    probe.response.set('Cache-Control', 'max-age=60')
    return { a: 1 }
  }
  t.strictSame(((await headersOf(cached, 'text/yaml')) as string[]).slice(1), ['nosniff', 'max-age=60'])
})

t.test(
  "security: no answer in the server's own words is guessed at or kept, but metadata for its minutes",
  async (t) => {
    for (const plugins of [[], [(_app: unknown, _options: unknown, done: () => void): void => done()]]) {
      const limits = { urlBytes: 500 }
      const broken = (): never => {
        throw new Error('broken')
      }
      const { app, port } = await listening({ limits, plugins }, { call: broken })
      t.teardown(app.close)
      const sent = async (line: string, ...more: readonly string[]): Promise<readonly unknown[]> => {
        const head = [`${line} HTTP/1.1`, 'Host: app.example', 'Connection: close', ...more, '', '']
        const [status, ...headers] =
          (await answerTo(port, head.join('\r\n'))).split('\r\n\r\n', 1)[0]?.split('\r\n') ?? []
        const value = (name: string): string | null =>
          headers.find((header) => header.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2) ??
          null
        return [Number(status?.slice(9, 12)), value('x-content-type-options'), value('cache-control')]
      }
      const own = (status: number): readonly unknown[] => [status, 'nosniff', 'no-store']
      t.strictSame(await sent('GET /nowhere'), own(404))
      t.strictSame(await sent('GET /nowhere', 'Accept: text/plain'), own(404))
      t.strictSame(await sent('DELETE /health'), own(405))
      t.strictSame(await sent('DELETE /health', 'Accept: text/plain'), own(405))
      t.strictSame(await sent('GET /%zz'), own(400))
      t.strictSame(await sent(`GET /${'x'.repeat(600)}`), own(414))
      t.strictSame(await sent('GET /health', 'Host: twice'), own(400))
      t.strictSame(await sent('GET /health', 'Expect: something'), own(417), 'refused by Node')
      t.strictSame(await sent('GET /health'), own(500), 'the page of development')
      t.strictSame(await sent('POST /oauth/token'), own(400))
      t.strictSame(await sent('GET /auth/nobody/callback'), own(404))
      t.strictSame(await sent('POST /mcp'), own(401))
      t.strictSame(await sent('GET /.well-known/oauth-protected-resource'), own(200))
      const metadata = await sent('GET /.well-known/oauth-authorization-server')
      t.strictSame(metadata, [200, 'nosniff', 'public, max-age=300'])
    }
  },
)

t.test(
  'headers of security: on https every answer asks for TLS from now on, but not on loopback',
  async (t) => {
    const requested = async (baseUrl: string): Promise<readonly unknown[]> => {
      const app = await openTestApp({ environment: { production: true, devLogin: false, baseUrl } })
      t.teardown(app.close)
      const paths = [
        '/health',
        '/nowhere',
        '/oauth/authorize',
        '/mcp',
        '/.well-known/oauth-authorization-server',
      ]
      const answers = await Promise.all(paths.map((path) => app.client().get(path)))
      return [...new Set(answers.map(({ headers }) => headers['strict-transport-security'] ?? null))]
    }
    t.strictSame(await requested('https://notes.example'), ['max-age=31536000'])
    t.strictSame(await requested('https://localhost'), [null])
    t.strictSame(await requested('http://localhost:3000'), [null])
  },
)

t.test('what a responder writes under application/json need not be JSON', async (t) => {
  const responders = { 'application/json': (): string => '{"broken": ' }
  const app = await openTestApp({
    change: (bundle) => ({ ...bundle, config: { responders } }),
  })
  t.teardown(app.close)
  const token = await app.accessToken()
  const { body, statusCode } = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      authorization: `Bearer ${token}`,
    },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'users_current', arguments: {} },
    },
  })
  const { result } = JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '{}')
  t.strictSame([statusCode, result], [200, { content: [{ type: 'text', text: '{"broken": ' }] }])
})
