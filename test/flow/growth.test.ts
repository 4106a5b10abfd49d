/** What capabilities do with what a caller sends: twice as much of it takes twice the time. */
import t from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { builtFolder } from '../support/linked.ts'
import { growth } from '../support/report/growth.ts'

t.setTimeout(240_000) // a busy machine

const vault = `import { type Body, Controller } from 'acmcp'

interface Payment {
  amount: number
  [note: string]: unknown
}

/** A vault. */
export class Vault extends Controller {
  /**
   * Pays.
   *
   * @post /payments
   * @approval Pay {amount}
   */
  pay(payment: Body<Payment>): void {}

  /**
   * Keeps.
   *
   * @post /things
   * @approval Keep {name} and {note}
   */
  keep(name: string, note?: string): void {}

  /**
   * Charges.
   *
   * @post /charges
   * @idempotencyKey
   */
  charge(payment: Body<Payment>): { amount: number } { return { amount: payment.amount } }
}
`

const cwd = await builtFolder({
  'package.json': '{"name":"vault","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Vault' }, limits: { toolCallsPerMinute: false } })
`,
  'app/controllers/vault.ts': vault,
})
const bundle = await loadBundle(cwd)
const app = await openTestApp({ cwd, change: () => bundle })
t.teardown(() => app.close())
const client = app.client().withBearer(await app.accessToken({ id: 'dev:ada', name: 'Ada', email: null }))
const accept = 'application/json, text/event-stream'

async function posted(url: string, payload: string, status: number, more: object = {}): Promise<void> {
  const headers = { accept, 'content-type': 'application/json', ...more }
  const answer = await client.request({ method: 'POST', url, headers, payload })
  if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${answer.body.slice(0, 200)}`)
}

const control = (payload: string): unknown => JSON.parse(JSON.stringify(payload))
const properties = (count: number): string => {
  const of = Array.from({ length: count }, (_, at) => [`n${at}`, at])
  return JSON.stringify({ amount: 1, name: 'a', ...Object.fromEntries(of) })
}
const keyed = (payload: string) => ({ 'idempotency-key': `a-key-for-${payload.length}` })

const shapes: readonly (readonly [
  name: string,
  input: (count: number) => string,
  work: (payload: string) => Promise<void>,
])[] = [
  ['approval, properties of a body', properties, (of) => posted('/vault/payments', of, 428)],
  ['approval, fields of JSON', properties, (of) => posted('/vault/things', of, 428)],
  ['idempotency key, properties of a body', properties, (of) => posted('/vault/charges', of, 200, keyed(of))],
]

t.test('what a call brings to an approval or a key takes time in proportion to it', async (t) => {
  for (const [name, input, work] of shapes)
    await growth(t, { name: `${name}: their number`, sizes: [1_000, 2_000, 4_000], input, work, control })
  await growth(t, {
    name: 'approval, too many properties to ask a person about: their number',
    sizes: [12_500, 25_000, 50_000],
    input: properties,
    work: (of) => posted('/vault/payments', of, 413),
    control,
  })
})
