/** What `acmcp build --against` and `acmcp diff` do with a compilation: compare what it wrote with the contract of another tree. */
import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type BuildCheck, type BuildOptions, readOrNull } from '../../build/build-options.ts'
import type { Compilation } from '../../compiler/compile.ts'
import { acceptedIn, withoutAccepted } from './accepted.ts'
import { committedContract, NoCommittedContract } from './committed.ts'
import { compareContracts, contractFiles, NoContract } from './compare.ts'
import type { ContractChange } from './findings.ts'
import { placesIn } from './places.ts'
import {
  type ContractReport,
  changeAnnotations,
  isOf,
  summaryLine,
  toJson,
  toMarkdown,
  toText,
} from './report.ts'
import { changeClasses } from './rules.ts'

/** The least of the changes that fails; `any`: also what is compatible. */
type FailAt = 'breaking' | 'dangerous' | 'texts' | 'any'

export interface ContractFlags {
  /** Compare with the contract of this revision or folder. */
  readonly against: string
  readonly fail?: FailAt
  /** A file that a summary in Markdown is added to. */
  readonly summary?: string
}

type Compared = Pick<BuildOptions, 'cwd' | 'colour' | 'clock' | 'warn'> & { readonly against: string }

/** Null where there is nothing to compare with, after saying why. */
export async function compareWith(
  { cwd, against, clock = Date.now, warn }: Compared,
  { files, model, settings }: Compilation,
): Promise<ContractReport | null> {
  try {
    const before = await committedContract(cwd, against)
    const made = (path: string): string => files.find((file) => file.path === path)?.text ?? ''
    const after = { openapi: made(contractFiles.openapi), mcp: made(contractFiles.mcp) }
    const { findings: found, notes } = compareContracts(before, after)
    const entries = acceptedIn(settings)
    const unread = entries === null ? ['contract.accept is no list of literals: nothing is accepted'] : []
    const today = new Date(clock()).toISOString().slice(0, 10)
    const judged = withoutAccepted(found, entries ?? [], today)
    const readFile = (file: string): string | null => readOrNull(`${cwd}/${file}`)
    return {
      ...judged,
      notes: [...notes, ...unread, ...judged.notes],
      placeOf: placesIn(model, readFile),
      version: model.info.version,
    }
  } catch (error) {
    if (!(error instanceof NoCommittedContract || error instanceof NoContract)) throw error
    warn(`acmcp: nothing to compare with: ${error.message}`)
    return null
  }
}

type Checked = Compared & Pick<BuildOptions, 'format' | 'print'> & ContractFlags

/** Shows what changed. The exit code: 1 where something of the class `fail`, or a worse one, did; 2 where `against` has no
 *  contract. What is shown as JSON is returned: it is a part of one document. */
export async function checkContract(options: Checked, compilation: Compilation): ReturnType<BuildCheck> {
  const { cwd, fail = 'breaking', format, summary, print, colour } = options
  const shown = await compareWith(options, compilation)
  if (shown === null) return { code: 2, json: {} }
  if (summary !== undefined) appendFileSync(resolve(cwd, summary), toMarkdown(shown))
  const lines = format === 'text' ? toText(shown, { colour, all: fail === 'any' }) : changeAnnotations(shown)
  if (format !== 'json') for (const line of lines) print(line)
  if (format === 'github') print(summaryLine(shown))
  return { code: shown.findings.some(failsAt(fail)) ? 1 : 0, json: { contract: toJson(shown) } }
}

function failsAt(fail: FailAt): (finding: ContractChange) => boolean {
  const least = fail === 'any' ? changeClasses.length - 1 : changeClasses.indexOf(fail)
  const failing = changeClasses.slice(0, least + 1).map(isOf)
  return (finding) => failing.some((isOfClass) => isOfClass(finding))
}
