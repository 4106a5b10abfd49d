/** Random applications through their client; more of them in `npm run torture`. */
import t from 'tap'
import { judgeRandomClient } from './random-client.ts'

t.setTimeout(240_000)

t.test('client: server and client agree for random values of random types', async (t) => {
  const { wrong, typeErrors, calls } = await judgeRandomClient(t, { routes: 30, calls: 6, seed: 16 })
  t.strictSame(wrong, [])
  t.equal(typeErrors, '')
  t.equal(calls, 180)
})
