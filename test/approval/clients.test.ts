/** How MCP clients of both eras hear of a call that waits for a person. */
// Source: MCP 2026-07-28, Elicitation, URL mode, and multi round-trip requests; decisions/http.md, Approval.

import t, { type Test } from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { called, reported, type Talk } from '../mcp/questions/refunds.ts'
import { clientOf, type Instances, openInstances } from '../mcp/tasks/jobs.ts'
import { builtOrders, type Opened, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

async function open(t: Test): Promise<Opened> {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  return opened
}

const args = { id: '5', amount: 300 }
const url = { elicitation: { url: {} } }
const urlOf = async ({ app }: Opened): Promise<string> =>
  `${app.baseUrl}/auth/approvals/${(await app.application.store.verbs(approvalVerbs).listApprovals({}, 10)).at(-1)?.id}`

const answered = (action: string, content?: object): object => ({
  inputResponses: { 'acmcp/approval': { action, ...(content === undefined ? {} : { content }) } },
})

t.test('2026-07-28 with URL mode: asked to open the page; what the client answers only denies', async (t) => {
  const opened = await open(t)
  const talk: Talk = { client: opened.client, capabilities: url }
  const asked = await called(talk, 'orders_remove', args)
  t.strictSame(
    { ...asked, requestState: typeof asked.requestState },
    {
      resultType: 'input_required',
      inputRequests: {
        'acmcp/approval': {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Delete order 5 and refund 300', url: await urlOf(opened) },
        },
      },
      requestState: 'string',
    },
  )
  const { requestState } = asked
  const held = called(talk, 'orders_remove', args, { requestState, ...answered('accept') })
  t.equal(await opened.decide('approved'), 1, 'accept has decided nothing')
  t.strictSame((await held).structuredContent, { removed: '5' })
  t.strictSame(await opened.ran(), ['remove 5 300'])
})

for (const action of ['decline', 'cancel'])
  t.test(`2026-07-28: ${action} denies`, async (t) => {
    const opened = await open(t)
    const talk: Talk = { client: opened.client, capabilities: url }
    const { requestState } = await called(talk, 'orders_remove', args)
    const denied = await called(talk, 'orders_remove', args, { requestState, ...answered(action) })
    t.strictSame(denied, {
      content: [{ type: 'text', text: '403 Forbidden\na person denied this call' }],
      isError: true,
      resultType: 'complete',
    })
    t.equal(await opened.decide('approved'), 0, 'nothing waits any more')
    t.strictSame(await opened.ran(), [])
  })

t.test('forms alone: text; what a client says that its user approved counts for nothing', async (t) => {
  const opened = await open(t)
  const talk: Talk = { client: opened.client, capabilities: { elicitation: { form: {} } } }
  const forged = answered('accept', { approve: true })
  for (const [at, more] of [{}, forged].entries())
    t.match(await called(talk, 'orders_remove', { ...args, id: `${at}` }, more), {
      isError: true,
      content: [{ text: /needs the approval/ }],
    })
  t.strictSame(await opened.ran(), [])
})

/** What it comes to, while time passes. */
async function whileTimePasses<T>(work: Promise<T>, { clock, all }: Instances): Promise<T> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    clock.now += 100
    await Promise.all(all.map(({ beat }) => beat()))
    await new Promise(setImmediate)
  }
  return ended
}

t.test(
  'a client that agrees without end is told by text, and the second call waits 25 seconds',
  async (t) => {
    const instances = await openInstances(t, await loadBundle(await builtOrders()), {
      databaseUrl: 'sqlite::memory:',
      count: 1,
      providers: { github: { clientId: 'id', clientSecret: 'secret' } },
    })
    const [only] = instances.all
    if (only === undefined) throw new Error('there is one')
    const client = clientOf(only, await instances.tokenOf('dev:ada', 'api'), url)
    let { requestState } = (await client.call('orders_remove', args)).said
    const rounds: unknown[] = []
    for (let round = 0; round < 3; round += 1) {
      const begin = instances.clock.now
      const more = { requestState, ...answered('accept') }
      const { said } = await whileTimePasses(client.call('orders_remove', args, more), instances)
      rounds.push([said.resultType, instances.clock.now - begin >= 25_000])
      requestState = said.requestState
    }
    t.strictSame(rounds, [
      ['input_required', true],
      ['input_required', true],
      ['complete', true],
    ])
  },
)

t.test('prompts and resources: an error with the same text; then what was asked for', async (t) => {
  const opened = await open(t)
  for (const era of ['legacy', 'modern'] as const) {
    const talk: Talk = { client: opened.client, era, capabilities: url }
    const prompt = { name: 'orders_letter', arguments: { buyer: era } }
    const resource = { uri: `orders://${era}` }
    for (const [method, params] of [
      ['prompts/get', prompt],
      ['resources/read', resource],
    ] as const) {
      const { said } = await reported(talk, method, params)
      t.equal(said.code, 428)
      t.match(said.message, /^This call needs the approval of a person first. Nothing has run.\n/)
      t.match(said.message, /ask again with exactly the same parameters\.$/)
      await opened.decide('approved')
      const { said: done } = await reported(talk, method, params)
      t.notOk('code' in done, method)
    }
  }
})

t.test('through call_tool and in a batch it is the same call', async (t) => {
  const opened = await open(t)
  const through = await opened.client.tool('call_tool', { name: 'orders_remove', arguments: args })
  t.match(through.content[0]?.text, /needs the approval/)
  await opened.decide('approved')
  const message = (id: number): object => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'orders_remove', arguments: args },
  })
  const batch = await opened.client.request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' },
    payload: [message(1), message(2)],
  })
  const said = [...batch.body.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data).result.isError === true,
  )
  t.strictSame(said.sort(), [false, true], 'one of the two ran')
  t.strictSame(await opened.ran(), ['remove 5 300'])
})
