/** The first pass: what is written in the application's sources, as plain records. */

import { configMissing, type Diagnostic, noControllers } from '../diagnostics/source-diagnostics.ts'
import { controllerWithoutRoutes } from '../diagnostics/tag-diagnostics.ts'
import type { Declared, DeclaredController, ScopeCall } from '../ir/source-model.ts'
import {
  type ConfigFacts,
  noFacts,
  readConfig,
  reportUnnamedConfig,
} from './controllers/config/app-config.ts'
import { readControllers } from './controllers/controllers.ts'
import { isMcpOnly } from './controllers/prompts.ts'
import { type Graph, graphOf } from './incremental/affected-files.ts'
import type { Language } from './language.ts'
import { reportFloatingResults, reportSyntax } from './lint/floating-results.ts'
import { lostImports } from './lint/lost-imports.ts'
import { reportMovedExports } from './lint/moved-exports.ts'
import { reportQuestions } from './lint/questions.ts'
import { readScopeCalls } from './lint/scope-calls.ts'
import { reportSecondCopies } from './lint/second-copy.ts'
import { reportTypesAsValues } from './lint/types-as-values.ts'
import { reportUnreadFiles } from './lint/unread-classes.ts'
import { reportUnreadTags } from './lint/unread-tags.ts'
import { reportUntypedRenders } from './lint/untyped-renders.ts'
import { byText, type Host } from './program/host.ts'
import { openSource, type Source } from './program/program.ts'
import { distinctNames, type SharedNames } from './program/qualified-names.ts'
import type { Session } from './program/session.ts'
import type { ts } from './program/typescript.ts'
import type { Found } from './types/component-names.ts'
import { noNames } from './types/marks/marked-names.ts'
import { createTypeReader } from './types/types.ts'
import { applicationElsewhere } from './workspace-root.ts'

/** What was read of one file under `app/controllers/`. */
export interface Unit {
  readonly file: string
  readonly controllers: readonly DeclaredController[]
  /** The named schemas that its routes reach, but for those inside others. */
  readonly schemas: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** All that was read. */
export interface ReadResult {
  readonly units: readonly Unit[]
  readonly schemas: readonly Found[]
  /** Of the application as a whole: its settings and mistakes outside controllers. */
  readonly diagnostics: readonly Diagnostic[]
  readonly info: Declared['info']
  readonly config: ConfigFacts
  readonly scopeCalls: readonly ScopeCall[]
  readonly graph: Graph
  readonly outside: Outside
  /** What the next compilation of the session goes on from; null where there is none. */
  readonly program: ts.Program | null
}

/** What the application has from beyond its folder. */
export interface Outside {
  /** The files that types come from, but for those of installed packages; absolute, sorted. */
  readonly files: readonly string[]
  /** `customConditions` of tsconfig.json. */
  readonly conditions: readonly string[]
}

/** All that is not below the folder, nor installed, nor acmcp itself. */
export function outsideOf({ host, program }: Source, { baseline }: Graph): Outside {
  const files = program
    .getSourceFiles()
    .map(({ fileName }) => fileName)
    .filter(
      (path) =>
        !path.startsWith(`${host.root}/`) && !/\/node_modules\/|^\/acmcp:/.test(path) && !baseline.has(path),
    )
    .sort(byText)
  return { files, conditions: program.getCompilerOptions().customConditions ?? [] }
}

const nothing: Pick<ReadResult, 'units' | 'schemas' | 'config' | 'scopeCalls' | 'graph'> = {
  units: [],
  schemas: [],
  config: noFacts,
  scopeCalls: [],
  graph: { imports: [], isModular: false, ambient: [], marked: noNames, baseline: new Set() },
}

const noneOutside: Outside = { files: [], conditions: [] }

/** What a process reads by: the language, and what earlier readings left. */
export interface Reading {
  readonly language: Language
  readonly session: Session
}

/** Reads controllers, schemas and package information. Files that do not parse end the pass early. */
export function read(host: Host, reading: Reading, oldProgram: ts.Program | null): ReadResult {
  const diagnostics: Diagnostic[] = []
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic)
  const elsewhere = applicationElsewhere(host)
  if (elsewhere !== null)
    return { ...nothing, outside: noneOutside, info: readInfo(host), diagnostics: [elsewhere], program: null }
  const source = openSource(host, { ...reading, report, oldProgram })
  const { program } = source
  const info = readInfo(host)
  if (!host.fileExists(`${host.root}/app/config.ts`)) {
    diagnostics.push(configMissing({ file: 'app/config.ts', line: 1, column: 1 }))
  }
  const graph = graphOf(source)
  const outside = outsideOf(source, graph)
  if (!reportSyntax(source)) return { ...nothing, outside, info, diagnostics, program }
  const again = { ...reading, report: () => {}, oldProgram: program } // of the settings all is said
  const found = readDistinct(source, () => openSource(host, again))
  const { units, schemas, scopeCalls, isClean, isWhole } = found
  const ofUnits = units.flatMap((unit) => unit.diagnostics)
  diagnostics.push(...found.diagnostics)
  diagnostics.push(...lostImports(source, [...diagnostics, ...ofUnits]))
  if (isClean && units.every(({ controllers }) => controllers.length === 0)) {
    diagnostics.push(noControllers({ file: 'app/controllers', line: 1, column: 1 }))
  }
  const config = readConfig(source)
  const isModular = graph.isModular && !isWhole
  return {
    units,
    schemas,
    info,
    config,
    scopeCalls,
    diagnostics,
    graph: { ...graph, isModular },
    outside,
    program,
  }
}

const maxReadings = 4

/** Types of one name are seen when all are read: then all are read again, with other names for all but the first; by another
 *  checker, for one that has run out of stack says other things the next time. */
function readDistinct(source: Source, reopen: () => Source): FoundInSource {
  const first = readSource(source)
  const taken = new Set(first.schemas.map(({ named }) => named.name))
  const shared = new Map<string, Set<ts.Declaration>>()
  let found = first
  for (let count = 1; found.clashes.size > 0 && count < maxReadings; count++) {
    for (const [name, declarations] of found.clashes)
      shared.set(name, new Set([...(shared.get(name) ?? []), ...declarations]))
    const again = reopen()
    found = readSource({ ...again, distinct: distinctNames(again, shared, taken) })
  }
  return found
}

/** `isClean`: no class was refused or lost. */
interface FoundInSource extends Pick<ReadResult, 'units' | 'schemas' | 'scopeCalls' | 'diagnostics'> {
  readonly isClean: boolean
  /** It holds for the application as a whole: of a part something would have another name. */
  readonly isWhole: boolean
  /** The types that have one name. */
  readonly clashes: SharedNames
}

/** What is written in the wanted files of `opened`. The mistakes of a unit are its own, not among the others. */
export function readSource(opened: Source): FoundInSource {
  const diagnostics: Diagnostic[] = []
  let reported = diagnostics
  const source: Source = { ...opened, report: (diagnostic) => void reported.push(diagnostic) }
  const reader = createTypeReader(source)
  const directory = `${source.host.root}/app/controllers/`
  const pathOf = (file: ts.SourceFile): string => file.fileName.slice(source.host.root.length + 1)
  const seen = new Set<ts.Node>()
  let isRefusing = false
  const units = source.wanted.flatMap((file) => {
    if (!file.fileName.startsWith(directory)) return []
    const ofUnit: Diagnostic[] = []
    reported = ofUnit
    const [{ controllers, isRefused }, schemas] = reader.names.withReferences(() =>
      readControllers(reader, file, seen),
    )
    isRefusing ||= isRefused
    return [{ file: pathOf(file), controllers, schemas, diagnostics: ofUnit }]
  })
  reported = diagnostics
  const isClean = reportUnreadTags(source, seen) && !isRefusing
  reportSecondCopies(source)
  reportMovedExports(source)
  reportTypesAsValues(source)
  reportFloatingResults(source)
  reportUntypedRenders(source)
  reportQuestions(source)
  for (const feature of source.language.features) feature.lint?.(source)
  reportUnreadFiles(source)
  reportUnnamedConfig(source)
  const wrong = new Set(diagnostics.map(({ at }) => at.file))
  const right = units.filter((unit) => unit.diagnostics.length === 0 && !wrong.has(unit.file))
  diagnostics.push(...right.flatMap(({ controllers }) => controllers).flatMap(withoutRequests))
  const scopeCalls = readScopeCalls(source)
  const isWhole = reader.names.hasGeneratedNames()
  const { names } = reader
  return { units, schemas: names.all(), diagnostics, scopeCalls, isClean, isWhole, clashes: names.clashes() }
}

/** Where no tag is wrong, no request can reach the class. */
const withoutRequests = ({ symbol, at, methods }: DeclaredController): readonly Diagnostic[] =>
  methods.some((method) => method.routes.length > 0 || isMcpOnly(method))
    ? []
    : [controllerWithoutRoutes(at, symbol.name)]

function readInfo(host: Host): Declared['info'] {
  const fields = parseObject(host.readFile(`${host.root}/package.json`) ?? '{}')
  const text = (name: string): string | null => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : null
  }
  return {
    title: text('name') ?? 'application',
    version: text('version') ?? '0.0.0',
    description: text('description') ?? '',
    license: text('license'),
  }
}

function parseObject(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  } catch {
    return new Map()
  }
}
