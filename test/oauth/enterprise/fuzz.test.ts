/** A fuzz of assertions of both kinds: none is accepted, none breaks anything. Source: RFC 8725. */
import t from 'tap'
import { answersTo, randomFrom } from '../support/assertion-fuzz.ts'
import { enterpriseWorld } from '../support/enterprise.ts'

t.setTimeout(240_000) // a busy machine

t.test('3,000 mutated identity and client assertions: no 5xx, none accepted, nobody is made', async (t) => {
  const w = await enterpriseWorld(t)
  const statuses = await answersTo(w, 3000, randomFrom(7))
  t.strictSame([...statuses.keys()].sort(), [400, 401])
  t.equal(
    [...statuses.values()].reduce((sum, count) => sum + count),
    3000,
  )
  t.strictSame([await w.store.listUsers(10), await w.store.listGrants({})], [[], []])
  t.equal((await w.ask(w.form(w.jag())))[0], 200)
})
