/** Compares two contracts: what `acmcp build` wrote in one tree and in another. Nothing is compiled. */
import { YAMLError } from 'yaml'
import { blocksIn } from './blocks.ts'
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
    const { findings, notes } = withoutUnwritten(found, before, after)
    const order = (finding: Finding): number => changeClasses.indexOf(rule(finding.rule).class)
    return { findings: [...findings].sort((a, b) => order(a) - order(b)), notes }
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

/** A version of acmcp that wrote no fingerprints wrote no limits and no times either: they are not new. */
function withoutUnwritten(found: readonly Finding[], before: Contract, after: Contract): Comparison {
  const [from, to] = [before.mcp, after.mcp].map(isPinned)
  if (from === to || !hasTools(before.mcp) || !hasTools(after.mcp)) return { findings: found, notes: [] }
  const isUnwritten = ({ rule, before: old, after: made }: Finding): boolean =>
    rule === 'limitChanged' && (from === true ? made : old) === undefined
  const which = from === true ? 'this build is one' : 'the other side was written by one'
  return {
    findings: found.filter((finding) => !isUnwritten(finding)),
    notes: [`limits and times are not compared: ${which} of an acmcp that wrote none`],
  }
}

const isPinned = (mcp: string): boolean => /^ {8}fingerprint: /m.test(mcp)
const hasTools = (mcp: string): boolean => /^ {4}tools:$/m.test(mcp)
