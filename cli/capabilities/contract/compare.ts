/** Compares two contracts: what `acmcp build` wrote in one tree and in another. Nothing is compiled. */
import { YAMLError } from 'yaml'
import { Unreadable } from './blocks.ts'
import { type Document, openapiDocument } from './document.ts'
import { type ContractChange, merged } from './findings.ts'
import { compareOffers, type Offers, readOffers } from './offers.ts'
import { compareOpenapi } from './openapi.ts'
import { changeClasses, rule } from './rules.ts'
import { toolPairs } from './tools.ts'

/** The texts of the committed files. */
export interface Contract {
  readonly openapi: string
  readonly mcp: string
}

export const contractFiles = { openapi: 'generated/openapi.yml', mcp: 'generated/mcp.yml' } as const

export interface Comparison {
  /** The worst first; each thing once. */
  readonly findings: readonly ContractChange[]
  /** What was not compared, and why. */
  readonly notes: readonly string[]
}

/** A file that is no contract. */
export class NoContract extends Error {}

/** Throws `NoContract` where a text is no such file. */
export function compareContracts(old: Contract, current: Contract): Comparison {
  try {
    const [before, after] = [partsOf(old), partsOf(current)]
    const pairs = toolPairs(before.offers.tools, after.offers.tools)
    const hadRoute = (route: string): boolean => before.document.operations.has(route)
    const found = merged([
      ...compareOpenapi(before.document, after.document, pairs),
      ...compareOffers(before.offers, after.offers, { pairs, hadRoute }),
    ])
    const { findings, notes } = withoutUnwritten(found, before.offers, after.offers)
    const order = (finding: ContractChange): number => changeClasses.indexOf(rule(finding.rule).class)
    return { findings: [...findings].sort((a, b) => order(a) - order(b)), notes }
  } catch (error) {
    if (error instanceof Unreadable) throw new NoContract(error.message)
    // a stack that overflows, of the reader of YAML too, is a text that is nested too deeply
    if (error instanceof RangeError) throw new NoContract('one of its files is nested too deeply')
    if (!(error instanceof YAMLError || error instanceof ReferenceError)) throw error
    const [why = ''] = error.message.split('\n', 1)
    throw new NoContract(`one of its files is no YAML: ${why.slice(0, 200).replace(/:$/, '')}`)
  }
}

interface Parts {
  readonly document: Document
  readonly offers: Offers
}

const partsOf = ({ openapi, mcp }: Contract): Parts => ({
  document: readAs(contractFiles.openapi, () => openapiDocument(openapi)),
  offers: readAs(contractFiles.mcp, () => readOffers(mcp)),
})

/** With the name of the file in what is thrown. */
function readAs<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new Unreadable(`${file} is none of acmcp: ${error.message}`)
  }
}

/** A version of acmcp that wrote no fingerprints wrote no limits and no times either: they are not new. */
function withoutUnwritten(found: readonly ContractChange[], before: Offers, after: Offers): Comparison {
  const [from, to] = [isPinned(before), isPinned(after)]
  if (from === to || before.tools.size === 0 || after.tools.size === 0) return { findings: found, notes: [] }
  const isUnwritten = ({ rule, before: old, after: made }: ContractChange): boolean =>
    rule === 'limitChanged' && (from ? made : old) === undefined
  const which = from ? 'this build is one' : 'the other side was written by one'
  return {
    findings: found.filter((finding) => !isUnwritten(finding)),
    notes: [`limits and times are not compared: ${which} of an acmcp that wrote none`],
  }
}

const isPinned = ({ tools }: Offers): boolean =>
  [...tools.values()].some(({ text }) => /\bfingerprint"?: /.test(text))
