/** The settings of TypeScript, tsconfig.json with what it extends. */
import { dirname } from 'node:path'
import { type Diagnostic, settingsUnreadable } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { byText, type Host, mayDeclareForOthers, modulesIn, pathFrom } from './host.ts'
import { ts } from './typescript.ts'

/** Options that this reader decides, whatever the application says. */
const ours: ts.CompilerOptions = {
  strict: true,
  strictNullChecks: true,
  skipLibCheck: true,
  incremental: false,
  composite: false,
}
const usual: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  types: [],
}

/** TypeScript's code for a tsconfig.json that names no file: the build looks for its files itself. */
const noInputs = 18003

/** Where a problem of tsconfig.json, or of one that it extends, stands; that one of these cannot be read has no place of its own. */
function placeOfProblem(host: Host, json: ts.JsonSourceFile, { file = json, start }: ts.Diagnostic): At {
  const position = start ?? Math.max(json.text.indexOf('"extends"'), 0)
  const { line, character } = ts.getLineAndCharacterOfPosition(file, position)
  return { file: pathFrom(host.root, file.fileName), line: line + 1, column: character + 1 }
}

export interface ProgramSettings {
  readonly options: ts.CompilerOptions
  /** The files of `files` and `include` beside `app/` that say something about others: what they declare counts, as it does for `tsc`. */
  readonly roots: readonly string[]
}

/** The settings of the application. Problems of tsconfig.json are warnings. */
export function readSettings(host: Host, report: (diagnostic: Diagnostic) => void): ProgramSettings {
  const path = `${host.root}/tsconfig.json`
  const text = host.readFile(path)
  if (text === null) return { options: { ...usual, ...ours }, roots: [] }
  const { json, parsed } = parse(host, path, text, (...args) => filesIn(host, ...args))
  const syntax = 'parseDiagnostics' in json ? (json.parseDiagnostics as readonly ts.Diagnostic[]) : [] // where the parser puts them
  for (const problem of [...syntax, ...parsed.errors].filter(({ code }) => code !== noInputs)) {
    const message = ts.flattenDiagnosticMessageText(problem.messageText, ' ')
    report(settingsUnreadable(placeOfProblem(host, json, problem), message))
  }
  const { tsBuildInfoFile: _unused, ...options } = parsed.options
  return { options: { ...usual, ...options, ...ours }, roots: rootsOf(host, parsed.fileNames) }
}

/** The compiler's options in the settings at `path`, with what they extend. */
export const compilerOptionsAt = (host: Host, path: string): ts.CompilerOptions =>
  parse(host, path, host.readFile(path) ?? '{}').parsed.options

/** Of the files that `tsc` would compile those that speak for others; what else the application needs it imports. */
function rootsOf(host: Host, paths: readonly string[]): readonly string[] {
  const left = ['app', 'generated'].map((folder) => `${host.root}/${folder}/`)
  return paths.filter(
    (path) =>
      /\.[mc]?tsx?$/.test(path) &&
      !left.some((folder) => path.startsWith(folder)) &&
      (/\.d\.[mc]?ts$/.test(path) ? host.fileExists(path) : declaresForOthers(host, path)),
  )
}

/** A text may only look as if it did: that of a test, which holds sources. */
function declaresForOthers(host: Host, path: string): boolean {
  const text = mayDeclareForOthers(host, path) ? host.readFile(path) : null
  if (text === null) return false
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  return (
    !ts.isExternalModule(file) ||
    file.statements.some((statement) => ts.isModuleDeclaration(statement) && isForOthers(statement)) ||
    file.statements.some(
      (statement) => ts.isImportDeclaration(statement) && statement.importClause === undefined,
    )
  )
}

/** `declare global` or `declare module 'name'`. */
const isForOthers = ({ name, flags }: ts.ModuleDeclaration): boolean =>
  ts.isStringLiteral(name) || Boolean(flags & ts.NodeFlags.GlobalAugmentation)

/** What matches `include`, found as TypeScript itself finds it. */
function filesIn(
  host: Host,
  ...[folder, extensions, excludes, includes, depth]: Parameters<ReadDirectory>
): string[] {
  const { matchFiles } = ts as typeof ts & { readonly matchFiles: MatchFiles } // the compiler's own
  const entries = (path: string): Entries => {
    const all = path === `${host.root}/app` || path === `${host.root}/generated` ? [] : modulesIn(host, path)
    return {
      files: all.flatMap(({ name, isDirectory }) => (isDirectory ? [] : [name])).sort(byText),
      directories: all.flatMap(({ name, isDirectory }) => (isDirectory ? [name] : [])).sort(byText),
    }
  }
  const real = (path: string): string => host.realPath(path)
  return matchFiles(folder, extensions, excludes, includes, true, host.root, depth, entries, real)
}

type ReadDirectory = ts.ParseConfigHost['readDirectory']

interface Entries {
  readonly files: readonly string[]
  readonly directories: readonly string[]
}

type MatchFiles = (
  folder: string,
  extensions: readonly string[],
  excludes: readonly string[] | undefined,
  includes: readonly string[],
  isCaseSensitive: boolean,
  current: string,
  depth: number | undefined,
  entries: (path: string) => Entries,
  real: (path: string) => string,
) => string[]

/** Asks `host` for the settings at `path` and for all that they extend. */
export function observeSettings(host: Host, path: string): void {
  const text = host.readFile(path)
  if (text !== null) parse(host, path, text)
}

function parse(
  host: Host,
  path: string,
  text: string,
  readDirectory: ReadDirectory = () => [],
): { readonly json: ts.JsonSourceFile; readonly parsed: ts.ParsedCommandLine } {
  const json = ts.parseJsonText(path, text)
  const files: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    readDirectory,
    fileExists: (name) => host.fileExists(name),
    readFile: (name) => host.readFile(name) ?? undefined,
  }
  const parsed = ts.parseJsonSourceFileConfigFileContent(json, files, dirname(path), undefined, path)
  return { json, parsed }
}
