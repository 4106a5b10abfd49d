/** Compares two contracts: what `acmcp build` wrote in one tree and in another. Nothing is compiled. */
import { YAMLError } from 'yaml'
import { blocksIn, fieldOf } from './blocks.ts'
import { type Finding, merged } from './findings.ts'
import { compareOffers } from './offers.ts'
import { compareOpenapi, withoutNames } from './openapi.ts'
import { changeClasses, rule } from './rules.ts'

/** The texts of the committed files. */
export interface Contract {
  readonly openapi: string
  readonly mcp: string
}

export const contractFiles = { openapi: 'generated/openapi.yml', mcp: 'generated/mcp.yml' } as const

export interface Comparison {
  /** The worst first; each thing once. */
  readonly findings: readonly Finding[]
  /** What was not compared, and why. */
  readonly notes: readonly string[]
}

/** A file that is no contract. */
export class NoContract extends Error {}

/** Throws `NoContract` where a text is no such file. */
export function compareContracts(before: Contract, after: Contract): Comparison {
  try {
    const found = merged([
      ...compareOpenapi(before.openapi, after.openapi),
      ...visibleTools(compareOffers(before.mcp, after.mcp), before.openapi),
    ])
    const order = (finding: Finding): number => changeClasses.indexOf(rule(finding.rule).class)
    return { findings: [...found].sort((a, b) => order(a) - order(b)), notes: notesOf(before, after) }
  } catch (error) {
    if (error instanceof YAMLError || error instanceof ReferenceError) throw new NoContract(error.message)
    throw error
  }
}

/** A tool of a route that was there and was no tool. */
function visibleTools(found: readonly Finding[], openapi: string): readonly Finding[] {
  const isTold = (finding: Finding): boolean => finding.rule === 'toolNew'
  if (!found.some(isTold)) return found
  const paths = blocksIn(openapi, 0).get('paths') ?? ''
  const addresses = new Set(
    [...blocksIn(paths.slice(paths.indexOf('\n') + 1), 2)].flatMap(([path, block]) =>
      [...blocksIn(block.slice(block.indexOf('\n') + 1), 4).keys()].map(
        (verb) => `${verb.toUpperCase()} ${withoutNames(path)}`,
      ),
    ),
  )
  return found.map((finding) =>
    isTold(finding) && addresses.has(withoutNames(finding.subject.route ?? ''))
      ? { ...finding, rule: 'toolVisible' }
      : finding,
  )
}

/** Another form of the file says less, or more, of the same application. */
function notesOf(before: Contract, after: Contract): readonly string[] {
  const [from, to] = [before.mcp, after.mcp].map((text) =>
    fieldOf(blocksIn(text, 0).get('version') ?? 'version: 0'),
  )
  if (from === to) return []
  return [`generated/mcp.yml was written by another version of acmcp (form ${from}, now ${to})`]
}
