import t from 'tap'
import { walkParts } from './part-walk.ts'

t.test('a build after a change gives what a full build gives, over random edits', async (t) => {
  const { parts, failed, wrong } = walkParts(25, 20261121)
  t.strictSame(wrong, [])
  t.ok(parts > 5, `${parts} builds took over most of the last`)
  t.ok(failed > 0, 'some builds found mistakes')
})
