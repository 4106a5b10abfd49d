/** A slice of the property test; the whole of it is `test/torture/http-fuzz.torture.ts`. */
import t from 'tap'
import { fuzz } from '../support/fuzz.ts'

t.test('2,000 mutated requests: no 5xx, no crash, no leaked stack', async (t) => {
  const { failures, requests, statuses } = await fuzz(1900, 100, 20261121)
  t.strictSame(failures, [])
  t.equal(requests, 2000)
  for (const status of [200, 201, 400, 401, 404, 405, 406, 415, 422]) {
    t.ok((statuses.get(status) ?? 0) > 0, `some request was answered with ${status}`)
  }
})
