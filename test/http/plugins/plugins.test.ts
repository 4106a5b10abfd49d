/** Fastify plugins of the application: their hooks cover every route, and tool calls too. Source: house.md, The runtime. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyPluginCallback } from 'fastify'
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import type { AppPlugin, PluginEntry } from '../../../runtime/contract/application.ts'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

const open = (plugins: readonly PluginEntry[]): Promise<TestApp> =>
  openTestApp({
    environment: { production: true },
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins } }), // a plain object
  })

/** What a tool call's request looks like. */
const toolCall = (
  url: string,
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>>,
  value: unknown,
): HttpRequest => ({
  id: 'call-1',
  method,
  url,
  path: url,
  query: new URLSearchParams(),
  params: {},
  headers: { accept: 'application/json', ...headers },
  cookies: {},
  ip: '192.0.2.1',
  session: { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} },
  body: { kind: 'value', value },
  signal: new AbortController().signal,
})

interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const ofTheTransport = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])
const own = (headers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheTransport.has(name)))

interface Call {
  readonly id: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly value?: unknown
}

const overTool = async (app: TestApp, { id, method, url, headers = {}, value = {} }: Call): Promise<Seen> => {
  const outcome: HttpResponse = await app.application.invoke(id, toolCall(url, method, headers, value))
  return { status: outcome.status, headers: own(outcome.headers), body: String(outcome.body ?? '') }
}

async function overInject(app: TestApp, { method, url, headers = {}, value }: Call): Promise<Seen> {
  const payload = method === 'POST' ? { payload: value as object } : {} // every test sends an object
  const answer = await app.client().request({ method, url, headers, ...payload })
  return { status: answer.statusCode, headers: own(answer.headers), body: answer.body }
}

async function overHttp(base: string, { method, url, headers = {}, value }: Call): Promise<Seen> {
  const json = { 'content-type': 'application/json' }
  const sent =
    method === 'POST' ? { headers: { ...headers, ...json }, body: JSON.stringify(value) } : { headers }
  const answer = await fetch(base + url, { method, ...sent })
  return {
    status: answer.status,
    headers: own(Object.fromEntries(answer.headers)),
    body: await answer.text(),
  }
}

/** Counts, marks and refuses, as plugins do. */
function counting(): { readonly plugin: AppPlugin; readonly trail: string[] } {
  const trail: string[] = []
  const plugin: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', async (request, reply) => {
      trail.push(`onRequest ${request.method} ${request.url}`)
      if (request.headers['x-refuse'] === 'early') return reply.code(403).send({ error: 'refused early' })
    })
    app.addHook('preHandler', async (request, reply) => {
      trail.push('preHandler')
      if (request.headers['x-refuse'] === 'late') return reply.code(403).send({ error: 'refused late' })
      if (request.headers['x-refuse'] === 'throw')
        throw Object.assign(new Error('teapot'), { statusCode: 418 })
      if (request.headers['x-refuse'] === 'break') throw new Error('broken hook')
    })
    app.addHook('onSend', async (_request, reply, payload) => {
      trail.push('onSend')
      reply.header('x-seen', 'yes')
      return typeof payload === 'string' ? payload.replace('"ok"', '"changed"') : payload
    })
    done()
  }
  return { plugin, trail }
}

t.test(
  'hooks of a plugin run for HTTP, inject and tool calls alike, and all three answer the same',
  async (t) => {
    const { plugin, trail } = counting()
    const app = await open([plugin])
    t.teardown(app.close)
    const base = await app.application.server.listen({ port: 0 })
    const bearer = { authorization: `Bearer ${await app.accessToken()}` }
    const note = { id: 'notes_create', method: 'POST', url: '/api/notes' } as const
    const health = { id: 'health_show', method: 'GET', url: '/health' } as const
    const calls: readonly (Call & { readonly status: number; readonly hooks: number })[] = [
      { ...health, status: 200, hooks: 3 },
      { ...health, headers: { 'x-refuse': 'early' }, status: 403, hooks: 2 },
      { ...health, headers: { 'x-refuse': 'late' }, status: 403, hooks: 3 },
      { ...health, headers: { 'x-refuse': 'throw' }, status: 418, hooks: 3 },
      { ...health, headers: { 'x-refuse': 'break' }, status: 500, hooks: 3 },
      { ...note, value: { text: 'a' }, status: 401, hooks: 3 },
      { ...note, headers: bearer, value: { text: 7 }, status: 400, hooks: 3 },
      { ...note, headers: bearer, value: {}, status: 422, hooks: 3 },
    ]
    for (const call of calls) {
      const { status, hooks, ...rest } = call
      trail.length = 0
      const tool = await overTool(app, rest)
      t.strictSame(
        [tool.status, tool.headers['x-seen'], trail.length],
        [status, 'yes', hooks],
        JSON.stringify(call),
      )
      t.equal(trail[0], `onRequest ${call.method} ${call.url}`)
      t.strictSame([await overHttp(base, rest), await overInject(app, rest)], [tool, tool])
      t.equal(trail.length, 3 * hooks)
    }
    t.equal((await overTool(app, health)).body, '{"status":"changed"}', 'onSend may change the body')
  },
)

t.test('a tool call over MCP passes the hooks', async (t) => {
  const { plugin, trail } = counting()
  const app = await open([plugin])
  t.teardown(app.close)
  const authorization = `Bearer ${await app.accessToken()}`
  trail.length = 0
  const answer = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: { authorization, accept: 'application/json, text/event-stream' },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'notes_create', arguments: { text: 'one' } },
    },
  })
  t.equal(answer.statusCode, 200)
  t.ok(trail.includes('onRequest POST /api/notes/'), String(trail))
  t.match(answer.body, /one/)
})

t.test('a CORS plugin answers preflights and marks answers, errors included', async (t) => {
  const cors: FastifyPluginCallback<{ origin: string }> = (app, { origin }, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      reply.header('access-control-allow-origin', origin)
      if (request.method !== 'OPTIONS') return next()
      reply.code(204).header('access-control-allow-methods', 'GET, POST').send()
    })
    app.options('*', (_request, reply) => reply.code(204).send())
    done()
  }
  const app = await open([[cors, { origin: 'https://a.example' }]])
  t.teardown(app.close)
  const client = app.client()
  const origin = async (method: 'GET' | 'OPTIONS', url: string): Promise<unknown[]> => {
    const { statusCode, headers } = await client.request({ method, url })
    return [statusCode, headers['access-control-allow-origin']]
  }
  t.strictSame(
    [
      await origin('OPTIONS', '/api/notes'),
      await origin('GET', '/api/notes'),
      await origin('GET', '/nowhere'),
    ],
    [204, 401, 404].map((status) => [status, 'https://a.example']),
  )
})

t.test(
  'a plugin may have routes with bodies, under a prefix too, and hooks below it stay below it',
  async (t) => {
    const echo = (app: FastifyInstance, _options: object, done: () => void): void => {
      app.addHook('onSend', async (_request, reply) => void reply.header('x-echo', '1'))
      app.post('/echo', async ({ body }) => ({ body }))
      done()
    }
    const app = await open([[echo, { prefix: '/hooks' }]])
    t.teardown(app.close)
    const echoed = await app.client().request({ method: 'POST', url: '/hooks/echo', payload: { a: 1 } })
    t.strictSame([echoed.json(), echoed.headers['x-echo']], [{ body: { a: 1 } }, '1'])
    t.equal((await app.client().get('/health')).headers['x-echo'], undefined)
  },
)

t.test('a plugin that says what nobody has said of caching is heard when the answer leaves', async (t) => {
  const caching: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onSend', async ({ headers }, reply) => {
      if (headers['x-cache'] !== undefined && reply.statusCode < 300 && !reply.hasHeader('cache-control'))
        reply.header('cache-control', 'private, max-age=300')
    })
    done()
  }
  const app = await open([caching])
  t.teardown(app.close)
  const said = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    (await app.client().get(url, headers)).headers['cache-control']
  const cached = { 'x-cache': '1' }
  t.strictSame(
    [
      await said('/health', cached),
      await said('/health'),
      await said('/nowhere', cached),
      await said('/auth', cached),
    ],
    ['private, max-age=300', 'no-store', 'no-store', 'no-store'],
  )
})

t.test('preParsing hooks see the body, and the route reads what they made of it', async (t) => {
  const upper: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('preParsing', async (_request, _reply, payload) => {
      const chunks: Buffer[] = []
      for await (const chunk of payload) chunks.push(Buffer.from(chunk))
      return Readable.from([Buffer.from(Buffer.concat(chunks).toString().replace('quiet', 'LOUD'))])
    })
    done()
  }
  const app = await open([upper])
  t.teardown(app.close)
  const headers = { authorization: `Bearer ${await app.accessToken()}` }
  const call = {
    id: 'notes_create',
    method: 'POST',
    url: '/api/notes',
    headers,
    value: { text: 'quiet' },
  } as const
  t.strictSame((await overInject(app, call)).body, '["LOUD"]')
})

t.test('a malformed Content-Type still meets the filters first', async (t) => {
  const app = await open([counting().plugin])
  t.teardown(app.close)
  const send = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const request = { method: 'POST', url: '/api/notes', payload: 'x' } as const
    return (await app.client().request({ ...request, headers: { 'content-type': 'x', ...headers } }))
      .statusCode
  }
  t.equal(await send({}), 401)
  t.equal(await send({ authorization: `Bearer ${await app.accessToken()}` }), 415)
})

t.test('a tool call that its client gives up ends', async (t) => {
  const waiting: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('preHandler', () => {}) // never goes on
    done()
  }
  const app = await open([waiting])
  t.teardown(app.close)
  const gone = new AbortController()
  const request = { ...toolCall('/health', 'GET', {}, {}), signal: gone.signal }
  const call = Promise.resolve(app.application.invoke('health_show', request))
  gone.abort()
  await t.rejects(call, { message: 'the request was aborted' })
})

t.test('what a plugin does with the raw response reaches tool calls as it reaches HTTP', async (t) => {
  const events: string[] = []
  const raw: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      reply.raw.setHeader('X-Raw', ['a', 'b'])
      for (const name of ['finish', 'close']) reply.raw.on(name, () => events.push(name))
      const way = request.headers['x-way']
      if (way === 'hijack') {
        reply.hijack()
        reply.raw.writeHead(202, { 'Content-Type': 'text/plain', 'X-Head': '1' })
        reply.raw.write('caf\u00e9 ', 'utf8')
        reply.raw.write(Buffer.from('bytes '))
        return void reply.raw.end('6f6b', 'hex')
      }
      if (way === 'implicit') {
        reply.hijack()
        reply.raw.statusCode = 203
        return void reply.raw.end('no head')
      }
      if (way === 'empty') return void reply.code(204).send()
      if (way === 'stream') return void reply.type('text/plain').send(Readable.from(['one ', 'two']))
      next()
    })
    app.addHook('onResponse', async () => void events.push('onResponse'))
    done()
  }
  const app = await open([raw])
  t.teardown(app.close)
  const base = await app.application.server.listen({ port: 0 })
  const answers: unknown[] = []
  for (const way of ['hijack', 'implicit', 'empty', 'stream', 'none']) {
    const call = { id: 'health_show', method: 'GET', url: '/health', headers: { 'x-way': way } } as const
    const tool = await overTool(app, call)
    const http = await overHttp(base, call)
    t.strictSame({ ...tool, headers: { ...tool.headers, 'x-raw': 'a, b' } }, http, way)
    answers.push([tool.status, tool.headers['x-raw'], tool.body])
  }
  const rawHeader = ['a', 'b']
  t.strictSame(answers, [
    [202, rawHeader, 'caf\u00e9 bytes ok'],
    [203, rawHeader, 'no head'],
    [204, rawHeader, ''],
    [200, rawHeader, 'one two'],
    [200, rawHeader, '{"status":"ok"}'],
  ])
  await app.close()
  const count = (event: string): number => events.filter((text) => text === event).length
  t.strictSame([count('close'), count('onResponse')], [10, 10], 'five ways, two transports')
  t.ok(count('finish') >= 10, '`inject` says it twice for what it waits for')
})

t.test('hooks hear that the client of a tool call has gone', async (t) => {
  const heard: string[] = []
  let reached = (): void => {}
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const waiting: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('preHandler', (request, reply) => {
      reached()
      request.raw.on('close', () => heard.push(`request ${request.raw.destroyed}`))
      reply.raw.on('close', () => heard.push(`response ${reply.raw.writableFinished}`))
    }) // never goes on
    app.addHook('onRequestAbort', async (_request) => void heard.push('onRequestAbort'))
    done()
  }
  const app = await open([waiting])
  t.teardown(app.close)
  const gone = new AbortController()
  const request = { ...toolCall('/health', 'GET', {}, {}), signal: gone.signal }
  const call = Promise.resolve(app.application.invoke('health_show', request))
  await isReached
  gone.abort()
  await t.rejects(call, { message: 'the request was aborted' })
  await app.close()
  t.strictSame(heard.sort(), ['onRequestAbort', 'request true', 'response false'])
})

t.test('plugins of the wrong shape stop the boot, and the message names the place', async (t) => {
  const { plugin } = counting()
  const wrong: readonly (readonly [unknown, string])[] = [
    ['cors', ' must be a list of Fastify plugins or [plugin, options] pairs'],
    [
      [{}],
      '[0] must be a Fastify plugin or a [plugin, options] pair: the plugin is of type object and no function',
    ],
    [
      [plugin, { default: plugin }],
      "[1] must be a Fastify plugin or a [plugin, options] pair: the plugin is the 'default' of this object, write .default behind its name",
    ],
    [
      [[{ default: plugin }, {}]],
      "[0] must be a Fastify plugin or a [plugin, options] pair: the plugin is the 'default' of this object, write .default behind its name",
    ],
    [
      [['cors', {}]],
      '[0] must be a Fastify plugin or a [plugin, options] pair: the plugin is of type string and no function',
    ],
    [[null], '[0] must be a Fastify plugin or a [plugin, options] pair: the plugin is null and no function'],
    [
      [[plugin, 7]],
      "[0] must be a Fastify plugin or a [plugin, options] pair: behind 'plugin' stands no object of options",
    ],
  ]
  for (const [plugins, message] of wrong)
    t.throws(() => resolveConfig({ plugins }), { message: `app/config.ts: config.plugins${message}` })
})

t.test('a plugin that fails stops the boot with its name', async (t) => {
  const failures: readonly AppPlugin[] = [
    function first() {
      throw new Error('no key')
    },
    async function first() {
      throw new Error('no key')
    },
    function first(_app, _options, done) {
      done(new Error('no key'))
    },
  ]
  for (const plugin of failures) {
    const message = "the plugin 'first' of app/config.ts failed: no key"
    await t.rejects(open([plugin]), { message })
  }
  const failing = (): AppPlugin => async () => {
    throw new Error('no key')
  }
  const made = Object.assign(failing(), { [Symbol.for('fastify.display-name')]: 'made' })
  await t.rejects(open([made]), { message: "the plugin 'made' of app/config.ts failed: no key" })
  await t.rejects(open([(_app, _options, done) => done(), failing()]), {
    message: "the plugin 'plugins[1]' of app/config.ts failed: no key",
  })
})
