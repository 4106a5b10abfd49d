/** Generated requests for prompts and resources, served both ways: by the endpoint's own path, and by the SDK alone. */
import fc from 'fast-check'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { Catalogue, TextArgument } from '../../../runtime/contract/mcp.ts'
import { type App, catalogue, createApplication, json, type Sent, serve } from '../support/support.ts'

const argument = (name: string): TextArgument => ({
  argument: name,
  from: 'path',
  name,
  description: '',
  required: name === 'id',
  values: null,
  completion: null,
})
const entry = {
  name: 'notes_show',
  route: 'notes_show',
  toolbox: 'notes',
  title: null,
  description: 'Shows.',
  arguments: [argument('id'), argument('part')],
}
const whole: Catalogue = {
  ...catalogue,
  prompts: [entry],
  resources: [{ ...entry, uri: 'notes://{id}/{part}', mimeType: null }],
}

const text = (words: string): object => ({ role: 'user', content: { type: 'text', text: words } })
const outcomes: readonly HttpResponse[] = [
  json(200, [text('ü\u2028"\\')]),
  json(200, 'text'),
  json(200, { a: 1 }),
  json(404, { error: 'no' }),
  json(422, { error: 'wrong' }),
  json(500, { error: 'secret' }),
  { status: 200, headers: { 'content-type': 'image/png', etag: '"1"' }, body: new Uint8Array([1, 2]) },
  { status: 303, headers: { location: '/x' }, body: null },
]
const options = {
  catalogue: whole,
  invoke: async (routeId: string, request: Parameters<ReturnType<typeof createApplication>['invoke']>[1]) =>
    routeId === 'notes_show' && request.headers.authorization === 'Bearer good'
      ? (outcomes[request.url.length % outcomes.length] ?? json(200, {}))
      : createApplication().invoke(routeId, request),
}

const mostly = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: odd })
const odd = fc.jsonValue({ maxDepth: 1 })
const texts = fc.record({ id: fc.string({ maxLength: 9 }), part: fc.string() }, { requiredKeys: [] })
const drawn = fc.record({
  isModern: fc.boolean(),
  method: mostly(
    fc.constantFrom('prompts/get', 'resources/read'),
    fc.constantFrom('prompts/list', 'resources/list', 'resources/templates/list', 'completion/complete'),
  ),
  id: mostly(fc.nat(), fc.constantFrom<unknown>('x', null, 1.5)),
  name: mostly(fc.constant('notes_show'), fc.oneof(fc.string(), odd)),
  args: mostly(texts, fc.oneof(odd, fc.constant(undefined), fc.dictionary(fc.string(), odd))),
  uri: mostly(
    texts.map(({ id = '1', part = 'x' }) => `notes://${encodeURIComponent(id)}/${encodeURIComponent(part)}`),
    fc.oneof(fc.string(), odd),
  ),
  more: mostly(
    fc.constant({}),
    fc.constantFrom<object>({ inputResponses: {} }, { requestState: 'x' }, { extra: 1 }),
  ),
  token: mostly(fc.constant(undefined), fc.constantFrom<unknown>('p', 1)),
  headerName: mostly(fc.constant(null), fc.constantFrom('other', '')),
  credential: mostly(fc.constant('Bearer good'), fc.constantFrom('Bearer bad', 'Bearer half')),
})

/** What no header can carry is encoded. Source: MCP 2026-07-28, Streamable HTTP, value encoding. */
const encoded = (value: string): string =>
  /^[!-~]+$/.test(value) && !value.startsWith('=?')
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

function sentOf(item: typeof drawn extends fc.Arbitrary<infer Drawn> ? Drawn : never): Sent {
  const { isModern, method, id, name, args, uri, more, token, headerName, credential } = item
  const named = method === 'resources/read' ? uri : name
  const plain = method === 'resources/read' ? { uri } : { name, arguments: args }
  const progress = token === undefined ? {} : { progressToken: token }
  const modern = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const mirrored = headerName ?? (typeof named === 'string' ? encoded(named) : null)
  return {
    headers: {
      authorization: credential,
      ...(isModern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method } : {}),
      ...(isModern && mirrored !== null ? { 'mcp-name': mirrored } : {}),
    },
    message: {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...plain, ...more, _meta: { ...(isModern ? modern : {}), ...progress } },
    },
  }
}

async function ask(app: App, sent: Sent): Promise<unknown> {
  const { status, headers, text: answer } = await app(sent)
  const data = /^data: ([^\r\n]*)/m.exec(answer)?.[1] ?? answer
  return { status, challenge: headers['www-authenticate'], message: data === '' ? '' : JSON.parse(data) }
}

t.test('a thousand requests for prompts and resources are answered as through the SDK', async (t) => {
  const own = serve(options)
  const sdk = serve({ ...options, isSdkOnly: true })
  const differs = fc.asyncProperty(drawn, async (item) => {
    const sent = sentOf(item)
    const [first, second] = await Promise.all([ask(own, sent), ask(sdk, sent)])
    t.strictSame(first, second, JSON.stringify(sent))
    return t.passing()
  })
  await fc.assert(differs, { seed: 20261123, numRuns: 1000, endOnFailure: true })
})
