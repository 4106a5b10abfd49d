/** Prints `.acmcp/codecs.mjs`: what reads the arguments of every route, as plain functions over `acmcp/codec`.
 *  Functions of named types are printed once, each piece by itself (see `module-section.ts`). A function's name begins with
 *  what it does: `d` decodes JSON, `t` texts, `f` forms. */

import { createMemos, type Memos, memo, memoizeLatest } from '../../cache/memoize.ts'
import type { Action, Controller, Model, Param } from '../../ir/model.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { propertyName, quote } from '../javascript.ts'
import { ModuleSection, type PrintedSection, printImports, type Types, typesOf } from './module-section.ts'
import { bodies, printNamed } from './named-codecs.ts'
import { plainLists, schemaConstant, verbatimDecoder } from './reading.ts'
import { decoderText } from './text-decoders.ts'

/** A module that exports `codecs`, by route id. What is kept of controllers and schemas is not looked into. */
export function emitCodecs({ controllers, schemas }: Model, memos: Memos = createMemos()): string {
  const types = typesIn(memos, schemas)
  const printed = controllers.map((one) =>
    keepController(memos, one, schemas, { context: types.context, make: () => printController(types, one) }),
  )
  return moduleOf(memos, [types, ...printed])
}

const moduleOf = memoizeLatest(printModule)

function printModule([types, ...printed]: readonly [Types, ...Printed[]], memos: Memos): string {
  const sections = [printFiles(types, types.named), ...printNamed(memos, types, printed), ...printed]
  return [
    printImports(sections),
    ...sections.map(({ text }) => text),
    `export const codecs = {\n${printed.map(({ rows }) => rows).join('')}}\n`,
  ].join('')
}

/** The same object as the last time for the same types. */
const typesIn = memoizeLatest((schemas: readonly NamedSchema[]) => typesOf(schemas, plainLists))

function printFiles(types: Types, all: readonly NamedSchema[]): PrintedSection {
  const section = new ModuleSection({ types, bodies }, '')
  for (const { name, schema } of all) {
    if (schema.kind !== 'verbatim') continue
    section.add(`const ${schemaConstant(name)}=${verbatimDecoder(section, schema.json)}\n`)
  }
  return section.printed()
}

interface Printed extends PrintedSection {
  /** Of the exported table. */
  readonly rows: string
}

const keepController = memo<Printed>()

function printController(types: Types, { id, actions }: Controller): Printed {
  const section = new ModuleSection({ types, bodies }, `$${id.replace(/\W/g, '_')}`)
  const rows = actions.map((action) => `${propertyName(action.id)}:${printRoute(section, action)},\n`)
  return { ...section.printed(), rows: rows.join('') }
}

/** A call; what stands at its end and is as usual is left out. */
function printRoute(section: ModuleSection, { params, filters, handlers }: Action): string {
  const parts = [
    printParams(section, params),
    `[${filters.map((one) => printParams(section, one.params)).join()}]`,
    `[${handlers.map((one) => printParams(section, one.params)).join()}]`,
  ]
  const length = parts.findLastIndex((part) => part !== '[]') + 1
  return `${section.use('route')}(${parts.slice(0, Math.max(length, 1)).join()})`
}

function printParams(section: ModuleSection, params: readonly Param[]): string {
  const items = params.map(({ wireName, from, required, absent, schema }) => {
    const codec = decoderText(section, schema, from === 'body')
    const kind = required ? 1 : absent === 'null' ? 2 : 0
    return `${section.use('param')}(${quote(wireName)},${quote(from)},${kind},${codec})`
  })
  return `[${items.join()}]`
}
