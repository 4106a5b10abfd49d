/** Rounds of one mutation each: what is found between the contract before it and the one after it. */

import { type Contract, compareContracts } from '../../../../cli/capabilities/contract/compare.ts'
import { type ContractChange, placeText } from '../../../../cli/capabilities/contract/findings.ts'
import { rule } from '../../../../cli/capabilities/contract/rules.ts'
import { type Compilation, compile } from '../../../../cli/compiler/compile.ts'
import { createSession } from '../../../../cli/compiler/read/program/session.ts'
import { memoryHost } from '../../support/memory-host.ts'
import { numbersFrom } from '../random-schemas.ts'
import { type Application, Draw, filesOf, randomApplication } from './application.ts'
import { mutations } from './mutations.ts'

export interface Walk {
  readonly rounds: number
  /** How often each rule was found, by id. */
  readonly found: ReadonlyMap<string, number>
  readonly wrong: readonly string[]
}

export const contractOf = ({ files, diagnostics }: Pick<Compilation, 'files' | 'diagnostics'>): Contract => {
  const text = (name: string): string => files.find(({ path }) => path.endsWith(name))?.text ?? ''
  if (files.length === 0)
    throw new Error(JSON.stringify(diagnostics.filter(({ severity }) => severity === 'error').slice(0, 3)))
  return { openapi: text('openapi.yml'), mcp: text('mcp.yml') }
}

export const shown = (finding: ContractChange): string =>
  `${rule(finding.rule).id} ${placeText(finding)} (${finding.hits.join(', ')})`

/** The description of a tool names what others wrote: it is another where such a property comes or goes. */
const ofWarnings = new Set(['a property is gone', 'text of others is no longer marked'])
const isDescription = (one: string): boolean => /^CON060 \w+ description \(tools\)$/.test(one)

/** The application is another after every `roundsOfOne` rounds. */
const roundsOfOne = 100

export function walkMutations(rounds: number, seed: number, boxes = 40): Walk {
  const names = [...mutations.keys()]
  const found = new Map<string, number>()
  const wrong: string[] = []
  let bench: Bench | null = null
  let draw = new Draw(numbersFrom(seed))
  for (let round = 0; round < rounds; round += 1) {
    if (bench === null || round % roundsOfOne === 0) {
      draw = new Draw(numbersFrom(seed + round))
      bench = createBench(randomApplication(draw, boxes))
    }
    const name = names[round % names.length] ?? ''
    const { app, before, after } = bench
    const changed = structuredClone(app)
    const expected = mutations.get(name)?.(changed, draw) ?? null
    if (expected === null) {
      wrong.push(`${round}: ${name}: no place`)
      continue
    }
    const findings = compareContracts(before, after(changed)).findings
    for (const one of findings) found.set(rule(one.rule).id, (found.get(rule(one.rule).id) ?? 0) + 1)
    const [is, must] = [findings.map(shown).sort(), [...expected].sort()]
    const isTold = (one: string): boolean =>
      must.includes(one) || (ofWarnings.has(name) && isDescription(one))
    const [more, less] = [is.filter((one) => !isTold(one)), must.filter((one) => !is.includes(one))]
    if (more.length + less.length > 0 || new Set(is).size !== is.length)
      wrong.push(`${round}: ${name}: in vain ${JSON.stringify(more)}, missing ${JSON.stringify(less)}`)
  }
  return { rounds, found, wrong }
}

interface Bench {
  readonly app: Application
  readonly before: Contract
  readonly after: (app: Application) => Contract
}

/** Builds of one session: what a mutation does not concern is not read again. */
function createBench(app: Application): Bench {
  const session = createSession()
  const files = filesOf(app)
  const first = compile(memoryHost(files), { session })
  return { app, before: contractOf(first), after }

  function after(changed: Application): Contract {
    const now = filesOf(changed)
    const names = [...new Set([...Object.keys(files), ...Object.keys(now)])]
    const other = names.filter((name) => files[name] !== now[name])
    const isPart = other.every((name) => name.startsWith('app/controllers/') && name in files && name in now)
    if (!isPart) return contractOf(compile(memoryHost(now)))
    return contractOf(compile(memoryHost(now), { session, change: { before: first.reading, files: other } }))
  }
}
