/** MCP clients that we did not write, and one that heeds nothing: all come to the same result, by the page alone. */
// Source: decisions/http.md, Approval.

import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { freePort } from '../support/free-port.ts'
import { deskOf } from './desk-of.ts'
import { ada, type Opened, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

const info = { name: 'a real client', version: '1' }
const args = { id: '5', amount: 300 }
const call = { name: 'orders_remove', arguments: args }

interface Served extends Opened {
  readonly endpoint: URL
  readonly requestInit: { readonly headers: { readonly authorization: string } }
  /** Ada opens the page in her browser, and presses a button. */
  press(url: string, decision: 'approve' | 'deny'): Promise<number>
}

async function serve(t: Test): Promise<Served> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const opened = await openOrders({ environment: { baseUrl } })
  t.teardown(() => opened.app.close())
  await opened.app.application.server.listen({ port, host: 'localhost' })
  const browser = opened.app.client()
  await browser.signIn(ada)
  return {
    ...opened,
    endpoint: new URL(`${baseUrl}/mcp`),
    requestInit: { headers: { authorization: `Bearer ${opened.token}` } },
    async press(url, decision) {
      const path = url.slice(baseUrl.length)
      const { body } = await browser.get(path)
      const shown = /name="shown" value="([^"]*)"/.exec(body)?.[1] ?? ''
      return (await browser.submit(path, { shown, decision })).statusCode
    },
  }
}

/** Of the version 2 of the SDK, without an answer to questions. */
async function connectV2(
  { endpoint, requestInit }: Served,
  capabilities: ClientCapabilities,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client(info, { capabilities, versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
  return client
}

async function connectV1({ endpoint, requestInit }: Served): Promise<ClientV1> {
  const client = new ClientV1(info)
  const transport = new TransportV1(endpoint, { requestInit })
  // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
  await client.connect(transport as Parameters<ClientV1['connect']>[0])
  return client
}

/** What the tests need of a client of either version. */
interface Caller {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

/** The text of a call that failed; null = it did not. */
function failureOf(result: object): string | null {
  const { isError, content } = { isError: false, content: [], ...result }
  const [first] = content as readonly { readonly text?: string }[] // of any content
  return isError ? (first?.text ?? '') : null
}

const structuredOf = (result: object): unknown => Reflect.get(result, 'structuredContent')

const addressIn = (text: string | null): string => /^Where: (\S+) /m.exec(text ?? '')?.[1] ?? ''

const readers: Readonly<Record<string, (served: Served) => Promise<Caller>>> = {
  'v2, 2026-07-28, forms alone': (served) => connectV2(served, { elicitation: { form: {} } }),
  'v2, 2026-07-28, no elicitation': (served) => connectV2(served, {}),
  'v2, 2025-11-25, URL mode declared': (served) =>
    connectV2(served, { elicitation: { url: {}, form: {} } }, 'legacy'),
  'v2, 2025-11-25, no elicitation': (served) => connectV2(served, {}, 'legacy'),
  v1: connectV1,
}

for (const [name, connect] of Object.entries(readers))
  t.test(`${name}: told by text, and the same call runs once`, async (t) => {
    const served = await serve(t)
    const client = await connect(served)
    t.teardown(() => client.close())
    const text = failureOf(await client.callTool(call))
    t.match(text, /^This call needs the approval of a person first. Nothing has run.\n/)
    t.equal(await served.press(addressIn(text), 'approve'), 303)
    const changed = { ...call, arguments: { ...args, amount: 301 } }
    t.match(failureOf(await client.callTool(changed)), /differs from this one in 'amount'/)
    t.strictSame(structuredOf(await client.callTool(call)), { removed: '5' })
    t.match(failureOf(await client.callTool(call)), /^409 Conflict\n/)
    const other = { ...call, arguments: { ...args, id: '6' } }
    await served.press(addressIn(failureOf(await client.callTool(other))), 'deny')
    t.equal(failureOf(await client.callTool(other)), '403 Forbidden\na person denied this call')
    t.strictSame(await served.ran(), ['remove 5 300'])
  })

t.test('v2, 2026-07-28, URL mode: one call, of which its user decides on the page', async (t) => {
  const served = await serve(t)
  const client = await connectV2(served, { elicitation: { url: {} } })
  t.teardown(() => client.close())
  const opened: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    opened.push(params.message)
    const isRefund = params.message.startsWith('Delete order 5')
    if (params.mode === 'url') await served.press(params.url, isRefund ? 'approve' : 'deny')
    return { action: 'accept' }
  })
  t.strictSame(structuredOf(await client.callTool(call)), { removed: '5' })
  t.match(failureOf(await client.callTool(call)), /^409 Conflict\n/)
  const other = { ...call, arguments: { ...args, id: '6' } }
  const denied = '403 Forbidden\na person denied this call'
  t.equal(failureOf(await client.callTool(other)), denied, 'its accept counts for nothing')
  t.strictSame(opened, ['Delete order 5 and refund 300', 'Delete order 6 and refund 300'])
  t.strictSame(await served.ran(), ['remove 5 300'])
})

t.test('v2, 2026-07-28, URL mode: a host that agrees before its user has decided', async (t) => {
  const served = await serve(t)
  const client = await connectV2(served, { elicitation: { url: {} } })
  t.teardown(() => client.close())
  let decided: Promise<number> = Promise.resolve(0)
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') decided = served.press(params.url, 'deny')
    return { action: 'accept' }
  })
  t.equal(failureOf(await client.callTool(call)), '403 Forbidden\na person denied this call')
  t.equal(await decided, 303)
  t.strictSame(await served.ran(), [])
})

for (const action of ['decline', 'cancel'] as const)
  t.test(`v2, 2026-07-28, URL mode: ${action} denies`, async (t) => {
    const served = await serve(t)
    const client = await connectV2(served, { elicitation: { url: {} } })
    t.teardown(() => client.close())
    client.setRequestHandler('elicitation/create', async () => ({ action }))
    t.equal(failureOf(await client.callTool(call)), '403 Forbidden\na person denied this call')
    t.strictSame(await served.ran(), [])
  })

t.test('a client that heeds nothing sends the same call again and again: it runs once', async (t) => {
  const served = await serve(t)
  const send = async (): Promise<number> => {
    const url = `${served.endpoint.origin}/orders/5?amount=300`
    return (await fetch(url, { method: 'DELETE', ...served.requestInit })).status
  }
  const before = [await send(), await send(), await send()]
  const [waiting] = (await deskOf(served.app.application)?.pending(ada.id)) ?? []
  await served.press(`${served.endpoint.origin}/auth/approvals/${waiting?.row.id}`, 'approve')
  const after = [await send(), await send(), await send()]
  t.strictSame([...before, ...after], [428, 428, 428, 200, 409, 409])
  t.strictSame(await served.ran(), ['remove 5 300'])
})
