/** The client of a route with a limit: what is one call too many has a type, and a value. */
import t from 'tap'
import { serveWithClient } from './served-client.ts'

t.setTimeout(240_000)

t.test('limits: a client reads 429 as data', async (t) => {
  const { module, baseUrl, text } = await serveWithClient(t, {
    'package.json': '{"name":"shop","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n`,
    'app/controllers/carts.ts': `import { Controller } from 'acmcp'

/** Carts. */
export class Carts extends Controller {
  /**
   * Shows a cart.
   *
   * @get /
   * @limit 1/day
   * @timeout 30s
   */
  show(): { items: number } { return { items: 1 } }
}
`,
  })
  t.match(text, /Failure<429, /)
  t.match(text, /Failure<503, /)
  const { carts } = module.createClient({ baseUrl })
  const seen = async (): Promise<unknown> => {
    const answer = await carts?.show?.()
    return [answer?.ok, answer?.status, answer?.data]
  }
  t.strictSame(await seen(), [true, 200, { items: 1 }])
  t.match(await seen(), [false, 429, { error: /^too many requests: wait \d+ s$/ }])
})
