/** Whatever a hook of a plugin throws, in production its reason stays inside. Source: rules.md, Unhandled exceptions;
 *  decisions/http.md, Plugins. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import t from 'tap'
import type { AppPlugin, PluginEntry } from '../../../runtime/contract/application.ts'
import { listening } from '../support/raw.ts'

const secret = 'select password from accounts'

const hostile = Object.defineProperty(new Error(secret), 'statusCode', {
  get: () => {
    throw new Error(secret)
  },
})

/** What is thrown, by name, and the status it is answered with. */
const failures: Readonly<Record<string, readonly [thrown: unknown, status: number]>> = {
  error: [new Error(secret), 500],
  cause: [new Error('x', { cause: new Error(secret) }), 500],
  unavailable: [Object.assign(new Error(secret), { statusCode: 503 }), 503],
  text: [secret, 500],
  object: [{ message: secret, secret }, 500],
  moved: [Object.assign(new Error(secret), { statusCode: 302 }), 500],
  fine: [Object.assign(new Error(secret), { statusCode: 200, headers: { 'x-secret': secret } }), 500],
  odd: [Object.assign(new Error(secret), { statusCode: '400' }), 500],
  unexposed: [Object.assign(new Error(secret), { statusCode: 403, expose: false }), 403],
  hostile: [hostile, 500],
}

const places = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onError',
]
const ways = ['throws', 'rejects', 'passes']

type Hook = (request: FastifyRequest, ...more: unknown[]) => unknown

/** A hook that fails as the request asks for. */
const failing = (place: string): Hook => {
  return (request, ...more) => {
    const done = more.at(-1) as (error?: unknown) => void // the last argument of each of these hooks
    const [at, way, name = ''] = String(request.headers['x-fail'] ?? '').split(' ')
    const [thrown] = failures[name] ?? []
    if (at !== place) return done()
    if (way === 'throws') throw thrown
    if (way === 'rejects') return Promise.reject(thrown)
    done(thrown)
  }
}

const hooks: AppPlugin = async (app: object) => {
  const add = (app as FastifyInstance).addHook as unknown as (place: string, hook: Hook) => void
  for (const place of places) {
    const hook = failing(place)
    // Fastify tells by the number of arguments which hooks call back
    const four: Hook = (request, reply, payload, done) => hook(request, reply, payload, done)
    const three: Hook = (request, reply, done) => hook(request, reply, done)
    add.call(app, place, /^on(Send|Error)|Parsing|Serial/.test(place) ? four : three)
  }
}

const routes: AppPlugin = async (app: object) => {
  ;(app as FastifyInstance).post('/own', async () => {
    return { seen: true }
  })
}

/** An error handler of the application, which fails itself or passes on. */
const handled: AppPlugin = async (app: object) => {
  ;(app as FastifyInstance).setErrorHandler((error: Error, request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers['x-handler'] === 'passes' && error instanceof Error) reply.send(error)
    else throw error
  })
}

const urls = ['/health', '/nowhere', '/mcp', '/own', '/.well-known/oauth-authorization-server']

/** Each failure at each place, each way at each address. */
const cases = places.flatMap((place, at) =>
  ways.flatMap((way, by) =>
    Object.keys(failures).map((name, of) => ({
      place,
      way,
      name,
      url: urls[(at + by + of) % urls.length] ?? '',
    })),
  ),
)

t.test('a hook that fails, of whatever kind and however, tells no reason', async (t) => {
  for (const plugins of [
    [hooks, routes],
    [handled, hooks, routes],
  ] satisfies PluginEntry[][]) {
    const { app } = await listening({ plugins }, { environment: { production: true, logLevel: 'silent' } })
    t.teardown(app.close)
    const isHandled = plugins.length === 3
    const told: string[] = []
    const wrong: string[] = []
    for (const { place, way, name, url } of cases) {
      const isOwn = url === '/own'
      const { statusCode, headers, body } = await app.client().request({
        method: isOwn || url === '/mcp' ? 'POST' : 'GET',
        url,
        headers: { 'x-fail': `${place} ${way} ${name}`, 'x-handler': way },
        ...(isOwn ? { payload: { a: 1 } } : {}),
      })
      const about = `${url} ${place} ${way} ${name}: ${statusCode} ${body}`
      if (JSON.stringify([headers, body]).includes('password')) told.push(about)
      const isReached = place !== 'onError' && (isOwn || place !== 'preSerialization')
      if (isReached && statusCode !== failures[name]?.[1]) wrong.push(about)
    }
    t.strictSame({ isHandled, told, wrong }, { isHandled, told: [], wrong: [] })
  }
})

/** Failures that come of what a plugin does with an answer. */
const breaking: AppPlugin = async (app: object) => {
  const server = app as FastifyInstance
  server.addHook('onRequest', async ({ headers }, reply) => {
    if (headers['x-break'] === 'header') reply.header('x-broken', `${secret}\n`)
  })
  server.addHook('onSend', async ({ url, headers }, _reply, payload) => {
    if (url.startsWith('/api/') || headers['x-break'] === 'send') throw new Error(secret)
    if (headers['x-break'] === 'value') return { secret }
    if (headers['x-break'] === 'stream') return Readable.from(failingAtOnce())
    return payload
  })
  server.get('/late', { handlerTimeout: 1 }, () => new Promise(() => {}))
  server.get('/failing', { errorHandler: () => Promise.reject(secret) }, async () => Promise.reject(secret))
  server.get('/undefined', () => Promise.reject())
  const schema = { response: { 500: { type: 'object', properties: { message: { type: 'string' } } } } }
  server.get('/schema', { schema }, async () => Promise.reject(new Error(secret)))
}

async function* failingAtOnce(): AsyncGenerator<string> {
  yield* []
  throw new Error(secret)
}

t.test('nor does an answer that a plugin has broken, over HTTP and to a tool call', async (t) => {
  const { app, port } = await listening(
    { mcp: {}, plugins: [breaking] },
    { environment: { production: true, logLevel: 'silent' } },
  )
  t.teardown(app.close)
  const asked: readonly (readonly [string, string, number])[] = [
    ['/health', 'header', 500],
    ['/health', 'send', 500],
    ['/health', 'value', 500],
    ['/health', 'stream', 500],
    ['/late', '', 503],
    ['/failing', '', 500],
    ['/undefined', '', 500],
    ['/schema', '', 500],
    ['/schema', 'send', 500],
  ]
  for (const [path, how, status] of asked) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-break': how } })
    t.strictSame([answer.status, await answer.text()], [status, '{}'], `${path} ${how}`)
    t.notMatch(JSON.stringify([...answer.headers]), /password/)
  }
  const { isError, content } = await app.client().tool('users_current')
  t.strictSame([isError, content[0]?.text], [true, '500 Internal Server Error\ninternal error'])
})

/** Without a hook behind the answer: then Fastify writes it at once. */
const echoing: AppPlugin = async (app: object) => {
  ;(app as FastifyInstance).addHook('onRequest', async ({ headers }, reply) => {
    const echoed = decodeURIComponent(String(headers['x-echo'] ?? 'none'))
    if (headers['x-as'] === 'name') reply.header(echoed, '1')
    else reply.header('x-echoed', headers['x-as'] === 'list' ? [echoed] : echoed)
  })
}

t.test('a header that a plugin makes of what a stranger sent does not end the process', async (t) => {
  const { app, port } = await listening(
    { mcp: {}, plugins: [echoing] },
    { environment: { production: true, logLevel: 'silent' } },
  )
  t.teardown(app.close)
  const wrong: string[] = []
  for (const echoed of ['\u0142', 'a\nb', 'a\r\nset-cookie: a=b', '\u0001', '\u{1F600}'])
    for (const as of ['name', 'value', 'list'])
      for (const path of ['/health', '/nowhere', '/oauth/authorize', '/auth/none', '/mcp', '/health/%zz'])
        for (const [method, accept] of [
          ['GET', 'application/json'],
          ['GET', 'text/html'],
          ['HEAD', '*/*'],
          ['DELETE', 'image/png'],
        ] as const) {
          const headers = { accept, 'x-echo': encodeURIComponent(echoed), 'x-as': as }
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })
          const seen = [answer.status, await answer.text(), answer.headers.get('set-cookie')]
          const body = method === 'GET' && accept === 'application/json' ? '{}' : ''
          if (JSON.stringify(seen) !== JSON.stringify([500, body, null]))
            wrong.push(`${method} ${path} ${accept} ${as} ${JSON.stringify(echoed)}: ${seen}`)
        }
  t.strictSame(wrong, [])
  const { content } = await app.client().tool('users_current')
  t.match(content[0]?.text, /401 Unauthorized/, 'and the next request is answered')
})

/** As @fastify/express does for each request. */
const decoding: AppPlugin = async (app: object) => {
  ;(app as FastifyInstance).addHook('onRequest', async ({ raw }) => void decodeURI(raw.url ?? ''))
}

t.test('a hook that cannot decode an address leaves it what it is: malformed', async (t) => {
  const { app, port } = await listening(
    { mcp: {}, plugins: [decoding] },
    { environment: { production: true, logLevel: 'silent' } },
  )
  t.teardown(app.close)
  for (const path of ['/health/%zz', '/%', '/nowhere/%ff', '/mcp/%c3', '/oauth/token/%E0%A4%A']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    t.strictSame([answer.status, await answer.json()], [400, { error: 'the address is malformed' }], path)
  }
})
