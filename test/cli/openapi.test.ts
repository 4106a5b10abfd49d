/** The committed document by a linter that we did not write. */
import t from 'tap'
import { redocly } from './redocly.ts'

t.test('generated/openapi.yml passes @redocly/cli lint without errors and warnings', async (t) => {
  t.strictSame(redocly(['generated/openapi.yml']), [])
})
