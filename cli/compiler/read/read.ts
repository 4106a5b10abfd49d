/** The first pass: what is written in the application's sources, as plain records. */

import type { Declared } from '../declared.ts'
import { configMissing, type Diagnostic } from '../diagnostics.ts'
import { readFormats } from './config.ts'
import { readControllers } from './controllers.ts'
import type { Host } from './host.ts'
import type { Memory } from './memory.ts'
import { reportFloatingAnswers, reportSyntax } from './mistakes.ts'
import { createNames } from './names.ts'
import { openSource } from './program.ts'
import { reportLostSchemas } from './schema-files.ts'
import { reportStrays } from './strays.ts'
import { createTypeReader, namedSchemas } from './types.ts'

/** Reads controllers, schemas and package information. Files that do not parse end the pass early. */
export function read(
  host: Host,
  memory: Memory,
): {
  readonly declared: Declared
  readonly diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const source = openSource(host, (diagnostic) => diagnostics.push(diagnostic), memory)
  const info = readInfo(host)
  if (!host.fileExists(`${host.root}/app/config.ts`)) {
    diagnostics.push(configMissing({ file: 'app/config.ts', line: 1, column: 1 }))
  }
  if (!reportSyntax(source))
    return { declared: { info, controllers: [], schemas: [], parsers: [], responders: [] }, diagnostics }
  const reader = createTypeReader(source, createNames(source))
  const controllers = readControllers(reader)
  reportFloatingAnswers(source)
  reportStrays(source)
  reportLostSchemas(source)
  const formats = readFormats(source)
  return { declared: { info, controllers, schemas: namedSchemas(reader), ...formats }, diagnostics }
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
