/** WebSocket routes with a real client. Source: language.md, Method tags; RFC 6455. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { FastifyPluginCallback } from 'fastify'
import t from 'tap'
import type * as Ws from 'ws'
import type { Route } from '../../../runtime/contract/route.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import type { Socket } from '../../../runtime/http/websocket/socket.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { growth } from '../../support/report/growth.ts'
import { answerTo, lastAnswer, rawClient } from '../support/raw.ts'
import { endpoint, recordedStore, shell } from '../support/shell.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

class Chat extends Controller {
  readonly trail: string[] = []
}

interface ChatOptions {
  readonly call?: (socket: Socket, chat: Chat) => unknown
  readonly requiresTls?: boolean
  readonly config?: object
  /** Runs around the route. */
  readonly around?: (next: () => Promise<void>) => Promise<void>
}

const echo = (socket: Socket): void => {
  socket.on('message', (data, isBinary) => socket.send(isBinary ? data : data.toString()))
}

const seen: string[] = []

/** One WebSocket route `/chat` with a filter that wants a key, and a handler for what it throws otherwise. */
async function openChat({
  call = echo,
  requiresTls = false,
  config = {},
  around,
}: ChatOptions = {}): Promise<{
  readonly app: TestApp
  readonly port: number
}> {
  const route: Route = {
    id: 'chat_join',
    verb: 'GET',
    path: '/chat',
    status: 200,
    statuses: [],
    websocket: true,
    requiresTls,
    controller: Chat,
    produces: null,
    filters: [
      { when: 'around', name: 'around', call: (_chat, _args, next) => (around ?? ((go) => go()))(next) },
      {
        when: 'before',
        name: 'check',
        call: (chat: Chat) => {
          const { key } = Object.fromEntries(chat.request.query)
          if (key === 'wrong') throw new RangeError('wrong key')
          return key === undefined ? chat.render({ status: 401, json: { error: 'no key' } }) : undefined
        },
      },
    ],
    handlers: [
      {
        error: RangeError,
        match: null,
        status: 403,
        contentType: null,
        depth: 0,
        call: (_chat: Chat, error: Error) => ({ error: error.message }),
      },
    ],
    create: () => new Chat(),
    call: (chat: Chat, [socket]) => call(socket as Socket, chat), // the pipeline puts it first
  }
  seen.length = 0
  const app = await openTestApp({
    environment: { logLevel: 'info' },
    logStream: { write: (line) => seen.push(line) },
    change: (bundle) => ({
      ...bundle,
      config: { ...(bundle.config as object), ...config }, // a plain object
      routes: [...bundle.routes, route],
      codecs: { ...bundle.codecs, chat_join: { params: [], filters: [[], []], handlers: [[]] } },
    }),
  })
  const address = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  return { app, port: Number(new URL(address).port) }
}

const joined = async (port: number, options: object = {}): Promise<Ws.WebSocket> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?key=k`, options)
  await once(socket, 'open')
  return socket
}

const lines = (...all: readonly string[]): string => `${all.join('\r\n')}\r\n\r\n`
const upgrade = (path: string, ...headers: readonly string[]): string =>
  lines(`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', ...headers)
const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
const version = 'Sec-WebSocket-Version: 13'

t.test('the action has the socket: texts and bytes go both ways', async (t) => {
  const { app, port } = await openChat()
  t.teardown(app.close)
  const socket = await joined(port)
  socket.send('hello')
  const [text, isBinary] = await once(socket, 'message')
  t.strictSame([String(text), isBinary], ['hello', false])
  socket.send(Buffer.from([1, 2, 3]))
  t.strictSame(await once(socket, 'message'), [Buffer.from([1, 2, 3]), true])
  socket.close(1000)
  t.equal((await once(socket, 'close'))[0], 1000)
  const [line] = seen.map((word) => JSON.parse(word)).filter(({ event }) => event === 'response')
  t.match(line, { method: 'GET', route: '/chat', path: '/chat?key=k', status: 101 })
})

t.test('filters and exception handlers answer over HTTP, before the upgrade', async (t) => {
  const { app, port } = await openChat()
  t.teardown(app.close)
  const answer = async (path: string): Promise<unknown> =>
    lastAnswer(await answerTo(port, upgrade(path, key, version)))
  t.strictSame(await answer('/chat'), { status: 401, body: { error: 'no key' } })
  t.strictSame(await answer('/chat?key=wrong'), { status: 403, body: { error: 'wrong key' } })
})

t.test('without a WebSocket handshake the answer is 426, with a broken one 400', async (t) => {
  const { app, port } = await openChat()
  t.teardown(app.close)
  const plain = await app.client().get('/chat?key=k')
  t.strictSame(
    [plain.statusCode, plain.headers.upgrade, plain.json()],
    [426, 'websocket', { error: 'a WebSocket upgrade is required' }],
  )
  const old = await answerTo(port, upgrade('/chat?key=k', key, 'Sec-WebSocket-Version: 8'))
  t.match(old, /^HTTP\/1\.1 426 [\s\S]*sec-websocket-version: 13/i)
  const broken = lastAnswer(await answerTo(port, upgrade('/chat?key=k', version)))
  t.strictSame(broken, { status: 400, body: { error: 'the WebSocket handshake is malformed' } })
  t.equal(lastAnswer(await answerTo(port, upgrade('/nowhere', key, version))).status, 404)
})

t.test('hooks of plugins come before the upgrade and may refuse it', async (t) => {
  const gate: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-refuse'] !== undefined) return reply.code(403).send({ error: 'refused' })
    })
    done()
  }
  const { app, port } = await openChat({ config: { plugins: [gate] } })
  t.teardown(app.close)
  const refused = lastAnswer(await answerTo(port, upgrade('/chat?key=k', key, version, 'X-Refuse: 1')))
  t.strictSame(refused, { status: 403, body: { error: 'refused' } })
  const socket = await joined(port)
  socket.send('hello')
  t.equal(String((await once(socket, 'message'))[0]), 'hello')
  socket.close()
  await once(socket, 'close')
})

t.test('a WebSocket route answers GET alone', async (t) => {
  const { app } = await openChat()
  t.teardown(app.close)
  const head = await app.client().request({ method: 'HEAD', url: '/chat' })
  t.strictSame([head.statusCode, head.headers.allow], [405, 'GET'])
})

t.test('@requireTls: plain http is 412', async (t) => {
  const { app, port } = await openChat({ requiresTls: true })
  t.teardown(app.close)
  const refused = lastAnswer(await answerTo(port, upgrade('/chat?key=k', key, version)))
  t.strictSame(refused, { status: 412, body: { error: 'the route needs TLS' } })
  const behindTls = await joined(port, { headers: { 'x-forwarded-proto': 'https' } })
  behindTls.close()
  await once(behindTls, 'close')
})

t.test('the session is readable', async (t) => {
  const { app, port } = await openChat({
    call: (socket, { request }) => socket.send(String(request.session.get('user_id'))),
  })
  t.teardown(app.close)
  const signedIn = await app.client().get('/auth/dev')
  const [cookie] = [signedIn.headers['set-cookie'] ?? []].flat()
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?key=k`, {
    headers: { cookie: cookie?.split(';')[0] ?? '' },
  })
  const [message] = await once(socket, 'message')
  t.match(String(message), /^dev:/)
  socket.close()
  await once(socket, 'close')
})

t.test('what the action throws after the upgrade closes with 1011 and is logged once', async (t) => {
  for (const fail of [
    (): never => {
      throw new Error('broken at once')
    },
    async (): Promise<never> => {
      throw new Error('broken later')
    },
  ]) {
    const { app, port } = await openChat({ call: fail })
    t.teardown(app.close)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?key=k`)
    t.equal((await once(socket, 'close'))[0], 1011)
    t.equal(seen.filter((line) => line.includes('broken')).length, 1)
  }
})

t.test('a message above the body limit closes with 1009', async (t) => {
  const { app, port } = await openChat({ config: { limits: { bodyBytes: 10 } } })
  t.teardown(app.close)
  const socket = await joined(port)
  socket.send('x'.repeat(11))
  t.equal((await once(socket, 'close'))[0], 1009)
})

t.test(
  'a message that comes in thousands of pieces is heard, in tens of thousands it closes with 1008',
  async (t) => {
    const { app, port } = await openChat({
      call: (socket) => socket.on('message', (data) => socket.send(`${data.length} bytes`)),
    })
    t.teardown(app.close)
    const client = await rawClient(port)
    client.write(upgrade('/chat?key=k', key, version))
    await client.until(/\r\n\r\n/)
    let isOpen = true
    client.socket.once('end', () => {
      isOpen = false
    })
    const piecesOf = async (length: number): Promise<void> => {
      const head = Buffer.from([0x82, 0xff, ...Array<number>(8 + 4).fill(0)]) // binary, and masked with zeros
      head.writeUInt32BE(length, 6)
      client.socket.write(head)
      for (let sent = 0; sent < length && isOpen; sent += 1) {
        client.socket.write('x')
        await new Promise(setImmediate) // so that it is read before the next is written
      }
    }
    await piecesOf(4_000)
    await client.until(/4000 bytes/)
    await piecesOf(100_000)
    t.equal((await client.closed()).slice(-4), '\x88\x02\x03\xf0', 'a frame that closes, with its code')
  },
)

t.test('closing the server closes its connections with 1001', async (t) => {
  const { app, port } = await openChat()
  const socket = await joined(port)
  const [[code]] = await Promise.all([once(socket, 'close'), app.close()])
  t.equal(code, 1001)
})

t.test('a client that breaks off leaves the server running', async (t) => {
  let closed = (): void => {}
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const { app, port } = await openChat({ call: (socket) => void socket.on('close', closed) })
  t.teardown(app.close)
  const socket = await joined(port)
  socket.terminate()
  await isClosed
  t.equal((await app.client().get('/health')).statusCode, 200)
})

t.test('security: an upgrade from a foreign origin, or under a foreign host, is 403', async (t) => {
  const { app, port } = await openChat()
  t.teardown(app.close)
  const answer = async (...headers: readonly string[]): Promise<unknown> => {
    const request = lines(
      'GET /chat HTTP/1.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      key,
      version,
      ...headers,
    )
    const { status, body } = lastAnswer(await answerTo(port, request))
    return [status, body]
  }
  const origin = [403, { error: 'this origin is not allowed' }]
  t.strictSame(await answer('Host: localhost', 'Origin: https://evil.example'), origin)
  t.strictSame(await answer('Host: localhost', 'Origin: null'), origin)
  t.strictSame(await answer('Host: evil.example'), [403, { error: 'this host is not served here' }])
  t.strictSame(await answer('Host: localhost', 'Host: evil.example'), [
    400,
    { error: 'the Host header is there twice' },
  ])
  t.strictSame(await answer('Host: localhost:1', 'Origin: http://localhost:3000'), [401, { error: 'no key' }])
  const socket = await joined(port, { origin: 'http://localhost:3000' })
  socket.close()
})

t.test(
  'security of sockets: a client that leaves while a filter works does not hold the pipeline',
  async (t) => {
    const count = { entered: 0, left: 0 }
    let go = (): void => {}
    const isFree = new Promise<void>((resolve) => {
      go = resolve
    })
    const waitFor = async (isTrue: () => boolean): Promise<void> => {
      while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
    }
    const { app, port } = await openChat({
      around: async (next) => {
        count.entered += 1
        try {
          await isFree
          await next()
        } finally {
          count.left += 1
        }
      },
    })
    t.teardown(app.close)
    const { server } = app.application.server
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) =>
        server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
      )
    const clients = await Promise.all(Array.from({ length: 20 }, () => rawClient(port)))
    for (const { write } of clients) write(upgrade('/chat?key=k', key, version))
    await waitFor(() => count.entered === 20)
    for (const { socket } of clients) socket.resetAndDestroy()
    while ((await connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
    go()
    await waitFor(() => count.left === 20)
    t.strictSame(count, { entered: 20, left: 20 })
  },
)

t.test(
  'security of sockets: a WebSocket at a plain address is an ordinary 400, whatever its origin',
  async (t) => {
    const { app, port } = await openChat()
    t.teardown(app.close)
    const handshake = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
    for (const path of ['/auth/', '/oauth/token', '/mcp']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n`
      const answer = await answerTo(
        port,
        `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n${handshake}\r\n`,
      )
      t.match(answer, /^HTTP\/1\.1 (400|405) /, path)
    }
  },
)

t.test('an offer of another protocol is ignored, as without WebSockets (RFC 9110, 7.8)', async (t) => {
  const { app, port } = await openChat()
  t.teardown(app.close)
  const offer =
    'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
  const page = await answerTo(port, `GET /auth/ HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`)
  t.match(page, /^HTTP\/1\.1 200 /)
  const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 14\r\n'
  const token = await answerTo(
    port,
    `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\n${offer}${type}\r\ngrant_type=odd`,
  )
  t.match(token, /"error":"[a-z_]+","error_description"|"error":"[a-z_]+"\}/)
})

t.test('a session that cannot be written is one 500 to an upgrade, and is not tried again', async (t) => {
  const store = recordedStore()
  const writeSession = (): Promise<void> => {
    store.done.push('write')
    return Promise.reject(new Error('no space'))
  }
  const refusing = endpoint('/refuse', ({ session }) => {
    session.set('seen', 1)
    return { status: 401, headers: {}, body: null }
  })
  const failing = endpoint('/fail', ({ session }) => {
    session.set('seen', 1)
    throw new Error('broken')
  })
  const endpoints = [refusing, failing].map((item) => ({ ...item, methods: ['GET'], websocket: true }))
  const session = { store: { ...store, writeSession } }
  const { app, errors } = await shell(endpoints, { session, keepHeaders: ['set-cookie'] })
  t.teardown(() => app.close())
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const answers = [
    lastAnswer(await answerTo(port, upgrade('/refuse', key, version))),
    lastAnswer(await answerTo(port, upgrade('/fail', key, version))),
  ]
  const noSpace = { status: 500, body: { error: 'Error: no space' } }
  t.strictSame(
    [answers, store.done],
    [
      [noSpace, noSpace],
      ['write', 'write'],
    ],
  )
  t.strictSame(errors.map(String), ['Error: no space', 'Error: broken', 'Error: no space'])
})

t.test('an upgrade is answered, and the failure logged, when the answer to an error fails', async (t) => {
  const failing = {
    ...endpoint('/fail', () => Promise.reject(new Error('broken')), ['GET']),
    websocket: true,
  }
  const logged: string[] = []
  const { app } = await shell([failing], {
    log: { level: 'error', mask: [], ms: false, stream: { write: (line) => logged.push(line) } },
    onError: () => {
      throw new Error('no answer')
    },
  })
  t.teardown(() => app.close())
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const answer = await answerTo(port, upgrade('/fail', key, version))
  t.match(answer, /^HTTP\/1\.1 500 /)
  t.match(
    logged.map((line) => JSON.parse(line)),
    [{ err: { message: 'no answer' } }],
  )
})

t.test('nor when the answer to that failure fails too', async (t) => {
  const store = recordedStore()
  const writeSession = (): Promise<void> => {
    store.done.push('write')
    return Promise.reject(new Error('no space'))
  }
  const refusing = endpoint(
    '/refuse',
    ({ session }) => {
      session.set('seen', 1)
      return { status: 401, headers: {}, body: null }
    },
    ['GET'],
  )
  const provided: string[] = []
  const { app } = await shell([{ ...refusing, websocket: true }], {
    session: { store: { ...store, writeSession } },
    keepHeaders: ['set-cookie'],
    onError: (error) => {
      provided.push(String(error))
      if (provided.length === 1) throw new Error('no answer')
      return { status: 503, headers: {}, body: null }
    },
  })
  t.teardown(() => app.close())
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  t.match(await answerTo(port, upgrade('/refuse', key, version)), /^HTTP\/1\.1 500 /)
  t.strictSame([store.done, provided], [['write'], ['Error: no space']])
})

t.test('messages of a socket take time in proportion to their number and length', async (t) => {
  let came = 0
  let enough = (): void => {}
  const count = (socket: Socket): void => {
    socket.on('message', () => {
      came += 1
      socket.send('x')
    })
  }
  const { app, port } = await openChat({ call: count })
  t.teardown(() => app.close())
  const client = new WebSocket(`ws://127.0.0.1:${port}/chat?key=a`)
  await once(client, 'open')
  let answered = 0
  client.on('message', () => {
    answered += 1
    enough()
  })
  const sendAll = async (sent: number, send: () => void): Promise<void> => {
    const wanted = answered + sent
    const whole = new Promise<void>((resolve) => {
      enough = () => {
        if (answered === wanted) resolve()
      }
    })
    send()
    await whole
  }
  const shapes: Readonly<Record<string, (size: number) => Promise<void>>> = {
    'messages of one letter: their number': (size) =>
      sendAll(size / 100, () => {
        for (let left = size / 100; left > 0; left -= 1) client.send('x')
      }),
    'one message: characters': (size) => sendAll(1, () => client.send('\u00e9'.repeat(size / 2))),
    'one message in parts: their number': (size) =>
      sendAll(1, () => {
        for (let left = size / 100; left > 0; left -= 1) client.send('x', { fin: left === 1 })
      }),
  }
  for (const [name, work] of Object.entries(shapes))
    await growth(t, {
      name,
      sizes: [100_000, 200_000],
      input: (size) => size,
      work,
      control: (size) => JSON.parse(JSON.stringify('x'.repeat(size))),
    })
  t.ok(came > 0)
  client.close()
  await once(client, 'close')
})
