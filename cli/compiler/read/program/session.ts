/** What one process keeps from one compilation to the next. */
import { createTexts, type Texts } from './canonical-order.ts'
import type { ts } from './typescript.ts'

/** A source file that was parsed before, and what it was parsed from. */
export interface Parsed {
  readonly text: string
  /** The host's digest of the text; null where it may be of another moment. */
  readonly digest: string | null
  /** ESM or CommonJS, where package.json decides it. */
  readonly format: ts.CreateSourceFileOptions['impliedNodeFormat']
  readonly file: ts.SourceFile
}

/** By path. */
export type ParsedFiles = Map<string, Parsed>

export interface Session {
  /** The options that `parsed` was parsed by. */
  options: string
  /** The files of the application and its neighbours. */
  parsed: ParsedFiles
  /** The declarations of packages and the standard library, by the options that decide how they are parsed. */
  readonly libraries: Map<string, ParsedFiles>
  readonly texts: Texts
}

/** The standard library never changes, and packages hardly: one for all sessions of a process. */
const libraries = new Map<string, ParsedFiles>()

/** A session in which nothing was compiled. */
export const createSession = (): Session => ({
  options: '',
  parsed: new Map(),
  libraries,
  texts: createTexts(),
})

/** Files are parsed by the settings, whatever types come along and wherever the settings stand. */
const keyOf = ({ types: _others, configFilePath: _place, ...options }: ts.CompilerOptions): string =>
  JSON.stringify(options)

/** The parsed files of the application and its neighbours; none that were parsed by other settings. */
export function parsedFiles(session: Session, options: ts.CompilerOptions): ParsedFiles {
  const key = keyOf(options)
  if (session.options !== key) Object.assign(session, { options: key, parsed: new Map() })
  return session.parsed
}

/** Forgets the files that the last program does not have. */
export function dropGone({ parsed }: Session, program: ts.Program): void {
  for (const path of parsed.keys()) if (program.getSourceFile(path) === undefined) parsed.delete(path)
}

/** The parsed declarations of packages and of the standard library. Whatever else the settings say, declarations are parsed and bound
 *  alike. */
export function parsedLibrary(
  { libraries }: Session,
  { target, module, moduleResolution, moduleDetection, jsx, allowJs }: ts.CompilerOptions,
): ParsedFiles {
  const key = JSON.stringify([target, module, moduleResolution, moduleDetection, jsx, allowJs])
  const library = libraries.get(key) ?? new Map<string, Parsed>()
  libraries.set(key, library)
  return library
}
