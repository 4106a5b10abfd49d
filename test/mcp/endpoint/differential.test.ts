/** The same generated requests served both ways: by the endpoint's own path, and by the SDK alone. */
import fc from 'fast-check'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { scopedApp, tokenOf } from '../support/scoped.ts'
import {
  type Answer,
  type App,
  catalogue,
  createApplication,
  json,
  type Sent,
  serve,
} from '../support/support.ts'

const names = [
  ...catalogue.tools.map(({ name }) => name),
  'list_toolboxes',
  'open_toolbox',
  'find_tools',
  'close_toolbox',
  'call_tool',
  'call_read_only',
]
const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const clientInfo = 'io.modelcontextprotocol/clientInfo'

const sometimes = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 4 })
const rarely = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })

const anything = fc.jsonValue({ maxDepth: 2 })
const args = fc.oneof(
  fc.record({ id: fc.oneof(fc.nat(9), fc.string()), part: fc.string() }, { requiredKeys: [] }),
  fc.record({ title: fc.string(), tags: fc.array(fc.string(), { maxLength: 3 }) }, { requiredKeys: [] }),
  fc.record(
    {
      name: fc.constantFrom(...names, 'notes', 'files', 'nothing'),
      arguments: fc.dictionary(fc.string(), anything),
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.string({ maxLength: 5 }), anything, { maxKeys: 3 }),
)

const declared = rarely(
  fc.constantFrom<object>(
    {},
    { elicitation: {} },
    { roots: { listChanged: true }, sampling: {} },
    { elicitation: { form: {} } },
  ),
  fc.oneof(
    anything,
    fc.constantFrom<object>({ roots: { listChanged: 'yes' } }, { sampling: true }, { tasks: { list: {} } }),
  ),
)
const info = rarely(
  fc.constantFrom<object>({ name: 'c', version: '1' }, { name: 'c', version: '1', title: 'C' }),
  fc.oneof(
    anything,
    fc.constantFrom<object>({ name: 'c' }, { name: 'c', version: '1', icons: [{ src: 'https://x/y' }] }),
  ),
)
const token = rarely(fc.oneof(fc.string(), fc.nat()), anything)

const modernMeta = fc
  .record({
    v: rarely(fc.constant('2026-07-28'), fc.constantFrom('2027-01-01', '2025-11-25', 7)),
    c: declared,
    i: sometimes(info),
    token: sometimes(token),
  })
  .map(({ v, c, i, token: progressToken }) => ({
    [version]: v,
    [capabilities]: c,
    ...(i === undefined ? {} : { [clientInfo]: i }),
    ...(progressToken === undefined ? {} : { progressToken }),
    traceparent: '00-a-b-01',
  }))

const method = rarely(
  fc.constantFrom('tools/call', 'tools/call', 'tools/call', 'tools/list'),
  fc.constantFrom('ping', 'server/discover', 'resources/read', 'no/such', 'prompts/list', 'tools/Call'),
)
const id = rarely(fc.oneof(fc.nat(), fc.string()), fc.oneof(fc.constant(null), fc.double(), fc.constant(1.5)))
const call = fc.record({
  name: rarely(fc.constantFrom(...names), fc.oneof(fc.string(), anything)),
  arguments: sometimes(rarely(args, anything)),
})
const page = fc.record({ cursor: sometimes(rarely(fc.constant(''), fc.oneof(fc.string(), anything))) })

interface Drawn {
  readonly isModern: boolean
  readonly method: string
  readonly id: unknown
  readonly call: { readonly name: unknown; readonly arguments?: unknown }
  readonly page: object
  readonly meta: Readonly<Record<string, unknown>>
  readonly legacyToken: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly url: string
  readonly more: object
  /** Which of the round's credentials. */
  readonly credential: number
}

const request = fc.record<Drawn>({
  isModern: fc.boolean(),
  method,
  id,
  call,
  page,
  meta: modernMeta,
  legacyToken: sometimes(token),
  // A header that is undefined is left out; the marks are replaced by what the message says.
  headers: rarely(
    fc.constant({}),
    fc.record(
      {
        'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-06-18', '2024-11-05', 'v9', undefined),
        'mcp-method': fc.constantFrom('tools/call', 'tools/list', 'TOOLS/LIST', undefined),
        'mcp-name': fc.constantFrom(
          'notes_show',
          ' users_current',
          '=?base64?bm90ZXNfc2hvdw==?=',
          '=?base64?%%?=',
          undefined,
        ),
        accept: fc.constantFrom(
          'application/json',
          'text/event-stream',
          'application/json, text/event-stream',
          undefined,
        ),
        'content-type': fc.constantFrom(
          'application/json; charset=utf-8',
          'APPLICATION/JSON',
          'text/plain',
          undefined,
        ),
      },
      { requiredKeys: [] },
    ),
  ),
  url: fc.constantFrom('/mcp', '/mcp', '/mcp?toolboxes=all', '/mcp/notes'),
  more: rarely(fc.constant({}), fc.constantFrom<object>({ extra: 1 }, { jsonrpc: '1.0' })),
  credential: fc.nat(4),
})

function toSent(drawn: Drawn, credentials: readonly (string | undefined)[]): Sent {
  const plain = drawn.method === 'tools/call' ? drawn.call : drawn.page
  const legacyMeta = drawn.legacyToken === undefined ? {} : { _meta: { progressToken: drawn.legacyToken } }
  const params = drawn.isModern ? { ...plain, _meta: drawn.meta } : { ...plain, ...legacyMeta }
  const { name } = drawn.call
  const inner = Object(drawn.call.arguments).name
  const standard = {
    'mcp-protocol-version': String(drawn.meta[version]),
    'mcp-method': drawn.method,
    ...(drawn.method === 'tools/call' && typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
    ...(typeof inner === 'string' ? { 'mcp-param-tool': encoded(inner) } : {}),
  }
  const headers = {
    ...(drawn.isModern ? standard : {}),
    ...drawn.headers,
    authorization: credentials[drawn.credential],
  }
  const sent = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return {
    url: drawn.url,
    headers: Object.fromEntries(sent),
    message: { jsonrpc: '2.0', id: drawn.id, method: drawn.method, params, ...drawn.more },
  }
}

/** What no header can carry is encoded. Source: MCP 2026-07-28, Streamable HTTP, value encoding. */
const encoded = (value: string): string =>
  /^[!-~]+$/.test(value) && !value.startsWith('=?')
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** What the two ways may differ in is taken away: runtime/mcp/README.md, published differences. */
function comparable({ status, headers, text }: Answer): unknown {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return {
    status,
    challenge: headers['www-authenticate'],
    message: data === '' ? '' : JSON.parse(data),
  }
}

const outcomes: readonly HttpResponse[] = [
  json(200, { a: [1, 2], b: 'ü\u2028"\\' }),
  json(201, [1, 'two', null]),
  json(200, null),
  json(200, 'text'),
  json(404, { error: 'no' }),
  json(500, { error: 'secret' }),
  { status: 204, headers: {}, body: null },
  { status: 200, headers: { 'content-type': 'image/png' }, body: new Uint8Array([1, 2]) },
  { status: 303, headers: { location: '/x' }, body: null },
]

/** The route's answer depends on nothing but the request, so that both ways see the same. */
const invoke: Parameters<typeof serve>[0] = {
  invoke: async (routeId, httpRequest) => {
    if (routeId !== 'notes_show') return createApplication().invoke(routeId, httpRequest)
    return outcomes[httpRequest.url.length % outcomes.length] ?? json(200, {})
  },
}

const seed = 20261121

interface Round {
  readonly options: Parameters<typeof serve>[0]
  readonly credentials: readonly (string | undefined)[]
}

const plain = ['Bearer good', 'Bearer half', 'Bearer bad', 'Bearer explodes', undefined]
const scoped = [tokenOf(['api']), tokenOf(['notes:read']), tokenOf(['notes:delete']), 'Bearer bad', undefined]

const rounds: readonly Round[] = [
  { options: invoke, credentials: plain },
  { options: { ...invoke, authProbe: '/api/users/current' }, credentials: plain },
  { options: scopedApp(false).options, credentials: scoped },
  { options: scopedApp(true).options, credentials: scoped },
]

t.test(
  'two thousand requests are answered as the SDK would, in both eras, with and without authentication and scopes',
  async (t) => {
    let answered = 0
    for (const { options, credentials } of rounds) {
      const own = serve({ ...options, listPageSize: 4 })
      const sdk = serve({ ...options, listPageSize: 4, isSdkOnly: true })
      const differs = fc.asyncProperty(request, async (drawn) => {
        const sent = toSent(drawn, credentials)
        const [first, second] = await Promise.all([ask(own, sent), ask(sdk, sent)])
        answered += 1
        t.strictSame(first, second, JSON.stringify(sent))
        return t.passing()
      })
      await fc.assert(differs, { seed, numRuns: 500, endOnFailure: true })
    }
    t.equal(answered, 2000)
  },
)

const ask = async (app: App, sent: Sent): Promise<unknown> => comparable(await app(sent))
