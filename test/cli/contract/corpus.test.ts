/** Each rule of the contract, before and after a change, alone and in a mixture: what is found, and nothing else. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Contract, compareContracts } from '../../../cli/contract/compare.ts'
import { type Finding, placeText } from '../../../cli/contract/findings.ts'
import { rule } from '../../../cli/contract/rules.ts'
import { memoryHost } from '../support/memory-host.ts'
import { corpus, type Pair } from './corpus.ts'

t.setTimeout(240_000)

type Side = 'before' | 'after'

const numbered = (text: string, index: number): string => text.replaceAll('$', String(index))

function fileOf(pair: Pair, index: number, side: Side): string {
  const types = pair.types?.[side === 'before' ? 0 : 1] ?? ''
  return numbered(
    `import { type Body, Controller, type Int32 } from 'acmcp'
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

function contractOf(pairs: readonly (readonly [Pair, number])[], side: Side): Contract {
  const files = pairs.map(([pair, index]) => [`app/controllers/case-${index}.ts`, fileOf(pair, index, side)])
  const made = compile(memoryHost(Object.fromEntries(files)))
  const text = (name: string): string => made.files.find(({ path }) => path.endsWith(name))?.text ?? ''
  if (made.files.length === 0) throw new Error(JSON.stringify(made.diagnostics, null, 2))
  return { openapi: text('openapi.yml'), mcp: text('mcp.yml') }
}

const shown = (finding: Finding): string =>
  `${rule(finding.rule).id} ${placeText(finding)} (${finding.hits.join(', ')})`

/** Of one pair of many. */
const isOf =
  (index: number) =>
  ({ subject, usedBy }: Finding): boolean =>
    [subject.name, ...usedBy].some((name) => new RegExp(`(?:case-?|[A-Za-z])${index}(?!\\d)`).test(name))

t.test('every change is found in a mixture of all, at its place, and nothing else', (t) => {
  const all = corpus.map((pair, index) => [pair, index] as const)
  const { findings } = compareContracts(contractOf(all, 'before'), contractOf(all, 'after'))
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
