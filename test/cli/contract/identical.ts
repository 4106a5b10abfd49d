/** Random applications built twice, the second time with their files and members in another order: nothing is another. */
import fc from 'fast-check'
import { compareContracts } from '../../../cli/capabilities/contract/compare.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { randomApplication } from '../random/random-application.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'
import { contractOf, shown } from './mutations/walk.ts'

/** What was found, in words. */
export function differencesOfSame(count: number, seed: number): readonly string[] {
  const applications = fc.sample(randomApplication, { numRuns: count, seed })
  return applications.flatMap((files, index) => {
    const made = compile(memoryHost(files))
    if (made.files.length === 0) return [] // some are no valid application
    const contract = contractOf(made)
    const other = contractOf(compile(memoryHost(reordered(files), 'reversed')))
    return [
      ...compareContracts(contract, contract).findings,
      ...compareContracts(contract, other).findings,
    ].map((finding) => `application ${index}: ${shown(finding)}`)
  })
}

/** Types are declared in the other order. */
function reordered(files: Files): Files {
  return Object.fromEntries(
    Object.entries(files)
      .reverse()
      .map(([path, text]) => {
        const [head = '', ...parts] = text.split(
          /^(?=\/\*\* Text [^\n]*(?:\n \* [^\n]*)? \*\/\nexport (?:interface|enum))/m,
        )
        return [path, path === 'app/types.ts' ? [head, ...parts.reverse()].join('') : text]
      }),
  )
}
