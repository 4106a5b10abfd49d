/** What `acmcp build` is asked to do, and how it shows what it found. */
import { readFileSync } from 'node:fs'
import type { Option } from 'commander'
import type { Compilation, FilePrinter } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import type { Model } from '../compiler/ir/model.ts'
import { type ReportFormat, report } from '../terminal/report.ts'

/** A build that was written. */
export interface WrittenBuild {
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[]
  /** How much it made, in a line or two. */
  readonly summary: readonly string[]
  readonly model: Model
}

/** Called with the result of each build, after its diagnostics were shown; it alone then says which files were written. */
export interface BuildListener {
  failed(diagnostics: readonly Diagnostic[]): void
  written(build: WrittenBuild): void
}

/** What a capability adds to a build. It is loaded with the command, and loads what it needs when it is asked. */
export interface BuildPart {
  /** The option of the core, such as `--check`, behind which its own stand in the help. */
  readonly behind: string
  readonly options: (option: MakeOption) => readonly Option[]
  readonly file?: RequestedFile
  /** What `--check` compares beside the files; null = nothing. */
  readonly check?: (options: BuildOptions) => BuildCheck | null
  /** What it does in place of one build, and the exit code of that; null = nothing. */
  readonly instead?: (
    options: BuildOptions,
    env: Readonly<Record<string, string | undefined>>,
  ) => Promise<number | null>
}

export type MakeOption = (flags: string, description: string) => Option

/** A file that is written where an option asks for it. */
export interface RequestedFile {
  readonly path: string
  /** Asked anew for every build. */
  readonly isWanted: (options: BuildOptions) => boolean
  /** Resolves to what prints it, and the folder of the package that it is made of beside modules. */
  readonly load: () => Promise<FilePrinter & { readonly madeOf: string }>
}

/** Shows what it finds. What is shown as JSON it returns: fields of the one document. */
export type BuildCheck = (
  compilation: Compilation,
) => Promise<{ readonly code: 0 | 1 | 2; readonly json: object }>

export interface BuildOptions {
  /** The process ends with this build: nothing is kept for a next one. */
  readonly once?: boolean
  readonly cwd: string
  /** Compare only; nothing is written. */
  readonly check: boolean
  /** Discard edits made by hand in generated/mcp.yml, and merge conflicts in any generated file. */
  readonly overwrite: boolean
  /** Also run the application's own `tsc --noEmit`, after the build; what it finds fails the build. */
  readonly typecheck: boolean
  /** How diagnostics are shown: text on `warn`, JSON and annotations on `print`. */
  readonly format: ReportFormat
  /** Warnings are errors. */
  readonly strict: boolean
  /** Absent = none. */
  readonly parts?: readonly BuildPart[]
  /** What was typed; the options of a part are its own to read. */
  readonly flags?: object
  readonly clock?: () => number
  readonly colour: boolean
  /** Shows how far a long build is, on a terminal; the empty text takes the line away. */
  readonly progress?: (line: string) => void
  readonly listener?: BuildListener
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** The files that options ask for. */
export const requestedFiles = (options: BuildOptions): readonly RequestedFile[] =>
  (options.parts ?? []).flatMap(({ file }) => (file?.isWanted(options) === true ? [file] : []))

/** Everything that the outcome depends on, as JSON. */
export const settingsOf = (options: BuildOptions): string =>
  JSON.stringify([options.strict, requestedFiles(options).map(({ path }) => path)])

interface Unwritten {
  readonly path: string
  readonly text: string
}

interface Shown {
  readonly unwritten?: readonly Unwritten[]
  /** Further fields of the JSON document. */
  readonly fields?: object
}

/** What is compared beside the files. */
export const checksOf = (options: BuildOptions): readonly BuildCheck[] =>
  (options.parts ?? []).flatMap(({ check }) => check?.(options) ?? [])

/** Shows what is wrong with the application. `unwritten` are files as they were to be: what lies on the disk is older. */
export function show(
  { cwd, format, colour, print, warn }: BuildOptions,
  found: readonly Diagnostic[],
  { unwritten = [], fields = {} }: Shown = {},
): void {
  const readFile = (file: string): string | null =>
    unwritten.find(({ path }) => path === file)?.text ?? readOrNull(`${cwd}/${file}`)
  for (const line of report(found, { format, colour, readFile, fields }))
    (format === 'text' ? warn : print)(line)
}

/** The same, of a build that fails with it. Returns the exit code. */
export function failBuild(
  options: BuildOptions,
  found: readonly Diagnostic[],
  unwritten: readonly Unwritten[] = [],
): 1 {
  show(options, found, { unwritten })
  options.listener?.failed(found)
  return 1
}

/** The text of a file with the line ends that a build writes, or null: those that git makes at a checkout are no edit. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  } catch {
    return null
  }
}
