/** The fixture application of the conformance runs on a real socket: what a controller does with `this.mcp`, end to end. */
import t from 'tap'
import { createApplication } from '../../../runtime/boot/application.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { fixtureBundle, withPlugins } from '../../conformance/fixture.ts'
import { freePort } from '../../support/free-port.ts'
import { surroundings } from '../../support/surroundings.ts'
import { message, type Sent } from '../support/support.ts'

const bundle = await fixtureBundle()
/** A plugin makes tool calls go through Fastify's own routing. */
const withPlugin = (count: () => void): AppBundle => ({
  ...bundle,
  config: {
    plugins: [
      async (app: { addHook(name: string, hook: () => Promise<void>): void }) => {
        app.addHook('onRequest', async () => count())
      },
    ],
  },
})

async function serveBundle(t: { teardown(clean: () => Promise<void>): void }, served: AppBundle) {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const application = await createApplication(served, surroundings(baseUrl))
  await application.server.listen({ port, host: 'localhost' })
  let close: Promise<void> | null = null
  const closeOnce = (): Promise<void> => {
    close ??= application.close()
    return close
  }
  t.teardown(closeOnce)
  return { application, baseUrl, close: closeOnce }
}

const post = (baseUrl: string, { headers, message: body }: Sent): Promise<Response> =>
  fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })

const withMeta = (sent: Sent, meta: object): Sent => {
  const { message } = sent as { message: { params: { _meta: object } } }
  return {
    ...sent,
    message: { ...message, params: { ...message.params, _meta: { ...message.params._meta, ...meta } } },
  }
}

const toolCall = (name: string, meta: object = {}): Sent =>
  withMeta(message('modern', 'tools/call', { name }), meta)
const messagesIn = (text: string): { method?: string; result?: Record<string, unknown> }[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))

t.test(
  'over HTTP this.mcp is null, blocks are JSON, and InputRequired is an ordinary exception (language.md)',
  async (t) => {
    const { baseUrl } = await serveBundle(t, bundle)
    const blocks = await fetch(`${baseUrl}/test/embedded-resource`)
    t.match(blocks.headers.get('content-type'), /^application\/json/)
    t.match(await blocks.json(), [{ type: 'resource', resource: { uri: 'test://embedded-resource' } }])
    t.equal((await fetch(`${baseUrl}/test/missing-capability`, { method: 'POST' })).status, 200)
    t.equal((await fetch(`${baseUrl}/test/streaming-elicitation`, { method: 'POST' })).status, 500)
  },
)

t.test('progress, capabilities and input reach the client, also behind plugins', async (t) => {
  let hooked = 0
  const count = (): void => {
    hooked += 1
  }
  for (const served of [bundle, withPlugin(count)]) {
    const { baseUrl } = await serveBundle(t, served)
    const progress = await post(baseUrl, toolCall('test_tool_with_progress', { progressToken: 'p' }))
    t.equal(progress.headers.get('content-type'), 'text/event-stream')
    t.strictSame(
      messagesIn(await progress.text()).map(({ method = 'the result' }) => method),
      [...Array(3).fill('notifications/progress'), 'the result'],
    )
    const missing = await post(baseUrl, toolCall('test_missing_capability'))
    t.strictSame([missing.status, (await missing.json()).error.code], [400, -32021])
    const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const requested = await (await post(baseUrl, toolCall('test_streaming_elicitation', able))).json()
    t.equal(requested.result.resultType, 'input_required')
  }
  t.ok(hooked > 3, 'the hooks of the plugin ran for the calls too')
})

t.test(
  'a tool is called by its given name alone: directly, by proxies, when it is found (@mcp name)',
  async (t) => {
    const { baseUrl } = await serveBundle(t, bundle)
    const provided = 'take_person'
    const called = async (name: string, args: object) =>
      await (await post(baseUrl, message('modern', 'tools/call', { name, arguments: args }))).json()
    const person = { person: { name: 'Ada', contactMethod: 'phone', phone: '1' } }
    for (const proxied of [
      await called(provided, person),
      await called('call_tool', { name: provided, arguments: person }),
    ]) {
      t.strictSame(proxied.result.structuredContent, { name: 'Ada' })
    }
    const found = await called('find_tools', { query: 'takes a person' })
    t.match(found.result.structuredContent.tools[0], { toolbox: 'persons', name: provided })
    const unknown = await called('persons_take', {})
    t.match(unknown.error, { code: -32602, message: /^unknown tool "persons_take"$/ })
    const near = await called('take_persons', {})
    t.match(near.error, { message: `unknown tool "take_persons", did you mean: ${provided}` })
  },
)

t.test('content blocks of a tool are those of the action, behind plugins too', async (t) => {
  const blocks = ['test_embedded_resource', 'test_multiple_content_types']
  const contents = []
  for (const served of [bundle, withPlugins(bundle)]) {
    const { baseUrl } = await serveBundle(t, served)
    const answers = blocks.map(async (name) => (await post(baseUrl, toolCall(name))).json())
    contents.push((await Promise.all(answers)).map(({ result }) => result.content))
  }
  const types = contents[0]?.map((content) => content.map(({ type }: { type: string }) => type))
  t.strictSame(types, [['resource'], ['text', 'image', 'resource']])
  t.strictSame(contents[1], contents[0])
})

t.test('a listening client hears of changes, and the server ends its stream when it closes', async (t) => {
  const { application, baseUrl, close } = await serveBundle(t, bundle)
  const listening = message('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const streams = [
    await post(baseUrl, listening),
    await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } }),
  ]
  await post(baseUrl, toolCall('test_trigger_tool_change'))
  application.streams.toolsChanged()
  const closed = close()
  const [listened = [], got = []] = (await Promise.all(streams.map((stream) => stream.text()))).map(
    messagesIn,
  )
  await closed
  const changed = 'notifications/tools/list_changed'
  t.strictSame(
    listened.map(({ method }) => method),
    ['notifications/subscriptions/acknowledged', changed, changed, undefined],
  )
  t.match(listened[3], { result: { resultType: 'complete' } })
  t.strictSame(
    got.map(({ method }) => method),
    [changed, changed],
  )
})

t.test('a host that is not loopback is refused where the base URL is', async (t) => {
  const { application } = await serveBundle(t, bundle)
  const ping = { method: 'POST', url: '/mcp', payload: message('legacy', 'ping').message as object } as const
  const status = async (host: string) =>
    (await application.server.inject({ ...ping, headers: { host } })).statusCode
  t.strictSame([await status('evil.example'), await status('localhost:1')], [403, 200])
})
