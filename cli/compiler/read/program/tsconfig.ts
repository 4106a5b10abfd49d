/** The settings of TypeScript, tsconfig.json with what it extends. */
import { dirname } from 'node:path'
import { type Diagnostic, settingsUnreadable } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { type Host, pathFrom } from './host.ts'
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

/** The settings of the application. Problems of tsconfig.json are warnings. */
export function readSettings(host: Host, report: (diagnostic: Diagnostic) => void): ts.CompilerOptions {
  const path = `${host.root}/tsconfig.json`
  const text = host.readFile(path)
  if (text === null) return { ...usual, ...ours }
  const { json, parsed } = parse(host, path, text)
  const syntax = 'parseDiagnostics' in json ? (json.parseDiagnostics as readonly ts.Diagnostic[]) : [] // where the parser puts them
  for (const problem of [...syntax, ...parsed.errors].filter(({ code }) => code !== noInputs)) {
    const message = ts.flattenDiagnosticMessageText(problem.messageText, ' ')
    report(settingsUnreadable(placeOfProblem(host, json, problem), message))
  }
  const { tsBuildInfoFile: _unused, ...options } = parsed.options
  return { ...usual, ...options, ...ours }
}

/** The compiler's options in the settings at `path`, with what they extend. */
export const compilerOptionsAt = (host: Host, path: string): ts.CompilerOptions =>
  parse(host, path, host.readFile(path) ?? '{}').parsed.options

/** Asks `host` for the settings at `path` and for all that they extend. */
export function observeSettings(host: Host, path: string): void {
  const text = host.readFile(path)
  if (text !== null) parse(host, path, text)
}

function parse(
  host: Host,
  path: string,
  text: string,
): { readonly json: ts.JsonSourceFile; readonly parsed: ts.ParsedCommandLine } {
  const json = ts.parseJsonText(path, text)
  const files: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    readDirectory: () => [],
    fileExists: (name) => host.fileExists(name),
    readFile: (name) => host.readFile(name) ?? undefined,
  }
  const parsed = ts.parseJsonSourceFileConfigFileContent(json, files, dirname(path), undefined, path)
  return { json, parsed }
}
