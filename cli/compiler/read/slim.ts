/** A program of some files without the packages that `acmcp` itself is built on: they are most of what a program reads, and
 *  hardly ever reach a controller. Whether they would have is found out afterwards; then all is read. */

import { isRelative } from './file-system.ts'
import { type Graph, givenFiles } from './graph.ts'
import { identifiersOf } from './order.ts'
import type { Source } from './program.ts'
import type { ts } from './typescript.ts'

/** Whether a slim program gave what a whole one would: the files that `acmcp` did not bring import nothing but files and
 *  `acmcp` and name nothing that the missing packages declare for all, and no type that was asked for is missing. */
export function isEnough(source: Source, { globals }: Pick<Graph, 'globals'>): boolean {
  const { program, checker } = source
  const given = givenFiles(source)
  const known = new Set(globals)
  const { getDiagnostics } = checker as ts.TypeChecker & {
    getDiagnostics(file: ts.SourceFile, token: undefined, nodes: readonly ts.Node[]): readonly unknown[]
  } // the compiler's own: without nodes to check, what was found so far
  return program.getSourceFiles().every((file) => {
    if (program.isSourceFileDefaultLibrary(file)) return true
    if (given.has(file.fileName)) return getDiagnostics(file, undefined, []).length === 0
    return importsFiles(file) && ![...identifiersOf(file)].some((name) => known.has(name))
  })
}

/** Whether the file imports nothing but files and `acmcp`. */
function importsFiles(file: ts.SourceFile): boolean {
  const imports = 'imports' in file ? (file.imports as readonly ts.StringLiteralLike[]) : [] // the compiler's own field
  return imports.every(({ text }) => isRelative(text) || text === 'acmcp')
}
