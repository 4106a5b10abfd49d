/** `node dist/test/idempotency/stripe-client.js`: the package stripe itself against our server, over a network that loses answers.
 *  Needs the registry the first time; run by hand. What it sends is recorded in `stripe-like.test.ts`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { installed } from '../support/installed.ts'
import { openCharges } from './charges.ts'

t.setTimeout(240_000)

interface Stripe {
  readonly charges: { create(charge: object, options?: object): Promise<{ readonly id: string }> }
}

const folder = installed('stripe', { stripe: '23.1.0' })
const loaded: unknown = createRequire(join(folder, 'stripe/package.json'))('stripe')
const Client = loaded as new (key: string, options: object) => Stripe // a package without types here

t.test('stripe 23.1.0 makes a key by itself and repeats: one charge', async (t) => {
  const { proxy, charged, tried } = await openCharges(t)
  const { hostname: host, port } = new URL(proxy.origin)
  const options = { host, port, protocol: 'http', maxNetworkRetries: 3, telemetry: false }
  const stripe = new Client('sk_test_x', options)
  proxy.drop('amount=5', 2)
  t.match(await stripe.charges.create({ amount: 5, currency: 'eur' }), { id: 'ch_1' })
  t.equal(proxy.dropped(), 2)
  t.strictSame(await charged(), ['5 eur'])
  const key = { idempotencyKey: 'mine' }
  t.match(await stripe.charges.create({ amount: 7, currency: 'eur' }, key), { id: 'ch_2' })
  t.match(await stripe.charges.create({ amount: 7, currency: 'eur' }, key), { id: 'ch_2' })
  // it tells a failure by a member `error` of the body, and not by the status
  const other = await stripe.charges.create({ amount: 8, currency: 'eur' }, key)
  t.match(other, { type: 'urn:acmcp:idempotency-reused' })
  await stripe.charges.create({ amount: -1, currency: 'eur' })
  t.equal((await tried()).length, 1, 'it repeats 500 by itself, and the method ran once')
  t.strictSame(await charged(), ['5 eur', '7 eur'])
})
