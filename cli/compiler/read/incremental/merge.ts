/** Reads again what depends on changed files, and takes over the rest of an earlier reading. What it gives is what `read`
 *  would give, or nothing. */

import { textOf } from '../../cache/lazy.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import { readFormats } from '../controllers/app-config.ts'
import { reportSyntax } from '../lint/floating-results.ts'
import { byText, type Host } from '../program/host.ts'
import { openSource, type Source } from '../program/program.ts'
import { isEnough } from '../program/slim.ts'
import type { Memory } from '../program/source-file-cache.ts'
import { type Reading, readSource } from '../read.ts'
import type { Found } from '../types/component-names.ts'
import { dependents, type Graph, graphOf } from './affected-files.ts'

export interface Change {
  /** What was read before the change; without mistakes. */
  readonly before: Reading
  /** Files that were changed, added or removed, relative; all below `app/`, or imported from there. */
  readonly files: readonly string[]
}

/** More than this share of the files, and reading all costs no more. */
const mostFiles = 0.5

/** The reading after a change; null where only a full one can tell: something is wrong, or speaks for the whole
 *  application, or most of it is concerned. */
export function readChange(host: Host, memory: Memory, { before, files }: Change): Reading | null {
  const { imports, isModular } = before.graph
  if (!isModular) return null
  const concerned = dependents(imports, files)
  const roots = concerned.filter((file) => isSource(file) && host.fileExists(`${host.root}/${file}`))
  if (!host.fileExists(`${host.root}/app/config.ts`)) return null
  if (roots.length > 2 && roots.length > imports.length * mostFiles) return null
  const paths = roots.map((file) => `${host.root}/${file}`)
  const change = { before, concerned, paths }
  return readRoots(host, memory, change, true) ?? readRoots(host, memory, change, false)
}

const isSource = (file: string): boolean => /^app\/.*\.m?ts$/.test(file)

interface Concern {
  readonly before: Reading
  readonly concerned: readonly string[]
  /** Those of them that there are, absolute. */
  readonly paths: readonly string[]
}

function readRoots(host: Host, memory: Memory, concern: Concern, isSlim: boolean): Reading | null {
  const { before, concerned, paths } = concern
  const diagnostics: Diagnostic[] = []
  const source = openSource(host, (one) => diagnostics.push(one), memory, { roots: paths, isSlim })
  if (!reportSyntax(source)) return null
  const fresh = readSource(source, diagnostics, (file) => concerned.includes(file))
  const formats = concerned.includes('app/config.ts') ? readFormats(source) : before.formats
  if (fresh.isWhole || isWrong(diagnostics) || fresh.units.some((unit) => isWrong(unit.diagnostics)))
    return null
  if (isSlim && !isEnough(source, before.graph)) return null
  const graph = joinedGraph(concern, graphOf(source))
  const units = [...before.units.filter(({ file }) => !concerned.includes(file)), ...fresh.units]
  const schemas = joinedSchemas(concern, fresh.schemas)
  const isEmpty = units.every(({ controllers }) => controllers.length === 0)
  if (!graph.isModular || schemas === null || isEmpty) return null
  const ordered = units.sort((a, b) => byText(a.file, b.file))
  const kept = keptMistakes(concern, source)
  return {
    units: ordered,
    schemas,
    formats,
    diagnostics: [...kept, ...diagnostics],
    info: before.info,
    graph,
  }
}

/** The warnings about files that nobody looked at again. */
function keptMistakes({ before, concerned }: Concern, { host, files }: Source): readonly Diagnostic[] {
  const again = new Set([...concerned, ...files.map(({ fileName }) => fileName.slice(host.root.length + 1))])
  return before.diagnostics.filter(({ at }) => isSource(at.file) && !again.has(at.file))
}

const isWrong = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

/** The imports of the files that were read again, and of those that were not. */
function joinedGraph({ before: { graph }, concerned }: Concern, fresh: Graph): Graph {
  const again = new Set(fresh.imports.map(([file]) => file))
  const kept = graph.imports.filter(([file]) => !again.has(file) && !concerned.includes(file))
  return { ...graph, isModular: fresh.isModular, imports: [...kept, ...fresh.imports] }
}

/** The named schemas that are still reached, and those that were read again; null when one name has two meanings. */
function joinedSchemas({ before, concerned }: Concern, fresh: readonly Found[]): readonly Found[] | null {
  const known = new Map(before.schemas.map((one) => [one.named.name, one]))
  const kept = new Set(before.units.flatMap(({ file, schemas }) => (concerned.includes(file) ? [] : schemas)))
  for (const name of kept) for (const inner of known.get(name)?.inside ?? []) kept.add(inner) // grows as it is walked
  const all = new Map([...known].filter(([name]) => kept.has(name)))
  for (const one of fresh) {
    const { name } = one.named
    const other = known.get(name)
    const isSame = other !== undefined && isEqual(other, one)
    if (all.has(name) && !isSame) return null
    all.set(name, isSame ? other : one) // what depends on the same object need not be made again
  }
  return [...all.values()].sort((a, b) => byText(a.named.name, b.named.name))
}

const isEqual = (a: Found, b: Found): boolean =>
  a.inside.join() === b.inside.join() && textOf(a.named) === textOf(b.named)
