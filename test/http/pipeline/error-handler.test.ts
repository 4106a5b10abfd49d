/** The framework's errors with and without the recommended handlers, and what is left unhandled. Source: rules.md, Errors
 *  raised by the framework, Unhandled exceptions. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { Route } from '../../../runtime/contract/route.ts'
import type { Logger } from '../../../runtime/contract/store.ts'
import {
  Conflict,
  Forbidden,
  JsonParseError,
  MissingError,
  NotAcceptable,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  RequestAborted,
  Unauthorized,
  UnsupportedMediaType,
  ValueError,
} from '../../../runtime/errors.ts'
import { type ErrorHandlerOptions, unhandledResponse } from '../../../runtime/http/pipeline/error-handler.ts'
import { CommonResponse } from '../../../runtime/http/pipeline/error-responses.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { type Parts, rejection, request, run } from '../support/probe.ts'

const quiet: Logger = { info: () => {}, warn: () => {}, error: () => {} }

const options = (more: Partial<ErrorHandlerOptions> = {}): ErrorHandlerOptions => ({
  production: false,
  keepHeaders: [],
  mask: new Set(['code', 'client_secret']),
  log: quiet,
  unavailable: () => null,
  ...more,
})

const page = (error: unknown, requested: HttpRequest = request()): HttpResponse =>
  unhandledResponse(error, requested, options())

async function notes(
  t: { teardown(close: () => Promise<void>): void },
  handled: boolean,
): Promise<{
  readonly send: (
    headers: Readonly<Record<string, string>>,
    payload: string,
  ) => Promise<readonly [number, unknown]>
}> {
  const without = (route: Route): Route => ({ ...route, handlers: [] })
  const app: TestApp = await openTestApp({
    environment: { production: true },
    change: (bundle) => (handled ? bundle : { ...bundle, routes: bundle.routes.map(without) }),
  })
  t.teardown(app.close)
  const authorization = `Bearer ${await app.accessToken()}`
  return {
    send: async (headers, payload) => {
      const answer = await app
        .client()
        .request({ method: 'POST', url: '/api/notes', headers: { authorization, ...headers }, payload })
      return [answer.statusCode, answer.body === '' ? '' : answer.json()]
    },
  }
}

const json = { 'content-type': 'application/json' }

t.test('the errors of the framework with the recommended handlers', async (t) => {
  const { send } = await notes(t, true)
  t.strictSame(await send(json, '{}'), [
    422,
    { error: "missing required parameter 'text'", parameter: 'text', restriction: 'string' },
  ])
  t.strictSame(await send(json, '{"text":7}'), [
    400,
    {
      error: "invalid parameter value for 'text': expected string, got 7",
      parameter: 'text',
      restriction: 'string',
    },
  ])
  for (const [status, headers, wanted] of [
    [406, { ...json, accept: 'image/png' }, 'application/json'],
    [415, { 'content-type': 'image/png' }, 'application/x-www-form-urlencoded'],
  ] as const) {
    const [found, body] = await send(headers, '{"text":"a"}')
    const { error, accepts } = body as { readonly error: string; readonly accepts: readonly string[] } // rules.md, Errors raised by the framework
    t.equal(found, status)
    t.ok(accepts.includes(wanted))
    t.ok(error.endsWith(`, accepts: ${accepts.join(', ')}`), 'the message says what would have worked')
  }
  t.strictSame(await send(json, '{"text"'), [400, { error: 'the request body is not valid JSON' }])
})

t.test('spec, Errors raised by the framework: without a handler each is a 500', async (t) => {
  const { send } = await notes(t, false)
  t.strictSame(
    [
      await send(json, '{}'),
      await send(json, '{"text":7}'),
      await send({ ...json, accept: 'image/png' }, '{"text":"a"}'),
      await send({ 'content-type': 'image/png' }, '{"text":"a"}'),
    ],
    [
      [500, {}],
      [500, {}],
      [500, ''],
      [500, {}],
    ],
  )
})

t.test('the status of an error class decides nothing: unhandled it is a 500', async (t) => {
  const raised = [
    new MissingError('a', 'string'),
    new ValueError('a', 'string'),
    new NotAcceptable([]),
    new UnsupportedMediaType([]),
    new JsonParseError(),
    new Unauthorized(),
    new Forbidden(),
    new NotFound(),
    new Conflict(),
  ]
  t.strictSame(
    raised.map(({ code, status }) => [code, status]),
    [
      ['missing_parameter', 422],
      ['invalid_parameter', 400],
      ['not_acceptable', 406],
      ['unsupported_media_type', 415],
      ['malformed_body', 400],
      ['unauthorized', 401],
      ['forbidden', 403],
      ['not_found', 404],
      ['conflict', 409],
    ],
  )
  for (const error of raised) {
    const app = await openTestApp({
      environment: { production: true },
      change: (bundle) => ({
        ...bundle,
        routes: bundle.routes.map((route) => ({ ...route, handlers: [], call: () => Promise.reject(error) })),
      }),
    })
    const { statusCode, body } = await app.client().get('/health', { accept: 'application/json' })
    await app.close()
    t.strictSame([error.constructor.name, statusCode, body], [error.constructor.name, 500, '{}'])
  }
  const ofTheServer = [new PayloadTooLarge(1), new Overloaded(), new RequestAborted()]
  t.strictSame(
    ofTheServer.map(({ code, status }) => [code, status]),
    [
      ['payload_too_large', 413],
      ['overloaded', 503],
      ['request_aborted', 400],
    ],
  )
})

t.test('spec, Error response structs: CommonResponse carries the backtrace unless it is off', async (t) => {
  const error = new Error('broken')
  const { backtrace, ...rest } = new CommonResponse(error)
  t.strictSame([rest, backtrace?.[0]], [{ error: 'broken' }, 'Error: broken'])
  t.match(backtrace?.[1], /^at .*error-handler\.test/)
  t.strictSame(JSON.stringify(new CommonResponse(error, { backtrace: false })), '{"error":"broken"}')
})

t.test('production answers {} where JSON is acceptable, else nothing', async (t) => {
  const answer = (accept: string | undefined): readonly unknown[] => {
    const requested = request({ headers: { accept } })
    const { status, headers, body } = unhandledResponse(
      new Error('secret'),
      requested,
      options({ production: true }),
    )
    return [status, headers['content-type'], body]
  }
  const empty = [500, 'application/json; charset=utf-8', '{}']
  for (const accept of [
    'application/json',
    'text/html;q=0.9, application/json',
    '*/*',
    'application/*',
    undefined,
  ]) {
    t.strictSame(answer(accept), empty, `${accept}`)
  }
  for (const accept of ['text/html', 'application/json;q=0, text/html', 'application/xml']) {
    t.strictSame(answer(accept), [500, undefined, null], accept)
  }
})

t.test(
  'spec, Unhandled exceptions: the development page is HTML for whoever takes anything, with message, causes and stack escaped',
  async (t) => {
    const cause = new TypeError('<script>in the cause</script>')
    const requested = request({ headers: { accept: '*/*' }, url: '/probe?<b>' })
    const { status, headers, body } = page(new Error('<img src=x>', { cause }), requested)
    t.strictSame(
      [status, headers],
      [
        500,
        {
          'content-type': 'text/html; charset=utf-8',
          'x-frame-options': 'DENY',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        },
      ],
    )
    const text = String(body)
    t.match(text, 'GET /probe?&lt;b&gt;')
    t.match(text, '<h2>Error: &lt;img src=x&gt;</h2>')
    t.match(text, '<h2>Caused by TypeError: &lt;script&gt;in the cause&lt;/script&gt;</h2>')
    t.match(text, /<pre class="wrapped">TypeError: .*\n +at /)
    t.notMatch(text, /<img|<script|<b>/)
  },
)

t.test(
  'the development page shows the code of the first frame of the application, through its source map',
  async (t) => {
    const here = new Error('a mistake of the application') // this line is shown
    const text = String(page(here).body)
    t.match(text, /<code>test\/http\/pipeline\/error-handler\.test\.ts:\d+:\d+<\/code>/)
    t.match(
      text,
      /&gt; +\d+ \| +const here = new Error\(&#39;a mistake of the application&#39;\) \/\/ this line is shown/,
    )
  },
)

t.test(
  'in development a client that names JSON or text, and no HTML, reads the exception so; any other gets the page',
  async (t) => {
    const failure = new Error('out of coal', { cause: new TypeError('no train') })
    const answer = (accept: string | null): readonly unknown[] => {
      const headers = accept === null ? {} : { accept }
      const { headers: sent, body } = page(failure, { ...request(), headers })
      const type = sent['content-type']
      if (type === 'text/html; charset=utf-8') return ['page']
      const isJson = type === 'application/json; charset=utf-8'
      const { error, backtrace }: { error: string; backtrace: string[] } = isJson
        ? JSON.parse(String(body))
        : { error: String(body).split('\n')[0], backtrace: String(body).split('\n').slice(1) }
      const [first, frame] = backtrace
      const isTraced = first === 'Error: out of coal' && frame?.startsWith('at ') === true
      return [type, error, isTraced && backtrace.includes('caused by: TypeError: no train')]
    }
    const reported = ['application/json; charset=utf-8', 'Error: out of coal', true]
    const text = ['text/plain; charset=utf-8', 'Error: out of coal', true]
    const cases: readonly (readonly [string | null, readonly unknown[]])[] = [
      [null, ['page']],
      ['', ['page']],
      ['*/*', ['page']],
      ['image/png', ['page']],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', ['page']],
      ['application/json, text/html;q=0.5', ['page']],
      ['application/json', reported],
      ['application/json, text/plain, */*', reported],
      ['application/problem+json', reported],
      ['text/plain', text],
      ['text/plain;q=0.5', text],
      ['text/*', ['page']],
      ['text/plain, */*', ['page']],
      ['text/plain, application/json;q=0.5', reported],
    ]
    t.strictSame(
      cases.map(([accept]) => [accept, answer(accept)]),
      cases,
    )
  },
)

t.test('a message that looks like a stack opens no file', async (t) => {
  const text = String(page(new Error('\n    at x (/etc/hosts.js:1:1)\n    at /work/package.json:1:1')).body)
  t.match(text, /<code>test\/http\/pipeline\/error-handler\.test\.ts:/)
  const gone = new Error('gone')
  gone.stack = 'Error: gone\n    at x (/nowhere/file.js:1:1)'
  t.notMatch(String(page(gone).body), '<code>/nowhere')
})

t.test('of what is thrown without being an Error a text is shown, and of an object its class', async (t) => {
  for (const [thrown, shown] of [
    ['text <b>', '&lt;b&gt;'],
    [null, 'null'],
    [Object.create(null), '[Object: null prototype]'],
    [{ passwordHash: 'canary' }, '[Object]'],
    [
      new (class Row {
        readonly passwordHash = 'canary'
      })(),
      '[Row]',
    ],
  ]) {
    t.match(String(page(thrown).body), shown)
    t.notMatch(String(page(thrown).body), 'canary')
  }
})

t.test('masked names are shown nowhere on the page', async (t) => {
  const secret = ['s', 'cret'].join('3') // in one piece the code frame would show it
  const cause = new Error(`the provider said {"client_secret": "${secret}", "other": 1}`)
  const error = new Error(`GET https://provider.example/?a=1&c%6Fde=${secret}=x failed`, { cause })
  const text = String(page(error, request({ url: `/probe?code=${secret}&page=2` })).body)
  t.notMatch(text, secret)
  t.match(text, 'GET /probe?code=[FILTERED]&amp;page=2')
  t.match(text, 'a=1&amp;c%6Fde=[FILTERED] failed')
})

t.test('of the headers that were set those on the keep list survive, never those of the body', async (t) => {
  const requested = request()
  const call: Parts['call'] = (probe) => {
    probe.response.set('X-Request-ID', 'r1')
    probe.response.set('Content-Disposition', 'attachment')
    probe.response.append('Set-Cookie', 'a=1')
    probe.response.append('Set-Cookie', 'b=2')
    probe.response.set('X-Other', 'gone')
    throw new Error('broken')
  }
  const error = await rejection(run({ call }, requested))
  const keepHeaders = ['X-Request-ID', 'set-cookie', 'Content-Disposition']
  t.strictSame(unhandledResponse(error, requested, options({ production: true, keepHeaders })), {
    status: 500,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': 'r1',
      'set-cookie': ['a=1', 'b=2'],
    },
    body: '{}',
  })
})

t.test(
  'a busy store is 503 with the seconds that it names, a body above the limit 413, neither is logged',
  async (t) => {
    const log: Logger = { ...quiet, error: () => t.fail('logged') }
    const unavailable: ErrorHandlerOptions['unavailable'] = () => ({
      message: 'the store is busy',
      retryAfterSeconds: 3,
      isOutage: false,
    })
    t.strictSame(unhandledResponse(new Error('busy'), request(), options({ log, unavailable })), {
      status: 503,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'retry-after': '3',
      },
      body: '{"error":"the store is busy"}',
    })
    const large = unhandledResponse(new PayloadTooLarge(10), request(), options({ log }))
    t.strictSame([large.status, large.body], [413, '{"error":"the request body is larger than 10 bytes"}'])
  },
)

t.test('a body above the limit is 413 before any handler', async (t) => {
  const requested = request({
    method: 'POST',
    body: {
      kind: 'bytes',
      contentType: 'application/json',
      read: () => Promise.reject(new PayloadTooLarge(1)),
    },
  })
  const { handler } = await import('../support/probe.ts')
  const { unknown } = await import('../../../runtime/http/codec/codec.ts')
  const parts: Parts = {
    handlers: [handler(Error, 400, () => t.fail('a handler ran'))],
    params: [{ name: 'p', from: 'body', required: true, codec: unknown }],
  }
  t.type(await rejection(run(parts, requested)), PayloadTooLarge)
})
