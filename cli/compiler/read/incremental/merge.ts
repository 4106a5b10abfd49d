/** Reads again what depends on changed files, and takes over the rest of an earlier reading. What it gives is what `read`
 *  would give, or nothing. */

import { isDeepStrictEqual } from 'node:util'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import { readConfig } from '../controllers/config/app-config.ts'
import { reportSyntax } from '../lint/floating-results.ts'
import { byText, type Host } from '../program/host.ts'
import { openSource } from '../program/program.ts'
import { outsideOf, type Reading, type ReadResult, readSource } from '../read.ts'
import type { Found } from '../types/component-names.ts'
import { dependents, graphOf } from './affected-files.ts'

export interface Change {
  /** What was read before the change, in the same session; without mistakes. */
  readonly before: ReadResult
  /** Files that were changed, added or removed, relative; all below `app/`, or imported from there. */
  readonly files: readonly string[]
}

/** The reading after a change; null where only a full one can tell: something is wrong, or speaks for the whole
 *  application. */
export function readChange(host: Host, reading: Reading, { before, files }: Change): ReadResult | null {
  const { imports, isModular } = before.graph
  if (!isModular || !host.fileExists(`${host.root}/app/config.ts`)) return null
  const own = new Set(imports.map(([file]) => file))
  let affected = new Set(dependents(imports, files))
  for (;;) {
    const others = before.units.filter(({ file }) => affected.has(file)).flatMap(filesSpokenOf)
    if (others.some((file) => !own.has(file))) return null
    const wider = new Set(dependents(imports, [...affected, ...others]))
    if (wider.size === affected.size) return readAffected(host, reading, before, affected)
    affected = wider
  }
}

const isSource = (file: string): boolean => /^app\/.*\.m?ts$/.test(file)

/** A mistake in a file that several units import is reported by the unit that met it first: all of them are read again. */
const filesSpokenOf = ({ file, diagnostics }: ReadResult['units'][number]): readonly string[] =>
  diagnostics.map(({ at }) => at.file).filter((at) => at !== file)

function readAffected(
  host: Host,
  reading: Reading,
  before: ReadResult,
  affected: ReadonlySet<string>,
): ReadResult | null {
  const diagnostics: Diagnostic[] = []
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic)
  const isWanted = (file: string): boolean => affected.has(file)
  const source = openSource(host, { ...reading, report, oldProgram: before.program, isWanted })
  if (!reportSyntax(source)) return null
  const graph = graphOf(source)
  const { isModular, ambient, marked } = graph
  if (!isModular || !isDeepStrictEqual([ambient, marked], [before.graph.ambient, before.graph.marked]))
    return null
  const fresh = readSource(source)
  diagnostics.push(...fresh.diagnostics)
  const config = affected.has('app/config.ts') ? readConfig(source) : before.config
  if (fresh.isWhole || isWrong(diagnostics) || fresh.units.some((unit) => isWrong(unit.diagnostics)))
    return null
  const units = [...before.units.filter(({ file }) => !affected.has(file)), ...fresh.units].sort((a, b) =>
    byText(a.file, b.file),
  )
  const schemas = joinedSchemas(before, affected, fresh.schemas)
  if (schemas === null || units.every(({ controllers }) => controllers.length === 0)) return null
  // the warnings about files that were not read again
  const kept = before.diagnostics.filter(({ at }) => isSource(at.file) && !affected.has(at.file))
  const calls = before.scopeCalls.filter(({ at }) => !affected.has(at.file))
  const scopeCalls = [...calls, ...fresh.scopeCalls].sort((a, b) => byText(a.at.file, b.at.file))
  const { info } = before
  return {
    units,
    schemas,
    config,
    scopeCalls,
    diagnostics: [...kept, ...diagnostics],
    info,
    graph,
    outside: outsideOf(source, graph),
    program: source.program,
  }
}

const isWrong = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

/** The named schemas that are still reached, and those that were read again; null when one name has two meanings. */
function joinedSchemas(
  before: ReadResult,
  affected: ReadonlySet<string>,
  fresh: readonly Found[],
): readonly Found[] | null {
  const known = new Map(before.schemas.map((found) => [found.named.name, found]))
  const kept = new Set(before.units.flatMap(({ file, schemas }) => (affected.has(file) ? [] : schemas)))
  for (const name of kept) for (const inner of known.get(name)?.inside ?? []) kept.add(inner) // grows as it is walked
  const all = new Map([...known].filter(([name]) => kept.has(name)))
  for (const found of fresh) {
    const { name } = found.named
    const other = known.get(name)
    const isSame = other !== undefined && isEqual(other, found)
    if (all.has(name) && !isSame) return null
    all.set(name, isSame ? other : found) // what depends on the same object need not be made again
  }
  const list = [...all.values()].sort((a, b) => byText(a.named.name, b.named.name))
  const { schemas } = before
  return list.length === schemas.length && list.every((found, place) => found === schemas[place])
    ? schemas
    : list
}

const isEqual = (a: Found, b: Found): boolean =>
  a.inside.join() === b.inside.join() && JSON.stringify(a.named) === JSON.stringify(b.named)
