/** Log lines: one per request, without secrets. Source: rules.md, Security requirements; rules.md, names. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FastifyPluginCallback } from 'fastify'
import t from 'tap'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { type Acts, answerTo, lastAnswer, listening, rawClient } from '../support/raw.ts'

type Line = Readonly<Record<string, unknown>>

interface Logged {
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<number>
  readonly port: number
  readonly lines: () => readonly Line[]
  readonly text: () => string
}

type Test = { teardown(clean: () => unknown): void }

async function logged(
  t: Test,
  config: object = {},
  options: Acts & { readonly level?: string } = {},
): Promise<Logged> {
  const written: string[] = []
  const { level = 'info', ...acts } = options
  const { app, port } = await listening(config, {
    ...acts,
    environment: { logLevel: level, production: true },
    logStream: { write: (line) => written.push(line) },
  })
  t.teardown(app.close)
  const lines = (): readonly Line[] =>
    written.map((line) => JSON.parse(line)).filter((line) => 'event' in line || 'err' in line)
  return {
    get: async (url, headers = {}) => (await app.client().get(url, headers)).statusCode,
    port,
    lines,
    text: () => written.join(''),
  }
}

const without = (line: Line | undefined, ...names: readonly string[]): Line =>
  Object.fromEntries(Object.entries(line ?? {}).filter(([name]) => !names.includes(name)))

t.test('one line per request: method, route, path, status, time and request id', async (t) => {
  const log = await logged(t)
  await log.get('/health?a=1')
  await log.get('/nowhere')
  const [first, second] = log.lines()
  t.strictSame(without(first, 'time', 'duration', 'requestId'), {
    level: 30,
    event: 'response',
    method: 'GET',
    route: '/health/',
    path: '/health?a=1',
    status: 200,
    msg: 'response',
  })
  t.match(first, { duration: /^\d+\.\d\dms$/, requestId: /^[0-9a-f]{12}-1$/ })
  t.strictSame([second?.route, second?.path, second?.status], [null, '/nowhere', 404])
  t.equal(log.lines().length, 2)
})

t.test('log.ms logs the time as a number of milliseconds with four decimals at most', async (t) => {
  const log = await logged(t, { log: { ms: true } })
  await log.get('/health')
  const [{ ms, duration } = {}] = log.lines()
  t.ok(typeof ms === 'number' && ms > 0 && Math.round(ms * 1e4) / 1e4 === ms, String(ms))
  t.equal(duration, undefined)
})

t.test(
  'an answer that stays open has its line when its client goes away or the server ends it',
  async (t) => {
    for (const isEndedByServer of [true, false]) {
      const lines: Line[] = []
      const environment = { logLevel: 'info', production: true }
      const written = new Promise<void>((resolve) => {
        const write = (line: string): void => {
          if (!line.includes('"event"')) return
          lines.push(JSON.parse(line))
          resolve()
        }
        void listening({ mcp: {} }, { environment, logStream: { write } }).then(async ({ app, port }) => {
          t.teardown(app.close)
          const client = new AbortController()
          const headers = { accept: 'text/event-stream' }
          const stream = await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: client.signal })
          t.strictSame([stream.status, lines], [200, []], 'not while it is open')
          if (isEndedByServer) await app.close()
          else client.abort()
        })
      })
      await written
      t.strictSame(
        lines.map((line) => without(line, 'time', 'duration', 'requestId')),
        [
          {
            level: 30,
            event: 'response',
            method: 'GET',
            route: '/mcp',
            path: '/mcp',
            status: 200,
            msg: 'response',
          },
        ],
      )
      t.match(lines[0], { duration: /^\d+\.\d\dms$/, requestId: /^[0-9a-f]{12}-/ })
    }
  },
)

t.test(
  'masked parameters never reach a line: encoded names, values with =, Location, further names',
  async (t) => {
    const secret = randomBytes(12).toString('hex')
    const log = await logged(
      t,
      { log: { mask: ['pin'] } },
      {
        call: (controller: Controller) =>
          controller.redirectTo(`/next?state=${secret}&ok=1#access_token=${secret}`),
      },
    )
    const queries = [
      `code=a=${secret}`,
      `c%6Fde=${secret}`,
      `%63%6f%64%65_verifier=${secret}=`,
      `a=1&state=${secret}&b=2`,
      `refresh_token=${secret}#x`,
      `pin=${secret}`,
      `x=1#token=${secret}`,
      `code=&code=${secret}`,
    ]
    for (const query of queries) t.equal(await log.get(`/health?${query}`), 302)
    t.equal(log.lines().length, queries.length)
    t.notMatch(log.text(), secret)
    t.equal(log.lines()[3]?.path, '/health?a=1&state=[FILTERED]&b=2')
    t.equal(log.lines()[0]?.location, '/next?state=[FILTERED]&ok=1#access_token=[FILTERED]')
  },
)

t.test('the line names the place that an answer with a body points to', async (t) => {
  const call = (controller: Controller): object => {
    controller.response.set('Location', '/notes/1?code=x')
    return { id: 1 }
  }
  const log = await logged(t, {}, { call })
  t.equal(await log.get('/health'), 200)
  t.equal(log.lines()[0]?.location, '/notes/1?code=[FILTERED]')
})

t.test('credential headers are masked in whatever a plugin logs', async (t) => {
  const secret = randomBytes(12).toString('hex')
  const talking: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (request, _reply, next) => {
      request.log.info({ event: 'plugin', req: request, headers: request.headers }, 'a request')
      next()
    })
    done()
  }
  const log = await logged(t, { plugins: [talking] })
  const headers = { authorization: secret, cookie: `a=${secret}`, 'x-api-key': secret, 'x-other': 'shown' }
  await log.get(`/health?code=${secret}`, headers)
  t.notMatch(log.text(), secret)
  t.match(log.lines()[0], {
    req: { method: 'GET', url: '/health?code=[FILTERED]' },
    headers: {
      authorization: '[FILTERED]',
      cookie: '[FILTERED]',
      'x-api-key': '[FILTERED]',
      'x-other': 'shown',
    },
  })
})

t.test('an unhandled exception is one line with the trace, its causes included and masked', async (t) => {
  const secret = randomBytes(12).toString('hex')
  const fail = (): never => {
    const cause = new TypeError(`the cause said {"client_secret": "${secret}", "other": 1}`)
    throw new Error(`no answer from https://x.example/?code=${secret}`, { cause })
  }
  const log = await logged(t, {}, { call: fail })
  t.equal(await log.get('/health'), 500)
  const [error, response] = log.lines()
  t.match(error, { level: 50, msg: 'unhandled exception', path: '/health', requestId: response?.requestId })
  t.match(error?.err, { type: 'Error', message: 'no answer from https://x.example/?code=[FILTERED]' })
  t.match(
    JSON.stringify(error?.err),
    /Error: no answer from .*request-log\.test\.[jt]s.*caused by: TypeError: the cause said .*FILTERED/,
  )
  t.match(response, { event: 'response', status: 500 })
  t.equal(log.lines().length, 2)
  t.notMatch(log.text(), secret)
})

t.test('whatever is thrown has a line of a bounded length that shows where it was raised', async (t) => {
  const long = new Error('a=b '.repeat(250_000))
  const ring = new Error('a ring')
  ring.cause = new Error('of causes', { cause: ring })
  const changed = new Error('a=b '.repeat(250_000))
  t.match(changed.stack, 'a=b', 'it is written once')
  changed.message = 'said otherwise'
  const thrown = [long, ring, changed, 'a text', Object.create(null)]
  const log = await logged(t, {}, { call: () => Promise.reject(thrown.shift()) })
  while (thrown.length > 0) t.equal(await log.get('/health'), 500)
  const errors = log.lines().filter(({ msg }) => msg === 'unhandled exception')
  const shown = errors.map(({ err }) => err as { readonly message: string; readonly stack: string }) // as it is documented
  t.ok(shown.every((err) => JSON.stringify(err).length < 40_000))
  t.match(shown[0]?.message, /^(a=b ){2048}… \(991808 more characters\)$/)
  t.match(shown[0]?.stack, /^Error: (a=b ){2048}… \(991808 more characters\)\n +at .*request-log\.test/)
  t.match(shown[1]?.stack, /^Error: a ring\n[\s\S]*\ncaused by: Error: of causes\n(?![\s\S]*caused by)/)
  t.match(shown[2], { message: 'said otherwise', stack: /^Error: (a=b ){4000}/ })
  t.strictSame(
    shown.slice(3).map(({ message }) => message),
    ['a text', '{}'],
  )
})

t.test('an error that a plugin logs without a message of its own is masked there too', async (t) => {
  const secret = randomBytes(12).toString('hex')
  const talking: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (request, _reply, next) => {
      request.log.error(new Error(`no answer to ?code=${secret}`))
      next()
    })
    done()
  }
  const log = await logged(t, { plugins: [talking] })
  await log.get('/health')
  t.match(log.lines()[0], { level: 50, msg: 'no answer to ?code=[FILTERED]' })
  t.notMatch(log.text(), secret)
})

t.test('a connection that is refused before it is a request has a line too', async (t) => {
  const log = await logged(t)
  t.equal(lastAnswer(await answerTo(log.port, 'no HTTP\r\n\r\n')).status, 400)
  t.match(log.lines(), [{ event: 'refused', status: 400 }])
})

t.test('nothing is logged below the level', async (t) => {
  for (const level of ['silent', 'warn']) {
    const log = await logged(t, {}, { level })
    await log.get('/health')
    t.equal(log.text(), '')
  }
})

t.test('a request whose client leaves before the answer has one line', async (t) => {
  let began = (): void => {}
  let reached = new Promise<void>((resolve) => {
    began = resolve
  })
  let answer = (_value: unknown): void => {}
  const call = (): Promise<unknown> => {
    began()
    return new Promise((resolve) => {
      answer = resolve
    })
  }
  for (const plugins of [[], [((_app, _options, done) => done()) satisfies FastifyPluginCallback]]) {
    const log = await logged(t, { plugins }, { call })
    const client = await rawClient(log.port)
    client.write('GET /health?a=1 HTTP/1.1\r\nHost: a\r\n\r\n')
    await reached
    client.socket.destroy()
    while (log.lines().length === 0) await new Promise(setImmediate)
    answer({ status: 'ok' })
    await new Promise(setImmediate)
    t.strictSame(
      log.lines().map((line) => without(line, 'time', 'requestId')),
      [
        {
          level: 30,
          event: 'response',
          method: 'GET',
          route: '/health/',
          path: '/health?a=1',
          status: null,
          aborted: true,
          msg: 'the client left',
        },
      ],
    )
    reached = new Promise<void>((resolve) => {
      began = resolve
    })
  }
})

t.test('a request whose client leaves in the middle of its body has that line alone', async (t) => {
  const log = await logged(t)
  const head = 'HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const halves = [
    `POST /api/notes/ ${head}Content-Length: 9\r\n\r\n{`,
    `POST /oauth/token ${head}Content-Length: 9\r\n\r\n{`,
    `POST /oauth/register ${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{`,
    `POST /mcp ${head}Content-Length: 9\r\n\r\n{`,
    `POST /nowhere ${head}Content-Length: 9\r\n\r\n{`,
    'POST /api/notes/ HTTP/1.1\r\nHost: a',
  ]
  for (const half of halves) {
    const before = log.lines().length
    const client = await rawClient(log.port)
    client.write(half)
    client.socket.end()
    await once(client.socket, 'close')
    while (log.lines().length === before) await new Promise(setImmediate)
    await log.get('/health') // its line is behind all that the others have
    const seen = log.lines().slice(before, -1)
    t.equal(seen.length, 1, `${half}: ${JSON.stringify(seen)}`)
    t.equal(seen[0]?.level, 30)
  }
})

t.test('a request whose client leaves in the middle of its answer has one line, too', async (t) => {
  const folder = t.testdir({ long: 'x'.repeat(20 * 1024 * 1024) })
  const endless = () => new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })
  const plugin: FastifyPluginCallback = (_app, _options, done) => done()
  for (const [status, call, plugins = []] of [
    [200, async (controller: Controller) => controller.file(join(folder, 'long'))],
    [200, async (controller: Controller) => controller.file(join(folder, 'long')), [plugin]],
    [202, async (controller: Controller) => controller.render({ status: 202, body: endless() }), [plugin]],
    [201, async (controller: Controller) => controller.render({ status: 201, body: endless() })],
  ] as const) {
    const log = await logged(t, { plugins: [...plugins] }, { call })
    const client = await rawClient(log.port)
    client.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(client.socket, 'data')
    client.socket.destroy()
    while (log.lines().length === 0) await new Promise(setImmediate)
    await log.get('/nowhere') // its line is behind all that the other has
    t.match(log.lines(), [
      {
        level: 30,
        event: 'response',
        route: '/health/',
        status,
        aborted: true,
        msg: 'the client left',
      },
      { event: 'response', path: '/nowhere' },
    ])
    t.equal(log.lines().length, 2)
  }
})

t.test('the log has the reason, whatever was thrown', async (t) => {
  const refused = Object.assign(
    new AggregateError([
      new Error('connect ECONNREFUSED ::1:5432'),
      new Error('connect ECONNREFUSED 127.0.0.1:5432'),
    ]),
    { code: 'ECONNREFUSED' },
  )
  const thrown: readonly (readonly [unknown, string])[] = [
    [refused, 'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432'],
    [Object.assign(new Error('cannot open'), { code: 'EACCES' }), 'cannot open (EACCES)'],
    [Object.assign(new Error(''), { code: 'EPIPE' }), '(EPIPE)'],
    [{ reason: 'no coal', token: 'x' }, '{"reason":"no coal","token":"[FILTERED]"}'],
    [undefined, 'undefined was thrown, no error'],
    [null, 'null was thrown, no error'],
    ['a text', 'a text'],
    [7, '7'],
  ]
  let next: unknown
  const log = await logged(t, {}, { call: () => Promise.reject(next) })
  for (const [value, message] of thrown) {
    next = value
    t.equal(await log.get('/health'), 500)
    const { err } = log.lines().at(-2) as { readonly err?: { readonly message: string } }
    t.equal(err?.message, message)
  }
})
