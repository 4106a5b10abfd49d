/** Programs without the packages that `acmcp` itself is built on, or with hollow ones: they are most of what a program
 *  reads, and hardly ever reach a controller. Whether they would have is found out; then all is read. */

import { type Graph, givenFiles } from '../incremental/affected-files.ts'
import { identifiersOf } from './canonical-order.ts'
import { isRelative } from './compiler-host.ts'
import type { Source } from './program.ts'
import { ts } from './typescript.ts'

type Globals = Pick<Graph, 'globals'>

/** Whether a program without packages may give what a whole one would: the files that `acmcp` did not bring import nothing
 *  but files and `acmcp`, and no name of theirs that the program knows means more with the missing packages. */
export function mayBeEnough(source: Source, { globals }: Globals): boolean {
  if (globals.includes('"acmcp"')) return false
  const given = givenFiles(source)
  const merged = new Set(globals.filter((name) => isDeclared(source, name)))
  return source.program.getSourceFiles().every((file) => {
    if (source.program.isSourceFileDefaultLibrary(file) || given.has(file.fileName)) return true
    return importsFiles(file) && ![...identifiersOf(file)].some((name) => merged.has(name))
  })
}

/** Whether it gave that: no name that was asked for is missing. Those that nobody asked for do not matter. */
export function isEnough(source: Source, graph: Globals): boolean {
  const { program, checker } = source
  const { getDiagnostics } = checker as ts.TypeChecker & {
    getDiagnostics(file: ts.SourceFile, token: undefined, nodes: readonly ts.Node[]): readonly unknown[]
  } // the compiler's own: without nodes to check, what was found so far
  return (
    mayBeEnough(source, graph) &&
    program
      .getSourceFiles()
      .every(
        (file) =>
          program.isSourceFileDefaultLibrary(file) || getDiagnostics(file, undefined, []).length === 0,
      )
  )
}

/** Whether the name stands for something in every file. */
function isDeclared({ checker }: Source, name: string): boolean {
  const { resolveName } = checker as ts.TypeChecker & {
    resolveName(name: string, place: undefined, meaning: number, noGlobals: boolean): ts.Symbol | undefined
  } // the compiler's own
  return resolveName(name, undefined, ts.SymbolFlags.All, false) !== undefined
}

/** Whether the file imports nothing but files and `acmcp`. */
function importsFiles(file: ts.SourceFile): boolean {
  const imports = 'imports' in file ? (file.imports as readonly ts.StringLiteralLike[]) : [] // the compiler's own field
  return imports.every(({ text }) => text === 'acmcp' || (isRelative(text) && !text.includes('node_modules')))
}
