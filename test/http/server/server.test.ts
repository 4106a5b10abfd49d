/** The example over HTTP: negotiation, bad input, transport errors. Source: rules.md, Errors raised by the framework; rules.md,
 *  HTTP. */
import t from 'tap'
import type { Verb } from '../../../runtime/contract/http.ts'
import type { Route } from '../../../runtime/contract/route.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { answerTo } from '../support/raw.ts'
import { endpoint, shell } from '../support/shell.ts'

t.test('bad input to the example is a 4xx with the body that the rules name', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const authorization = `Bearer ${await app.accessToken()}`
  const client = app.client()
  const post = async (type: string, payload: string): Promise<[number, unknown]> => {
    const answer = await client.request({
      method: 'POST',
      url: '/api/notes/',
      headers: { authorization, 'content-type': type },
      payload,
    })
    return [answer.statusCode, answer.json()]
  }
  t.strictSame(await post('application/json', '{"text"'), [
    400,
    { error: 'the request body is not valid JSON' },
  ])
  t.strictSame(await post('application/json', '{"text":1}'), [
    400,
    {
      error: "invalid parameter value for 'text': expected string, got 1",
      parameter: 'text',
      restriction: 'string',
    },
  ])
  const accepts = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain',
  ]
  t.strictSame(await post('application/xml', '<text/>'), [
    415,
    { error: `unsupported body format, accepts: ${accepts.join(', ')}`, accepts },
  ])
  t.strictSame((await post('application/json', '{"__proto__":{"text":"x"}}'))[0], 422)
  const [status, body] = await post('application/json', JSON.stringify({ text: 'x'.repeat(1024 * 1024) }))
  t.strictSame([status, body], [413, { error: 'the request body is larger than 1048576 bytes' }])
  t.strictSame(await post('application/x-www-form-urlencoded', 'text=from+a+form'), [201, ['from a form']])
})

t.test('decisions, Accept: by RFC 9110; an error answers although it cannot be satisfied', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const authorization = `Bearer ${await app.accessToken()}`
  const client = app.client()
  await client.request({
    method: 'POST',
    url: '/api/notes/',
    headers: { authorization },
    payload: { text: 'one' },
  })
  const typed = async (accept: string): Promise<[number, unknown, string]> => {
    const { statusCode, headers, body } = await client.get('/api/notes/', { authorization, accept })
    return [statusCode, headers['content-type'], body]
  }
  const json = [200, 'application/json; charset=utf-8', '["one"]']
  t.strictSame(await typed('*/*'), json)
  t.strictSame(await typed('text/html;q=0.9, application/*'), json)
  t.strictSame(await typed('application/json;q=0.1, application/yaml'), [
    200,
    'application/yaml; charset=utf-8',
    '- one\n',
  ])
  const refused = await client.get('/api/notes/', { authorization, accept: 'image/png' })
  t.equal(refused.statusCode, 406)
  t.strictSame(refused.json().accepts, ['application/json', 'application/yaml', 'text/yaml', 'text/plain'])
  const anonymous = await client.get('/api/notes/', { accept: 'image/png' })
  t.equal(anonymous.statusCode, 401, '401 precedes 406')
})

t.test('decisions, 404 / 405: with Allow, HEAD, and an address that is not one', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const client = app.client()
  const unknown = await client.get('/nowhere')
  t.strictSame([unknown.statusCode, unknown.json()], [404, { error: 'not found' }])
  const text = await client.get('/nowhere', { accept: 'text/html' })
  t.strictSame([text.statusCode, text.body], [404, 'not found'])
  const wrong = await client.request({ method: 'DELETE', url: '/api/notes/' })
  t.strictSame(
    [wrong.statusCode, wrong.headers.allow, wrong.json()],
    [405, 'GET, HEAD, POST', { error: 'method not allowed' }],
  )
  const head = await client.request({ method: 'HEAD', url: '/health' })
  t.strictSame([head.statusCode, head.body], [200, ''])
  const malformed = await client.get('/%E0%A4%A')
  t.equal(malformed.statusCode, 400)
  t.type(malformed.json().error, 'string')
})

t.test('decisions, trailing slash: every path answers with it and without', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const seen = async (path: string) => {
    const { statusCode, body } = await app.client().get(path)
    return [statusCode, body]
  }
  for (const [path, status] of [
    ['/health', 200],
    ['/auth', 200],
    ['/api/notes', 401],
  ] as const) {
    const without = await seen(path)
    t.equal(without[0], status, path)
    t.strictSame(await seen(`${path}/`), without, path)
  }
})

t.test('an unhandled exception: a page in development, {} or nothing in production', async (t) => {
  const broken = '<b>broken</b>'
  const open = (production: boolean): Promise<TestApp> =>
    openTestApp({
      environment: { production },
      change: (bundle) => ({
        ...bundle,
        routes: bundle.routes.map((route) => ({ ...route, call: () => Promise.reject(new Error(broken)) })),
      }),
    })
  const development = await open(false)
  t.teardown(development.close)
  const page = await development.client().get('/health')
  t.equal(page.statusCode, 500)
  t.match(page.headers['content-type'], 'text/html')
  t.match(page.body, '&lt;b&gt;broken&lt;/b&gt;')
  t.notMatch(page.body, broken)
  const production = await open(true)
  t.teardown(production.close)
  const answers = ['application/json', '*/*', 'application/yaml'].map((accept) =>
    production.client().get('/health', { accept }),
  )
  t.strictSame(
    (await Promise.all(answers)).map(({ statusCode, body }) => [statusCode, body]),
    [
      [500, '{}'],
      [500, '{}'],
      [500, ''],
    ],
  )
})

t.test('a malformed Content-Type passes the filters first and fails as the endpoint says', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const send = async (url: string): Promise<[number, unknown, unknown]> => {
    const answer = await app
      .client()
      .request({ method: 'POST', url, headers: { 'content-type': 'x' }, payload: 'y' })
    return [answer.statusCode, answer.json().error, answer.headers['cache-control'] ?? null]
  }
  t.strictSame(await send('/api/notes/'), [401, 'invalid_token', 'no-store'])
  t.strictSame(await send('/oauth/token'), [400, 'invalid_request', 'no-store'])
  t.equal((await send('/mcp'))[0], 401)
})

t.test('a header that HTTP cannot carry is an unhandled exception, not the end of the process', async (t) => {
  const app = await openTestApp({
    environment: { production: true },
    change: (bundle) => ({
      ...bundle,
      routes: bundle.routes.map((route) => ({
        ...route,
        call: (controller: Controller) => {
          controller.request.session.set('seen', true)
          return controller.redirectTo('/\u65e5')
        },
      })),
    }),
  })
  t.teardown(app.close)
  const answer = await app.client().get('/health')
  t.strictSame([answer.statusCode, answer.body], [500, '{}'])
})

t.test('routes that share an address under other names or methods are all reached', async (t) => {
  const app = await openTestApp({
    change: (bundle) => {
      const base = bundle.routes.find(({ id }) => id === 'health_show')
      if (base === undefined) throw new Error('no health route')
      const at = (id: string, verb: Verb, path: string): Route => ({
        ...base,
        id,
        verb,
        path,
        call: () => id,
      })
      const added = [
        at('one', 'GET', '/y/:id'),
        at('two', 'DELETE', '/y/:noteId'),
        at('three', 'POST', '/y/new'),
      ]
      const codec = bundle.codecs.health_show
      if (codec === undefined) throw new Error('no health decoders')
      const codecs = { ...bundle.codecs, one: codec, two: codec, three: codec }
      return { ...bundle, routes: [...bundle.routes, ...added], codecs }
    },
  })
  t.teardown(app.close)
  const answer = async (method: 'GET' | 'POST' | 'DELETE' | 'PUT', url: string): Promise<unknown> => {
    const { statusCode, headers, body } = await app.client().request({ method, url })
    return statusCode === 405 ? headers.allow : body
  }
  t.strictSame(
    [await answer('GET', '/y/new'), await answer('POST', '/y/new'), await answer('DELETE', '/y/7')],
    ['"one"', '"three"', '"two"'],
  )
  t.equal(await answer('PUT', '/y/new'), 'DELETE, GET, HEAD, POST')
})

t.test(
  'spec, Exception handlers 11: of the headers that were set, those on the keep list survive an unhandled exception',
  async (t) => {
    for (const production of [false, true]) {
      const app = await openTestApp({
        environment: { production },
        change: (bundle) => ({
          ...bundle,
          config: { ...(bundle.config as object), errors: { keepHeaders: ['X-Request-ID'] } }, // a plain object
          routes: bundle.routes.map((route) => ({
            ...route,
            call: (controller: Controller) => {
              controller.response.set('X-Request-ID', 'r1')
              controller.response.set('X-Other', 'gone')
              throw new Error('broken')
            },
          })),
        }),
      })
      t.teardown(app.close)
      const { statusCode, headers } = await app.client().get('/health')
      t.strictSame([statusCode, headers['x-request-id'], headers['x-other']], [500, 'r1', undefined])
    }
  },
)

t.test('spec, Unhandled exceptions: the development page refuses to start in production', async (t) => {
  const open = openTestApp({
    environment: { production: true },
    change: (bundle) => ({ ...bundle, config: { errors: { production: false } } }),
  })
  await t.rejects(open, {
    message: 'errors.production: false shows exceptions to everybody: it is refused in production',
  })
})

t.test(
  'who waits for the end of a request is told once, by the server that ends or by the client',
  async (t) => {
    let reported = 0
    let requested = (): void => {}
    const isRequested = new Promise<void>((resolve) => {
      requested = resolve
    })
    const waiting = endpoint('/wait', async (request) => {
      const gone = new Promise<void>((resolve) => {
        request.onDisconnect?.(() => {
          reported += 1
          resolve()
        })
      })
      requested()
      await gone
      return { status: 204, headers: {}, body: null }
    })
    const { app } = await shell([waiting])
    const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
    const answer = answerTo(port, 'GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await isRequested
    await app.close()
    t.match(await answer, /^HTTP\/1\.1 204 /)
    t.equal(reported, 1)
  },
)
