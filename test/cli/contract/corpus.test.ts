/** Each rule of the contract, before and after a change, alone and in a mixture: what is found, and nothing else. */
import t from 'tap'
import { compareContracts } from '../../../cli/capabilities/contract/compare.ts'
import type { ContractChange } from '../../../cli/capabilities/contract/findings.ts'
import { contractOfPairs, numbered } from './alone.ts'
import { corpus } from './corpus.ts'
import { shown } from './mutations/walk.ts'

t.setTimeout(240_000)

/** Of one pair of many. */
const isOf =
  (index: number) =>
  ({ subject, usedBy }: ContractChange): boolean =>
    [subject.name, ...usedBy].some((name) => new RegExp(`(?:case-?|[A-Za-z])${index}(?!\\d)`).test(name))

t.test('every change is found in a mixture of all, at its place, and nothing else', (t) => {
  const all = corpus.map((pair, index) => [pair, index] as const)
  const { findings } = compareContracts(contractOfPairs(all, 'before'), contractOfPairs(all, 'after'))
  for (const [{ sentence, expected }, index] of all) {
    const found = findings.filter(isOf(index)).map(shown).sort()
    t.same(
      found,
      expected.map((text) => numbered(text, index)),
      `${index} ${sentence}`,
    )
  }
  t.end()
})
