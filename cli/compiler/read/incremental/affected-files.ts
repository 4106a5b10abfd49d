/** Which files of the application import which, and what holds for all of them: a build after a change reads only what
 *  depends on it. */
import { byText, type Host } from '../program/host.ts'
import { probeOf, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { type MarkedNames, markedNames } from '../types/marks/marked-names.ts'

export interface Graph {
  /** What each file of the application imports of it; relative paths. */
  readonly imports: readonly (readonly [file: string, imported: readonly string[]])[]
  /** No file of the application says anything about files that do not import it: no ambient declarations, no
   *  augmentations. */
  readonly isModular: boolean
  /** The files of packages that do, sorted: what they say holds while they are the same. */
  readonly ambient: readonly string[]
  /** The names that `@secret` and `@untrusted` stand at: they speak for properties of their name in any file. */
  readonly marked: MarkedNames
  /** The files that come with acmcp and with `types`. */
  readonly baseline: ReadonlySet<string>
}

/** The graph of the files in the program. */
export function graphOf({ host, program }: Pick<Source, 'host' | 'program'>): Graph {
  const edges = edgesOf(program)
  const baseline = new Set(reachedFrom([probeOf(host), ...automatic(program)], edges))
  const isOwn = (path: string): boolean => isLocal(host, path) && !baseline.has(path)
  const files = program.getSourceFiles().filter((file) => !program.isSourceFileDefaultLibrary(file))
  const own = files.filter(({ fileName }) => isOwn(fileName))
  return {
    imports: own.map(({ fileName }) => [
      relative(host, fileName),
      (edges.get(fileName) ?? []).filter((path) => isLocal(host, path)).map((path) => relative(host, path)),
    ]),
    isModular: own.every(isModule),
    ambient: files
      .filter((file) => !isOwn(file.fileName) && !isModule(file))
      .map(({ fileName }) => fileName)
      .sort(byText),
    marked: markedNames(program),
    baseline,
  }
}

/** The files that import one of `changed`, through others too, and those themselves. */
export function dependents(imports: Graph['imports'], changed: readonly string[]): readonly string[] {
  const importers = new Map<string, string[]>()
  for (const [file, imported] of imports) {
    for (const text of imported) importers.set(text, [...(importers.get(text) ?? []), file])
  }
  return reachedFrom(changed, importers)
}

function reachedFrom(
  roots: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const reached = new Set(roots)
  for (const file of reached) for (const next of edges.get(file) ?? []) reached.add(next) // grows as it is walked
  return [...reached]
}

const isLocal = ({ root }: Host, path: string): boolean =>
  path.startsWith(`${root}/`) && !path.includes('/node_modules/') && !path.startsWith(`${root}/generated/`)

const relative = ({ root }: Host, path: string): string => path.slice(root.length + 1)

/** Why a file is in the program; numbers as in the compiler's own FileIncludeKind. */
interface Reason {
  readonly kind: number
  readonly file?: string
}
const imported = 3
const typeReference = 5
const automaticType = 8

function reasonsOf(program: ts.Program): ReadonlyMap<string, readonly Reason[]> {
  const { getFileIncludeReasons: ask } = program as ts.Program & {
    getFileIncludeReasons(): ReadonlyMap<string, readonly Reason[]>
  } // the compiler's own, and what `--explainFiles` prints
  return ask()
}

/** What each file imports or refers to. */
function edgesOf(program: ts.Program): ReadonlyMap<string, readonly string[]> {
  const edges = new Map<string, string[]>()
  for (const [path, reasons] of reasonsOf(program)) {
    for (const { kind, file } of reasons) {
      if (kind < imported || kind > typeReference || file === undefined) continue
      const known = edges.get(file)
      if (known === undefined) edges.set(file, [path])
      else if (!known.includes(path)) known.push(path)
    }
  }
  return edges
}

const automatic = (program: ts.Program): readonly string[] =>
  [...reasonsOf(program)].flatMap(([path, reasons]) =>
    reasons.some(({ kind }) => kind === automaticType) ? [path] : [],
  )

interface Declaring {
  readonly moduleAugmentations?: readonly ts.Node[]
}

/** Fields that the compiler keeps for itself. */
const fieldsOf = (file: ts.SourceFile): Declaring => file as Declaring // of the same object

function isModule(file: ts.SourceFile): boolean {
  if (file.fileName.endsWith('.json')) return true
  const { referencedFiles, typeReferenceDirectives, libReferenceDirectives } = file
  return (
    ts.isExternalModule(file) &&
    (fieldsOf(file).moduleAugmentations ?? []).length === 0 &&
    [referencedFiles, typeReferenceDirectives, libReferenceDirectives].every(({ length }) => length === 0)
  )
}
