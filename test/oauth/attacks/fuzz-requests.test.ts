/** The short form of `test/torture/oauth-fuzz.torture.ts`, requests. */
import t from 'tap'
import { fuzzRequests, provesSomething } from '../support/fuzz.ts'

t.test('fuzz: the unmutated requests are accepted', async (t) => {
  t.ok(await provesSomething(t))
})

t.test('fuzz: 2,000 mutated requests: no 5xx, no Location off the list, nothing given away', async (t) => {
  await t.resolves(fuzzRequests(t, { count: 2000, seed: 20_260_728 }))
})
