/** Lets TypeScript see the host's files and its own library, and nothing else: every write is refused. */
import type { Host } from './host.ts'
import type { ParsedFiles } from './source-file-cache.ts'
import { libraryTexts, ts } from './typescript.ts'

/** Where the standard library seems to lie; no application has a folder of this name. */
const libraryFolder = '/acmcp:library'

interface Files {
  /** Of the application and its packages. */
  readonly own: ParsedFiles
  readonly library: ParsedFiles
}

/** Asks once a path: while a program is made, TypeScript asks for the same folders thousands of times. */
function once<T>(answer: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const found = answer(path)
    known.set(path, found)
    return found
  }
}

/** What TypeScript reads through. Files whose texts are as in `files` are not parsed again; new ones are added. */
export function compilerHostOf(host: Host, files: Files): ts.CompilerHost {
  const library = libraryTexts()
  const readFile = (path: string): string | null =>
    path.startsWith(libraryFolder)
      ? (library.get(path.slice(libraryFolder.length + 1)) ?? null)
      : host.readFile(path)
  return {
    getSourceFile: (path, options) =>
      parse(path, readFile(path), {
        options,
        parsed: path.startsWith(libraryFolder) ? files.library : files.own,
      }),
    readFile: (path) => readFile(path) ?? undefined,
    fileExists: once((path) =>
      path.startsWith(libraryFolder)
        ? library.has(path.slice(libraryFolder.length + 1))
        : host.fileExists(path),
    ),
    directoryExists: once((path) => path === libraryFolder || host.directoryExists(path)),
    getDirectories: (path) =>
      host.readDirectory(path).flatMap(({ name, isDirectory }) => (isDirectory ? [name] : [])),
    realpath: (path) => (path.startsWith(libraryFolder) ? path : host.realPath(path)),
    getDefaultLibLocation: () => libraryFolder,
    getDefaultLibFileName: (options) => `${libraryFolder}/${ts.getDefaultLibFileName(options)}`,
    getCurrentDirectory: () => host.root,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: refuse,
  }
}

/** The host, in which packages import nothing but their own files. */
export function withoutPackages(host: ts.CompilerHost, root: string): ts.CompilerHost {
  const cache = ts.createModuleResolutionCache(root, (path) => path)
  const isOwn = (path: string): boolean => path.startsWith(`${root}/`) && !path.includes('/node_modules/')
  return {
    ...host,
    resolveModuleNameLiterals: (names, from, redirected, options, file) =>
      names.map((name) => {
        if (!isOwn(from) && !isRelative(name.text)) return { resolvedModule: undefined }
        const mode = ts.getModeForUsageLocation(file, name, options)
        return ts.resolveModuleName(name.text, from, options, host, cache, redirected, mode)
      }),
  }
}

/** Whether an import names a file. */
export const isRelative = (specifier: string): boolean => /^\.\.?\//.test(specifier)

interface Parsing {
  readonly options: ts.ScriptTarget | ts.CreateSourceFileOptions
  readonly parsed: ParsedFiles
}

function parse(path: string, text: string | null, { options, parsed }: Parsing): ts.SourceFile | undefined {
  if (text === null) return undefined
  const known = parsed.get(path)
  const format = typeof options === 'object' ? options.impliedNodeFormat : undefined
  if (known?.text === text && known.format === format) return known.file
  const file = ts.createSourceFile(path, text, isDocumented(path) ? options : withoutDocs(options))
  parsed.set(path, { text, format, file })
  return file
}

/** Nobody reads the doc comments of the standard library and of Node's types. */
const isDocumented = (path: string): boolean =>
  !path.startsWith(libraryFolder) && !path.includes('/node_modules/@types/node/')

function withoutDocs(options: Parsing['options']): ts.CreateSourceFileOptions {
  const all = typeof options === 'object' ? options : { languageVersion: options }
  return { ...all, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
}

function refuse(): never {
  throw new Error('the compiler writes nothing')
}
