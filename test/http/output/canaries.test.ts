/** Answers of random types: nothing undeclared leaves at any entrance, no secret where none may, and nothing declared is lost. */
import t from 'tap'
import { judgeCanaries } from './support/canaries/canaries.ts'

t.test('random answers: what leaves is what was declared', async (t) => {
  const { answers, wrong } = await judgeCanaries({ types: 6, values: 2, seed: 10 })
  t.strictSame(wrong, [])
  t.ok(answers > 100, `${answers} answers`)
})
