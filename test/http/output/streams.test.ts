/** Streams and events over real connections: back-pressure, clients that go away, failures in the middle.
 *  Source: WHATWG HTML, 9.2. */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import t from 'tap'
import type { RouteFilter } from '../../../runtime/contract/route.ts'
import { eventStream, ServerEvent } from '../../../runtime/http/output/events.ts'
import { dial, errorsOf, gate, openProbe, type Probe, readAll, report } from '../support/one-route.ts'
import { rawClient } from '../support/raw.ts'
import { endpoint, shell } from '../support/shell.ts'

const get = (headers = ''): string =>
  `GET /probe HTTP/1.1\r\nhost: localhost\r\n${headers}connection: close\r\n\r\n`

t.test('a Node stream, a web stream, a blob and a file are sent as they are', async (t) => {
  const answerOf = async (value: () => unknown, produces?: string): Promise<readonly unknown[]> => {
    const app = await openProbe(t, { call: value, ...(produces === undefined ? {} : { produces }) })
    const { statusCode, headers, body } = await app.client().get('/probe')
    const { 'content-type': type, 'content-length': length, 'content-disposition': disposition } = headers
    return [statusCode, type, length, disposition, body]
  }
  t.strictSame(await answerOf(() => Readable.from(['a', 'b'])), [
    200,
    'application/octet-stream',
    undefined,
    undefined,
    'ab',
  ])
  const web = (): ReadableStream => new Blob(['é']).stream()
  t.strictSame(await answerOf(web, 'text/csv'), [200, 'text/csv; charset=utf-8', undefined, undefined, 'é'])
  t.strictSame(await answerOf(() => new Blob(['xyz'], { type: 'image/png' })), [
    200,
    'image/png',
    '3',
    undefined,
    'xyz',
  ])
  t.strictSame(await answerOf(() => new File(['1;2'], 'año "1".csv', { type: 'text/csv' })), [
    200,
    'text/csv; charset=utf-8',
    '3',
    `attachment; filename="a?o \\"1\\".csv"; filename*=UTF-8''a%C3%B1o%20%221%22.csv`,
    '1;2',
  ])
  const lines = async function* (): AsyncGenerator<string> {
    yield 'a,b\n'
    yield ''
    yield '1,2\n'
  }
  t.strictSame(await answerOf(lines, 'text/csv'), [
    200,
    'text/csv; charset=utf-8',
    undefined,
    undefined,
    'a,b\n1,2\n',
  ])
})

t.test('an async iterable is an event stream, one JSON text per item', async (t) => {
  const events = async function* (): AsyncGenerator<unknown> {
    yield { text: 'one\ntwo\r\n' }
    yield 'plain'
    yield new ServerEvent({ event: 'added', id: '7', retry: 1000, data: 12n })
    yield undefined
  }
  const app = await openProbe(t, { produces: 'text/event-stream', call: events })
  const { headers, body } = await app.client().get('/probe', { accept: 'text/event-stream' })
  t.strictSame(
    [headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
    ['text/event-stream', 'no-cache', 'no'],
  )
  t.strictSame(body.split('\n\n'), [
    'data: {"text":"one\\ntwo\\r\\n"}',
    'data: "plain"',
    'event: added\nid: 7\nretry: 1000\ndata: "12"',
    'data: null',
    '',
  ])
  t.throws(() => new ServerEvent({ event: 'a\nb', data: 1 }), TypeError)
  t.throws(() => new ServerEvent({ id: 'a\0', data: 1 }), TypeError)
  t.throws(() => new ServerEvent({ retry: 1.5, data: 1 }), TypeError)
})

t.test(
  'a client that waits gets comments, and a generator that is stuck does not hold the end up',
  async (t) => {
    const never = async function* (): AsyncGenerator<string> {
      yield 'one'
      await new Promise(() => {})
    }
    const reader = eventStream(never(), JSON.stringify, { firstMs: 5000, everyMs: 1 }).getReader()
    const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString()
    t.strictSame([await next(), await next(), await next()], ['data: "one"\n\n', ':\n\n', ':\n\n'])
    await reader.cancel()
    t.strictSame(await reader.read(), { done: true, value: undefined })
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const closed = gate()
    const bad = async function* (): AsyncGenerator<unknown> {
      try {
        yield cycle
      } finally {
        closed.open()
      }
    }
    await t.rejects(eventStream(bad(), JSON.stringify).getReader().read(), /circular/i)
    await closed.opened
  },
)

t.test('a filter may render a stream or events; the after filter still sets headers', async (t) => {
  const filters: readonly RouteFilter[] = [
    {
      when: 'before',
      name: 'answer',
      call: (probe: Probe) =>
        probe.render({ status: 203, body: Readable.from(['x']), contentType: 'text/css' }),
    },
    { when: 'after', name: 'mark', call: (probe: Probe) => probe.response.set('X-After', 'yes') },
  ]
  const app = await openProbe(t, { filters, call: () => t.fail('the action ran') })
  const { statusCode, headers, body } = await app.client().get('/probe')
  t.strictSame(
    [statusCode, headers['content-type'], headers['x-after'], body],
    [203, 'text/css; charset=utf-8', 'yes', 'x'],
  )
})

t.test('nobody reads ahead: a slow client holds a generator up', async (t) => {
  const piece = Buffer.alloc(64 * 1024)
  const pieces = 2000
  let made = 0
  const closed = gate()
  const app = await openProbe(t, {
    produces: 'application/octet-stream',
    call: async function* () {
      try {
        for (; made < pieces; made++) yield piece
      } finally {
        closed.open()
      }
    },
  })
  const socket = await dial(t, app)
  socket.write(get())
  await once(socket, 'readable') // the head has come; nothing more is taken
  const settled = async (): Promise<number> => {
    for (let last = -1; last !== made; ) {
      last = made
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    return made
  }
  const held = await settled()
  t.ok(held < pieces / 4, `${held} of ${pieces} pieces were made for a client that takes nothing`)
  socket.destroy()
  await closed.opened
  t.ok(made < pieces, 'the generator was closed, its finally block ran')
})

t.test('a client that goes away ends the generator and aborts the signal', async (t) => {
  const aborted = gate()
  const closed = gate()
  const app = await openProbe(t, {
    produces: 'text/event-stream',
    call: async function* (probe) {
      probe.request.signal.addEventListener('abort', aborted.open)
      try {
        yield 'first'
        await aborted.opened // what a generator that waits for something has to watch
        yield 'never sent'
      } finally {
        closed.open()
      }
    },
  })
  const errors = errorsOf(t, app)
  const socket = await dial(t, app)
  socket.write(get())
  await once(socket, 'data')
  socket.destroy()
  await Promise.all([aborted.opened, closed.opened])
  t.strictSame(errors, [], 'that is no error of ours')
})

t.test('a Node stream and a web stream are closed when the client goes away', async (t) => {
  const endless = new Readable({ read: () => endless.push(Buffer.alloc(16 * 1024)) })
  const cancelled = gate()
  const web = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.alloc(16 * 1024)),
    cancel: cancelled.open,
  })
  for (const [stream, closed] of [
    [endless, once(endless, 'close')],
    [web, cancelled.opened],
  ] as const) {
    const app = await openProbe(t, { call: () => stream })
    const socket = await dial(t, app)
    socket.write(get())
    await once(socket, 'data')
    socket.destroy()
    await closed
  }
  t.ok(endless.destroyed)
})

t.test('a failure in the middle closes the connection and is logged once', async (t) => {
  const broken = gate()
  const app = await openProbe(t, {
    produces: 'text/csv',
    handlers: [report(Error, 400)],
    call: async function* () {
      yield 'a,b\n'
      await broken.opened
      throw new Error('half way')
    },
  })
  const errors = errorsOf(t, app)
  const socket = await dial(t, app)
  socket.write(get())
  const all = readAll(socket)
  await once(socket, 'data')
  broken.open()
  const answer = await all
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  t.match(answer, 'a,b\n')
  t.notOk(answer.endsWith('0\r\n\r\n'), 'the body is not ended as if it were whole')
  t.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, 'no second answer')
  t.strictSame(errors, ['a streamed answer broke off: half way'])
})

t.test('a stream that comes after the client has gone is closed at once', async (t) => {
  const called = gate()
  const stream = new Readable({ read: () => stream.push('x') })
  const app = await openProbe(t, {
    call: async (probe) => {
      const aborted = new Promise((resolve) => probe.request.signal.addEventListener('abort', resolve))
      called.open()
      await aborted
      return stream
    },
  })
  const errors = errorsOf(t, app)
  const socket = await dial(t, app)
  socket.write(get())
  await called.opened
  socket.destroy()
  await once(stream, 'close')
  t.strictSame(errors, [])
})

t.test('a stream that fails before its first byte is an unhandled exception, logged once', async (t) => {
  const app = await openProbe(t, {
    call: () => new Readable({ read: () => {} }).destroy(new Error('at once')),
  })
  const errors = errorsOf(t, app)
  const { statusCode } = await app.client().get('/probe')
  t.strictSame([statusCode, errors], [500, ['unhandled exception: at once']])
})

t.test(
  'a stream that will not be sent is closed: HEAD, an after filter that throws, a second rendering',
  async (t) => {
    const streams: Readable[] = []
    const call = (): Readable => {
      const stream = new Readable({ read: () => t.fail('it was read') })
      streams.push(stream)
      return stream
    }
    const late: RouteFilter = {
      when: 'after',
      name: 'late',
      call: () => {
        throw new Error('late')
      },
    }
    const instead: RouteFilter = { when: 'after', name: 'instead', call: (probe: Probe) => probe.head(204) }
    const head = await openProbe(t, { call })
    const failing = await openProbe(t, { call, filters: [late] })
    const replacing = await openProbe(t, { call, filters: [instead] })
    const unsendable: RouteFilter = {
      when: 'after',
      name: 'unsendable',
      call: (probe: Probe) => probe.response.set('X-Name', '\u65e5'),
    }
    const impossible = await openProbe(t, { call, filters: [unsendable] })
    const answers = [
      await head.client().request({ method: 'HEAD', url: '/probe' }),
      await failing.client().get('/probe'),
      await replacing.client().get('/probe'),
      await impossible.client().get('/probe'),
    ]
    t.strictSame(
      answers.map(({ statusCode }) => statusCode),
      [200, 500, 204, 500],
    )
    t.strictSame(
      streams.map(({ destroyed }) => destroyed),
      [true, true, true, true],
    )
  },
)

t.test(
  'events that come after the client has gone are let go at once, not when the server ends',
  async (t) => {
    const requested = gate()
    const cancelled = gate()
    let cancels = 0
    const late = endpoint('/late', async (request) => {
      const gone = new Promise<void>((resolve) => void request.onDisconnect?.(() => resolve()))
      requested.open()
      await gone
      const body = new ReadableStream<Uint8Array>()
      const reader = body.getReader()
      const cancel = reader.cancel.bind(reader)
      reader.cancel = (reason) => {
        cancels += 1
        cancelled.open()
        return cancel(reason)
      }
      body.getReader = (() => reader) as typeof body.getReader // the one that counts
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
    })
    const { app } = await shell([late])
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const { socket, write } = await rawClient(Number(port))
    write('GET /late HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await requested.opened
    socket.destroy()
    await cancelled.opened
    await app.close()
    t.equal(cancels, 1)
  },
)

t.test('a session that changes while an answer streams is stored, or refused where it is new', async (t) => {
  const lines: string[] = []
  const call = async function* ({ request: { session } }: Probe): AsyncGenerator<unknown> {
    const before = session.get('seen') ?? null
    yield before
    await new Promise(setImmediate)
    session.set('seen', 'late')
    session.set('more', 1)
    yield session.get('seen')
  }
  const start = (probe: Probe): unknown => {
    if (probe.request.headers['x-first'] === undefined) return call(probe)
    probe.request.session.set('seen', 'first')
    return (async function* () {})()
  }
  const app = await openProbe(t, {
    produces: 'text/event-stream',
    call: start,
    logged: (line) => void lines.push(line),
  })
  const base = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const read = async (headers: Record<string, string>): Promise<readonly unknown[]> => {
    const answer = await fetch(`${base}/probe`, { headers: { accept: 'text/event-stream', ...headers } })
    const body = await answer.text().catch(() => 'cut off')
    return [answer.headers.get('set-cookie')?.split(';', 1).join() ?? null, body]
  }
  const [cookie] = await read({ 'x-first': '1' })
  const known = { cookie: String(cookie) }
  t.strictSame(await read(known), [null, 'data: "first"\n\ndata: "late"\n\n'])
  t.strictSame(await read(known), [null, 'data: "late"\n\ndata: "late"\n\n'])
  const errors = lines.filter((line) => line.includes('the session cannot keep'))
  t.strictSame(errors, [])
  t.strictSame(await read({}), [null, 'cut off'])
  t.match(lines.join(''), "the session cannot keep 'seen': the answer has begun")
})
