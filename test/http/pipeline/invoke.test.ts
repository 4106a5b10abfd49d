/** The pipeline by itself: the order of its steps. Source: language.md. */
import { Readable } from 'node:stream'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { UnsupportedMediaType } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { plainFormats } from '../support/formats.ts'
import {
  filter,
  handler,
  type Parts,
  type Probe,
  post,
  rejection,
  request,
  run,
  seen,
} from '../support/probe.ts'

const note =
  (name: string) =>
  (probe: Probe): void => {
    probe.trail.push(name)
  }

const around = (name: string): ReturnType<typeof filter> =>
  filter('around', name, async (probe: Probe, _args, next) => {
    probe.trail.push(`${name} in`)
    await next()
    probe.trail.push(`${name} out`)
  })

t.test('around filters enclose before filters and the action; after filters run last', async (t) => {
  let trail: readonly string[] = []
  const after = filter('after', 'after', (probe: Probe) => {
    trail = [...probe.trail, 'after']
  })
  const filters = [after, filter('before', 'before', note('before')), around('outer'), around('inner')]
  await run({ filters, call: note('action') })
  t.strictSame(trail, ['outer in', 'inner in', 'before', 'action', 'inner out', 'outer out', 'after'])
})

t.test('a before filter that renders stops the chain, and the after filters run', async (t) => {
  const stop = filter('before', 'stop', (probe: Probe) =>
    probe.render({ status: 401, json: { error: 'no' } }),
  )
  const mark = filter('after', 'mark', (probe: Probe) => probe.response.set('X-After', 'ran'))
  const filters = [stop, filter('before', 'second', () => t.fail('the second filter ran')), mark]
  const requested = request({ headers: { accept: 'image/png' } })
  t.strictSame(
    await run({ filters, call: () => t.fail('the action ran') }, requested),
    {
      status: 401,
      headers: { 'x-after': 'ran', 'content-type': 'application/json; charset=utf-8' },
      body: '{"error":"no"}',
    },
    '401 precedes 406',
  )
})

const missing = { name: 'id', from: 'query', required: true, codec: c.int32 } as const
const whole = { name: 'note', from: 'body', required: true, codec: c.object({}) } as const

t.test('decisions, order of checks: Accept, then Content-Type, then parameters', async (t) => {
  const failing = async (parts: Parts, contentType: string, accept: string): Promise<unknown> => {
    const error = await rejection(run(parts, post(contentType, '{', { headers: { accept } })))
    return error instanceof Error ? error.constructor.name : error
  }
  const parts = { params: [missing, whole], call: () => t.fail('the action ran') }
  t.strictSame(
    [
      await failing(parts, 'image/png', 'image/png'),
      await failing(parts, 'image/png', '*/*'),
      await failing(parts, 'application/json', '*/*'),
      await failing({ ...parts, params: [whole] }, 'application/json', '*/*'),
    ],
    ['NotAcceptable', 'UnsupportedMediaType', 'MissingError', 'JsonParseError'],
  )
})

t.test('a filter that reads the body refuses its type before the Accept header is looked at', async (t) => {
  const filters = [filter('before', 'body', () => t.fail('the filter ran'), [whole])]
  const error = await rejection(
    run({ filters }, post('image/png', '{}', { headers: { accept: 'image/png' } })),
  )
  t.type(error, UnsupportedMediaType)
})

t.test('the body is read once, whoever asks', async (t) => {
  let reads = 0
  const text = { name: 'text', from: 'field', required: true, codec: c.string } as const
  const requested = post('application/json', '', {
    body: {
      kind: 'bytes',
      contentType: 'application/json',
      read: async () => {
        reads += 1
        return Buffer.from('{"text":"a"}')
      },
    },
  })
  const filters = [filter('before', 'first', () => {}, [text]), filter('before', 'second', () => {}, [text])]
  const outcome = await run({ filters, params: [text, text], call: (_probe, args) => args }, requested)
  t.strictSame([seen(outcome), reads], [[200, '["a","a"]'], 1])
})

t.test('an after filter has the last word on headers, and none on what was sent before it', async (t) => {
  const mark = filter('after', 'mark', (probe: Probe) => {
    probe.response.set('X-Mark', 'after')
    probe.response.append('Vary', 'Accept')
    probe.response.append('Vary', 'Cookie')
  })
  const call: Parts['call'] = (probe) => {
    probe.response.set('X-Mark', 'action')
    return { buffer: Buffer.from('hi'), bytes: new Uint8Array([1, 2]), big: 1n, set: new Set(['a']) }
  }
  t.strictSame(await run({ filters: [mark], call }), {
    status: 200,
    headers: {
      'x-mark': 'after',
      vary: ['Accept', 'Cookie'],
      'content-type': 'application/json; charset=utf-8',
    },
    body: '{"buffer":"aGk=","bytes":"AQI=","big":"1","set":["a"]}',
  })
})

t.test('an around filter that does not wait for next leaves nothing behind', async (t) => {
  const hasty = filter('around', 'hasty', (_probe, _args, next) => {
    void next()
  })
  const slow: Parts['call'] = async () => {
    await Promise.resolve()
    return 'slow'
  }
  t.strictSame(seen(await run({ filters: [hasty], call: slow })), [200, '"slow"'])
  const error = new Error('inside')
  t.equal(await rejection(run({ filters: [hasty], call: () => Promise.reject(error) })), error)
})

t.test('an around filter that neither renders nor goes on is told, with what it swallowed', async (t) => {
  const message = 'probe_show: an around filter neither rendered nor went on'
  const silent = filter('around', 'silent', () => {})
  t.match(await rejection(run({ filters: [silent] })), { message })
  const swallowing = filter('around', 'swallowing', (_probe, _args, next) => next().catch(() => {}))
  const cause = new Error('inside')
  const call = (): never => {
    throw cause
  }
  t.match(await rejection(run({ filters: [swallowing], call })), { message, cause })
  const twice = filter('around', 'twice', async (_probe, _args, next) => {
    await next()
    await next()
  })
  t.match(await rejection(run({ filters: [twice] })), { message: 'an around filter called next twice' })
})

t.test('an around filter may answer before its inside has ended, which then changes nothing', async (t) => {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const impatient = filter('around', 'impatient', async (probe: Probe, _args, next) => {
    await Promise.race([next(), Promise.resolve()])
    return probe.render({ status: 503, text: 'too slow' })
  })
  let ended = false
  const call: Parts['call'] = async () => {
    await gate
    ended = true
    throw new Error('nobody waits for this')
  }
  const late = filter('after', 'late', async () => {
    open()
    await gate
    await Promise.resolve()
  })
  const handlers = [handler(Error, 400, () => t.fail('a handler ran'))]
  t.strictSame(seen(await run({ filters: [impatient, late], handlers, call })), [503, 'too slow'])
  t.ok(ended)
})

class Created {}
class Queued extends Created {}

t.test('the status follows the class of the returned value, the first that fits', async (t) => {
  const statuses = [
    { type: Queued, status: 202 },
    { type: Created, status: 201 },
  ]
  const status = async (value: unknown): Promise<number> =>
    (await run({ route: { statuses }, call: () => value })).status
  t.strictSame(
    [await status(new Queued()), await status(new Created()), await status({}), await status(undefined)],
    [202, 201, 200, 200],
  )
})

t.test('@produces fixes the type and nothing is negotiated', async (t) => {
  const requested = request({ headers: { accept: 'image/png' } })
  const { headers } = await run({ route: { produces: 'text/plain' }, call: () => 'plain' }, requested)
  t.strictSame(headers, { 'content-type': 'text/plain; charset=utf-8' })
})

t.test('@requireTls sends plain http to https before a controller exists', async (t) => {
  const parts: Parts = {
    route: { requiresTls: true, create: () => t.fail('a controller was made') as never },
    handlers: [handler(Error, 400, () => t.fail('a handler ran'))],
  }
  const to = async (
    method: string,
    url: string,
    forwarded?: string,
    base?: string,
  ): Promise<HttpResponse> => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded }
    return run(parts, request({ method, url, headers, query: new URLSearchParams() }), base)
  }
  const plain = 'http://localhost:3000'
  t.strictSame(await to('GET', '/a?b=c', 'http'), {
    status: 302,
    headers: { location: 'https://notes.example/a?b=c' },
    body: null,
  })
  const places = await Promise.all([
    to('POST', '/a', 'http, https'),
    to('HEAD', '/a', undefined, plain),
    to('GET', '//evil.example/a', 'http'),
  ])
  t.strictSame(
    places.map(({ status, headers }) => [status, headers.location]),
    [
      [308, 'https://notes.example/a'],
      [302, 'https://localhost:3000/a'],
      [302, 'https://notes.example//evil.example/a'],
    ],
  )
})

t.test('@requireTls lets a request pass that came over https', async (t) => {
  const parts: Parts = { route: { requiresTls: true } }
  const base = 'http://localhost:3000'
  const forwarded = request({ headers: { 'x-forwarded-proto': 'https' } })
  t.strictSame(
    [seen(await run(parts, request())), seen(await run(parts, forwarded, base))],
    [
      [200, '"done"'],
      [200, '"done"'],
    ],
    'the base URL is https and no proxy says otherwise, or the proxy says so',
  )
})

t.test('prepareRoute refuses decoders that do not fit the table', async (t) => {
  const { prepareRoute } = await import('../../../runtime/http/pipeline/prepare/prepare-route.ts')
  const route = { id: 'probe_show', filters: [filter('before', 'a', () => {})] } as never // two fields are looked at
  const settings = { baseUrl: '', formats: plainFormats }
  const message = 'the bundle has no decoders for probe_show: run acmcp build'
  t.throws(() => prepareRoute(route, undefined, settings), { message })
  t.throws(() => prepareRoute(route, { params: [], filters: [], handlers: [] }, settings), { message })
})

t.test('a second next that nobody waits for is refused and does not end the process', async (t) => {
  let runs = 0
  const twice = filter('around', 'twice', (_probe, _args, next) => {
    void next()
    void next()
  })
  const call = (): number => ++runs
  const answer = await run({ filters: [twice], call })
  await new Promise((resolve) => setImmediate(resolve)) // what nobody handles is told after the turn
  t.strictSame([seen(answer), runs], [[200, '1'], 1])
})

t.test('an action that a filter did not wait for changes nothing while an outer filter works', async (t) => {
  let inside: Promise<void> = Promise.resolve()
  const tooSlow = filter('around', 'too slow', (probe: Probe, _args, next) => {
    inside = next()
    return probe.render({ status: 503, text: 'too slow' })
  })
  const failing = filter('around', 'failing', (_probe, _args, next) => {
    inside = next()
    throw new RangeError('too slow')
  })
  let end = (): void => {}
  const outer = filter('around', 'outer', async (_probe, _args, next) => {
    try {
      await next()
    } finally {
      end()
      await inside
    }
  })
  const handlers = [handler(RangeError, 400, (_probe, error: Error) => error.message)]
  for (const [inner, expected] of [
    [tooSlow, [503, 'too slow']],
    [failing, [400, '"too slow"']],
  ] as const) {
    const late = new Readable({ read: () => t.fail('it was read') })
    const gate = new Promise<void>((resolve) => {
      end = resolve
    })
    const call: Parts['call'] = async () => {
      await gate
      return late
    }
    const answer = await run({ filters: [outer, inner], handlers, call })
    t.strictSame([seen(answer), late.destroyed], [expected, true])
  }
})

t.test(
  'a stream under a header that HTTP cannot carry is closed when a handler answers instead',
  async (t) => {
    const stream = (): Readable => new Readable({ read: () => t.fail('it was read') })
    const [rendered, handled] = [stream(), stream()]
    const call: Parts['call'] = (probe) => probe.render({ body: rendered, headers: { 'x-name': '\u65e5' } })
    const reported = handler(TypeError, 400, (_probe, error: Error) => Reflect.get(error, 'code'))
    t.strictSame(seen(await run({ handlers: [reported], call })), [400, '"ERR_INVALID_CHAR"'])
    const failing = handler(TypeError, null, (probe: Probe) =>
      probe.render({ body: handled, headers: { 'x-name': '\u65e5' } }),
    )
    t.match(await rejection(run({ handlers: [failing], call })), { code: 'ERR_INVALID_CHAR' })
    t.strictSame([rendered.destroyed, handled.destroyed], [true, true])
  },
)
