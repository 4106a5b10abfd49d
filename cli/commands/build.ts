/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). Loads the compiler
 *  only when something changed since the last build. */
import { readFileSync } from 'node:fs'
import type { Diagnostic } from '../compiler/diagnostics.ts'
import { type BuildState, isCurrent, readState } from './build-state.ts'
import { diskHost } from './disk.ts'
import { type ReportFormat, report } from './report.ts'

export interface BuildOptions {
  readonly cwd: string
  /** Compare only; nothing is written. */
  readonly check: boolean
  /** Discard edits made by hand in generated/mcp.yml. */
  readonly overwrite: boolean
  /** Also run the application's own `tsc --noEmit`, beside the build; what it finds fails the build. */
  readonly typecheck: boolean
  /** How diagnostics are shown: text on `warn`, JSON and annotations on `print`. */
  readonly format: ReportFormat
  readonly colour: boolean
  /** Shows how far a long build is, on a terminal; the empty text takes the line away. */
  readonly progress?: (line: string) => void
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Builds the application in `cwd` and resolves to the exit code: 0, or 1 when nothing was written. */
export async function build(options: BuildOptions): Promise<0 | 1> {
  const state = readState(options.cwd)
  if (!options.typecheck) return buildFiles(options, state)
  const { typecheck } = await import('./typecheck.ts')
  const [built, checked] = await Promise.all([buildFiles(options, state), typecheck(options)])
  return built === 0 && checked === 0 ? 0 : 1
}

async function buildFiles(options: BuildOptions, state: BuildState | null): Promise<0 | 1> {
  if (state !== null && isCurrent(state, diskHost(options.cwd), settingsOf(options))) {
    show(options, state.diagnostics)
    if (options.format === 'text' && !options.check) options.print('nothing changed')
    return 0
  }
  const { fullBuild } = await import('./full-build.ts')
  return fullBuild(options, state)
}

/** Everything that the outcome depends on, as JSON: each option, but for where and how it is shown. */
export function settingsOf(options: BuildOptions): string {
  const shown = ['cwd', 'check', 'overwrite', 'typecheck', 'format', 'colour', 'progress', 'print', 'warn']
  return JSON.stringify(Object.entries(options).filter(([name]) => !shown.includes(name)))
}

/** Shows what is wrong with the application. */
export function show({ cwd, format, colour, print, warn }: BuildOptions, found: readonly Diagnostic[]): void {
  const readFile = (file: string): string | null => readOrNull(`${cwd}/${file}`)
  for (const line of report(found, { format, colour, readFile })) (format === 'text' ? warn : print)(line)
}

/** The text of a file, or null. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
