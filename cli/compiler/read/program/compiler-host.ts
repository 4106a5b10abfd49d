/** Lets TypeScript see the host's files and its own library, and nothing else: every write is refused. */
import type { Host } from './host.ts'
import { isOfNode } from './library.ts'
import type { ParsedFiles } from './session.ts'
import { libraryTexts, ts } from './typescript.ts'

/** Where the standard library seems to lie; no application has a folder of this name. */
const libraryFolder = '/acmcp:library'

interface Files {
  /** Of the application and its neighbours. */
  readonly own: ParsedFiles
  /** The declarations of packages and the standard library. */
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
      path.startsWith(libraryFolder)
        ? parse(path, { readFile, options, isDocumented: false, parsed: files.library })
        : parse(path, {
            readFile,
            options,
            isDocumented: !isOfNode(host, path),
            parsed: isOfPackage(host, path) ? files.library : files.own,
            digestOf: host.digestOf,
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

interface Parsing {
  readonly readFile: (path: string) => string | null
  readonly options: ts.ScriptTarget | ts.CreateSourceFileOptions
  readonly isDocumented: boolean
  readonly parsed: ParsedFiles
  readonly digestOf?: Host['digestOf']
}

/** A file whose digest is that of the last time is not even read. */
function parse(
  path: string,
  { readFile, options, isDocumented, parsed, digestOf }: Parsing,
): ts.SourceFile | undefined {
  const format = typeof options === 'object' ? options.impliedNodeFormat : undefined
  const known = parsed.get(path)
  const before = digestOf?.(path) ?? null
  if (before !== null && known?.digest === before && known.format === format) return known.file
  const text = readFile(path)
  if (text === null) return undefined
  const digest = before === null ? (digestOf?.(path) ?? null) : null // one of before may be of another text
  const isKnown = known?.text === text && known.format === format
  const file = isKnown
    ? known.file
    : ts.createSourceFile(path, text, isDocumented ? options : withoutDocs(options))
  parsed.set(path, { text, digest, format, file })
  return file
}

const isOfPackage = ({ root }: Host, path: string): boolean =>
  /\.d\.[cm]?ts$/.test(path) && !path.startsWith(`${root}/app/`)

/** What the doc comments of the standard library and of Node's types say is about programs, not about JSON: they are not read. */
function withoutDocs(options: Parsing['options']): ts.CreateSourceFileOptions {
  const all = typeof options === 'object' ? options : { languageVersion: options }
  return { ...all, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
}

function refuse(): never {
  throw new Error('the compiler writes nothing')
}
