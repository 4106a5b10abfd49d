/** The compiler: read → link → check → emit. Reads through the host alone, and writes nothing. */

import { listed, type Memos } from './cache/memoize.ts'
import { check } from './check/check.ts'
import { checkValues } from './check/examples.ts'
import { checkTexts } from './check/tool-texts.ts'
import type { Diagnostic } from './diagnostics/source-diagnostics.ts'
import { emitCodecs } from './emit/codecs/codecs.ts'
import { printCatalogue } from './emit/mcp/catalogue.ts'
import { emitMcpYml } from './emit/mcp/mcp-yml.ts'
import { emitOpenapi, type OpenapiVersion } from './emit/openapi/openapi.ts'
import { emitRoutes } from './emit/routes/routes.ts'
import { emitPaths } from './emit/routes/url-helpers.ts'
import type { Model } from './ir/model.ts'
import type { NamedSchema } from './ir/schema.ts'
import type { Declared } from './ir/source-model.ts'
import { link } from './link/controllers.ts'
import { type Change, readChange } from './read/incremental/merge.ts'
import { byText, type Host } from './read/program/host.ts'
import { createSession, dispose, type Session } from './read/program/session.ts'
import { type ReadResult, read } from './read/read.ts'
import { allTokens, type Toolbox, type Toolless, toolboxesOf } from './schema/toolboxes.ts'

export interface OutputFile {
  /** Relative to the application's directory. */
  readonly path: string
  readonly text: string
}

/** How much there is. `tokens` is an estimate of what all tools cost a model. */
export interface Counts {
  readonly controllers: number
  readonly routes: number
  readonly tools: number
  readonly tokens: number
}

/** The routes that are no tools: those that cannot be, and how many are hidden. */
export interface WithoutTool {
  readonly unfit: readonly Toolless[]
  readonly hidden: number
}

export interface Compilation {
  /** The committed files; none when there is an error. */
  readonly files: readonly OutputFile[]
  /** What the bundle needs beside them: two modules of JavaScript. */
  readonly codecs: string
  readonly catalogue: string
  readonly model: Model
  readonly counts: Counts
  readonly withoutTool: WithoutTool
  /** Sorted by file, line, column and code. */
  readonly diagnostics: readonly Diagnostic[]
  /** For the next compilation of the session. */
  readonly reading: ReadResult
}

export interface CompileOptions {
  readonly openapi?: OpenapiVersion
  /** The texts of tools are judged too. */
  readonly lint?: boolean
  /** Warnings are errors. */
  readonly strict?: boolean
  /** A process that compiles again hands in the same session; one that never does, a transient one. */
  readonly session?: Session
  /** What the session read before, and what changed since: the rest need not be read again. */
  readonly change?: Change | null
}

/** Compiles the application at `host.root`. Mistakes in it are diagnostics, never exceptions. */
export function compile(
  host: Host,
  {
    openapi = '3.1',
    lint = false,
    strict = false,
    session = createSession(),
    change = null,
  }: CompileOptions = {},
): Compilation {
  const { memos } = session
  const part = change === null ? null : readChange(host, session, change)
  const reading = part ?? read(host, session, change?.before.program ?? null)
  const declared = declaredBy(reading, memos)
  const model = link(declared, memos)
  const toolboxes = toolboxesOf(model, memos)
  const counts = countsOf(toolboxes)
  const withoutTool = withoutToolIn(toolboxes)
  const all = inOrder([
    ...reading.diagnostics,
    ...reading.units.flatMap((unit) => unit.diagnostics),
    ...check(model, declared, memos),
    ...checkValues(model, memos),
    ...(lint ? checkTexts(model, toolboxes, memos) : []),
  ])
  dispose(session) // not before: V8's own threads, compiling what is hot, hold the checker a little longer
  const diagnostics = strict ? all.map((one) => ({ ...one, severity: 'error' as const })) : all
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    return { files: [], codecs: '', catalogue: '', model, counts, withoutTool, diagnostics, reading }
  }
  const files = [
    { path: 'generated/routes.ts', text: emitRoutes(model, memos) },
    { path: 'generated/paths.ts', text: emitPaths(model, memos) },
    { path: 'generated/openapi.yml', text: emitOpenapi(model, openapi, memos) },
    { path: 'generated/mcp.yml', text: emitMcpYml(model, toolboxes, memos) },
  ]
  return {
    files,
    codecs: emitCodecs(model, memos),
    catalogue: printCatalogue(toolboxes, memos),
    model,
    counts,
    withoutTool,
    diagnostics,
    reading,
  }
}

const withoutToolIn = (toolboxes: readonly Toolbox[]): WithoutTool => ({
  unfit: toolboxes.flatMap(({ toolless }) => toolless),
  hidden: toolboxes.reduce((total, { hidden }) => total + hidden, 0),
})

const schemasOf = listed<NamedSchema>()

function declaredBy({ units, schemas, info, formats }: ReadResult, memos: Memos): Declared {
  return {
    info,
    ...formats,
    controllers: units.flatMap(({ controllers }) => controllers),
    schemas: schemasOf(
      memos,
      schemas.map(({ named }) => named),
    ),
  }
}

function countsOf(toolboxes: readonly Toolbox[]): Counts {
  return {
    controllers: toolboxes.length,
    routes: toolboxes.reduce((total, { routes }) => total + routes, 0),
    tools: toolboxes.reduce((total, { tools }) => total + tools.length, 0),
    tokens: allTokens(toolboxes),
  }
}

/** Inherited mistakes are found once a class: reported once. */
function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map(diagnostics.map((one) => [JSON.stringify([one.code, one.at, one.message]), one]))
  return [...unique.values()].sort(
    (a, b) =>
      byText(a.at.file, b.at.file) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column ||
      byText(a.code, b.code) ||
      byText(a.message, b.message),
  )
}
