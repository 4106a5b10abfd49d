/** An application that is charged as Stripe is: forms, a secret key as bearer, `Idempotency-Key`; behind a network that loses answers. */
import type { Test } from 'tap'
import { openTestApp } from '../../runtime/testing.ts'
import { freePort } from '../support/free-port.ts'
import { builtFolder } from '../support/linked.ts'
import { type DroppingProxy, droppingProxy } from './dropping-proxy.ts'

const charges = `import { ApplicationController } from 'acmcp'

export const charged: string[] = []
export const tried: string[] = []

/**
 * Charges.
 *
 * @base /v1/charges
 */
export class Charges extends ApplicationController {
  /**
   * Charges a card.
   *
   * @post /
   * @idempotencyKey
   */
  create(amount: number, currency: string): { id: string; amount: number; currency: string } {
    if (amount < 0) {
      tried.push(currency)
      throw new Error('the bank is away')
    }
    charged.push(\`\${amount} \${currency}\`)
    return { id: \`ch_\${charged.length}\`, amount, currency }
  }

  /**
   * Lists them.
   *
   * @get /
   */
  index(): string[] { return charged }

  /**
   * Lists those that failed.
   *
   * @get /failed
   */
  failed(): string[] { return tried }
}
`

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({})
`

export interface Charging {
  readonly proxy: DroppingProxy
  /** What was charged since. */
  charged(): Promise<readonly string[]>
  /** What the bank did not take. */
  tried(): Promise<readonly string[]>
}

/** Listens on loopback until the end of the test. */
export async function openCharges(t: Test): Promise<Charging> {
  const cwd = await builtFolder({
    'package.json': '{"name":"charges","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/charges.ts': charges,
  })
  const port = await freePort()
  const app = await openTestApp({ cwd, environment: { baseUrl: `http://localhost:${port}` } })
  t.teardown(() => app.close())
  await app.application.server.listen({ port, host: 'localhost' })
  const proxy = await droppingProxy(t, port)
  const list = async (path: string): Promise<readonly string[]> => (await app.client().get(path)).json()
  const [done, failed] = ['/v1/charges', '/v1/charges/failed']
  const [before, failedBefore] = [(await list(done)).length, (await list(failed)).length]
  return {
    proxy,
    charged: async () => (await list(done)).slice(before),
    tried: async () => (await list(failed)).slice(failedBefore),
  }
}
