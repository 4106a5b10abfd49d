/** The short form of `test/torture/oauth-fuzz.torture.ts`, tokens. */
import t from 'tap'
import { fuzzTokens } from '../support/fuzz.ts'

t.test('fuzz: 2,000 mutated JWTs: none accepted, all refused alike', async (t) => {
  await t.resolves(fuzzTokens(t, { count: 2000, seed: 20_260_728 }))
})
