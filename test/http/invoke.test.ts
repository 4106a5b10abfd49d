/** The pipeline by itself: order of filters and rules of exception handlers. Source: specification, Exception handlers;
 *  reference/pipeline-and-exceptions, test ids. */
import t from 'tap'
import type { HttpRequest, Outcome, Route, RouteFilter, RouteHandler } from '../../runtime/contract.ts'
import { NotFound } from '../../runtime/errors.ts'
import { Controller } from '../../runtime/http/controller.ts'
import { unhandledOutcome } from '../../runtime/http/error-handler.ts'
import { invoke, prepareRoute } from '../../runtime/http/invoke.ts'

class Probe extends Controller {
  readonly trail: string[] = []
}

const request = (headers: HttpRequest['headers'] = {}): HttpRequest => ({
  id: '1',
  method: 'GET',
  url: '/probe',
  path: '/probe',
  query: new URLSearchParams(),
  params: {},
  headers,
  cookies: {},
  ip: '127.0.0.1',
  session: { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} },
  body: { kind: 'value', value: null },
  signal: new AbortController().signal,
})

const services = { database: null, userOfAccessToken: async () => null, clock: () => 0 }

interface Parts {
  readonly filters?: readonly RouteFilter[]
  readonly handlers?: readonly RouteHandler[]
  readonly call?: (probe: Probe) => unknown
}

function run(
  { filters = [], handlers = [], call = () => 'done' }: Parts,
  headers: HttpRequest['headers'] = {},
): Promise<Outcome> {
  const route: Route = {
    id: 'probe_show',
    verb: 'GET',
    path: '/probe',
    status: 200,
    statuses: [],
    websocket: false,
    requiresTls: false,
    controller: Probe,
    produces: null,
    filters,
    handlers,
    create: () => new Probe(),
    call: (controller: Probe) => call(controller),
  }
  const codec = { params: [], filters: filters.map(() => []), handlers: handlers.map(() => []) }
  return invoke(prepareRoute(route, codec), request(headers), services)
}

const filter = (when: RouteFilter['when'], name: string, call: RouteFilter['call']): RouteFilter => ({
  when,
  name,
  call,
})
const handler = (
  error: RouteHandler['error'],
  status: number | null,
  call: RouteHandler['call'],
): RouteHandler => ({
  error,
  match: null,
  status,
  contentType: null,
  depth: 0,
  call,
})

t.test('around filters enclose before filters and the action; after filters run last', async (t) => {
  const note = (name: string) => (probe: Probe) => {
    probe.trail.push(name)
  }
  let trail: readonly string[] = []
  await run({
    filters: [
      filter('after', 'after', (probe: Probe) => {
        trail = [...probe.trail, 'after']
      }),
      filter('before', 'before', note('before')),
      filter('around', 'outer', async (probe: Probe, _args, next) => {
        probe.trail.push('outer in')
        await next()
        probe.trail.push('outer out')
      }),
      filter('around', 'inner', async (probe: Probe, _args, next) => {
        probe.trail.push('inner in')
        await next()
        probe.trail.push('inner out')
      }),
    ],
    call: note('action'),
  })
  t.strictSame(trail, ['outer in', 'inner in', 'before', 'action', 'inner out', 'outer out', 'after'])
})

t.test('a before filter that renders stops the chain; 401 precedes 406', async (t) => {
  const outcome = await run(
    {
      filters: [
        filter('before', 'stop', (probe: Probe) => probe.render({ status: 401, json: { error: 'no' } })),
      ],
      call: () => t.fail('the action ran'),
    },
    { accept: 'image/png' },
  )
  t.strictSame(outcome, {
    status: 401,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"error":"no"}',
  })
})

class Special extends NotFound {}
class Sibling extends Error {}

t.test('H1.5, H1.6: a handler answers subclasses of its class and no other error', async (t) => {
  const handlers = [handler(NotFound, 404, (_probe, error: NotFound) => ({ error: error.message }))]
  const missing = (error: Error) => (): never => {
    throw error
  }
  const { status, body } = await run({ handlers, call: missing(new Special('gone')) })
  t.strictSame([status, body], [404, '{"error":"gone"}'])
  await t.rejects(run({ handlers, call: missing(new Sibling('other')) }), new Sibling('other'))
})

t.test('H10.1: handlers are asked in order, ancestors first', async (t) => {
  const handlers = [handler(Error, 500, () => 'parent'), handler(NotFound, 404, () => 'child')]
  const { status, body } = await run({
    handlers,
    call: () => {
      throw new NotFound()
    },
  })
  t.strictSame([status, body], [500, '"parent"'])
})

t.test(
  'H3.2, H3.4: a handler answers in JSON whatever Accept says, without the headers of the action',
  async (t) => {
    const outcome = await run(
      {
        handlers: [handler(NotFound, 404, () => ({ error: 'gone' }))],
        filters: [
          filter('before', 'csv', (probe: Probe) => {
            probe.response.set('Content-Disposition', 'attachment')
            probe.response.set('X-Kept', 'yes')
            throw new NotFound()
          }),
        ],
      },
      { accept: 'image/png' },
    )
    t.strictSame(outcome, {
      status: 404,
      headers: { 'x-kept': 'yes', 'content-type': 'application/json; charset=utf-8' },
      body: '{"error":"gone"}',
    })
  },
)

t.test('H11.1, H11.2: an exception after something was rendered is unhandled', async (t) => {
  const handlers = [handler(Error, 400, () => t.fail('the handler ran'))]
  const late = (): never => {
    throw new Error('late')
  }
  await t.rejects(run({ handlers, filters: [filter('after', 'late', late)] }), new Error('late'))
  const around = filter('around', 'late', async (_probe, _args, next) => {
    await next()
    late()
  })
  await t.rejects(run({ handlers, filters: [around] }), new Error('late'))
})

t.test('H11.5, H11.6: a handler that throws is unhandled; a failing serialiser is handled', async (t) => {
  const failing = [
    handler(NotFound, 404, () => Promise.reject(new Error('in the handler'))),
    handler(Error, 400, () => 'x'),
  ]
  const raise = (): never => {
    throw new NotFound()
  }
  await t.rejects(run({ handlers: failing, call: raise }), new Error('in the handler'))
  const unserialisable: { self?: unknown } = {}
  unserialisable.self = unserialisable
  const outcome = await run({
    handlers: [handler(TypeError, 400, () => 'no JSON form')],
    call: () => unserialisable,
  })
  t.strictSame([outcome.status, outcome.body], [400, '"no JSON form"'])
})

t.test('E8: production answers {} where JSON is acceptable, else nothing', async (t) => {
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const answer = (accept: string | undefined): unknown =>
    unhandledOutcome(new Error('secret'), request({ accept }), {
      production: true,
      keepHeaders: [],
      log,
      isBusy: () => false,
    }).body
  t.strictSame(
    ['application/json', 'text/html;q=0.9, application/json', '*/*', undefined, 'text/html'].map(answer),
    ['{}', '{}', '{}', '{}', null],
  )
})

t.test('an after filter has the last word on headers; bytes are base64 in JSON', async (t) => {
  const outcome = await run({
    filters: [filter('after', 'mark', (probe: Probe) => probe.response.set('X-Mark', 'after'))],
    call: (probe) => {
      probe.response.set('X-Mark', 'action')
      return { buffer: Buffer.from('hi'), bytes: new Uint8Array([1, 2]), big: 1n, set: new Set(['a']) }
    },
  })
  t.strictSame(outcome, {
    status: 200,
    headers: { 'x-mark': 'after', 'content-type': 'application/json; charset=utf-8' },
    body: '{"buffer":"aGk=","bytes":"AQI=","big":"1","set":["a"]}',
  })
})
