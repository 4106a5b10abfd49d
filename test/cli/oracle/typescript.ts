/** TypeScript's own verdicts: one program over all types, all samples and the generated route table. */
import ts from 'typescript'
import { sourceFilesBy } from '../support/type-check.ts'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: ['node'],
}

/** What is wrong in `files` (by absolute path), as `path:line` → messages. */
export function diagnose(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const disk = ts.createCompilerHost(options)
  const library = sourceFilesBy(options, disk.readFile)
  const isFolder = (path: string): boolean => [...files.keys()].some((file) => file.startsWith(`${path}/`))
  const host: ts.CompilerHost = {
    ...disk,
    getCurrentDirectory: () => '/shop',
    fileExists: (path) => files.has(path) || (!path.startsWith('/shop/') && disk.fileExists(path)),
    readFile: (path) => files.get(path) ?? disk.readFile(path),
    directoryExists: (path) => isFolder(path) || disk.directoryExists?.(path) === true,
    getDirectories: (path) =>
      path === '/shop/node_modules/@types' ? ['node'] : (disk.getDirectories?.(path) ?? []),
    realpath: (path) => path,
    getSourceFile: (path, version) => {
      const text = files.get(path)
      return text === undefined ? library(path, version) : ts.createSourceFile(path, text, version, true)
    },
  }
  const program = ts.createProgram(
    [...files.keys()].filter((path) => path.endsWith('.ts')),
    options,
    host,
  )
  const found = new Map<string, string>()
  for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(program)) {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
    const key = `${file?.fileName ?? ''}:${line}`
    found.set(key, `${found.get(key) ?? ''}${ts.flattenDiagnosticMessageText(messageText, '\n')}\n`)
  }
  return found
}

/** The JavaScript of a module of TypeScript. */
export function toJavaScript(text: string): string {
  return ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  }).outputText
}
