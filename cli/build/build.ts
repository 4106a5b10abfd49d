/** The build itself: compile what changed, bundle, write or compare, and remember what was seen and made. */
import { relative } from 'node:path'
import { type Compilation, type Counts, compile } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { editedLine } from '../compiler/emit/mcp/mcp-yml.ts'
import type { Change } from '../compiler/read/incremental/merge.ts'
import { byText } from '../compiler/read/program/host.ts'
import { createSession, type Session } from '../compiler/read/program/session.ts'
import type { ReadResult } from '../compiler/read/read.ts'
import { explainLine } from '../terminal/report.ts'
import { summary, toollessLine } from '../terminal/summary.ts'
import { handEdited, stale } from './build-diagnostics.ts'
import {
  type BuildOptions,
  checksOf,
  failBuild,
  readOrNull,
  requestedFiles,
  settingsOf,
  show,
} from './build-options.ts'
import { type Bundle, BundleError, Bundler } from './bundle.ts'
import { diskHost } from './disk.ts'
import { observeInputs, observeTool } from './imports/observed-inputs.ts'
import { observed, type Question } from './observations.ts'
import { mergeConflicts, OutputFiles } from './output-files.ts'
import { bothPaths, noPaths, type ReadPaths, readPathsOf } from './read-paths.ts'
import { type BuildState, changedFiles, pairsOf, writeState } from './up-to-date.ts'

type Seen = ReturnType<typeof observed>

type Run = BuildOptions &
  Seen & {
    readonly settings: string
    readonly more: readonly { readonly madeOf: string }[]
    readonly startedAt: number
    /** Of the last build, for the summary. */
    readonly counts: Counts | null
    readonly session: BuildSession
    /** The build whose questions this one asked again; null = it began with none. */
    readonly before: LastBuild | null
  }

/** What one process keeps between builds. */
export interface BuildSession {
  readonly bundler: Bundler
  readonly compiler: Session
  readonly outputs: OutputFiles
  /** The last build that was written. */
  last: LastBuild | null
  /** What the last build read beside `app/`. */
  read: ReadPaths
}

interface LastBuild {
  readonly state: BuildState
  readonly reading: ReadResult
  /** How many questions the last build asked that began with none. */
  readonly observationCount: number
}

/** A session in which nothing was built; `once`: the process ends with its first build. */
export function createBuildSession(
  cwd: string,
  { once = false }: Pick<BuildOptions, 'once'> = {},
): BuildSession {
  const bundler = new Bundler(diskHost(cwd).root, once)
  return { bundler, compiler: createSession(), outputs: new OutputFiles(), last: null, read: noPaths }
}

/** What is another than in the last build of the session. */
export interface Since {
  readonly seen: Seen
  readonly changes: readonly Question[]
}

interface BuildInputs {
  readonly session: BuildSession
  /** null = everything. */
  readonly since: Since | null
  readonly counts: Counts | null
}

/** Builds the application in `cwd`; in a session that built before, only what depends on changed files is read. Resolves to
 *  the exit code. */
export async function buildApplication(
  options: BuildOptions,
  { session, since, counts }: BuildInputs,
): Promise<0 | 1 | 2> {
  const conflicts = options.overwrite ? [] : mergeConflicts(options)
  if (conflicts.length > 0) return failBuild(options, conflicts)
  const change = since === null ? null : changeOf(since, session)
  const seen = since === null || change === null ? observed(diskHost(options.cwd)) : since.seen
  const more = await Promise.all(requestedFiles(options).map((file) => file.load()))
  const settings = settingsOf(options)
  const before = change === null ? null : session.last
  const run: Run = { ...options, ...seen, settings, more, startedAt: Date.now(), counts, session, before }
  options.progress?.('reading the controllers')
  const { strict } = options
  const compilation = compile(run.host, {
    more,
    strict,
    lint: true,
    session: session.compiler,
    change,
  })
  options.progress?.('')
  session.read = bothPaths(session.read, readPathsOf(run.host.root, run.observations))
  const edits = options.overwrite ? [] : editsIn(options.cwd, compilation)
  if (compilation.files.length === 0 || edits.length > 0)
    return failBuild(options, [...compilation.diagnostics, ...edits])
  return finish(run, compilation)
}

/** What the compiler must read again; null = everything. */
function changeOf({ changes, seen }: Since, { last }: BuildSession): Change | null {
  if (last === null || last.state.observations.length > 2 * last.observationCount) return null // most of them belong to no file any more
  const files = changedFiles(changes, seen.host, last.reading)
  return files === null ? null : { before: last.reading, files }
}

function editsIn(cwd: string, { files }: Compilation): readonly Diagnostic[] {
  const file = 'generated/mcp.yml'
  const existing = files.length === 0 ? null : readOrNull(`${cwd}/${file}`)
  const line = existing === null ? null : editedLine(existing)
  return line === null ? [] : [handEdited({ file, line, column: 1 })]
}

/** Stale files are shown as a diff on a terminal, and as diagnostics to other programs. */
async function checkFiles(options: BuildOptions, compilation: Compilation): Promise<0 | 1 | 2> {
  const { files, diagnostics } = compilation
  const { cwd, format, print, warn } = options
  const compared = await Promise.all(checksOf(options).map((check) => check(compilation)))
  const fields = Object.assign({}, ...compared.map(({ json }) => json))
  const changed = files
    .map((file) => ({ ...file, before: readOrNull(`${cwd}/${file.path}`) }))
    .filter(({ text, before }) => text !== before)
  const found = changed.map(({ path }) => stale({ file: path, line: 1, column: 1 }, path))
  show(options, format === 'text' ? diagnostics : [...diagnostics, ...found], { fields })
  if (changed.length === 0) return compared.find(({ code }) => code > 0)?.code ?? 0
  if (format !== 'text') return 1
  const { unifiedDiff } = await import('../terminal/unified-diff.ts')
  for (const { path, text, before } of changed) print(unifiedDiff(path, before, text).replace(/\n$/, ''))
  warn('acmcp: generated files are stale: run `acmcp build` and commit them')
  for (const { code } of found.slice(0, 1)) warn(explainLine(code))
  return 1
}

/** What the sources came to, with the bundle of it. */
interface Made {
  readonly compilation: Compilation
  readonly bundle: Bundle
}

async function finish(run: Run, compilation: Compilation): Promise<0 | 1 | 2> {
  const { progress, once, session, strict } = run
  if (run.check && !mayStartProcesses()) {
    run.warn('acmcp: imports were not checked: --allow-child-process is not given')
    return checkFiles(run, compilation)
  }
  try {
    progress?.('bundling')
    const bundle = await session.bundler.bundle(compilation, run.host, strict)
    if (once === true) await session.bundler.close() // the rest takes memory too
    progress?.('')
    const diagnostics = [...compilation.diagnostics, ...bundle.diagnostics]
    const made = { compilation: { ...compilation, diagnostics }, bundle }
    return run.check ? await checkFiles(run, made.compilation) : writeAll(run, made)
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    progress?.('')
    return failBuild(run, [...compilation.diagnostics, ...error.diagnostics], compilation.files)
  }
}

/** Under Node's permissions a check may be all that is allowed: the bundler is a process of its own. */
const mayStartProcesses = (): boolean => process.permission?.has('child') !== false

function writeAll(run: Run, { compilation, bundle }: Made): 0 {
  show(run, compilation.diagnostics)
  const written = run.session.outputs.write([
    ...compilation.files.map(({ path, text }) => ({ path: `${run.cwd}/${path}`, content: text })),
    ...bundle.files,
  ])
  const outputs = written.map(({ path, digest }) => [path, digest] as const)
  remember(run, compilation, { outputs, inputs: bundle.inputs })
  reportWritten(run, compilation, written)
  return 0
}

/** To the listener when the next build can begin, in lines when there is none. */
function reportWritten(
  { cwd, format, print, counts: before, listener }: Run,
  { counts, withoutTool, model, diagnostics }: Compilation,
  written: ReturnType<OutputFiles['write']>,
): void {
  if (listener === undefined && format !== 'text') return
  const changed = written.filter(({ isChanged }) => isChanged)
  const toolless = toollessLine(withoutTool)
  const lines = [summary(counts, before, changed.length), ...(toolless === null ? [] : [toolless])]
  if (listener !== undefined) {
    listener.written({ diagnostics, summary: lines, model })
    return
  }
  for (const { path } of changed) print(`wrote ${relative(cwd, path)}`)
  for (const line of lines) print(line)
}

/** Of these files, those that do not lie in the application's folder. */
const outsideSources = (root: string, files: readonly string[]): readonly string[] =>
  [...new Set(files)]
    .filter((path) => !path.startsWith(`${root}/`) || path.includes('/node_modules/'))
    .sort(byText)

/** Leaves the state for the next build, or none where it could mislead. */
function remember(
  run: Run,
  { diagnostics, counts, reading }: Compilation,
  { outputs, inputs }: { readonly outputs: BuildState['outputs']; readonly inputs: readonly string[] },
): void {
  const isComplete = observeInputs(run.host, inputs, run.startedAt)
  observeTool(
    run.host,
    run.more.map(({ madeOf }) => madeOf),
  )
  const sources = outsideSources(run.host.root, [...reading.outside.files, ...inputs])
  const state = writeState(run.cwd, {
    root: isComplete ? run.host.root : '',
    settings: run.settings,
    observations: isComplete ? pairsOf(run.observations) : [],
    sources,
    outputs,
    diagnostics,
    counts,
  })
  const observationCount = run.before?.observationCount ?? state.observations.length
  run.session.last = { state, reading, observationCount }
  run.session.read = readPathsOf(run.host.root, run.observations)
}
