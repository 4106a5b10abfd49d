/** The passes: read → link → check → emit. They read through the host alone, write nothing, and know no optional tag by name. */

import { memoize } from './cache/memoize.ts'
import { check } from './check/check.ts'
import { checkTexts } from './check/tools/tool-texts.ts'
import type { Diagnostic } from './diagnostics/source-diagnostics.ts'
import { emitCodecs } from './emit/codecs/codecs.ts'
import { printCatalogue } from './emit/mcp/catalogue.ts'
import { emitMcpYml } from './emit/mcp/mcp-yml.ts'
import { toolboxesOf } from './emit/mcp/toolboxes.ts'
import { emitOpenapi } from './emit/openapi/openapi.ts'
import { emitRoutes } from './emit/routes/routes.ts'
import { emitPaths } from './emit/routes/url-helpers.ts'
import type { Feature } from './feature.ts'
import type { Action, Model, NoTool } from './ir/model.ts'
import type { Declared } from './ir/source-model.ts'
import { link } from './link/controllers.ts'
import { type Change, readChange } from './read/incremental/merge.ts'
import { languageOf } from './read/language.ts'
import { byText, type Host } from './read/program/host.ts'
import { createSession, type Session } from './read/program/session.ts'
import { type ReadResult, read } from './read/read.ts'
import { withAnswerForms } from './schema/answer-forms.ts'
import { allTools, totalTokens } from './schema/tools.ts'

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

/** A route that could be a tool, were it not for what it takes or answers. */
interface Toolless {
  readonly route: string
  readonly why: Exclude<NoTool, 'hidden' | 'other'>
}

/** The routes that are no tools: those that cannot be, and how many are hidden. */
export interface WithoutTool {
  readonly unfit: readonly Toolless[]
  readonly hidden: number
}

/** What is emitted; nothing when there is an error. */
interface Emitted {
  /** The committed files. */
  readonly files: readonly OutputFile[]
  /** What the bundle needs beside them: two modules of JavaScript. */
  readonly codecs: string
  readonly catalogue: string
  readonly counts: Counts
  readonly withoutTool: WithoutTool
}

export interface Compilation extends Emitted {
  readonly model: Model
  /** Sorted by file, line, column and code. */
  readonly diagnostics: readonly Diagnostic[]
  /** For the next compilation of the session. */
  readonly reading: ReadResult
  /** What is given to `defineApp`, as far as it can be seen; null = nothing. */
  readonly settings: Declared['settings']
}

/** Prints a file of its own of the whole model. */
export interface FilePrinter {
  readonly path: string
  readonly print: (model: Model) => string
}

export interface CompileOptions {
  /** Files beside those of every application. */
  readonly more?: readonly FilePrinter[]
  /** The texts of tools are judged too. */
  readonly lint?: boolean
  /** Warnings are errors. */
  readonly strict?: boolean
  /** A process that compiles again hands in the same session. */
  readonly session?: Session
  /** What the session read before, and what changed since: the rest need not be read again. */
  readonly change?: Change | null
}

const languageFor = memoize(languageOf)

/** Compiles the application at `host.root`. Mistakes in it are diagnostics, never exceptions. */
export function runPasses(
  host: Host,
  features: readonly Feature[],
  { more = [], lint = false, strict = false, session = createSession(), change = null }: CompileOptions = {},
): Compilation {
  const by = { language: languageFor(features), session }
  const part = change === null ? null : readChange(host, by, change)
  const reading = part ?? read(host, by, change?.before.program ?? null)
  const declared = declaredBy(reading)
  const model = link(withAnswerForms(declared), features)
  const all = inOrder([
    ...reading.diagnostics,
    ...reading.units.flatMap((unit) => unit.diagnostics),
    ...check(model, declared, features),
    ...(lint ? checkTexts(model) : []),
  ])
  const diagnostics = strict ? all.map((diagnostic) => ({ ...diagnostic, severity: 'error' as const })) : all
  const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
  return {
    ...(hasErrors ? nothing : emit(model, more)),
    model,
    diagnostics,
    reading,
    settings: declared.settings,
  }
}

const nothing: Emitted = {
  files: [],
  codecs: '',
  catalogue: '',
  counts: { controllers: 0, routes: 0, tools: 0, tokens: 0 },
  withoutTool: { unfit: [], hidden: 0 },
}

function emit(model: Model, more: readonly FilePrinter[]): Emitted {
  const toolboxes = toolboxesOf(model)
  const tools = allTools(model)
  const actions = model.controllers.flatMap((controller) => controller.actions)
  const { length: controllers } = model.controllers
  return {
    files: [
      { path: 'generated/routes.ts', text: emitRoutes(model) },
      { path: 'generated/paths.ts', text: emitPaths(model) },
      { path: 'generated/openapi.yml', text: emitOpenapi(model) },
      { path: 'generated/mcp.yml', text: emitMcpYml(model, toolboxes) },
      ...more.map(({ path, print }) => ({ path, text: print(model) })),
    ],
    codecs: emitCodecs(model),
    catalogue: printCatalogue(toolboxes, model),
    counts: { controllers, routes: actions.length, tools: tools.length, tokens: totalTokens(tools) },
    withoutTool: {
      unfit: actions.flatMap(toollessOf),
      hidden: actions.filter(({ noTool }) => noTool === 'hidden').length,
    },
  }
}

function toollessOf({ noTool: why, verb, path }: Action): readonly Toolless[] {
  return why === null || why === 'hidden' || why === 'other' ? [] : [{ route: `${verb} ${path}`, why }]
}

/** A list of its own only for another reading: what was made of the schemas is kept by their list too. */
const schemasOf = memoize((found: ReadResult['schemas']) => found.map(({ named }) => named))

function declaredBy({ units, schemas, info, config, scopeCalls }: ReadResult): Declared {
  return {
    info,
    ...config,
    scopeCalls,
    controllers: units.flatMap(({ controllers }) => controllers),
    schemas: schemasOf(schemas),
  }
}

/** Inherited mistakes are found once a class: reported once. */
function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unique = new Map(
    diagnostics.map((diagnostic) => [
      JSON.stringify([diagnostic.code, diagnostic.at, diagnostic.message]),
      diagnostic,
    ]),
  )
  return [...unique.values()].sort(
    (a, b) =>
      byText(a.at.file, b.at.file) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column ||
      byText(a.code, b.code) ||
      byText(a.message, b.message),
  )
}
