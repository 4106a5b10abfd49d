/** The plugins that applications of Fastify use most: an application answers with them as plain Fastify does, and its tool calls come to
 *  their end. Source: decisions/http.md, Plugins. */
import { createGunzip, gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import express from '@fastify/express'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import files from '@fastify/static'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import websocket from '@fastify/websocket'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import rawBody from 'fastify-raw-body'
import t from 'tap'
import type { PluginEntry } from '../../../runtime/contract/application.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'

t.setTimeout(120_000)

const items = `import { Controller, type Body, type Int32, JsonParseError, type UnsupportedMediaType, type UploadedFile } from 'acmcp'
export interface Item { name: string; count: Int32 }
/** Items. */
export class Items extends Controller {
  /**
   * Shows one.
   *
   * @get /:id
   */
  show(id: string): { id: string; text: string } { return { id, text: 'x'.repeat(2000) } }
  /**
   * Makes one.
   *
   * @post /
   */
  create(item: Body<Item>): { name: string; count: Int32 } { return item }
  /**
   * Takes a form.
   *
   * @post /form
   * @mcp hide
   */
  form(name: string): { name: string } { return { name } }
  /**
   * Takes a file.
   *
   * @post /files
   * @mcp hide
   */
  async upload(file: UploadedFile): Promise<{ name: string; text: string }> {
    return { name: file.name, text: (await file.text()) }
  }
  /**
   * Fails.
   *
   * @get /failing/now
   */
  fail(): { never: boolean } { throw new Error('broken') }
  /** @exception {UnsupportedMediaType} 415 */
  type(error: UnsupportedMediaType): { error: string } { return { error: error.message } }
  /** @exception {JsonParseError} 400 */
  json(error: JsonParseError): { error: string } { return { error: error.message } }
}
`

const root = folderOf(t, { 'app/controllers/items.ts': items, 'site/page.txt': 'a page' })

/** The same routes by hand. */
async function plainRoutes(app: FastifyInstance): Promise<void> {
  app.get('/items/:id', async ({ params }) => ({ id: (params as { id: string }).id, text: 'x'.repeat(2000) }))
  app.post('/items', async ({ body }) => body)
  app.post('/items/form', async ({ body }) => body)
  app.get('/items/failing/now', async () => {
    throw new Error('broken')
  })
  app.post('/items/files', async (request) => {
    const file = await request.file?.()
    if (file === undefined) return { error: 'no file' }
    return { name: file.filename, text: (await file.toBuffer()).toString() }
  })
}

type Plugin = readonly [plugin: unknown, options?: object]

/** One middleware, as most applications have. */
const middleware: FastifyPluginCallback = (app, _options, done) => {
  ;(app as unknown as { use(handler: unknown): void }).use(
    (_request: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => {
      response.setHeader('x-middleware', '1')
      next()
    },
  )
  done()
}
Reflect.set(middleware, Symbol.for('skip-override'), true) // as fastify-plugin does

/** The hook in which webhooks check what signs their body. */
const signed: FastifyPluginCallback = (app, _options, done) => {
  app.addHook('preHandler', async (request, reply) => {
    const { rawBody: sent } = request as unknown as { readonly rawBody?: string }
    if (sent !== undefined) reply.header('x-signed', String(sent.length))
  })
  done()
}
Reflect.set(signed, Symbol.for('skip-override'), true)

const openapi = { openapi: { info: { title: 'items', version: '1' } } }

/** Not asked by `fetch`: a tool call, and the message in which it came. */
const ofTools = ({ headers }: FastifyRequest): boolean => headers['user-agent'] !== 'node'

const plugins: Readonly<Record<string, readonly Plugin[]>> = {
  cors: [[cors, { origin: 'https://shop.example.org' }]],
  helmet: [[helmet]],
  compress: [[compress, { threshold: 1000 }]],
  cookie: [[cookie, { secret: 's' }]],
  formbody: [[formbody]],
  multipart: [[multipart]],
  'rate-limit': [[rateLimit, { max: 7, allowList: ofTools, timeWindow: 60_000 }]],
  static: [[files, { root: `${root}/site` }]],
  'swagger-ui': [[swagger, openapi], [swaggerUi]],
  express: [[express], [middleware]],
  'raw-body': [[rawBody], [signed]],
  websocket: [[websocket]],
}

interface Asked {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const json = { 'content-type': 'application/json' }
const item = JSON.stringify({ name: 'apple', count: 2 })

function form(): FormData {
  const data = new FormData()
  data.append('file', new Blob(['some text'], { type: 'text/plain' }), 'a.txt')
  return data
}

const requests: readonly Asked[] = [
  { name: 'GET', path: '/items/7' },
  { name: 'POST', method: 'POST', path: '/items', headers: json, body: item },
  {
    name: 'gzip',
    method: 'POST',
    path: '/items',
    headers: { ...json, 'content-encoding': 'gzip' },
    body: Uint8Array.from(gzipSync(item)),
  },
  {
    name: 'bad gzip',
    method: 'POST',
    path: '/items',
    headers: { ...json, 'content-encoding': 'gzip' },
    body: 'no gzip',
  },
  {
    name: 'form',
    method: 'POST',
    path: '/items/form',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=pear',
  },
  { name: 'upload', method: 'POST', path: '/items/files' },
  { name: '404', path: '/nowhere' },
  { name: 'error', path: '/items/failing/now' },
  {
    name: 'preflight',
    method: 'OPTIONS',
    path: '/items',
    headers: { origin: 'https://shop.example.org', 'access-control-request-method': 'POST' },
  },
  { name: 'file', path: '/page.txt' },
  { name: 'document', path: '/documentation/json' },
  { name: 'again', path: '/items/8' },
]

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function ask(base: string, { method = 'GET', path, headers = {}, body, name }: Asked): Promise<Answer> {
  const sent = name === 'upload' ? form() : body
  const signal = AbortSignal.timeout(10_000)
  const answer = await fetch(base + path, {
    method,
    headers: { origin: 'https://shop.example.org', ...headers },
    signal,
    ...(sent === undefined ? {} : { body: sent }),
  })
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() }
}

/** Ours are on top of what a plugin sets, and on none of its names. */
const oursAlone = [
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'cache-control',
  'x-content-type-options',
  'etag',
  'transfer-encoding',
  'content-type',
  'accept-encoding',
  'allow',
  'last-modified',
  'accept-ranges',
]

const ofPlugins = (headers: Answer['headers']): object =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !oursAlone.includes(name) && !name.startsWith('x-ratelimit-reset'),
    ),
  )

/** What ours is to be where plain Fastify answers `plain`: the same, with refusals in the words of the application. */
function expected(
  { name }: Asked,
  { status, body }: Answer,
): { readonly status: number; readonly body: unknown } {
  const isRefused = status >= 400
  if (isRefused && name === 'form') return { status: 200, body: { name: 'pear' } } // read without a plugin
  if (isRefused && name === 'upload') return { status: 200, body: { name: 'a.txt', text: 'some text' } }
  const { message, code } = isRefused ? JSON.parse(body) : {}
  if (name.endsWith('gzip') && code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    // RFC 9110, 15.5.16
    return { status: 415, body: { error: `unsupported body encoding 'gzip', accepts: identity` } }
  if (status === 404 && name === 'preflight') return { status: 405, body: { error: 'method not allowed' } }
  if (status === 404) return { status, body: { error: 'not found' } }
  if (status === 500) return { status, body: {} }
  if (name === 'document') return { status, body: '"/items/{id}":{"get"' }
  return { status, body: isRefused ? { error: message } : body === '' ? null : parsed(body) }
}

const parsed = (body: string): unknown => (/^[{[]/.test(body) ? JSON.parse(body) : body)

const served = async (app: FastifyInstance): Promise<string> =>
  (await app.listen({ port: 0, host: '127.0.0.1' })).replace(/\/$/, '')

t.before(async () => {
  const { status, stderr } = await built(root)
  if (status !== 0) throw new Error(stderr)
})

const opened = (used: readonly Plugin[]): Promise<TestApp> =>
  openTestApp({
    cwd: root,
    environment: { production: true, baseUrl: 'http://app.example' },
    change: (bundle) => ({
      ...bundle,
      config: {
        ...(bundle.config as object),
        plugins: used.map(([plugin, options = {}]) => [plugin, options] as PluginEntry),
      },
    }),
  })

for (const [name, used] of Object.entries(plugins)) {
  t.test(name, async (t) => {
    const app = await opened(used)
    t.teardown(app.close)
    const plain = Fastify()
    t.teardown(() => plain.close())
    for (const [plugin, options = {}] of used)
      await plain.register(plugin as FastifyPluginCallback<object>, options)
    await plainRoutes(plain)
    const [ours, theirs] = [await served(app.application.server), await served(plain)]
    for (const asked of requests) {
      const [own, other] = await Promise.all([ask(ours, asked), ask(theirs, asked)])
      const wanted = expected(asked, other)
      t.equal(own.status, wanted.status, `${asked.name}: status`)
      if (asked.name === 'document' && wanted.status === 200)
        t.match(own.body, wanted.body as string, 'its own, and ours')
      else t.strictSame(own.body === '' ? null : parsed(own.body), wanted.body, `${asked.name}: body`)
      if (other.status >= 400) Reflect.deleteProperty(own.headers, 'x-signed') // hooks behind the parser: it is another one
      t.strictSame(ofPlugins(own.headers), ofPlugins(other.headers), `${asked.name}: headers`)
      t.notMatch(own.body, /"\/[0-9a-f]{8}-/, "no address that is nobody's")
      if (process.env.ACMCP_TABLE !== undefined)
        console.log(
          `| ${name} | ${asked.name} | ${other.status} | ${own.status} | ${Object.keys(ofPlugins(own.headers)).join(' ')} |`,
        )
    }
    const client = app.client()
    const [shown, created, failed] = await Promise.all([
      client.tool('items_show', { id: '7' }),
      client.tool('items_create', { item: { name: 'apple', count: 2 } }),
      client.tool('items_fail'),
    ])
    t.match(shown.structuredContent, { id: '7' })
    t.strictSame(created.structuredContent, { name: 'apple', count: 2 })
    t.strictSame(
      [failed.isError, failed.content[0]?.text],
      [true, '500 Internal Server Error\ninternal error'],
    )
  })
}

t.test('an application of one page answers where no route is, and below none of our addresses', async (t) => {
  const page: FastifyPluginCallback = (app, _options, done) => {
    app.setNotFoundHandler(
      { preHandler: async (_request: unknown, reply: FastifyReply) => void reply.header('x-page', '1') },
      async (request, reply) => reply.type('text/html').send(`the page for ${request.url}`),
    )
    done()
  }
  const app = await opened([[page], [files, { root: `${root}/site`, prefix: '/site/' }]])
  t.teardown(app.close)
  const seen = async (method: 'GET' | 'POST', url: string): Promise<readonly unknown[]> => {
    const { statusCode, body } = await app
      .client()
      .request({ method, url, headers: { accept: 'text/html, */*' } })
    return [statusCode, body]
  }
  const asked = [
    '/',
    '/orders/7',
    '/docs',
    '/oauth',
    '/oauth/x',
    '/.well-known/x',
    '/site/none.txt',
    '/items/1/2/3',
  ]
  t.strictSame(await Promise.all(asked.map((url) => seen('GET', url))), [
    ...['/', '/orders/7', '/docs'].map((url) => [200, `the page for ${url}`]),
    ...['/oauth', '/oauth/x', '/.well-known/x'].map(() => [404, '{"error":"not found"}']),
    ...['/site/none.txt', '/items/1/2/3'].map((url) => [200, `the page for ${url}`]),
  ])
  t.strictSame(await seen('GET', '/items'), [405, '{"error":"method not allowed"}'])
})

t.test(
  'plugins that do not go together are refused in one line, which names the plugin and the route',
  async (t) => {
    const plugin = (name: string, add: (app: FastifyInstance) => void): FastifyPluginCallback =>
      Object.defineProperty<FastifyPluginCallback>(
        (app, _options, done) => {
          add(app)
          done()
        },
        'name',
        { value: name },
      )
    const fallback = plugin(
      'spa',
      (app) => void app.setNotFoundHandler((_request, reply) => reply.send('page')),
    )
    const answer = (): string => 'mine'
    const adding = (method: 'GET' | 'HEAD' | 'POST' | 'PUT', url: string): FastifyPluginCallback =>
      plugin('extra', (app) => void app.route({ method: [method, 'OPTIONS'], url, handler: answer }))
    const outer = (inner: Plugin[0]): FastifyPluginCallback =>
      plugin('outer', (app) => void app.register(inner as FastifyPluginCallback))
    const nested = outer(adding('POST', '/items'))
    const thrown = (reason: string): never => {
      throw new Error(reason)
    }
    const declared = "Method '[ 'GET', 'OPTIONS' ]' already declared for route '/own'"
    const cases: readonly (readonly [readonly Plugin[], string])[] = [
      [
        [[fallback], [fallback]],
        "the plugin 'spa' of app/config.ts failed: setNotFoundHandler has been called before for all that has no prefix: keep one of both",
      ],
      [
        [
          [fallback, { prefix: '/a' }],
          [fallback, { prefix: '/a' }],
        ],
        "the plugin 'spa' of app/config.ts failed: setNotFoundHandler has been called before for '/a': keep one of both",
      ],
      [
        [[adding('GET', '/items/:key')]],
        "the plugin 'extra' of app/config.ts failed: it adds GET, OPTIONS /items/:key, which is the route items_show: change one of both paths",
      ],
      [
        [[adding('HEAD', '/:id'), { prefix: '/items' }]],
        "the plugin 'extra' of app/config.ts failed: it adds HEAD, OPTIONS /items/:id, which is the route items_show: change one of both paths",
      ],
      [
        [[nested]],
        "the plugin 'outer' of app/config.ts failed: it adds POST, OPTIONS /items, which is the route items_create: change one of both paths",
      ],
      [
        [[adding('POST', '/oauth/token')]],
        "the plugin 'extra' of app/config.ts failed: it adds POST, OPTIONS /oauth/token, which is an address of acmcp: change one of both paths",
      ],
      [
        [[adding('GET', '/own')], [adding('GET', '/own')]],
        `the plugin 'extra' of app/config.ts failed: ${declared}`,
      ],
      [
        [[adding('GET', '/own')], [outer(adding('GET', '/own'))]],
        `the plugin 'outer' of app/config.ts failed: ${declared}`,
      ],
      [
        [[outer(adding('GET', '/own'))], [adding('GET', '/own')]],
        `the plugin 'extra' of app/config.ts failed: ${declared}`,
      ],
      [
        [[outer(adding('GET', '/own'))], [outer(outer(adding('GET', '/own')))]],
        `the plugin 'outer' of app/config.ts failed: ${declared}`,
      ],
    ]
    for (const [used, message] of cases) await t.rejects(opened(used), { name: 'BootError', message })
    for (const broken of [
      plugin('broken', () => thrown('no such file')),
      async () => thrown('no such file'),
    ]) {
      const message = "the plugin 'outer' of app/config.ts failed: no such file"
      await t.rejects(opened([[outer(outer(broken))]]), { message, cause: { message: 'no such file' } })
    }
    const beside = await opened([[adding('PUT', '/items')], [fallback], [fallback, { prefix: '/a' }]])
    t.teardown(beside.close)
    const put = await beside.client().request({ method: 'PUT', url: '/items' })
    t.strictSame([put.statusCode, put.body], [200, 'mine'])
  },
)

t.test('addresses of ours that any origin may read stay so beside @fastify/cors', async (t) => {
  for (const options of [{ origin: 'https://shop.example.org' }, { origin: true, credentials: true }]) {
    const app = await opened([[cors, options]])
    t.teardown(app.close)
    const client = app.client()
    const headers = { origin: 'https://client.example', 'access-control-request-method': 'POST' }
    for (const url of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server',
    ]) {
      const answers = await Promise.all([
        client.request({ method: 'OPTIONS', url, headers }),
        client.request({
          method: url.startsWith('/oauth') ? 'POST' : 'GET',
          url,
          headers: { origin: headers.origin },
        }),
      ])
      for (const answer of answers) {
        const { 'access-control-allow-origin': origin, 'access-control-allow-credentials': credentials } =
          answer.headers
        t.strictSame([origin, credentials], ['*', undefined], url)
      }
    }
  }
})

t.test('decisions, origins: what a hook answers in their place may be read there too', async (t) => {
  const busy: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-busy'] === 'thrown') throw Object.assign(new Error('busy'), { statusCode: 429 })
      if (request.headers['x-busy'] === 'sent') return reply.code(429).send({ error: 'busy' })
    })
    done()
  }
  const app = await opened([[busy], [cors, { origin: 'https://shop.example.org' }]])
  t.teardown(app.close)
  const readable = async (url: string, busy: string, origin: string): Promise<unknown> => {
    const { statusCode, headers } = await app
      .client()
      .request({ method: 'POST', url, headers: { origin, 'x-busy': busy } })
    return [statusCode, headers['access-control-allow-origin']]
  }
  const page = 'http://app.example'
  for (const kind of ['thrown', 'sent']) {
    t.strictSame(await readable('/mcp', kind, page), [429, page], kind)
    t.strictSame(await readable('/mcp/items', kind, 'https://evil.example'), [429, undefined], 'foreign')
    t.strictSame(await readable('/oauth/token', kind, 'https://client.example'), [429, '*'])
    t.strictSame(await readable('/oauth/authorize', kind, page), [429, undefined], 'a page')
  }
})

t.test('a body that a hook unpacks or looks at reaches the route, whatever its headers say', async (t) => {
  const unpacking: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('preParsing', async (request, _reply, payload) => {
      const { headers } = request.raw
      if (headers['content-encoding'] !== 'gzip') return payload
      delete headers['content-length']
      delete headers['content-encoding']
      return payload.pipe(createGunzip())
    })
    app.addHook('preParsing', ({ headers }, _reply, payload, next) => {
      if (headers['x-way'] === 'seen') payload.on('data', () => {})
      next(null, payload)
    })
    done()
  }
  const app = await opened([[unpacking]])
  t.teardown(app.close)
  const base = await served(app.application.server)
  const large = JSON.stringify({ name: 'a'.repeat(100_000), count: 2 })
  const sent = async (body: string | Uint8Array<ArrayBuffer>, headers: object): Promise<unknown> => {
    const answer = await fetch(`${base}/items`, { method: 'POST', body, headers: { ...json, ...headers } })
    return [answer.status, (await answer.text()).length]
  }
  const gzip = { 'content-encoding': 'gzip' }
  t.strictSame(await sent(Uint8Array.from(gzipSync(large)), gzip), [200, large.length])
  t.strictSame(await sent(Uint8Array.from(gzipSync('x'.repeat(2_000_000))), gzip), [413, 57], 'a bomb')
  t.strictSame(await sent('no gzip', gzip), [500, 2], 'as the hook says')
  t.strictSame(await sent(large, { 'x-way': 'seen' }), [200, large.length])
  t.strictSame(await sent('x'.repeat(2_000_000), { 'x-way': 'seen' }), [413, 57])
  t.strictSame(await sent(large, { 'content-encoding': 'identity' }), [200, large.length])
  const { status, headers } = await fetch(`${base}/mcp`, {
    method: 'POST',
    body: 'x',
    headers: { ...json, 'content-encoding': 'br' },
  })
  t.strictSame([status, headers.get('content-type')], [415, 'application/json; charset=utf-8'])
})
