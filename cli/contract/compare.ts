/** Compares two contracts: what `acmcp build` wrote in one tree and in another. Nothing is compiled. */
import { YAMLError } from 'yaml'
import { below, blocksIn, inOurLayout, itemsIn, Unreadable } from './blocks.ts'
import { type ContractChange, merged } from './findings.ts'
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
  readonly findings: readonly ContractChange[]
  /** What was not compared, and why. */
  readonly notes: readonly string[]
}

/** A file that is no contract. */
export class NoContract extends Error {}

/** Throws `NoContract` where a text is no such file. */
export function compareContracts(old: Contract, current: Contract): Comparison {
  try {
    const [before, after] = [readable(old), readable(current)]
    const found = merged([
      ...compareOpenapi(before.openapi, after.openapi),
      ...visibleTools(compareOffers(before.mcp, after.mcp), before.openapi),
    ])
    const { findings, notes } = withoutUnwritten(found, before, after)
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

function readable({ openapi, mcp }: Contract): Contract {
  return {
    openapi: told(contractFiles.openapi, () => inOurLayout(openapi, ['openapi', 'paths'], isOpenapiLaidOut)),
    mcp: told(contractFiles.mcp, () => inOurLayout(mcp, ['version'], isMcpLaidOut)),
  }
}

/** With the name of the file in what is thrown. */
function told<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new Unreadable(`${file} is none of acmcp: ${error.message}`)
  }
}

const isEmptyBlock = (block: string): boolean =>
  /^[\w]+:\s*(?:\{\s*\}|\[\s*\])?\s*$/.test(block.slice(0, 100))

function isOpenapiLaidOut(text: string): boolean {
  const top = topOf(text)
  const paths = top?.get('paths')
  if (top?.has('openapi') !== true || paths === undefined) return false
  if (isEmptyBlock(paths)) return true
  const [first] = blocksIn(below(paths), 2).values()
  return first !== undefined && blocksIn(below(first), 4).size > 0
}

function isMcpLaidOut(text: string): boolean {
  const top = topOf(text)
  const boxes = top?.get('toolboxes')
  if (top?.has('version') !== true) return false
  if (boxes === undefined || isEmptyBlock(boxes)) return true
  const [first] = itemsIn(below(boxes), 2)
  return first !== undefined && blocksIn(first, 4).size > 0
}

/** Null where something at the top is no entry, as items that stand no further in than their key. */
function topOf(text: string): ReturnType<typeof blocksIn> | null {
  if (text.startsWith('- ') || text.includes('\n- ')) return null
  try {
    return blocksIn(text, 0)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

/** A tool of a route that was there and was no tool. */
function visibleTools(found: readonly ContractChange[], openapi: string): readonly ContractChange[] {
  const isTold = (finding: ContractChange): boolean => finding.rule === 'toolNew'
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
function withoutUnwritten(found: readonly ContractChange[], before: Contract, after: Contract): Comparison {
  const [from, to] = [before.mcp, after.mcp].map(isPinned)
  if (from === to || !hasTools(before.mcp) || !hasTools(after.mcp)) return { findings: found, notes: [] }
  const isUnwritten = ({ rule, before: old, after: made }: ContractChange): boolean =>
    rule === 'limitChanged' && (from === true ? made : old) === undefined
  const which = from === true ? 'this build is one' : 'the other side was written by one'
  return {
    findings: found.filter((finding) => !isUnwritten(finding)),
    notes: [`limits and times are not compared: ${which} of an acmcp that wrote none`],
  }
}

const isPinned = (mcp: string): boolean => mcp.includes('\n        fingerprint: ')
const hasTools = (mcp: string): boolean => mcp.includes('\n    tools:\n')
