/** Prints `.acmcp/codecs.mjs`: what reads the arguments of every route and writes its results, as plain functions over
 *  `acmcp/codec`. Functions of named types are printed once, each piece by itself (see `fragment.ts`). */
import type { Action, Controller, Model, Param, Result, Schema } from '../model.ts'
import { bodyOf } from './decoders.ts'
import { encodeBody } from './encoders.ts'
import {
  type Asked,
  type Bodies,
  Fragment,
  namedFunction,
  printImports,
  type Types,
  typesOf,
} from './fragment.ts'
import { plainLists, readFunction, schemaConstant, verbatimText } from './reading.ts'
import { decoderText, formBody, textBody } from './text-decoders.ts'
import { propertyName, quote } from './type-text.ts'
import { writingOf } from './writing.ts'

const bodies: Bodies = { decode: bodyOf, text: textBody, form: formBody, encode: encodeBody }

/** A module that exports `codecs`, by route id. */
export function emitCodecs(model: Model): string {
  const types = typesOf([...model.schemas, ...plainLists])
  const controllers = model.controllers.map((controller) => printController(types, controller))
  const named = printNamed(types, controllers)
  const files = model.schemas.flatMap(({ name, schema }) =>
    schema.kind === 'verbatim' ? [`const ${schemaConstant(name)} = ${verbatimText(schema.json)}\n`] : [],
  )
  const fragments = [...named, ...controllers.map(({ fragment }) => fragment)]
  const texts = fragments.map(({ text }) => text)
  const usesSchema = [...files, ...texts].some((text) => / = schema\(/.test(text))
  return [
    printImports(new Set(fragments.flatMap(({ uses }) => [...uses]))),
    usesSchema ? `import { schema } from 'acmcp/codec/schema'\n` : '',
    ...files,
    ...texts,
    `export const codecs = {\n${controllers.map(({ rows }) => rows).join('')}}\n`,
  ].join('')
}

interface Printed {
  readonly fragment: Fragment
  /** Of the exported table. */
  readonly rows: string
}

function printController(types: Types, { id, actions }: Controller): Printed {
  const fragment = new Fragment({ types, bodies }, `$${id.replace(/\W/g, '_')}`)
  const rows = actions.map((action) => `  ${propertyName(action.id)}: ${printRoute(fragment, action)},\n`)
  return { fragment, rows: rows.join('') }
}

function printRoute(fragment: Fragment, action: Action): string {
  const { params, filters, handlers } = action
  const all = (lists: readonly { readonly params: readonly Param[] }[]): string =>
    `[${lists.map((one) => printParams(fragment, one.params)).join(', ')}]`
  const parts = [
    `params: ${printParams(fragment, params)}`,
    `filters: ${all(filters)}`,
    `handlers: ${all(handlers)}`,
    ...encodeText(fragment, action),
  ]
  return `{ ${parts.join(', ')} }`
}

function printParams(fragment: Fragment, params: readonly Param[]): string {
  const items = params
    .filter(({ from }) => from !== 'absent')
    .map(({ wireName, from, required, schema }) => {
      const codec = decoderText(fragment, schema, from === 'body')
      return `{ name: ${quote(wireName)}, from: ${quote(from)}, required: ${required}, codec: ${codec} }`
    })
  return `[${items.join(', ')}]`
}

/** What writes the results as JSON, when they have parts; a single text or number needs no function. */
function encodeText(fragment: Fragment, { results }: Action): readonly string[] {
  const schemas = results.filter(isJson).flatMap(({ schema }) => schema ?? [])
  const [only] = schemas
  if (only === undefined) return []
  const schema: Schema =
    schemas.length === 1 ? only : { kind: 'union', members: schemas, discriminator: null }
  const writing = writingOf(fragment, schema)
  return writing?.kind === 'called' ? [`encode: ${fragment.use('encoder')}(${writing.name})`] : []
}

const isJson = ({ contentType }: Result): boolean => contentType === null || contentType.includes('json')

/** The functions of named types that were asked for, and those that they ask for, sorted by type. */
function printNamed(types: Types, controllers: readonly Printed[]): readonly Fragment[] {
  const printed = new Map<string, Fragment>()
  const done = new Set<string>()
  const print = (asked: Asked): readonly Asked[] => {
    const { verb, name } = asked
    if (done.has(namedFunction(asked))) return []
    done.add(namedFunction(asked))
    const fragment = printed.get(name) ?? new Fragment({ types, bodies }, `_${name}`)
    printed.set(name, fragment)
    // so that numbers do not depend on who asked first
    const before = verb === 'text' || verb === 'form' ? print({ verb: 'decode', name }) : []
    printFunction(fragment, asked)
    return [...before, ...fragment.asked.filter((one) => !done.has(namedFunction(one)))]
  }
  const queue = controllers.flatMap(({ fragment }) => fragment.asked)
  for (let asked = queue.pop(); asked !== undefined; asked = queue.pop()) queue.push(...print(asked))
  return [...printed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, fragment]) => fragment)
}

/** The function of a named type; where the type may hold itself the depth is counted around it. */
function printFunction(fragment: Fragment, { verb, name }: Asked): void {
  const own = namedFunction({ verb, name })
  const { schema } = fragment.named(name)
  if (verb === 'encode' || !fragment.types.isCounted(name)) {
    fragment.function(own, bodies[verb](fragment, schema))
    return
  }
  const inner = verb === 'decode' ? readFunction(fragment, schema) : fragment.declare(verb, schema)
  fragment.function(own, `  return ${fragment.use('oneDeeper')}(${inner}, v)\n`)
}
