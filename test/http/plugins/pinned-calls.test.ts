/** One application three ways: over HTTP, as tool calls, as tool calls behind plugins. The outcome is the same, or the call is
 *  refused; another route than the tool's own never runs. Source: house.md, The runtime. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import { RequestAborted } from '../../../runtime/errors.ts'
import { jsonResponse } from '../../../runtime/http/pipeline/error-handler.ts'
import { injectCall } from '../../../runtime/http/plugins/inject.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'
import { rejection, request } from '../support/probe.ts'
import { endpoint, shell } from '../support/shell.ts'

t.setTimeout(120_000)

const base = `import { Controller, type MissingError, ParameterResponse, type ValueError } from 'acmcp'
export abstract class Base extends Controller {
  /** @exception {MissingError} 422 */
  missing(error: MissingError): ParameterResponse { return new ParameterResponse(error) }
  /** @exception {ValueError} 400 */
  wrong(error: ValueError): ParameterResponse { return new ParameterResponse(error) }
}
export interface Ran { readonly ran: string; readonly with: readonly (string | null)[] }
export const ran = (name: string, ...given: readonly (string | number | undefined)[]): Ran => {
  return { ran: name, with: given.map((one) => (one === undefined ? null : String(one))) }
}
`

const items = `import { type Int32 } from 'acmcp'
import { Base, type Ran, ran } from '../base.ts'
/** Items. */
export class Items extends Base {
  /**
   * Shows one.
   *
   * @get /:id
   */
  show(id: string): Ran { return ran('show', id) }
  /**
   * Removes one.
   *
   * @delete /:id
   */
  remove(id: string): Ran { return ran('remove', id) }
  /**
   * Shows a part.
   *
   * @get /:id/parts/:part
   */
  part(id: string, part: string): Ran { return ran('part', id, part) }
  /**
   * Adds a note.
   *
   * @post /:id/notes
   */
  note(id: string, text: string): Ran { return ran('note', id, text) }
  /**
   * Shows a page.
   *
   * @get /pages/of/?:page
   */
  page(page?: Int32): Ran { return ran('page', page) }
  /**
   * Reads a file.
   *
   * @get /files/at/*:path
   */
  read(path: string): Ran { return ran('read', path) }
}
`

const vault = `import { Base, type Ran, ran } from '../base.ts'
/**
 * Not for models.
 *
 * @base /items
 * @mcp hide
 */
export class Vault extends Base {
  /**
   * All.
   *
   * @get /
   */
  index(): Ran { return ran('vault index') }
  /**
   * Removes all.
   *
   * @delete /
   */
  clear(): Ran { return ran('vault clear') }
  /**
   * The secret.
   *
   * @get /secret
   */
  secret(): Ran { return ran('vault secret') }
  /**
   * Hidden parts.
   *
   * @get /:id/parts/hidden
   */
  hidden(id: string): Ran { return ran('vault hidden', id) }
  /**
   * A note to all.
   *
   * @post /notes
   */
  notes(): Ran { return ran('vault notes') }
}
`

const root = folderOf(t, {
  'app/base.ts': base,
  'app/controllers/items.ts': items,
  'app/controllers/vault.ts': vault,
})
const { status, stderr } = await built(root)

/** Which routes the hooks saw. */
const seen: unknown[] = []

/** Sees every route, and has one of its own in the way. */
const watching: AppPlugin = async (app: FastifyInstance) => {
  app.addHook('onRequest', async ({ routeOptions, headers }, _reply) => {
    if (routeOptions.url !== '/mcp') seen.push([routeOptions.url, headers])
  })
  app.get('/items/plugin', async () => ({ ran: 'the plugin', with: [] }))
}

const withPlugins = (bundle: AppBundle, plugins: readonly AppPlugin[]): AppBundle => ({
  ...bundle,
  config: { ...(bundle.config as object), plugins }, // a plain object
})

const change = (bundle: AppBundle): AppBundle => bundle
const opened = async (
  plugins: readonly AppPlugin[],
  changed: (bundle: AppBundle) => AppBundle = change,
): Promise<TestApp> => {
  const app = await openTestApp({ cwd: root, change: (bundle) => withPlugins(changed(bundle), plugins) })
  t.teardown(app.close)
  return app
}

const bare = await opened([])
const hooked = await opened([watching])
const { port } = new URL(await hooked.application.server.listen({ port: 0, host: '127.0.0.1' }))

type Args = Readonly<Record<string, unknown>>
type Seen = readonly [status: number, body: unknown]

/** A tool call as status and body of its route. */
async function called(app: TestApp, name: string, args: Args, headers: object = {}): Promise<Seen> {
  const { body } = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  })
  const { content, isError } = JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '{}').result
  const [first, second] = String(content[0].text).split('\n')
  if (isError !== true) return [200, JSON.parse(first ?? '')]
  return [Number.parseInt(first ?? '', 10), JSON.parse(second ?? '')]
}

/** The same over HTTP, with the path as it is written: nothing on the way makes another of it. */
async function overHttp(method: string, path: string): Promise<Seen> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, method, path }, resolve).once('error', reject).end()
  })
  return [answer.statusCode ?? 0, await readJson(answer)]
}

const ran = (name: string, ...provided: readonly (string | null)[]): Seen => [
  200,
  { ran: name, with: provided },
]
const missing = (parameter: string): Seen => [
  422,
  { error: `missing required parameter '${parameter}'`, parameter, restriction: 'string' },
]
const wrong = (parameter: string, came: string): Seen => [
  400,
  {
    error: `invalid parameter value for '${parameter}': expected string, got ${came}`,
    parameter,
    restriction: 'string',
  },
]
const elsewhere: Seen = [400, { error: 'a path argument leads to another address than that of the tool' }]

interface Case {
  readonly tool: string
  readonly args: Args
  /** The same request over HTTP; null where no address says so. */
  readonly path: string | null
  /** What all three come to, or what a tool call comes to without plugins and behind them. */
  readonly all?: Seen
  readonly bare?: Seen
  readonly behind?: Seen
}

const cases: readonly Case[] = [
  { tool: 'items_show', args: { id: 'a' }, path: '/items/a', all: ran('show', 'a') },
  {
    tool: 'items_show',
    args: { id: 'a b/c?d#e%2e' },
    path: '/items/a%20b%2Fc%3Fd%23e%252e',
    all: ran('show', 'a b/c?d#e%2e'),
  },
  { tool: 'items_show', args: { id: '%2e%2e' }, path: '/items/%252e%252e', all: ran('show', '%2e%2e') },
  { tool: 'items_show', args: { id: 'Secret' }, path: '/items/Secret', all: ran('show', 'Secret') },
  {
    tool: 'items_show',
    args: { id: 'x/../secret' },
    path: '/items/x%2F..%2Fsecret',
    all: ran('show', 'x/../secret'),
  },
  { tool: 'items_show', args: { id: 'ü💥' }, path: '/items/%C3%BC%F0%9F%92%A5', all: ran('show', 'ü💥') },
  { tool: 'items_show', args: {}, path: null, all: missing('id') },
  { tool: 'items_show', args: { id: '' }, path: null, all: missing('id') },
  { tool: 'items_show', args: { id: null }, path: null, all: wrong('id', 'null') },
  { tool: 'items_remove', args: {}, path: null, all: missing('id') },
  { tool: 'items_remove', args: { id: '' }, path: null, all: missing('id') },
  { tool: 'items_part', args: { id: '', part: 'a' }, path: '/items//parts/a', all: missing('id') },
  { tool: 'items_part', args: { id: 'a' }, path: null, all: missing('part') },
  { tool: 'items_part', args: { id: 'a', part: 'b' }, path: '/items/a/parts/b', all: ran('part', 'a', 'b') },
  { tool: 'items_note', args: { text: 'x' }, path: null, all: missing('id') },
  { tool: 'items_read', args: { path: '' }, path: null, all: missing('path') },
  { tool: 'items_read', args: { path: 'a/b c' }, path: '/items/files/at/a/b%20c', all: ran('read', 'a/b c') },
  { tool: 'items_read', args: { path: 'a/b/' }, path: null, all: ran('read', 'a/b/') },
  { tool: 'items_page', args: { page: 2 }, path: '/items/pages/of/2', all: ran('page', '2') },
  { tool: 'items_page', args: {}, path: '/items/pages/of', all: ran('page', null) },
  // over HTTP the first is the address of another route, the others are written out by clients; no tool call goes there
  { tool: 'items_show', args: { id: 'secret' }, path: null, bare: ran('show', 'secret'), behind: elsewhere },
  { tool: 'items_show', args: { id: 'plugin' }, path: null, bare: ran('show', 'plugin'), behind: elsewhere },
  {
    tool: 'items_part',
    args: { id: 'a', part: 'hidden' },
    path: null,
    bare: ran('part', 'a', 'hidden'),
    behind: elsewhere,
  },
  { tool: 'items_show', args: { id: '..' }, path: '/items/..', bare: ran('show', '..'), behind: elsewhere },
  { tool: 'items_show', args: { id: '.' }, path: '/items/.', bare: ran('show', '.'), behind: elsewhere },
  { tool: 'items_remove', args: { id: '.' }, path: null, bare: ran('remove', '.'), behind: elsewhere },
  {
    tool: 'items_part',
    args: { id: '..', part: 'a' },
    path: null,
    bare: ran('part', '..', 'a'),
    behind: elsewhere,
  },
  {
    tool: 'items_note',
    args: { id: '.', text: 'x' },
    path: null,
    bare: ran('note', '.', 'x'),
    behind: elsewhere,
  },
  {
    tool: 'items_read',
    args: { path: 'a/../b' },
    path: '/items/files/at/a/../b',
    bare: ran('read', 'a/../b'),
    behind: elsewhere,
  },
  {
    tool: 'items_read',
    args: { path: '../../secret' },
    path: null,
    bare: ran('read', '../../secret'),
    behind: elsewhere,
  },
]

const own: Readonly<Record<string, readonly string[]>> = {
  items_show: ['/items/:id'],
  items_remove: ['/items/:id'],
  items_part: ['/items/:id/parts/:part'],
  items_note: ['/items/:id/notes'],
  items_page: ['/items/pages/of/:page', '/items/pages/of'],
  items_read: ['/items/files/at/*'],
}

t.test('the application is built', async (t) => t.equal(status, 0, stderr))

t.test('a tool call runs its own route or none, whatever its path arguments', async (t) => {
  for (const { tool, args, path, all, ...each } of cases) {
    const title = `${tool} ${JSON.stringify(args)}`
    const expected = [each.bare ?? all, each.behind ?? all]
    seen.length = 0
    t.strictSame([await called(bare, tool, args), await called(hooked, tool, args)], expected, title)
    const routes = seen.map((value) => (value as readonly unknown[])[0])
    t.ok(
      routes.every((url) => own[tool]?.includes(String(url))),
      `${title}: no hook sees another route: ${routes}`,
    )
    if (path === null) continue
    const method = tool === 'items_remove' ? 'DELETE' : tool === 'items_note' ? 'POST' : 'GET'
    t.strictSame(await overHttp(method, path), expected[0], `${title} over HTTP`)
  }
})

t.test('nobody can say from outside that a request is a tool call', async (t) => {
  const tokens: unknown[] = []
  const curious: AppPlugin = async (app) => {
    app.addHook('onRequest', async ({ headers, raw }) => {
      tokens.push(...Object.keys(headers).filter((name) => name.includes('acmcp')), ...raw.rawHeaders)
    })
  }
  const app = await opened([curious])
  t.strictSame(await called(app, 'items_show', { id: 'a' }), ran('show', 'a'))
  t.notOk(
    tokens.some((name) => String(name).startsWith('x-acmcp')),
    'hooks see no token',
  )
  for (const value of ['', 'x', '00000000-0000-4000-8000-000000000000']) {
    const answer = await app.client().get('/items/secret', { 'x-acmcp-call': value })
    t.strictSame([answer.statusCode, answer.json()], ran('vault secret'), 'an ordinary request')
  }
})

const credentials = {
  authorization: 'Bearer mine',
  cookie: 'who=mine',
  'x-api-key': 'mine',
  'x-forwarded-user': 'mine',
  host: 'localhost:3000',
}

/** Headers that an argument must never set, whatever the catalogue says. */
const guarded = [
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'X-API-Key',
  'Host',
  'Forwarded',
  'Via',
  'X-Forwarded-User',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Real-IP',
  'Content-Length',
  'Transfer-Encoding',
  'Connection',
]

const argumentOf = (name: string): string => name.toLowerCase().replaceAll('-', '_')

/** `items_show` with an argument for each of these headers, and an ordinary one. */
function withHeaders(bundle: AppBundle): AppBundle {
  const names = [...guarded, 'X-Tenant']
  const added = names.map((name) => ({ argument: argumentOf(name), from: 'header' as const, name }))
  const changed = (tool: ToolEntry): ToolEntry => ({
    ...tool,
    inputSchema: { type: 'object' },
    arguments: [...tool.arguments, ...added],
  })
  const tools = bundle.catalogue.tools.map((tool) => (tool.name === 'items_show' ? changed(tool) : tool))
  const echo = (controller: object): unknown =>
    (controller as { request: { headers: object } }).request.headers
  const routes = bundle.routes.map((route) => (route.id === 'items_show' ? { ...route, call: echo } : route))
  const config = { ...(bundle.config as object), answers: 'whole' } // a plain object
  return { ...bundle, config, routes, catalogue: { ...bundle.catalogue, tools } }
}

t.test('no argument sets a header that says who is asking, or whence', async (t) => {
  const forged = Object.fromEntries(guarded.map((name) => [argumentOf(name), 'forged']))
  const args = { id: 'a', ...forged, x_tenant: 'north' }
  const apps = [await opened([], withHeaders), await opened([watching], withHeaders)]
  for (const app of apps) {
    seen.length = 0
    const accept = 'application/json'
    const tenant = { 'x-tenant': 'north' }
    t.strictSame(await called(app, 'items_show', args), [200, { accept, ...tenant }], 'without credentials')
    const { authorization, cookie, 'x-api-key': key } = credentials
    t.strictSame(
      await called(app, 'items_show', args, credentials),
      [200, { accept, authorization, cookie, 'x-api-key': key, ...tenant }],
      'the client’s own credentials, and nothing else of its request',
    )
    const hosts = seen.map((value) => ((value as readonly unknown[])[1] as { host: string }).host)
    t.ok(
      hosts.every((host) => host === 'localhost:3000'),
      `hooks see our own host: ${hosts}`,
    )
  }
})

t.test('what hooks make of headers and body is what the route is given, by every way', async (t) => {
  const changing: AppPlugin = async (app) => {
    app.addHook('onRequest', async ({ headers }) => {
      delete headers['x-tenant']
      headers['x-stamp'] = 'hook'
    })
  }
  const app = await opened([changing], withHeaders)
  const answer = await called(app, 'items_show', { id: 'a', x_tenant: 'north' })
  t.strictSame(answer, [200, { accept: 'application/json', 'x-stamp': 'hook' }])
  const upper: AppPlugin = async (app: FastifyInstance) => {
    app.addHook('preParsing', async (request, _reply, payload) => {
      if (request.url === '/mcp') return payload
      const { Readable } = await import('node:stream')
      let text = ''
      for await (const chunk of payload) text += chunk
      delete request.headers['content-length']
      request.headers['transfer-encoding'] = 'chunked'
      return Readable.from([Buffer.from(text.replace('quiet', 'LOUD'))])
    })
  }
  const loud = await opened([upper])
  t.strictSame(await called(loud, 'items_note', { id: 'a', text: 'quiet' }), ran('note', 'a', 'LOUD'))
  const over = await loud.client().json('/items/a/notes', { text: 'quiet' })
  t.strictSame([over.statusCode, over.json()], ran('note', 'a', 'LOUD'))
})

t.test('a call that a hook ends was aborted, also while the server ends', async (t) => {
  const call = {
    request: request({ method: 'GET', url: '/a' }),
    pin: { routeIds: new Set(['a']), neededVariables: [] },
    host: 'localhost:3000',
  }
  const ending: AppPlugin = async (app: FastifyInstance) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.hijack().raw.destroy()
    })
  }
  const a = { ...endpoint('/a', () => jsonResponse(200, 'a')), routeId: 'a' }
  const { app } = await shell([a], { plugins: [ending] })
  t.type(await rejection(injectCall(app, call)), RequestAborted)
  await app.close()
  t.type(await rejection(injectCall(app, call)), RequestAborted)
})

t.test('an answer that a hook puts in place of a refusal of ours is none', async (t) => {
  const call = {
    request: request({ method: 'GET', url: '/a' }),
    pin: { routeIds: new Set(['a']), neededVariables: [] },
    host: 'localhost:3000',
  }
  const away = { ...jsonResponse(503, { error: 'away' }), refusedBy: { kind: 'outage' } as const }
  const a = { ...endpoint('/a', () => away), routeId: 'a' }
  const caching: AppPlugin = async (app: FastifyInstance) => {
    app.addHook('onSend', async (_request, reply) => {
      reply.code(200)
      return '"kept"'
    })
  }
  const quiet: AppPlugin = async () => {}
  for (const [plugin, status, refusedBy] of [
    [quiet, 503, away.refusedBy],
    [caching, 200, undefined],
  ] as const) {
    const { app } = await shell([a], { plugins: [plugin] })
    t.match(await injectCall(app, call), { status, refusedBy })
    await app.close()
  }
})
