/** What reaches a model and its client: texts, never pages; the application's own version. */
import t from 'tap'
import type { RefusedBy } from '../../../runtime/contract/http.ts'
import { createMcpServer } from '../../../runtime/mcp/server.ts'
import { buildShop, callTool, failureOf, openShop } from '../support/shop.ts'
import { call, endpointOptions, message, quiet, requestOf, rpc, serve } from '../support/support.ts'

const bundle = await buildShop()
const failingHook = async (app: {
  addHook(name: string, hook: (request: { url: string }) => Promise<void>): void
}) => {
  app.addHook('onRequest', async ({ url }) => {
    if (url.startsWith('/open/select')) throw new RangeError('the hook <i>broke</i>')
  })
}

t.test('a tool call never gets a development page, behind plugins neither', async (t) => {
  for (const config of [{}, { plugins: [failingHook] }]) {
    const shop = await openShop(t, bundle, { config })
    t.equal(
      failureOf(await callTool(shop, 'open_crash')),
      '500 Internal Server Error\nTypeError: the shelf <b>broke</b> at ?code=[FILTERED]\ncaused by Error: too many books',
    )
    t.equal(failureOf(await callTool(shop, 'open_page')), '502 Bad Gateway\n(a page of text/html)')
    if ('plugins' in config)
      t.equal(
        failureOf(await callTool(shop, 'open_select')),
        '500 Internal Server Error\nRangeError: the hook <i>broke</i>',
      )
    const page = await shop.app.client().request({ method: 'POST', url: '/open/crash' })
    t.match([page.statusCode, page.headers['content-type']], [500, /^text\/html/], 'over HTTP it is the page')
    const production = await openShop(t, bundle, { config, production: true })
    for (const name of ['open_crash', 'open_page'])
      t.match(failureOf(await callTool(production, name)), /^50[02] [A-Z][A-Za-z ]+\ninternal error$/)
  }
})

t.test("serverInfo.version is the application's", async (t) => {
  const { app } = await openShop(t, bundle)
  const { headers = {}, message: payload } = message('modern', 'server/discover')
  const answer = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    payload: JSON.stringify(payload),
  })
  t.strictSame(answer.json().result._meta['io.modelcontextprotocol/serverInfo'], {
    name: 'Shop',
    version: '4.5.6',
  })
})

t.test('a message that is not UTF-8 is a parse error', async (t) => {
  for (const isSdkOnly of [false, true]) {
    const app = serve({ isSdkOnly })
    const sent = message('legacy', 'tools/call', { name: 'notes_show', arguments: { id: 'é', part: 'b' } })
    const bytes = Buffer.from(JSON.stringify(sent.message))
    const at = bytes.indexOf('é')
    const send = (body: Uint8Array) =>
      app({ ...sent, body: { kind: 'bytes', contentType: 'application/json', read: async () => body } })
    t.equal((await send(bytes)).status, 200)
    t.equal(
      (await send(Buffer.concat([Buffer.from('\ufeff'), bytes]))).status,
      200,
      'a byte order mark is left out',
    )
    // overlong, half a surrogate pair, a byte that is in no text, a sequence that is cut off
    for (const wrong of [
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xff, 0xfe],
      [0xc3, 0x28],
    ]) {
      const broken = Buffer.from(bytes)
      broken.set(wrong, at)
      const answer = await send(broken)
      t.strictSame([answer.status, rpc(answer).error.code, rpc(answer).id], [400, -32700, null])
    }
  }
})

t.test(
  'after a failed import: an endpoint that could not be loaded is loaded with the next request',
  async (t) => {
    const lines: (readonly [string, string])[] = []
    let isFirst = true
    const options = {
      ...endpointOptions(),
      get stateSecrets(): readonly string[] {
        if (isFirst) {
          isFirst = false
          throw new Error('no memory')
        }
        return ['a secret of at least thirty-two bytes']
      },
      log: {
        ...quiet,
        error: ({ err }: { err?: Error }, msg: string) => void lines.push([msg, String(err)]),
      },
    }
    const [endpoint] = createMcpServer(options).endpoints
    const ask = async () => endpoint?.handle(requestOf(message('legacy', 'ping')))
    await t.rejects(ask(), new Error('no memory'))
    t.strictSame(lines, [['the MCP endpoint could not be loaded', 'Error: no memory']])
    t.strictSame([(await ask())?.status, (await ask())?.status, lines.length], [200, 200, 1])
  },
)

t.test(
  'while the store is away a model reads what HTTP says, and nothing of any other failure',
  async (t) => {
    const failing = (body: object, refusedBy?: RefusedBy) =>
      serve({
        invoke: async () => ({
          status: 503,
          headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '5' },
          body: JSON.stringify(body),
          ...(refusedBy === undefined ? {} : { refusedBy }),
        }),
      })
    const reported = async (body: object, refusedBy?: RefusedBy): Promise<string> =>
      (await call(failing(body, refusedBy), 'modern', 'files_answer')).content[0].text
    const head = '503 Service Unavailable\nRetry-After: 5'
    const away = { error: 'the store is not available' }
    t.equal(await reported(away, { kind: 'outage' }), `${head}\n${JSON.stringify(away)}`)
    t.equal(await reported(away), `${head}\ninternal error`, 'whatever the application says')
    t.equal(await reported({ error: 'the printer is on fire' }), `${head}\ninternal error`)
  },
)
