/** Half of a surrogate pair in what an application says: clients in Python and Rust would lose the whole message. Source: RFC 8259, 8.2;
 *  rules.md, half surrogates. */
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { Catalogue, PromptEntry, ResourceEntry } from '../../../runtime/contract/mcp.ts'
import { catalogue, message, serve } from '../support/support.ts'

const half = 'Hello 🐶'.slice(0, 7)
const whole = 'a 🐶 b "\\" \ud83d\udc36'
const values = { half, other: '\udc36x', both: '\udc36\ud83d', [half]: [half], whole }

const offered = {
  name: 'offered',
  route: 'notes_index',
  toolbox: 'notes',
  title: half,
  description: half,
  arguments: [],
}
const offering: Catalogue = {
  ...catalogue,
  tools: catalogue.tools.map((tool) =>
    tool.name === 'notes_index' ? { ...tool, root: true, description: half } : tool,
  ),
  prompts: [offered satisfies PromptEntry],
  resources: [{ ...offered, uri: '/api/notes/', mimeType: null } satisfies ResourceEntry],
}

type Json = HttpResponse['headers']
const answering =
  (body: string, status = 200, headers: Json = { 'content-type': 'application/json; charset=utf-8' }) =>
  async (_: string, request: HttpRequest): Promise<HttpResponse> => {
    const { mcp } = request as unknown as {
      mcp?: { progress(done: number, total?: number, text?: string): void }
    } // of a tool alone
    mcp?.progress(1, 2, half)
    return { status, headers, body }
  }

/** Every text in what a client reads, parsed as JSON where it holds any. */
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Also as an escape; one whose backslash is escaped itself is plain text. */
const holdsHalf = (json: string): boolean =>
  halves.test(json) || /\\u[dD][89a-fA-F]/.test(json.replaceAll('\\\\', ''))

/** The answer, which has no half in any string, nor an escape of one in any text of JSON. */
async function read(
  invoke: ReturnType<typeof answering>,
  method: string,
  params: object,
  isSdkOnly = false,
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (const era of ['legacy', 'modern'] as const) {
    const app = serve({ invoke, catalogue: offering, isSdkOnly })
    const sent = message(era, method, { ...params })
    const uri = 'uri' in params ? { 'mcp-name': String(params.uri) } : {}
    const { text } = await app({ ...sent, headers: { ...sent.headers, ...(era === 'modern' ? uri : {}) } })
    const events = text.startsWith('event:')
      ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '')
      : [text]
    for (const json of events) {
      const message = JSON.parse(json, (_name, value) => {
        if (typeof value !== 'string' || !value.startsWith('{')) return value
        return { text: JSON.parse(value) }
      })
      all.push(message)
    }
  }
  return all
}

const unicode = {
  half: 'Hello \ufffd',
  other: '\ufffdx',
  both: '\ufffd\ufffd',
  'Hello \ufffd': ['Hello \ufffd'],
  whole,
}

t.test(
  'decisions, half surrogates: U+FFFD in all that a client reads, and pairs and backslashes as they were',
  async (t) => {
    const json = answering(JSON.stringify(values))
    const call = { name: 'notes_index', arguments: {}, _meta: { progressToken: 1 } }
    for (const isSdkOnly of [false, true]) {
      const called = await read(json, 'tools/call', call, isSdkOnly)
      t.notMatch(JSON.stringify(called), /\\ud[89a-f]/, 'no half is left')
      const results = called.filter((one) => Object(one).result !== undefined)
      t.equal(results.length, 2)
      for (const one of results) {
        const { content, structuredContent } = Object(one).result
        t.strictSame(
          [content[0].text.text, structuredContent.result ?? structuredContent],
          [unicode, unicode],
        )
      }
    }
    const cases: readonly (readonly [ReturnType<typeof answering>, string, object])[] = [
      [answering(JSON.stringify(values), 422), 'tools/call', call],
      [answering(JSON.stringify(half)), 'tools/call', call],
      [answering(half, 200, { 'content-type': 'text/plain' }), 'tools/call', call],
      [answering(half, 404, { 'content-type': 'text/plain' }), 'tools/call', call],
      [json, 'tools/list', {}],
      [json, 'prompts/list', {}],
      [json, 'resources/list', {}],
      [json, 'prompts/get', { name: 'offered' }],
      [json, 'resources/read', { uri: 'https://notes.example/api/notes/' }],
      [answering(JSON.stringify(half), 404), 'prompts/get', { name: 'offered' }],
    ]
    for (const [invoke, method, params] of cases) {
      const text = JSON.stringify(await read(invoke, method, params))
      t.notMatch(text, /\\ud[89a-f]/, `${method} ${text.slice(0, 200)}`)
      t.equal(halves.test(text), false)
    }
  },
)

t.test('decisions, half surrogates: of what a client sends an answer repeats none', async (t) => {
  const cases: readonly (readonly [method: string, params: object])[] = [
    [half, {}],
    [half, { [half]: half }],
    ['tools/call', { name: half }],
    ['tools/call', { name: 'notes_index', arguments: { [half]: half } }],
    ['tools/call', { name: 'notes_index', arguments: { [half]: [{ [half]: half }] } }],
    ['tools/call', { name: 'notes_index', _meta: { progressToken: half } }],
    ['tools/call', { name: 'call_tool', arguments: { name: half, arguments: { [half]: half } } }],
    ['tools/call', { name: 'open_toolbox', arguments: { toolbox: half } }],
    ['tools/call', { name: 'find_tools', arguments: { query: half } }],
    ['tools/list', { cursor: half }],
    ['prompts/get', { name: half }],
    ['prompts/get', { name: 'offered', arguments: { [half]: half } }],
    ['resources/read', { uri: half }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: half }, argument: { name: half, value: half } },
    ],
    ['initialize', { protocolVersion: half, capabilities: {}, clientInfo: { name: half, version: half } }],
    ['tasks/get', { taskId: half }],
    ['logging/setLevel', { level: half }],
  ]
  for (const isSdkOnly of [false, true])
    for (const era of ['legacy', 'modern'] as const) {
      const app = serve({ invoke: answering('[]'), catalogue: offering, isSdkOnly })
      for (const [method, params] of cases)
        for (const id of [1, half, `${half}${half}`]) {
          const { headers = {}, message: asked, ...request } = message(era, method, { ...params })
          const plain = Object.entries(headers).map(([name, value]) => [
            name,
            halves.test(value) ? 'x' : value,
          ])
          const sent = { ...request, headers: Object.fromEntries(plain), message: { ...Object(asked), id } }
          const { text } = await app(sent)
          const at = `${era} ${method} ${JSON.stringify(params)} ${JSON.stringify(id)}: ${text.slice(0, 200)}`
          t.equal(holdsHalf(text), false, at)
        }
      const batch = [half, 2].map((id) => ({ jsonrpc: '2.0', id, method: half }))
      t.equal(holdsHalf((await app({ message: batch })).text), false, 'in a batch')
    }
})

t.test('decisions, half surrogates: a literal \\ud83d in a text stays', async (t) => {
  const text = 'write \\ud83d, or \\\\ud83d'
  const [legacy] = await read(answering(JSON.stringify({ text })), 'tools/call', { name: 'notes_index' })
  t.strictSame(Object(legacy).result.content[0].text.text, { text })
  const plain = answering(text, 200, { 'content-type': 'text/plain' })
  const [said] = await read(plain, 'tools/call', { name: 'notes_index' })
  t.equal(Object(said).result.content[0].text, text)
})
