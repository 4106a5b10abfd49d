/** The TypeScript program over the application's sources, and what the other readers ask of it. */
import { type Diagnostic, packageMissing } from '../../diagnostics/source-diagnostics.ts'
import type { At, SymbolRef } from '../../ir/schema.ts'
import type { Language } from '../language.ts'
import { compilerHostOf } from './compiler-host.ts'
import { type Host, pathFrom, sourceFiles } from './host.ts'
import { isOfNode } from './library.ts'
import { dropGone, parsedFiles, parsedLibrary, type Session } from './session.ts'
import { readSettings } from './tsconfig.ts'
import { ts } from './typescript.ts'

export interface Source {
  readonly host: Host
  readonly language: Language
  readonly program: ts.Program
  readonly checker: ts.TypeChecker
  /** The application's own files, sorted by path. */
  readonly files: readonly ts.SourceFile[]
  /** Those of them to read: all, or what a change affects. */
  readonly wanted: readonly ts.SourceFile[]
  readonly isOwn: (file: ts.SourceFile) => boolean
  /** What the package `acmcp` exports, by name. */
  readonly publicSurface: ReadonlyMap<string, ts.Symbol>
  readonly report: (diagnostic: Diagnostic) => void
  /** What types are called whose own name another one has. */
  readonly distinct: ReadonlyMap<ts.Declaration, string>
}

/** The file that imports the public surface. */
export const probeOf = ({ root }: Host): string => `${root}/app/acmcp-probe.mts`

export interface ProgramOptions {
  readonly language: Language
  readonly session: Session
  readonly report: (diagnostic: Diagnostic) => void
  /** The program of an earlier compilation: what it found about files that did not change is taken over. */
  readonly oldProgram: ts.Program | null
  /** Whether a file under `app/`, relative, is to be read; all are when it is absent. */
  readonly isWanted?: (file: string) => boolean
}

/** The program over every file under `app/`, what tsconfig.json includes that speaks for others, and what these import. Only files that changed since the session saw them are
 *  parsed. Problems of tsconfig.json are warnings. */
export function openSource(
  host: Host,
  { language, session, report, oldProgram, isWanted }: ProgramOptions,
): Source {
  const paths = sourceFiles(host)
  const probe = probeOf(host)
  const { options, roots } = readSettings(host, report)
  const program = ts.createProgram({
    rootNames: [...paths, probe, ...roots],
    options,
    host: compilerHostOf(withOwnFiles(host, probe), {
      own: parsedFiles(session, options),
      library: parsedLibrary(session, options),
    }),
    ...(oldProgram === null ? {} : { oldProgram }),
  })
  dropGone(session, program)
  const checker = program.getTypeChecker()
  session.texts.register(
    checker,
    program.getSourceFiles().filter((file) => isForNames(host, file)),
  )
  const publicSurface = exportsOf(checker, program.getSourceFile(probe))
  if (publicSurface.size === 0) report(packageMissing({ file: 'package.json', line: 1, column: 1 }))
  const files = paths.flatMap((path) => program.getSourceFile(path) ?? [])
  const own = new Set(files)
  const wanted =
    isWanted === undefined
      ? files
      : files.filter(({ fileName }) => isWanted(fileName.slice(host.root.length + 1)))
  return {
    host,
    language,
    program,
    checker,
    files,
    wanted,
    isOwn: (file) => own.has(file),
    publicSurface,
    report,
    distinct: new Map(),
  }
}

/** Node's types are many, and their names no application's keys. */
const isForNames = (host: Host, { fileName }: ts.SourceFile): boolean =>
  !fileName.includes('/node_modules/undici-types/') && !isOfNode(host, fileName)

/** Controllers may import the path helpers, which this run is about to write: their types are the same in every run. */
const pathHelpers = `type Helper = (parameters?: object) => string
export declare const paths: { readonly [controller: string]: { readonly [method: string]: Helper } }
`

/** The host with the path helpers, and with a file that imports the public surface. */
function withOwnFiles(host: Host, probe: string): Host {
  const folder = `${host.root}/generated`
  const own = new Map([
    [`${folder}/paths.ts`, pathHelpers],
    [probe, `import * as acmcp from 'acmcp'\n`],
  ])
  return {
    ...host,
    readFile: (path) => own.get(path) ?? host.readFile(path),
    fileExists: (path) => own.has(path) || host.fileExists(path),
    directoryExists: (path) => path === folder || host.directoryExists(path),
  }
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile | undefined): ReadonlyMap<string, ts.Symbol> {
  const statement = file?.statements[0]
  const names = new Map<string, ts.Symbol>()
  if (statement === undefined || !ts.isImportDeclaration(statement)) return names
  const module = checker.getSymbolAtLocation(statement.moduleSpecifier)
  if (module === undefined) return names
  for (const symbol of checker.getExportsOfModule(module))
    names.set(symbol.name, followAlias(checker, symbol))
  return names
}

/** The symbol that an import or re-export stands for. */
export function followAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** What `node` stands for, through imports. */
export function symbolAt({ checker }: Pick<Source, 'checker'>, node: ts.Node): ts.Symbol | undefined {
  const found = checker.getSymbolAtLocation(node)
  return found === undefined ? undefined : followAlias(checker, found)
}

/** The place of `position` in a file of the application. */
export function placeOf(source: Pick<Source, 'host'>, file: ts.SourceFile, position: number): At {
  const { line, character } = file.getLineAndCharacterOfPosition(position)
  return { file: relativePath(source.host, file), line: line + 1, column: character + 1 }
}

export function placeOfNode(source: Pick<Source, 'host'>, node: ts.Node): At {
  return placeOf(source, node.getSourceFile(), node.getStart())
}

const relativePath = ({ root }: Host, { fileName }: ts.SourceFile): string => pathFrom(root, fileName)

/** The public name under which `symbol` is exported by `acmcp`, or null. */
export function publicName(source: Source, symbol: ts.Symbol | undefined): string | null {
  if (symbol === undefined) return null
  return source.publicSurface.get(symbol.name) === symbol ? symbol.name : null
}

const isNamedType = (node: ts.Node): boolean => ts.isEnumDeclaration(node) || ts.isTypeAliasDeclaration(node)

/** Whether an export says `type`: no code can import what it is at run time. */
export const isExportedAsType = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some(ts.isTypeOnlyExportDeclaration)

/** How generated code imports a class or an enum: from `acmcp` or from its own file. null when it is not exported. */
export function exportedRef(source: Source, symbol: ts.Symbol): SymbolRef | null {
  const name = publicName(source, symbol)
  if (name !== null) return { module: 'acmcp', name }
  if (symbol.name === 'default') return null // has no name to import it by
  const declaration = symbol.declarations?.[0]
  if (declaration === undefined) return null
  if (!ts.isClassDeclaration(declaration) && !isNamedType(declaration)) return null
  const file = declaration.getSourceFile()
  const module = source.checker.getSymbolAtLocation(file)
  const isExported =
    module !== undefined &&
    source.checker
      .getExportsOfModule(module)
      .some(
        (exported) =>
          exported.name === symbol.name &&
          followAlias(source.checker, exported) === symbol &&
          !isExportedAsType(exported),
      )
  return isExported ? { module: relativePath(source.host, file), name: symbol.name } : null
}

/** Whether `type` is a generic type with its arguments: only such a type may be asked for them. */
export function isReference(type: ts.Type): type is ts.TypeReference {
  return 'target' in type && (type.flags & ts.TypeFlags.Object) !== 0
}
