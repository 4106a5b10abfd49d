/** What a client invents makes no span large, no name of one, and no call fail; what is secret stays so wherever it stands. */
import t, { type Test } from 'tap'
import { buildGuarded, type Guarded, openGuarded } from '../mcp/support/guarded.ts'
import { message } from '../mcp/support/support.ts'
import { type Reported, spansUntil, takeSpans } from './sdk.ts'

t.setTimeout(120_000)

const bundle = await buildGuarded()

type Post = (
  body: string | object,
) => Promise<{ readonly status: number; readonly span: Reported | undefined }>

/** Everything is shown; resolves with what posts a message and finds its span. */
async function open(t: Test): Promise<Post> {
  const telemetry = { toolArguments: true, toolResults: true }
  const { app, tokenOf }: Guarded = await openGuarded(t, bundle, { config: { telemetry } })
  const client = app.client().withBearer(await tokenOf('songs:read'))
  return async (body) => {
    takeSpans()
    const { statusCode: status } = await client.request({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const span = (await spansUntil('POST /mcp')).find(({ attributes }) => 'mcp.method.name' in attributes)
    return { status, span }
  }
}

const sent = (method: string, params: object): object =>
  Object(message('legacy', method, { ...params }).message)

t.test('long ids, addresses and names are cut, invented prompts name no span', async (t) => {
  const post = await open(t)
  const long = 'x'.repeat(60_000)
  const ping = await post({ ...sent('ping', {}), id: 'x'.repeat(1000) })
  t.strictSame(ping.span?.attributes['jsonrpc.request.id'], 'x'.repeat(64))
  const read = await post(sent('resources/read', { uri: long }))
  t.strictSame(read.span?.attributes['mcp.resource.uri'], 'x'.repeat(1024))
  const { span } = await post(sent('prompts/get', { name: 'invented' }))
  t.strictSame([span?.name, span?.attributes['gen_ai.prompt.name']], ['prompts/get', 'invented'])
})

t.test('arguments that cannot be shown are called with all the same', async (t) => {
  const post = await open(t)
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const params = `{"name":"songs_index","arguments":{"a":${deep}}}`
  const { status, span } = await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
  t.strictSame(
    [status, span?.attributes['error.type'], span?.attributes['gen_ai.tool.call.arguments']],
    [200, 'tool_error', 'nested too deeply'],
  )
})

t.test('secrets inside of texts are masked too', async (t) => {
  const post = await open(t)
  const shown = async (text: string): Promise<unknown> => {
    const { span } = await post(sent('tools/call', { name: 'songs_index', arguments: { text } }))
    return JSON.parse(String(span?.attributes['gen_ai.tool.call.arguments'])).text
  }
  t.strictSame(
    [
      await shown('{"song":1,"credentials":{"user":"a"},"api_key":"b"}'),
      await shown('see https://shop.example/?page=1&token=c and {"password":"d"}'),
      await shown('[not JSON'),
    ],
    [
      '{"song":1,"credentials":"[FILTERED]","api_key":"[FILTERED]"}',
      'see https://shop.example/?page=1&token=[FILTERED] and {"password":"[FILTERED]"}',
      '[not JSON',
    ],
  )
})
