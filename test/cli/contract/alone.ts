/** The applications of the corpus, and each pair of it alone. */

import { type Contract, compareContracts } from '../../../cli/capabilities/contract/compare.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { memoryHost } from '../support/memory-host.ts'
import { corpus, type Pair } from './corpus.ts'
import { contractOf, shown } from './mutations/walk.ts'

export type Side = 'before' | 'after'

export const numbered = (text: string, index: number): string => text.replaceAll('$', String(index))

function fileOf(pair: Pair, index: number, side: Side): string {
  const types = pair.types?.[side === 'before' ? 0 : 1] ?? ''
  return numbered(
    `import { type Body, Controller, type Header, type Int32 } from 'acmcp'
/**
 * A case.
 *
 * @base /case-$
 */
export class Case$ extends Controller {
${pair[side]}
}
${types}
`,
    index,
  )
}

export function contractOfPairs(pairs: readonly (readonly [Pair, number])[], side: Side): Contract {
  const files = pairs.map(([pair, index]) => [`app/controllers/case-${index}.ts`, fileOf(pair, index, side)])
  return contractOf(compile(memoryHost(Object.fromEntries(files))))
}

/** What is found of a pair and not expected, or the other way round, in words. */
export const aloneInCorpus = (): readonly string[] =>
  corpus.flatMap((pair, index) => {
    const [before, after] = (['before', 'after'] as const).map((side) =>
      contractOfPairs([[pair, index]], side),
    )
    const found = before === undefined || after === undefined ? [] : compareContracts(before, after).findings
    const expected = pair.expected.map((text) => numbered(text, index))
    const is = found.map(shown).sort()
    return JSON.stringify(is) === JSON.stringify(expected) ? [] : [`${pair.sentence}: ${is.join(', ')}`]
  })
