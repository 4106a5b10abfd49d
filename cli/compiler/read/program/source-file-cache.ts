/** What a process keeps of one build for the next: parsed files. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ts } from './typescript.ts'

/** A source file that was parsed before, and what it was parsed from. */
export interface Parsed {
  readonly text: string
  /** ESM or CommonJS, where package.json decides it. */
  readonly format: ts.CreateSourceFileOptions['impliedNodeFormat']
  readonly file: ts.SourceFile
}

/** By path. */
export type ParsedFiles = Map<string, Parsed>

/** The parsed files of the last settings, and the standard library by settings. */
export interface Memory {
  settings: string
  parsed: ParsedFiles
  readonly libraries: Map<string, ParsedFiles>
  /** Whether the process builds again. */
  readonly isKept: boolean
}

/** The standard library as it was parsed for programs of the same settings: it never changes. */
const libraries = new Map<string, ParsedFiles>()

/** A memory of nothing, for a process that compiles more than once. */
export const emptyMemory = (): Memory => ({ settings: '', parsed: new Map(), libraries, isKept: true })

/** A memory of nothing, for a process that compiles once. */
export const passingMemory = (): Memory => ({
  settings: '',
  parsed: new Map(),
  libraries: new Map(),
  isKept: false,
})

/** Files are parsed by the settings, whatever types come along. */
const settingsOf = ({ types: _others, ...options }: ts.CompilerOptions): string => JSON.stringify(options)

/** The parsed files of the application and its packages; with other settings nothing is remembered. */
export function remembered(memory: Memory, options: ts.CompilerOptions): ParsedFiles {
  const settings = settingsOf(options)
  if (memory.settings !== settings) Object.assign(memory, { settings, parsed: new Map() })
  return memory.parsed
}

/** The parsed files of the standard library. */
export function rememberedLibrary(memory: Memory, options: ts.CompilerOptions): ParsedFiles {
  const settings = settingsOf(options)
  const library = memory.libraries.get(settings) ?? new Map<string, Parsed>()
  memory.libraries.set(settings, library)
  return library
}

/** Gives back what a passing memory holds. The program is most of what a build keeps in memory (200 MB with 500
 *  controllers), and V8 would let it lie beside everything that is printed: what is left to mark is little, so that
 *  collecting now is quick, and cheaper than the marking that V8 begins by itself soon after. */
export function release(memory: Memory): void {
  if (memory.isKept) return
  memory.parsed.clear()
  memory.libraries.clear()
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc') // V8 takes compiled code of an earlier process only where all flags are the same
  collect()
}
