/** What a hostile client sends. Source: rules.md, Security requirements. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import { InputRequired } from '../../../runtime/errors.ts'
import { toolCallOf } from '../../../runtime/http/pipeline/controller.ts'
import {
  type Answer,
  createApplication,
  json,
  message,
  quiet,
  rpc,
  type Sent,
  serve,
} from '../support/support.ts'

const legacyHead = { 'mcp-protocol-version': '2025-11-25' }
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })

/** A POST of exactly this text. */
function raw(text: string, headers: Readonly<Record<string, string>> = legacyHead): Sent {
  const bytes = new TextEncoder().encode(text)
  return { headers, body: { kind: 'bytes', contentType: 'application/json', read: async () => bytes } }
}

/** The same with other headers. */
const as = (sent: Sent, headers: Readonly<Record<string, string>>): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
})

t.test('JSON as deep as a body can be is answered, wherever it stands', async (t) => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  const modernMeta = JSON.stringify(Object(message('modern', 'tools/list').message).params._meta).slice(1, -1)
  const modernHead = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'notes_index',
  }
  const call = (members: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_index",${members}}}`
  const texts = [
    [`{"jsonrpc":"2.0","id":${deep},"method":"ping"}`, legacyHead],
    [`{"jsonrpc":"2.0","id":1,"method":${deep}}`, legacyHead],
    ['{"jsonrpc":"2.0","id":1,"method":{"toString":1,"valueOf":1}}', legacyHead],
    [call(`"arguments":{"filter":${deep}}`), legacyHead],
    [call(`"arguments":{},"_meta":{"x":${deep}}`), legacyHead],
    [call(`"arguments":{"filter":${deep}},"_meta":{${modernMeta}}`), modernHead],
    [call(`"arguments":{},"_meta":{${modernMeta},"x":${deep}}`), modernHead],
    [call(`"arguments":{"filter":${deep}},"_meta":{${modernMeta}},"requestState":"a.b"`), modernHead],
    [deep, legacyHead],
  ] as const
  for (const isSdkOnly of [false, true]) {
    const app = serve({ isSdkOnly })
    for (const [index, [text, headers]] of texts.entries()) {
      const { status } = await app(raw(text, headers))
      t.ok([200, 400, 413].includes(status), `${index}, ${isSdkOnly ? 'SDK' : 'hot'}: ${status}`)
    }
    t.equal((await app(message('modern', 'tools/list'))).status, 200, 'and the next one is served')
  }
})

t.test('an id comes back as it was sent, however strange; one that is too long is refused', async (t) => {
  for (const id of ['x'.repeat(1000), '"},"result":{', '\u2028🐶', Number.MAX_SAFE_INTEGER, -1]) {
    const sent = message('modern', 'tools/call', { name: 'notes_index' })
    const answer = await serve()({ ...sent, message: { ...Object(sent.message), id } })
    t.strictSame([answer.status, rpc(answer).id], [200, id])
  }
  const sent = message('modern', 'tools/call', { name: 'notes_index' })
  const refused = await serve()({ ...sent, message: { ...Object(sent.message), id: 'x'.repeat(500_000) } })
  t.strictSame([refused.status, rpc(refused).id], [413, null])
})

t.test('names of Object.prototype are names like any other', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const { calls, invoke } = createApplication()
    const app = serve({ invoke })
    const unknown = rpc(await app(message('modern', 'tools/call', { name })))
    t.strictSame([unknown.error.code, unknown.error.message], [-32602, `unknown tool "${name}"`])
    const box = rpc(await app(message('modern', 'tools/call', { name: 'open_toolbox', arguments: { name } })))
    t.strictSame(box.result.content, [{ type: 'text', text: `unknown toolbox "${name}"` }])
    t.equal((await app({ ...message('modern', 'tools/list'), url: `/mcp/${name}` })).status, 404)
    const args = `{"${name}":{"title":"polluted","authorization":"Bearer x"}}`
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_create","arguments":${args}}}`
    await app(raw(text))
    t.strictSame(calls.at(-1)?.body, { kind: 'value', value: {} })
    t.equal(calls.at(-1)?.headers.authorization, undefined)
    t.equal(Object(Object.prototype).title, undefined)
  }
})

t.test('asking for names that do not exist is limited as calls are (MCP, Tools, security)', async (t) => {
  for (const isSdkOnly of [false, true]) {
    const app = serve({ toolCallsPerMinute: 2, isSdkOnly })
    const status = async (): Promise<number> =>
      (await app(message('modern', 'tools/call', { name: 'no_such_tool' }))).status
    t.strictSame([await status(), await status(), await status()], [200, 200, 429])
  }
})

t.test(
  'nothing of one client reaches another: answers are never kept, lists are the same for all',
  async (t) => {
    const whoAmI = async (_: string, { headers }: HttpRequest): Promise<HttpResponse> =>
      json(200, { name: headers.authorization })
    const app = serve({ authProbe: 'users_current', invoke: whoAmI })
    const ask = (token: string): Promise<Answer> =>
      app(as(message('modern', 'tools/call', { name: 'users_current' }), bearer(token)))
    for (const token of ['ada', 'grace', 'ada']) {
      t.strictSame(rpc(await ask(token)).result.structuredContent, { name: `Bearer ${token}` })
    }
    const list = async (token: string): Promise<string> =>
      (await app(as(message('modern', 'tools/list'), bearer(token)))).text
    t.equal(await list('ada'), await list('grace'))
  },
)

t.test('no credential is logged, whatever goes wrong (spec, Security requirements)', async (t) => {
  const lines: string[] = []
  const note = (...parts: readonly unknown[]): void => void lines.push(JSON.stringify(parts))
  const secret = 'Bearer explodes'
  const options = { log: { info: note, warn: note, error: note } }
  const app = serve(options)
  const failing = serve({
    ...options,
    authenticator: ({ headers }) => {
      throw new Error(`cannot read ${headers.authorization}`)
    },
  })
  const call = as(message('modern', 'tools/call', { name: 'notes_index' }), { authorization: secret })
  t.equal((await failing(call)).status, 401)
  await app(call)
  await app({ ...call, message: { nonsense: secret } })
  await app(as(raw(`{"${secret}`), { authorization: secret }))
  t.ok(lines.length >= 2)
  t.strictSame(
    lines.filter((line) => line.includes('explodes') || line.includes('secret detail')),
    [],
  )
})

t.test('a stream that has begun ends, also when the answer to its call cannot be made', async (t) => {
  const invoke = async (_: string, request: HttpRequest): Promise<HttpResponse> => {
    const call = toolCallOf(request)
    call?.mcp.progress(1)
    // a state that is no JSON
    call?.raise(new InputRequired({ sure: { message: 'Sure?', schema: { type: 'object' } } }, 1n))
    return json(500, {})
  }
  const sent = message('modern', 'tools/call', { name: 'notes_index' })
  const { params } = Object(sent.message)
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const _meta = { ...params._meta, ...capabilities, progressToken: 'p' }
  const asking = { ...sent, message: { ...Object(sent.message), params: { ...params, _meta } } }
  const failed = (await serve({ invoke })(asking)).text
  t.match(
    failed,
    /^event: message\ndata: .*notifications\/progress.*\n\nevent: message\ndata: .*"isError":true.*\n\n$/,
  )
  const log = {
    ...quiet,
    error: (): never => {
      throw new Error('the disk is full')
    },
  }
  t.match(
    (await serve({ invoke, log })(asking)).text,
    /^event: message\ndata: .*notifications\/progress.*\n\nevent: message\ndata: \{"jsonrpc":"2.0","id":1,"error":\{"code":-32603,"message":"Internal error"\}\}\n\n$/,
  )
})
