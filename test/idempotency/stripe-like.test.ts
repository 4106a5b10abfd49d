/** What the package stripe (23.1.0) sends when it repeats a call, as recorded by `stripe-client.ts`: its key, a form, the same again
 *  after a broken connection, 409 and 5xx. */
import t from 'tap'
import { openCharges } from './charges.ts'

t.setTimeout(240_000) // a busy machine

/** Of three requests of one `charges.create`; only these of its headers matter here. */
const recorded = {
  method: 'POST',
  headers: {
    authorization: 'Bearer sk_test_x',
    'content-type': 'application/x-www-form-urlencoded',
    'idempotency-key': 'stripe-node-retry-5f9c5b5d-f957-40fd-8cd9-3bcd7c25fe67',
  },
  body: 'amount=5&currency=eur',
}

t.test(
  'a client that makes keys by itself and repeats: two answers are lost, one charge is there',
  async (t) => {
    const { proxy, charged } = await openCharges(t)
    const send = (change: object = {}) => fetch(`${proxy.origin}/v1/charges`, { ...recorded, ...change })
    proxy.drop('amount=5', 2)
    await t.rejects(send())
    await t.rejects(send())
    const third = await send()
    t.strictSame(
      [third.status, third.headers.get('idempotent-replayed'), await third.json()],
      [200, 'true', { id: 'ch_1', amount: 5, currency: 'eur' }],
    )
    t.equal(proxy.dropped(), 2)
    t.strictSame(await charged(), ['5 eur'])
    t.equal((await send({ body: 'amount=6&currency=eur' })).status, 422, 'another charge with that key')
    const ordered = await send({ body: 'currency=eur&amount=5' })
    t.equal(ordered.headers.get('idempotent-replayed'), 'true', 'the order of the fields is none of it')
    const stranger = { ...recorded.headers, authorization: 'Bearer sk_test_y' }
    t.strictSame(await (await send({ headers: stranger })).json(), { id: 'ch_2', amount: 5, currency: 'eur' })
    t.strictSame(await charged(), ['5 eur', '5 eur'])
  },
)

t.test(
  'a 5xx is kept: a client that repeats it by itself gets it again, and nothing runs twice',
  async (t) => {
    const { proxy, tried } = await openCharges(t)
    const send = () => fetch(`${proxy.origin}/v1/charges`, { ...recorded, body: 'amount=-1&currency=eur' })
    t.strictSame([(await send()).status, (await send()).status], [500, 500])
    t.equal((await tried()).length, 1)
  },
)
