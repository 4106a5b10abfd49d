/** What is wrong with a message, per revision: the codes and the HTTP status. Source: MCP 2026-07-28, Streamable HTTP, server
 *  validation, and Base protocol, errors; MCP 2025-11-25, Streamable HTTP. */
import t from 'tap'
import { message, rpc, type Sent, serve } from '../support/support.ts'

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'

const list = (): Sent => message('modern', 'tools/list')
const call = (): Sent => message('modern', 'tools/call', { name: 'notes_index' })

/** The message with other headers; `null` takes one away. */
function headed(sent: Sent, headers: Readonly<Record<string, string | null>>): Sent {
  const all = Object.entries({ ...sent.headers, ...headers })
  const kept = all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  return { ...sent, headers: Object.fromEntries(kept) }
}

/** The message with other members of `_meta`; `undefined` takes one away. */
function meta(sent: Sent, members: Readonly<Record<string, unknown>>): Sent {
  const { message } = sent as { message: { params: { _meta: object } } } // a modern one
  const params = { ...message.params, _meta: { ...message.params._meta, ...members } }
  return { ...sent, message: { ...message, params } }
}

type Case = readonly [what: string, sent: Sent, status: number, code: number | undefined]

const cases: readonly Case[] = [
  ['a list', list(), 200, undefined],
  ['a call', call(), 200, undefined],
  ['without Mcp-Method', headed(list(), { 'mcp-method': null }), 400, -32020],
  ['another Mcp-Method', headed(list(), { 'mcp-method': 'tools/call' }), 400, -32020],
  ['Mcp-Method in another case', headed(list(), { 'mcp-method': 'Tools/List' }), 400, -32020],
  ['without Mcp-Name', headed(call(), { 'mcp-name': null }), 400, -32020],
  ['another Mcp-Name', headed(call(), { 'mcp-name': 'notes_show' }), 400, -32020],
  ['an encoded Mcp-Name', headed(call(), { 'mcp-name': '=?base64?bm90ZXNfaW5kZXg=?=' }), 200, undefined],
  ['a badly encoded Mcp-Name', headed(call(), { 'mcp-name': '=?base64?%%?=' }), 400, -32020],
  ['without a version header', headed(list(), { 'mcp-protocol-version': null }), 400, -32020],
  ['another version header', headed(list(), { 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
  ['without a version in _meta', meta(list(), { [version]: undefined }), 400, -32602],
  ['without capabilities in _meta', meta(list(), { [capabilities]: undefined }), 400, -32602],
  ['an unknown method', message('modern', 'no/such'), 404, -32601],
  ['a method of the revisions before', message('modern', 'ping'), 404, -32601],
  ['an unknown tool', message('modern', 'tools/call', { name: 'no_such' }), 200, -32602],
  ['legacy: an unknown method', message('legacy', 'no/such'), 200, -32601],
  ['legacy: an unknown tool', message('legacy', 'tools/call', { name: 'no_such' }), 200, -32602],
  ['legacy: no Mcp-Method is needed', message('legacy', 'tools/list'), 200, undefined],
  [
    'legacy: a version that never was',
    headed(message('legacy', 'tools/list'), { 'mcp-protocol-version': '2024-01-01' }),
    400,
    -32022,
  ],
]

for (const [what, sent, status, code] of cases) {
  t.test(`${what}: ${status}${code === undefined ? '' : ` ${code}`}`, async (t) => {
    for (const isSdkOnly of [false, true]) {
      const answer = await serve({ isSdkOnly })(sent)
      t.strictSame([answer.status, rpc(answer).error?.code], [status, code], isSdkOnly ? 'SDK' : 'hot')
    }
  })
}

t.test('decisions, revisions: one that is not served is told which are (-32022)', async (t) => {
  const wanted = '2027-01-01'
  const sent = headed(meta(list(), { [version]: wanted }), { 'mcp-protocol-version': wanted })
  const answer = await serve()(sent)
  const { code, data } = rpc(answer).error
  t.strictSame([answer.status, code, data.requested], [400, -32022, wanted])
  t.ok(data.supported.includes('2026-07-28'))
})

t.test('decisions, revisions: each of the initialize revisions is spoken', async (t) => {
  for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '0' } }
    const begun = await serve()(message('legacy', 'initialize', params))
    t.equal(rpc(begun).result.protocolVersion, protocolVersion)
    const called = headed(message('legacy', 'tools/call', { name: 'notes_index' }), {
      'mcp-protocol-version': protocolVersion,
    })
    t.strictSame(rpc(await serve()(called)).result.structuredContent, { result: ['first', 'second'] })
  }
})

t.test('an accepted notification is 202 without a body, also one of a cancellation', async (t) => {
  for (const method of ['notifications/initialized', 'notifications/cancelled']) {
    const notification = { jsonrpc: '2.0', method, params: method.endsWith('d') ? { requestId: 1 } : {} }
    const { status, text } = await serve()({ message: notification })
    t.strictSame([status, text], [202, ''])
  }
})
