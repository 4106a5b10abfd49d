/** Prints `.acmcp/codecs.mjs`: what reads the arguments of every route, as plain functions over `acmcp/codec`.
 *  Functions of named types are printed once, each piece by itself (see `module-section.ts`). A function's name begins with
 *  what it does: `d` decodes JSON, `t` texts, `f` forms. */

import { keeper } from '../../cache/memoize.ts'
import type { Action, Controller, Model, Param } from '../../ir/model.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { refsOf } from '../../ir/schema-walk.ts'
import { propertyName, quote } from '../javascript.ts'
import { Fragment, type Piece, printImports, type Types, typesOf } from './module-section.ts'
import { bodies, printNamed } from './named-codecs.ts'
import { plainLists, schemaConstant, verbatimText } from './reading.ts'
import { decoderText } from './text-decoders.ts'

/** A module that exports `codecs`, by route id. What is kept of controllers and schemas is not looked into. */
export function emitCodecs({ controllers, schemas }: Model): string {
  const facts = schemas.map((one) => keepFacts(one, schemas, { context: '', make: () => factsOf(one) }))
  const types = typesOf({ named: schemas, own: plainLists, refs: facts.map(({ refs }) => refs) })
  const printed = controllers.map((one) =>
    keepController(one, schemas, { context: types.context, make: () => printController(types, one) }),
  )
  const pieces = [
    printFiles(
      types,
      schemas.filter((_, place) => facts[place]?.isFile === true),
    ),
    ...printNamed(types, printed),
    ...printed,
  ]
  const rows = printed.map((one) => one.rows)
  return [
    printImports(pieces),
    ...pieces.map(({ text }) => text),
    `export const codecs = {\n${rows.join('')}}\n`,
  ].join('')
}

/** What every run asks of a named type, whether or not any of it is printed. */
interface Facts {
  /** The names that stand in it. */
  readonly refs: readonly string[]
  /** Whether it is a JSON Schema of the application. */
  readonly isFile: boolean
}

const keepFacts = keeper<Facts>('codecs.facts')

const factsOf = ({ schema }: NamedSchema): Facts => ({
  refs: refsOf(schema),
  isFile: schema.kind === 'verbatim',
})

function printFiles(types: Types, all: readonly NamedSchema[]): Piece {
  const fragment = new Fragment({ types, bodies }, '')
  for (const { name, schema } of all) {
    if (schema.kind !== 'verbatim') continue
    fragment.add(`const ${schemaConstant(name)}=${verbatimText(fragment, schema.json)}\n`)
  }
  return fragment.piece()
}

interface Printed extends Piece {
  /** Of the exported table. */
  readonly rows: string
}

const keepController = keeper<Printed>('codecs.controller')

function printController(types: Types, { id, actions }: Controller): Printed {
  const fragment = new Fragment({ types, bodies }, `$${id.replace(/\W/g, '_')}`)
  const rows = actions.map((action) => `${propertyName(action.id)}:${printRoute(fragment, action)},\n`)
  return { ...fragment.piece(), rows: rows.join('') }
}

/** A call; what stands at its end and is as usual is left out. */
function printRoute(fragment: Fragment, { params, filters, handlers }: Action): string {
  const parts = [
    printParams(fragment, params),
    `[${filters.map((one) => printParams(fragment, one.params)).join()}]`,
    `[${handlers.map((one) => printParams(fragment, one.params)).join()}]`,
  ]
  const length = parts.findLastIndex((part) => part !== '[]') + 1
  return `${fragment.use('route')}(${parts.slice(0, Math.max(length, 1)).join()})`
}

function printParams(fragment: Fragment, params: readonly Param[]): string {
  const items = params.map(({ wireName, from, required, absent, schema }) => {
    const codec = decoderText(fragment, schema, from === 'body')
    const kind = required ? 1 : absent === 'null' ? 2 : 0
    return `${fragment.use('param')}(${quote(wireName)},${quote(from)},${kind},${codec})`
  })
  return `[${items.join()}]`
}
