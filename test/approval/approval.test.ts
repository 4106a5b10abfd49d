/** Approval over HTTP and at the MCP endpoint: the row is the approval, the retry is the same call. */

import t from 'tap'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { ada, bob, type Opened, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

type Answer = Awaited<ReturnType<Opened['client']['request']>>

const remove = (
  { client }: Pick<Opened, 'client'>,
  id = '5',
  amount = '300',
  headers: Record<string, string> = {},
): Promise<Answer> => client.request({ method: 'DELETE', url: `/orders/${id}?amount=${amount}`, headers })

t.test('over HTTP: 428, then once, then 409, then asked anew', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const asked = await remove(opened)
  const [row] = await opened.app.application.store.verbs(approvalVerbs).listApprovals({}, 10)
  t.strictSame(
    [asked.statusCode, asked.headers['content-type'], asked.headers['retry-after']],
    [428, 'application/problem+json; charset=utf-8', '3'],
  )
  t.strictSame(asked.json(), {
    type: 'urn:acmcp:approval-required',
    title: 'Approval required',
    status: 428,
    detail: `a person must approve this call first: ${opened.app.baseUrl}/auth/approvals/${row?.id}`,
    approval: {
      url: `${opened.app.baseUrl}/auth/approvals/${row?.id}`,
      expiresAt: '2026-11-27T10:10:00.000Z',
    },
  })
  t.same((await remove(opened)).json(), asked.json(), 'the same row')
  t.strictSame(await opened.ran(), [])
  await opened.decide('approved')
  const [done, again] = [await remove(opened), await remove(opened)]
  t.strictSame(
    [done.statusCode, done.json(), done.headers['cache-control']],
    [200, { removed: '5' }, 'no-store'],
  )
  t.strictSame(
    [again.statusCode, again.headers['retry-after'], again.json()],
    [
      409,
      '60',
      {
        type: 'urn:acmcp:approval-refused',
        title: 'Not approved',
        status: 409,
        detail: 'this very call was approved and has run less than a minute ago',
        reason: 'spent',
      },
    ],
  )
  opened.clock.now += 61_000
  t.equal((await remove(opened)).statusCode, 428, 'another effect, another question')
  t.strictSame(await opened.ran(), ['remove 5 300'])
})

t.test('what is approved is this very call of this user', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const { app, client } = opened
  await remove(opened)
  await opened.decide('approved')
  const others: readonly (readonly [string, Answer])[] = [
    ['another argument', await remove(opened, '5', '301')],
    ['another path', await remove(opened, '6')],
    ['what a filter reads', await remove(opened, '5', '300', { 'x-language': 'de' })],
    ['a header that is forwarded', await remove(opened, '5', '300', { 'x-tenant': 'north' })],
    ['what nothing reads', await client.request({ method: 'DELETE', url: '/orders/5?amount=300&all=1' })],
    ['another user', await remove({ client: app.client().withBearer(await app.accessToken(bob)) })],
    ['another grant', await remove({ client: app.client().withBearer(await app.accessToken(ada)) })],
  ]
  t.strictSame(
    others.map(([what, { statusCode }]) => [what, statusCode]),
    others.map(([what]) => [what, 428]),
  )
  t.strictSame(await opened.ran(), [])
  t.equal((await remove(opened)).statusCode, 200)
  t.strictSame(await opened.ran(), ['remove 5 300'])
})

t.test('nobody is asked about a call that is wrong, and nobody without a user is asked', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  t.equal((await remove(opened, '5', 'much')).statusCode, 500, 'its handler takes every error of a parameter')
  const nobody = await remove({ client: opened.app.client() })
  t.strictSame([nobody.statusCode, nobody.json().reason], [403, 'no_user'])
  t.strictSame(await opened.app.application.store.verbs(approvalVerbs).listApprovals({}, 10), [])
})

t.test('denied: 403 for the same call, and after three for the whole route', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  for (const id of ['1', '2', '3']) {
    t.equal((await remove(opened, id)).statusCode, 428)
    t.equal(await opened.decide('denied'), 1)
    const denied = await remove(opened, id)
    t.strictSame([denied.statusCode, denied.json().reason], [403, 'denied'])
  }
  const often = await remove(opened, '4')
  t.strictSame([often.statusCode, often.json().reason], [403, 'denied_often'])
  opened.clock.now += 600_001
  t.equal((await remove(opened, '4')).statusCode, 428)
})

t.test('ten wait at most; an approval is used within five minutes', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  for (let id = 0; id < 10; id += 1) t.equal((await remove(opened, `n${id}`)).statusCode, 428)
  const full = await remove(opened, 'n10')
  t.strictSame([full.statusCode, full.json().reason], [429, 'too_many'])
  t.equal(await opened.decide('approved'), 10)
  opened.clock.now += 300_001
  t.equal((await remove(opened, 'n0')).statusCode, 428)
})

t.test('the browser of its user is asked too, unless the tag says otherwise', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const browser = opened.app.client()
  await browser.signIn(ada)
  t.equal((await remove({ client: browser })).statusCode, 428)
  t.strictSame((await browser.json('/orders/5/refund', { amount: 2 })).json(), { refunded: 2 })
  for (const authorization of ['Bearer unknown', 'Basic YTpi']) {
    const beside = browser.withHeaders({ authorization })
    t.equal((await beside.json('/orders/5/refund', { amount: 2 })).statusCode, 428, authorization)
  }
  t.equal((await opened.client.json('/orders/5/refund', { amount: 2 })).statusCode, 428)
})

t.test('a file is named by its bytes', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const upload = (content: string): Promise<Answer> =>
    opened.client.upload('/orders/receipts', {
      file: { filename: 'r.txt', content, contentType: 'text/plain' },
    })
  t.equal((await upload('one')).statusCode, 428)
  await opened.decide('approved')
  t.equal((await upload('two')).statusCode, 428)
  t.strictSame((await upload('one')).json(), { size: 3 })
})

t.test('as a tool: text that says what waits, and the same call again', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const args = { id: '5', amount: 300 }
  const asked = await opened.client.tool('orders_remove', args)
  const [row] = await opened.app.application.store.verbs(approvalVerbs).listApprovals({}, 10)
  const url = `${opened.app.baseUrl}/auth/approvals/${row?.id}`
  t.strictSame(asked, {
    content: [
      {
        type: 'text',
        text: [
          'This call needs the approval of a person first. Nothing has run.',
          'What waits: Delete order 5 and refund 300',
          `Where: ${url} (until 2026-11-27T10:10:00.000Z)`,
          'Show the user this address. When they have approved, call orders_remove again with exactly these arguments.',
        ].join('\n'),
      },
    ],
    isError: true,
  })
  await opened.decide('approved')
  const other = await opened.client.tool('orders_remove', { ...args, amount: 301 })
  t.match(other.content[0]?.text, /differs from this one in 'amount'/)
  t.strictSame((await opened.client.tool('orders_remove', args)).structuredContent, { removed: '5' })
  t.match((await opened.client.tool('orders_remove', args)).content[0]?.text, /^409 Conflict\nthis very call/)
})

t.test('a second call waits for the decision, at any entrance', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  const args = { id: '7', amount: 1 }
  await opened.client.tool('orders_remove', args)
  const held = opened.client.tool('orders_remove', args)
  await opened.decide('approved')
  t.strictSame((await held).structuredContent, { removed: '7' })
  t.strictSame(await opened.ran(), ['remove 7 1'])
})

t.test('around filters see that it was left; a handler of every error makes nothing of it', async (t) => {
  const opened = await openOrders()
  t.teardown(() => opened.app.close())
  await remove(opened)
  await opened.decide('approved')
  await remove(opened)
  t.strictSame((await opened.client.get('/orders/seen')).json(), [...['ApprovalRequired', 'went on']])
})

t.test('/metrics counts what became of them', async (t) => {
  const token = 'm'.repeat(40)
  const opened = await openOrders({ environment: { metrics: { port: null, host: '127.0.0.1', token } } })
  t.teardown(() => opened.app.close())
  for (const id of ['1', '2']) await remove(opened, id)
  await opened.decide('approved')
  await remove(opened, '1')
  const { body } = await opened.app.client().get('/metrics', { authorization: `Bearer ${token}` })
  t.strictSame(body.match(/^acmcp_approvals_total.*$/gm)?.sort(), [
    'acmcp_approvals_total{acmcp_approval_action="approved"} 2',
    'acmcp_approvals_total{acmcp_approval_action="asked"} 2',
    'acmcp_approvals_total{acmcp_approval_action="spent"} 1',
  ])
})
