/** The build itself: compile what changed, bundle, write or compare, and remember what was seen and made. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { type Compilation, type Counts, compile, type OutputFile } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { isAsGenerated } from '../compiler/emit/mcp/mcp-yml.ts'
import type { Change } from '../compiler/read/incremental/merge.ts'
import { emptyMemory, type Memory, passingMemory } from '../compiler/read/program/source-file-cache.ts'
import type { Reading } from '../compiler/read/read.ts'
import { summary, toollessLine } from '../terminal/summary.ts'
import { stale } from './build-diagnostics.ts'
import { readReading, writeNotes } from './build-notes.ts'
import { type BuildOptions, readOrNull, settingsOf, show } from './build-options.ts'
import type { BundleFile, Bundler } from './bundle.ts'
import { BundleError } from './bundled-app.ts'
import { diskHost } from './disk.ts'
import { mergeConflicts } from './merge-conflict.ts'
import { observed, type Question } from './observations.ts'
import { type BuildState, changedFiles, digestOf, observeInputs, observeTool, pairsOf } from './up-to-date.ts'

type Seen = ReturnType<typeof observed>

type Run = BuildOptions &
  Seen & {
    readonly settings: string
    readonly startedAt: number
    readonly last: Counts | null
    /** What of an earlier build this one goes on from. */
    readonly before: Reading | null
    readonly session: Session
  }

/** What the last build left, and what changed since; null = everything. */
export interface Last {
  readonly state: BuildState
  readonly seen: Seen
  readonly changes: readonly Question[] | null
}

/** What one process keeps between builds. */
export interface Session {
  readonly bundler: Bundler
  readonly memory: Memory
  made: { readonly state: BuildState; readonly reading: Reading } | null
}

/** A session in which nothing was built; `isLast`: nor will be, but once. */
export const newSession = (bundler: Bundler, isLast: boolean): Session => ({
  bundler,
  memory: isLast ? passingMemory() : emptyMemory(),
  made: null,
})

/** Builds the application in `cwd`; what did not change since the `last` build is not read again. Resolves to the exit
 *  code. */
export async function fullBuild(options: BuildOptions, last: Last | null, session: Session): Promise<0 | 1> {
  const conflicts = options.overwrite ? [] : mergeConflicts(options.cwd)
  if (conflicts.length > 0) {
    show(options, conflicts)
    return 1
  }
  const change = last === null ? null : changeSince(options.cwd, last, session)
  const run: Run = {
    ...options,
    ...(change === null || last === null ? observed(diskHost(options.cwd)) : last.seen),
    settings: settingsOf(options),
    startedAt: Date.now(),
    last: last?.state.counts ?? null,
    before: change?.before ?? null,
    session,
  }
  options.progress?.('reading the controllers')
  const { openapi, strict } = options
  const { memory } = session
  const compilation = compile(run.host, { openapi, strict, lint: true, memory, change })
  options.progress?.('')
  const edits = options.overwrite ? [] : await editsIn(options.cwd, compilation)
  if (compilation.files.length === 0 || edits.length > 0) {
    show(options, [...compilation.diagnostics, ...edits])
    return 1
  }
  return options.check ? checkFiles(options, compilation) : writeAll(run, compilation)
}

/** What the compiler need not read again; null = nothing. */
function changeSince(cwd: string, { state, seen, changes }: Last, { made }: Session): Change | null {
  if (changes === null) return null
  const before = made?.state === state ? made.reading : readReading(cwd, state)
  const files = before === null ? null : changedFiles(changes, seen.host, before)
  return before === null || files === null ? null : { before, files }
}

async function editsIn(cwd: string, compilation: Compilation): Promise<readonly Diagnostic[]> {
  const existing = compilation.files.length === 0 ? null : readOrNull(`${cwd}/generated/mcp.yml`)
  if (existing === null || isAsGenerated(existing)) return []
  const { handEdits } = await import('./hand-edits.ts')
  return handEdits(existing, compilation)
}

/** Stale files are shown as a diff on a terminal, and as diagnostics to other programs. */
async function checkFiles(options: BuildOptions, { files, diagnostics }: Compilation): Promise<0 | 1> {
  const { cwd, format, print, warn } = options
  const changed = files
    .map((file) => ({ ...file, before: readOrNull(`${cwd}/${file.path}`) }))
    .filter(({ text, before }) => text !== before)
  const found = changed.map(({ path }) => stale({ file: path, line: 1, column: 1 }, path))
  show(options, format === 'text' ? diagnostics : [...diagnostics, ...found])
  if (changed.length === 0) return 0
  if (format !== 'text') return 1
  const { unifiedDiff } = await import('../terminal/unified-diff.ts')
  for (const { path, text, before } of changed) print(unifiedDiff(path, before, text).replace(/\n$/, ''))
  warn('acmcp: generated files are stale: run `acmcp build` and commit them')
  return 1
}

async function writeAll(run: Run, compilation: Compilation): Promise<0 | 1> {
  const { cwd, progress, once, session } = run
  try {
    progress?.('bundling')
    const { files, inputs } = await session.bundler.bundle(compilation)
    if (once === true) await session.bundler.close() // the rest takes memory too
    progress?.('')
    show(run, compilation.diagnostics)
    const outputs = writeFiles(run, compilation, [
      ...compilation.files.map((file) => toBytes(cwd, file)),
      ...files,
    ])
    remember(run, compilation, { outputs, inputs })
    return 0
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    progress?.('')
    show(run, [...compilation.diagnostics, ...error.diagnostics])
    return 1
  }
}

/** Writes what changed, and gives the digests of all. */
function writeFiles(
  { cwd, format, print, last }: Run,
  { counts, withoutTool }: Compilation,
  files: readonly BundleFile[],
): BuildState['outputs'] {
  const changed = files.filter(isChanged)
  for (const file of changed) {
    writeFile(file)
    if (format === 'text') print(`wrote ${relative(cwd, file.path)}`)
  }
  if (format === 'text') {
    print(summary(counts, last, changed.length))
    const line = toollessLine(withoutTool)
    if (line !== null) print(line)
  }
  return files.map(({ path, bytes }) => [path, digestOf(bytes)])
}

/** Leaves the state for the next build, or none where it could mislead. */
function remember(
  run: Run,
  { diagnostics, counts, reading }: Compilation,
  { outputs, inputs }: { readonly outputs: BuildState['outputs']; readonly inputs: readonly string[] },
): void {
  const isComplete = observeInputs(run.host, inputs, run.startedAt)
  observeTool(run.host)
  const noted = {
    root: isComplete ? run.host.root : '',
    settings: run.settings,
    observations: isComplete ? pairsOf(run.observations) : [],
    outputs,
    diagnostics,
    counts,
    reading,
  }
  run.session.made = { state: writeNotes(run.cwd, noted, run.before), reading }
}

function writeFile({ path, bytes }: BundleFile): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
}

const toBytes = (cwd: string, { path, text }: OutputFile): BundleFile => ({
  path: `${cwd}/${path}`,
  bytes: Buffer.from(text),
})

/** Files that are the same keep their time stamps. */
function isChanged({ path, bytes }: BundleFile): boolean {
  try {
    return !readFileSync(path).equals(bytes)
  } catch {
    return true
  }
}
