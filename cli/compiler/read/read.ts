/** The first pass: what is written in the application's sources, as plain records. */

import { configMissing, type Diagnostic, noControllers } from '../diagnostics/source-diagnostics.ts'
import type { Declared, DeclaredController } from '../ir/source-model.ts'
import { type OwnFormats, readFormats } from './controllers/app-config.ts'
import { readControllers } from './controllers/controllers.ts'
import { reportUnknownSettings } from './controllers/settings.ts'
import { type Graph, graphOf } from './incremental/affected-files.ts'
import { reportFloatingAnswers, reportSyntax } from './lint/floating-results.ts'
import { reportLostClasses } from './lint/ignored-classes.ts'
import { reportUnreadFiles } from './lint/ignored-files.ts'
import { reportStrays } from './lint/misplaced-tags.ts'
import { reportMovedExports } from './lint/moved-exports.ts'
import type { Host } from './program/host.ts'
import { openSource, type Source } from './program/program.ts'
import { isEnough, mayBeEnough } from './program/slim.ts'
import type { Memory } from './program/source-file-cache.ts'
import type { ts } from './program/typescript.ts'
import { createNames, type Found } from './types/component-names.ts'
import { reportLostSchemas } from './types/schema-files.ts'
import { createTypeReader } from './types/types.ts'

/** What was read of one file under `app/controllers/`. */
export interface Unit {
  readonly file: string
  readonly controllers: readonly DeclaredController[]
  /** The named schemas that its routes reach, but for those inside others. */
  readonly schemas: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** All that was read; JSON-serialisable. */
export interface Reading {
  readonly units: readonly Unit[]
  readonly schemas: readonly Found[]
  /** Of the application as a whole: its settings and mistakes outside controllers. */
  readonly diagnostics: readonly Diagnostic[]
  readonly info: Declared['info']
  readonly formats: OwnFormats
  readonly graph: Graph
}

const nothing: Pick<Reading, 'units' | 'schemas' | 'formats' | 'graph'> = {
  units: [],
  schemas: [],
  formats: { parsers: [], responders: [] },
  graph: { imports: [], isModular: false, globals: [] },
}

/** Reads controllers, schemas and package information. Files that do not parse end the pass early. */
export function read(host: Host, memory: Memory): Reading {
  for (const kind of ['light', 'whole'] as const) {
    const reading = readProgram(host, memory, kind)
    if (reading !== null) return reading
  }
  throw new Error('a whole program is enough')
}

/** null = only a whole program can tell. */
function readProgram(host: Host, memory: Memory, kind: 'light' | 'whole'): Reading | null {
  const diagnostics: Diagnostic[] = []
  const source = openSource(host, (diagnostic) => diagnostics.push(diagnostic), memory, kind)
  const info = readInfo(host)
  if (!host.fileExists(`${host.root}/app/config.ts`)) {
    diagnostics.push(configMissing({ file: 'app/config.ts', line: 1, column: 1 }))
  }
  if (!reportSyntax(source)) return { ...nothing, info, diagnostics }
  const graph = graphOf(source)
  const isLight = source.hollow.size > 0
  if (isLight && !(graph.isModular && mayBeEnough(source, graph))) return null
  const { units, schemas, isClean, isWhole } = readSource(source, diagnostics, () => true)
  if (isClean && units.every(({ controllers }) => controllers.length === 0)) {
    diagnostics.push(noControllers({ file: 'app/controllers', line: 1, column: 1 }))
  }
  const formats = readFormats(source)
  if (isLight && !(isRight(units, diagnostics) && isEnough(source, graph))) return null
  const isModular = graph.isModular && !isWhole
  return { units, schemas, info, formats, diagnostics, graph: { ...graph, isModular } }
}

/** Whether there is no mistake: of one, a whole program may know better. */
const isRight = (units: readonly Unit[], diagnostics: readonly Diagnostic[]): boolean =>
  [...diagnostics, ...units.flatMap((unit) => unit.diagnostics)].every(({ severity }) => severity !== 'error')

/** `isClean`: no class was refused or lost. */
interface FoundInSource extends Pick<Reading, 'units' | 'schemas'> {
  readonly isClean: boolean
  /** It holds for the application as a whole: of a part something would have another name. */
  readonly isWhole: boolean
}

/** What is written in the files of `source`. The mistakes of a unit are taken from those `reported`. */
export function readSource(
  source: Source,
  reported: Diagnostic[],
  isWanted: (file: string) => boolean,
): FoundInSource {
  const reader = createTypeReader(source, createNames(source))
  const directory = `${source.host.root}/app/controllers/`
  const pathOf = (file: ts.SourceFile): string => file.fileName.slice(source.host.root.length + 1)
  const wanted = source.files.filter((file) => isWanted(pathOf(file)))
  const seen = new Set<ts.Node>()
  let isRefusing = false
  const units = wanted.flatMap((file) => {
    if (!file.fileName.startsWith(directory)) return []
    const before = reported.length
    const [{ controllers, isRefused }, schemas] = reader.names.met(() => readControllers(reader, file, seen))
    isRefusing ||= isRefused
    return [{ file: pathOf(file), controllers, schemas, diagnostics: reported.splice(before) }]
  })
  const isClean = reportLostClasses(source, wanted, seen) && !isRefusing
  reportMovedExports(source)
  reportFloatingAnswers(source)
  reportStrays(source)
  reportLostSchemas(source)
  reportUnreadFiles(source)
  reportUnknownSettings(source)
  return { units, schemas: reader.names.all(), isClean, isWhole: reader.names.hasUnlike() }
}

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
