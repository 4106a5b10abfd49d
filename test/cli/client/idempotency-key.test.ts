/** The client gives each call of a route with `@idempotencyKey` a key of its own, which its repetitions keep. */
import t from 'tap'
import { faultyServer, type Reaction, running } from './faulty-server.ts'
import { type AnyClient, applicationFolder, buildWithClient, loadClient } from './served-client.ts'

t.setTimeout(240_000)

const root = applicationFolder(t, {
  'package.json': '{"name":"orders","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config: object = defineApp({ mcp: { path: '/mcp', serverName: 'Orders', authProbe: '/orders' } })
`,
  'app/controllers/orders.ts': `import { Controller, type Header } from 'acmcp'

/** Orders. */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   */
  index(): string[] { return [] }

  /**
   * Places an order.
   *
   * @post /
   * @idempotencyKey
   * @param product - what to order
   */
  create(product: string): string { return product }

  /**
   * Changes an order.
   *
   * @patch /
   * @idempotencyKey required
   * @param product - what to order
   */
  change(product: string): string { return product }

  /**
   * Pays back.
   *
   * @post /refunds
   * @idempotencyKey
   * @approval Pay back {amount}
   * @param amount - in cents
   */
  refund(amount: number): string { return String(amount) }
}
`,
})
const { createClient } = await loadClient(root, await buildWithClient(root))
const server = await faultyServer(t)
const client = (options: object = {}): AnyClient => createClient({ baseUrl: server.origin, ...options })

const keys = (): readonly (string | null)[] => server.received().map(({ key }) => key)
const busy: Reaction = [503, { 'retry-after': '0' }, 'busy']
const done: Reaction = [200]
const random = /^[0-9a-f]{32}$/

t.test('idempotency key: one a call, the same for its repetitions, another for another call', async (t) => {
  const { orders } = client({ retries: 3 })
  server.react('drop', busy, running({ 'retry-after': '0' }), done, busy, done)
  t.equal((await orders?.create?.({ product: 'plums' }))?.data, 'done')
  const [first, ...others] = server.received()
  t.match(first, { verb: 'POST', key: random, body: '{"product":"plums"}' })
  t.strictSame(others, [first, first, first])
  t.equal((await orders?.change?.({ product: 'plums' }))?.data, 'done')
  const [, , , , fifth, sixth] = server.received()
  t.match(fifth, { verb: 'PATCH', key: random })
  t.not(fifth?.key, first?.key)
  t.strictSame(sixth, fifth)
})

t.test('idempotency key: it is sent without retries, too, which are asked for', async (t) => {
  const { orders } = client()
  server.react('drop', running({ 'retry-after': '0' }))
  await t.rejects(async () => orders?.create?.({ product: 'a' }), { name: 'TypeError' })
  const second = await orders?.create?.({ product: 'a' }).catch((error: unknown) => error)
  t.match(second, { status: 409 })
  const [one, two, ...more] = keys()
  t.match([one, two], [random, random])
  t.not(one, two)
  t.strictSame(more, [])
})

t.test('idempotency key: the caller’s own goes before a header, and that before a random one', async (t) => {
  const { orders } = client({ retries: 1 })
  const headers = { 'Idempotency-Key': 'header' }
  server.react(busy, done, done, done)
  await orders?.create?.({ product: 'a' }, { idempotencyKey: 'mine', headers })
  await orders?.create?.({ product: 'a' }, { headers })
  await orders?.index?.({}, { idempotencyKey: 'mine' })
  t.strictSame(keys(), ['mine', 'mine', 'header', null], 'none where the route takes none')
  server.react(done)
  await t.rejects(async () => orders?.create?.({ product: 'a' }, { idempotencyKey: 'a\nb' }), TypeError)
  t.strictSame(keys(), [])
})

t.test('idempotency key: with null none is sent, and nothing is repeated', async (t) => {
  server.react('drop', done)
  const call = client({ retries: 3 }).orders?.create?.({ product: 'a' }, { idempotencyKey: null })
  await t.rejects(async () => void (await call), { name: 'TypeError' })
  t.strictSame(keys(), [null])
})

t.test('idempotency key: a page over plain HTTP has no randomUUID, and is not in need of it', async (t) => {
  t.intercept(globalThis.crypto, 'randomUUID', { value: undefined })
  server.react(done)
  await client().orders?.create?.({ product: 'a' })
  t.match(keys(), [random])
})

t.test('idempotency key: what waits for an approval keeps it, lost answers or not', async (t) => {
  const approval = {
    url: `${server.origin}/auth/approvals/a`,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const asked: Reaction = [
    428,
    { 'content-type': 'application/problem+json', 'retry-after': '0' },
    { type: 'urn:acmcp:approval-required', approval },
  ]
  const urls: string[] = []
  const onApprovalAsked = ({ url }: typeof approval): void => void urls.push(url)
  server.react(asked, busy, asked, 'cut', done)
  const answer = await client().orders?.refund?.({ amount: 1 }, { onApprovalAsked, retries: 1 })
  t.equal(answer?.data, 'done')
  t.strictSame(urls, [approval.url], 'who waits hears of it once')
  const [first, ...others] = server.received()
  t.match(first, { key: random, body: '{"amount":1}' })
  t.strictSame(others, [first, first, first, first])
})
