import t from 'tap'
import { differencesOfSame } from './identical.ts'

t.setTimeout(240_000)

t.test('identical builds find nothing, in whatever order their parts stand', (t) => {
  t.strictSame(differencesOfSame(8, 9), [])
  t.end()
})
