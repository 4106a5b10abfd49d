/** The first pass: what is written in the application's sources, as plain records. */

import type { Declared, DeclaredController } from '../declared.ts'
import { configMissing, type Diagnostic, noControllers } from '../diagnostics.ts'
import { readResponders } from './config.ts'
import { readControllers } from './controllers.ts'
import { type Graph, graphOf } from './graph.ts'
import type { Host } from './host.ts'
import { reportFloatingAnswers, reportSyntax } from './mistakes.ts'
import { createNames, type Found } from './names.ts'
import { type Memory, openSource, type Source } from './program.ts'
import { reportLostSchemas } from './schema-files.ts'
import { reportStrays } from './strays.ts'
import { createTypeReader } from './types.ts'

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
  readonly responders: readonly string[]
  readonly graph: Graph
}

const nothing: Pick<Reading, 'units' | 'schemas' | 'responders' | 'graph'> = {
  units: [],
  schemas: [],
  responders: [],
  graph: { imports: [], isModular: false, globals: [] },
}

/** Reads controllers, schemas and package information. Files that do not parse end the pass early. */
export function read(host: Host, memory: Memory): Reading {
  const diagnostics: Diagnostic[] = []
  const source = openSource(host, (diagnostic) => diagnostics.push(diagnostic), memory, null)
  const info = readInfo(host)
  if (!host.fileExists(`${host.root}/app/config.ts`)) {
    diagnostics.push(configMissing({ file: 'app/config.ts', line: 1, column: 1 }))
  }
  if (!reportSyntax(source)) return { ...nothing, info, diagnostics }
  const found = readSource(source, diagnostics, () => true)
  if (found.units.every(({ controllers }) => controllers.length === 0)) {
    diagnostics.push(noControllers({ file: 'app/controllers', line: 1, column: 1 }))
  }
  const responders = readResponders(source)
  return { ...found, info, responders, diagnostics, graph: graphOf(source) }
}

/** What is written in the files of `source`. The mistakes of a unit are taken from those `reported`. */
export function readSource(
  source: Source,
  reported: Diagnostic[],
  isWanted: (file: string) => boolean,
): Pick<Reading, 'units' | 'schemas'> {
  const reader = createTypeReader(source, createNames(source))
  const directory = `${source.host.root}/app/controllers/`
  const units = source.files.flatMap((file) => {
    const path = file.fileName.slice(source.host.root.length + 1)
    if (!file.fileName.startsWith(directory) || !isWanted(path)) return []
    const before = reported.length
    const [controllers, schemas] = reader.names.met(() => readControllers(reader, file))
    return [{ file: path, controllers, schemas, diagnostics: reported.splice(before) }]
  })
  reportFloatingAnswers(source)
  reportStrays(source)
  reportLostSchemas(source)
  return { units, schemas: reader.names.all() }
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
