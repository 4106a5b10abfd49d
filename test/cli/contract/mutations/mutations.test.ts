/** Random applications with one change each: it is found with its class, its place and who notices, and nothing else is. */
import t from 'tap'
import { allRules } from '../../../../cli/capabilities/contract/rules.ts'
import { corpus } from '../corpus.ts'
import { mutations } from './mutations.ts'
import { walkMutations } from './walk.ts'

t.setTimeout(240_000)

t.test('each kind of change, once', (t) => {
  const { wrong, found } = walkMutations(mutations.size, 2, 12)
  t.strictSame(wrong, [])
  const told = new Set([
    ...found.keys(),
    ...corpus.flatMap(({ expected }) => expected.map((one) => one.slice(0, 6))),
  ])
  const untold = allRules.map(({ id }) => id).filter((id) => !told.has(id))
  t.strictSame(untold, [], 'every rule is found by a mutation, or in the corpus')
  t.end()
})
