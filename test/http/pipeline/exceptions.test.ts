/** Exception handlers, rule by rule. Source: rules.md, Exception handlers. */
import t from 'tap'
import type { RouteHandler } from '../../../runtime/contract/route.ts'
import { MissingError, NotAcceptable, NotFound } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { rescueFrom } from '../../../runtime/http/pipeline/rescue-from.ts'
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

class Special extends NotFound {}
class Sibling extends Error {}

const raise =
  (error: unknown): NonNullable<Parts['call']> =>
  () => {
    throw error
  }

const gone = handler(NotFound, 404, (_probe, error: NotFound) => ({ error: error.message }))
const never = (t: { fail(message: string): unknown }, error: RouteHandler['error']): RouteHandler =>
  handler(error, 400, () => t.fail('another handler ran'))

t.test(
  'spec, Exception handlers 1: an error that the action throws or rejects with is answered by its handler',
  async (t) => {
    const expected = [404, '{"error":"gone"}']
    t.strictSame(seen(await run({ handlers: [gone], call: raise(new NotFound('gone')) })), expected)
    const awaited = async (): Promise<never> => {
      await Promise.resolve()
      throw new NotFound('gone')
    }
    t.strictSame(seen(await run({ handlers: [gone], call: awaited })), expected)
  },
)

t.test('spec, Exception handlers 1: an error of a before filter is answered by its handler', async (t) => {
  const filters = [filter('before', 'find', raise(new NotFound('gone')))]
  t.strictSame(seen(await run({ filters, handlers: [gone] })), [404, '{"error":"gone"}'])
})

t.test('an around filter may throw before next, and after it while nothing was rendered', async (t) => {
  const before = filter('around', 'early', raise(new NotFound('gone')))
  t.strictSame(seen(await run({ filters: [before], handlers: [gone] })), [404, '{"error":"gone"}'])
  const after = filter('around', 'late', async (_probe, _args, next) => {
    await next().catch(() => {})
    throw new NotFound('after next')
  })
  const outcome = await run({ filters: [after], handlers: [gone], call: raise(new Sibling('inside')) })
  t.strictSame(seen(outcome), [404, '{"error":"after next"}'])
})

t.test('spec, Exception handlers 1: a handler answers subclasses of its class and no sibling', async (t) => {
  t.strictSame(seen(await run({ handlers: [gone], call: raise(new Special('gone')) })), [
    404,
    '{"error":"gone"}',
  ])
  const error = new Sibling('other')
  t.equal(await rejection(run({ handlers: [gone], call: raise(error) })), error)
})

t.test('MissingError of a parameter of a filter is answered by its handler', async (t) => {
  const tenant = { name: 'X-Tenant', from: 'header', required: true, codec: c.string } as const
  const filters = [filter('before', 'tenant', () => t.fail('the filter ran'), [tenant])]
  const handlers = [
    handler(MissingError, 422, (_probe, error: MissingError) => [error.message, error.restriction]),
  ]
  const outcome = await run({ filters, handlers })
  t.strictSame(seen(outcome), [422, `["missing required header 'X-Tenant'","string"]`])
})

t.test('spec, Exception handlers 1: what is thrown without being an Error matches nothing', async (t) => {
  for (const thrown of ['text', null, undefined, { message: 'like an error' }]) {
    const handlers = [never(t, Error), never(t, Object)]
    t.equal(await rejection(run({ handlers, call: raise(thrown) })), thrown)
  }
})

t.test('an extra argument that is absent or does not convert is undefined', async (t) => {
  const limit = { name: 'limit', from: 'query', required: false, codec: c.int32 } as const
  const provided = handler(NotFound, 404, (_probe, _error, args) => ({ args: args.map(String) }), {
    params: [limit],
  })
  const parts = { handlers: [provided], call: raise(new NotFound()) }
  t.strictSame(seen(await run(parts)), [404, '{"args":["undefined"]}'])
  t.strictSame(seen(await run(parts, request({ url: '/probe?limit=many' }))), [404, '{"args":["undefined"]}'])
})

t.test('spec, Exception handlers 2: extra arguments come from path, query, header and form', async (t) => {
  const params = [
    { name: 'id', from: 'path', required: false, codec: c.int32 },
    { name: 'page', from: 'query', required: false, codec: c.int32 },
    { name: 'X-Tenant', from: 'header', required: false, codec: c.string },
    { name: 'note', from: 'field', required: false, codec: c.string },
  ] as const
  const all = handler(NotFound, 404, (_probe, _error, args) => args, { params })
  const requested = post('application/x-www-form-urlencoded', 'note=from+a+form', {
    url: '/probe?page=2',
    params: { id: '7' },
    headers: { 'x-tenant': 'a' },
  })
  const outcome = await run({ handlers: [all], call: raise(new NotFound()) }, requested)
  t.strictSame(seen(outcome), [404, '[7,2,"a","from a form"]'])
})

t.test('spec, Exception handlers 3: the value of a handler is negotiated', async (t) => {
  const requested = request({ headers: { accept: 'application/yaml' } })
  const outcome = await run({ handlers: [gone], call: raise(new NotFound('gone')) }, requested)
  t.strictSame(outcome, {
    status: 404,
    headers: { 'content-type': 'application/yaml; charset=utf-8' },
    body: 'error: gone\n',
  })
})

t.test(
  'spec, Exception handlers 3: where Accept cannot be satisfied, even for NotAcceptable, the answer is JSON',
  async (t) => {
    const requested = request({ headers: { accept: 'image/png' } })
    const found = filter('before', 'find', raise(new NotFound('gone')))
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    t.strictSame(await run({ filters: [found], handlers: [gone] }, requested), {
      status: 404,
      headers,
      body: '{"error":"gone"}',
    })
    const handlers = [handler(NotAcceptable, 406, (_probe, error: NotAcceptable) => error.accepts.length > 0)]
    t.strictSame(await run({ handlers, call: () => t.fail('the action ran') }, requested), {
      status: 406,
      headers,
      body: 'true',
    })
  },
)

t.test('headers of the body that was not sent are cleared, others stay', async (t) => {
  const call: Parts['call'] = (probe) => {
    probe.response.set('Content-Type', 'text/csv')
    probe.response.set('Content-Disposition', 'attachment')
    probe.response.set('ETag', '"1"')
    probe.response.set('X-Kept', 'yes')
    throw new NotFound('gone')
  }
  t.strictSame(await run({ handlers: [gone], call }), {
    status: 404,
    headers: { 'x-kept': 'yes', 'content-type': 'application/json; charset=utf-8' },
    body: '{"error":"gone"}',
  })
})

t.test('a handler that returns nothing answers its status without a body', async (t) => {
  const outcome = await run({
    handlers: [handler(NotFound, 404, () => undefined)],
    call: raise(new NotFound()),
  })
  t.strictSame(outcome, { status: 404, headers: {}, body: null })
})

t.test('a handler answers exactly what render, head and redirectTo say', async (t) => {
  const answer = (call: (probe: Probe) => unknown): Promise<unknown> =>
    run({ handlers: [handler(NotFound, 404, call)], call: raise(new NotFound()) })
  t.strictSame(
    await answer((probe) => probe.render({ status: 410, text: 'gone', headers: { 'X-A': 'b' } })),
    {
      status: 410,
      headers: { 'x-a': 'b', 'content-type': 'text/plain; charset=utf-8' },
      body: 'gone',
    },
  )
  t.strictSame(await answer((probe) => probe.head(411)), { status: 411, headers: {}, body: null })
  t.strictSame(await answer((probe) => probe.redirectTo('/elsewhere')), {
    status: 302,
    headers: { location: '/elsewhere' },
    body: null,
  })
})

t.test('spec, Exception handlers 4: what a handler returns after it has rendered is ignored', async (t) => {
  const both = handler(NotFound, 404, (probe: Probe) => {
    const page = probe.render({ status: 410, text: 'rendered' })
    return { dropped: page.status }
  })
  t.strictSame(seen(await run({ handlers: [both], call: raise(new NotFound()) })), [410, 'rendered'])
  const call: Parts['call'] = (probe) => {
    probe.render({ text: 'by the action, not returned' })
    throw new NotFound('gone')
  }
  t.strictSame(
    seen(await run({ handlers: [gone], call })),
    [404, '{"error":"gone"}'],
    'only its own rendering',
  )
})

t.test('spec, Exception handlers 5: a handler with a type answers in it whatever Accept says', async (t) => {
  const text = handler(NotFound, 404, () => 'gone', { contentType: 'text/plain' })
  const requested = request({ headers: { accept: 'application/json' } })
  const { status, headers } = await run({ handlers: [text], call: raise(new NotFound()) }, requested)
  t.strictSame([status, headers], [404, { 'content-type': 'text/plain; charset=utf-8' }])
})

t.test('one method for two classes answers each with its own status', async (t) => {
  const call: RouteHandler['call'] = (_probe, error: Error) => error.message
  const handlers = [handler(NotFound, 404, call), handler(Sibling, 409, call)]
  t.strictSame(seen(await run({ handlers, call: raise(new NotFound('a')) })), [404, '"a"'])
  t.strictSame(seen(await run({ handlers, call: raise(new Sibling('b')) })), [409, '"b"'])
})

/** A generic error class as language.md has it: the literal type argument is a readonly property. */
class ApiError<Status extends number> extends Error {
  readonly code: Status
  constructor(code: Status) {
    super(`code ${code}`)
    this.code = code
  }
}

const codeIs = (value: number): Partial<RouteHandler> => ({ match: { property: 'code', value } })

t.test('a handler of one literal argument answers instances with that value only', async (t) => {
  const handlers = [handler(ApiError, 404, () => 'not found', codeIs(404))]
  t.strictSame(seen(await run({ handlers, call: raise(new ApiError(404)) })), [404, '"not found"'])
  const other = new ApiError(500)
  t.equal(await rejection(run({ handlers, call: raise(other) })), other)
})

t.test(
  'spec, Exception handlers 8: a handler of the bare generic answers every instance, with its own fixed status',
  async (t) => {
    const handlers = [handler(ApiError, 400, (_probe, error: ApiError<number>) => error.code)]
    t.strictSame(seen(await run({ handlers, call: raise(new ApiError(404)) })), [400, '404'])
    t.strictSame(seen(await run({ handlers, call: raise(new ApiError(500)) })), [400, '500'])
  },
)

t.test('the specific handler above the generic one answers its instances', async (t) => {
  const handlers = [
    handler(ApiError, 404, () => 'specific', codeIs(404)),
    handler(ApiError, 400, () => 'any'),
  ]
  t.strictSame(seen(await run({ handlers, call: raise(new ApiError(404)) })), [404, '"specific"'])
  t.strictSame(seen(await run({ handlers, call: raise(new ApiError(500)) })), [400, '"any"'])
})

t.test('spec, Exception handlers 8: a handler that renders answers with each error’s own code', async (t) => {
  const own = handler(ApiError, null, (probe: Probe, error: ApiError<number>) =>
    probe.render({ status: error.code, json: { code: error.code } }),
  )
  for (const code of [404, 418]) {
    const outcome = await run({ handlers: [own], call: raise(new ApiError(code)) })
    t.strictSame(seen(outcome), [code, `{"code":${code}}`])
  }
})

/** Fresh classes for each test: registrations last as long as the process. */
function family(): {
  readonly Base: typeof Controller & (new () => Controller)
  readonly Leaf: new () => Controller & { answer(error: Error): unknown }
} {
  class Base extends Controller {}
  class Leaf extends Base {
    answer(error: Error): unknown {
      return this.render({ status: 410, text: error.message })
    }
  }
  return { Base, Leaf }
}

const routed = (
  controller: new () => Controller,
  error: Error,
  handlers: readonly RouteHandler[] = [],
): Parts => ({
  route: { controller, create: () => new controller() },
  handlers,
  call: raise(error),
})

t.test('spec, Exception handlers 9: rescueFrom answers by a method and by a function', async (t) => {
  const byMethod = family().Leaf
  rescueFrom(byMethod, NotFound, 'answer')
  t.strictSame(seen(await run(routed(byMethod, new Special('by method')))), [410, 'by method'])
  const byFunction = family().Leaf
  rescueFrom(byFunction, NotFound, (error, controller) =>
    controller.render({ status: 411, text: error.message }),
  )
  t.strictSame(seen(await run(routed(byFunction, new NotFound('by function')))), [411, 'by function'])
})

t.test(
  'spec, Exception handlers 9: its return value is dropped, and one that sends nothing leaves the error unhandled',
  async (t) => {
    const sends = family().Leaf
    rescueFrom(sends, NotFound, async (_error, controller) => {
      controller.head(410)
      return { dropped: true }
    })
    t.strictSame(seen(await run(routed(sends, new NotFound()))), [410, null])
    const silent = family().Leaf
    rescueFrom(silent, NotFound, () => ({ dropped: true }))
    const error = new NotFound()
    t.equal(
      await rejection(run(routed(silent, error, [{ ...never(t, Error), depth: 1 }]))),
      error,
      'not an empty 200',
    )
  },
)

t.test(
  'a tagged handler that should render its own answer and sends nothing leaves the error unhandled',
  async (t) => {
    const error = new NotFound()
    const handlers = [handler(NotFound, null, () => undefined), never(t, Error)]
    t.equal(await rejection(run({ handlers, call: raise(error) })), error)
  },
)

t.test(
  'spec, Exception handlers 9: rescueFrom of a class comes before the tagged handlers of that class, not of its parents',
  async (t) => {
    const { Base, Leaf } = family()
    rescueFrom(Leaf, NotFound, 'answer')
    const ofLeaf = handler(NotFound, 404, () => 'tagged', { depth: 1 })
    t.strictSame(seen(await run(routed(Leaf, new NotFound('rescued'), [ofLeaf]))), [410, 'rescued'])
    const ofBase = handler(NotFound, 409, () => 'tagged on the parent', { depth: 0 })
    t.strictSame(seen(await run(routed(Leaf, new NotFound(), [ofBase]))), [409, '"tagged on the parent"'])
    t.ok(Base.name)
  },
)

t.test('a handler covers subclasses of its controller and no unrelated controller', async (t) => {
  const { Base, Leaf } = family()
  rescueFrom(Base, NotFound, (_error, controller) => controller.head(410))
  t.strictSame(seen(await run(routed(Leaf, new NotFound()))), [410, null])
  const error = new NotFound()
  t.equal(await rejection(run(routed(family().Leaf, error))), error)
})

t.test('the rescueFrom of a parent runs before that of the subclass', async (t) => {
  const { Base, Leaf } = family()
  rescueFrom(Base, Error, (_error, controller) => controller.head(500))
  rescueFrom(Leaf, NotFound, 'answer')
  t.strictSame(seen(await run(routed(Leaf, new NotFound()))), [500, null])
})

t.test('rescueFrom refuses what could not work', async (t) => {
  const { Leaf } = family()
  const unknown = 'missing' as 'answer' // what JavaScript might pass
  t.throws(() => rescueFrom(Leaf, NotFound, unknown), {
    message: 'rescueFrom(Leaf, NotFound): there is no method missing',
  })
  t.throws(() => rescueFrom(Controller, NotFound, () => {}), {
    message: 'rescueFrom(Controller, NotFound): name a class of the application',
  })
  rescueFrom(Leaf, NotFound, 'answer')
  t.throws(() => rescueFrom(Leaf, NotFound, 'answer'), {
    message: 'rescueFrom(Leaf, NotFound) was called before',
  })
  await run(routed(Leaf, new NotFound()))
  t.throws(() => rescueFrom(Leaf, Sibling, 'answer'), {
    message: 'rescueFrom(Leaf, Sibling): Leaf is served already; call it while modules load',
  })
})

t.test('spec, Exception handlers 10: the handler of the furthest ancestor runs', async (t) => {
  const handlers = [2, 0, 1].map((depth) => handler(NotFound, 400 + depth, () => `depth ${depth}`, { depth }))
  t.strictSame(seen(await run({ handlers, call: raise(new NotFound()) })), [400, '"depth 0"'])
})

t.test('in one class the handler that stands first runs, here the specific one', async (t) => {
  const handlers = [handler(NotFound, 404, () => 'specific'), handler(Error, 500, () => 'broad')]
  t.strictSame(seen(await run({ handlers, call: raise(new Special()) })), [404, '"specific"'])
  t.strictSame(seen(await run({ handlers, call: raise(new Sibling()) })), [500, '"broad"'])
})

t.test(
  'spec, Exception handlers 10: an untagged override of the handler of a parent runs with the status of the parent',
  async (t) => {
    class Parent extends Controller {
      gone(_error: NotFound): string {
        return 'parent'
      }
    }
    class Child extends Parent {
      override gone(_error: NotFound): string {
        return 'child'
      }
    }
    const inherited = handler(NotFound, 404, (controller: Parent, error: NotFound) => controller.gone(error))
    t.strictSame(seen(await run(routed(Child, new NotFound(), [inherited]))), [404, '"child"'])
  },
)

t.test('spec, Exception handlers 11: an exception after something was rendered is unhandled', async (t) => {
  const handlers = [never(t, Error)]
  const late = new NotFound('late')
  t.equal(await rejection(run({ handlers, filters: [filter('after', 'late', raise(late))] })), late)
  const around = filter('around', 'late', async (_probe, _args, next) => {
    await next()
    throw late
  })
  t.equal(await rejection(run({ handlers, filters: [around] })), late)
})

t.test(
  'spec, Exception handlers 11: a handler that throws, at once or later, is unhandled and no sibling is tried',
  async (t) => {
    const inHandler = new Sibling('in the handler')
    for (const call of [raise(inHandler), () => Promise.reject(inHandler)]) {
      const handlers = [handler(NotFound, 404, call), never(t, Error)]
      t.equal(await rejection(run({ handlers, call: raise(new NotFound()) })), inHandler)
    }
  },
)

t.test('a serialiser that fails is handled, without partial output', async (t) => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const handlers = [handler(TypeError, 400, () => 'no JSON form')]
  const expected = [400, '"no JSON form"']
  t.strictSame(seen(await run({ handlers, call: () => cyclic })), expected, 'a value')
  t.strictSame(
    seen(await run({ handlers, call: (probe) => probe.render({ json: cyclic }) })),
    expected,
    'render',
  )
  const own = [handler(NotFound, 404, () => cyclic), never(t, TypeError)]
  t.type(
    await rejection(run({ handlers: own, call: raise(new NotFound()) })),
    TypeError,
    'of the handler itself',
  )
})

t.test('a header that HTTP cannot carry is an exception where it is set', async (t) => {
  const handlers = [handler(TypeError, 400, () => 'no header')]
  const set: Parts['call'] = (probe) => probe.response.set('X-Name', 'two\nlines')
  t.strictSame(seen(await run({ handlers, call: set })), [400, '"no header"'])
  const redirect: Parts['call'] = (probe) => probe.redirectTo('/\u65e5')
  t.strictSame(seen(await run({ handlers, call: redirect })), [400, '"no header"'])
})
