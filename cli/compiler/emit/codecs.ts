/** Prints `.acmcp/codecs.mjs`: what reads the arguments of every route and writes its results, as plain functions over
 *  `acmcp/codec`. Functions of named types are printed once, each piece by itself (see `fragment.ts`). */
import type { Action, Controller, Model, NamedSchema, Param, Result, Schema } from '../model.ts'
import { bodyOf } from './decoders.ts'
import { encodeBody } from './encoders.ts'
import {
  type Asked,
  type Bodies,
  Fragment,
  namedFunction,
  type Piece,
  printImports,
  type Types,
  typeNamed,
  typesOf,
  type Verb,
} from './fragment.ts'
import { keeper, sameText } from './kept.ts'
import { plainLists, readFunction, schemaConstant, verbatimText } from './reading.ts'
import { decoderText, formBody, textBody } from './text-decoders.ts'
import { propertyName, quote } from './type-text.ts'
import { writerOf } from './writing.ts'

const bodies: Bodies = { decode: bodyOf, text: textBody, form: formBody, encode: encodeBody }

/** A module that exports `codecs`, by route id. */
export function emitCodecs(model: Model): string {
  const types = typesOf(model.schemas, plainLists)
  const run = { types, context: same(types.counted.join(' ')) }
  const controllers = model.controllers.map((one) =>
    keepController(one, model.schemas, { context: run.context, make: () => printController(types, one) }),
  )
  const named = printNamed(
    run,
    controllers.flatMap(({ asked }) => asked),
  )
  const files = new Fragment({ types, bodies }, '')
  for (const { name, schema } of model.schemas.filter((one) => isFile(one, model.schemas))) {
    if (schema.kind === 'verbatim')
      files.add(`const ${schemaConstant(name)}=${verbatimText(files, schema.json)}\n`)
  }
  const pieces = [files.piece(), ...named, ...controllers]
  return [
    printImports(pieces),
    ...pieces.map(({ text }) => text),
    `export const codecs = {\n${controllers.map(({ rows }) => rows).join('')}}\n`,
  ].join('')
}

const keepIsFile = keeper<boolean>('codecs.isFile')

/** Whether a type is a JSON Schema of the application's own. */
const isFile = (one: NamedSchema, named: readonly NamedSchema[]): boolean =>
  keepIsFile(one, named, { context: '', make: () => one.schema.kind === 'verbatim' })

interface Run {
  readonly types: Types
  /** The types whose depth is counted, for that depends on types which lead to them. */
  readonly context: string
}

interface Printed extends Piece {
  /** Of the exported table. */
  readonly rows: string
}

const same = sameText()
const keepController = keeper<Printed>('codecs.controller')

function printController(types: Types, { id, actions }: Controller): Printed {
  const fragment = new Fragment({ types, bodies }, `$${id.replace(/\W/g, '_')}`)
  const rows = actions.map((action) => `${propertyName(action.id)}:${printRoute(fragment, action)},\n`)
  return { ...fragment.piece(), rows: rows.join('') }
}

/** A call; what stands at its end and is as usual is left out. */
function printRoute(fragment: Fragment, action: Action): string {
  const { params, filters, handlers } = action
  const parts = [
    printParams(fragment, params),
    writerText(fragment, action),
    `[${filters.map((one) => printParams(fragment, one.params)).join()}]`,
    `[${handlers.map((one) => printParams(fragment, one.params)).join()}]`,
  ]
  const length = parts.findLastIndex((part) => part !== '[]' && part !== 'null') + 1
  return `${fragment.use('route')}(${parts.slice(0, Math.max(length, 1)).join()})`
}

function printParams(fragment: Fragment, params: readonly Param[]): string {
  const items = params
    .filter(({ from }) => from !== 'absent')
    .map(({ wireName, from, required, schema }) => {
      const codec = decoderText(fragment, schema, from === 'body')
      return `${fragment.use('param')}(${quote(wireName)},${quote(from)},${required ? 1 : 0},${codec})`
    })
  return `[${items.join()}]`
}

/** What writes the results as JSON, when they have parts; a single text or number needs no function. */
function writerText(fragment: Fragment, { results }: Action): string {
  const schemas = results.filter(isJson).flatMap(({ schema }) => schema ?? [])
  const [only] = schemas
  if (only === undefined) return 'null'
  const schema: Schema =
    schemas.length === 1 ? only : { kind: 'union', members: schemas, discriminator: null }
  return writerOf(fragment, schema) ?? 'null'
}

const isJson = ({ contentType }: Result): boolean => contentType === null || contentType.includes('json')

/** In the order in which they are printed: none asks for one before it. */
const verbs: readonly Verb[] = ['form', 'text', 'decode', 'encode']

/** The functions of named types that were asked for, and those that they ask for, sorted by type. */
function printNamed(run: Run, first: readonly Asked[]): readonly Piece[] {
  const asked = {
    form: new Set<string>(),
    text: new Set<string>(),
    decode: new Set<string>(),
    encode: new Set<string>(),
  }
  const printings = new Map<string, Printing>()
  for (const { verb, name } of first) asked[verb].add(name)
  for (const verb of verbs) {
    // those that are added on the way have their turn too
    for (const one of asked[verb]) {
      const printing = printings.get(one) ?? new Printing(run, one)
      printings.set(one, printing)
      for (const more of printing.print(verb)) asked[more.verb].add(more.name)
    }
  }
  return [...printings.keys()].sort().flatMap((name) => printings.get(name)?.piece() ?? [])
}

/** A verb, and what was asked for when it and those before it were printed. */
interface Step {
  readonly verb: Verb
  readonly asked: readonly Asked[]
}

/** What the last build printed of a named type; no fragment, for that holds the whole list of types. */
interface Last {
  readonly steps: readonly Step[]
  readonly piece: Piece
}

const nothing: Piece = { text: '', uses: [], asked: [] }
const keepLast = keeper<Last>('codecs.type')

/** The functions of one named type, one verb after the other: what they come to depends on which verbs these are, and on
 *  nothing else. As long as the verbs are those of the last build nothing is printed. */
class Printing {
  readonly #run: Run
  readonly #type: NamedSchema
  readonly #last: Last
  #fragment: Fragment | null = null
  readonly #steps: Step[] = []

  constructor(run: Run, name: string) {
    this.#run = run
    this.#type = typeNamed(run.types, name)
    const make = (): Last => ({ steps: [], piece: nothing })
    this.#last = keepLast(this.#type, run.types.named, { context: run.context, make })
  }

  /** What is asked for, by earlier verbs too. */
  print(verb: Verb): readonly Asked[] {
    const known = this.#last.steps[this.#steps.length]
    const isKnown = this.#fragment === null && known?.verb === verb
    const asked = isKnown ? known.asked : this.#printed(verb)
    this.#steps.push({ verb, asked })
    return asked
  }

  #printed(verb: Verb): readonly Asked[] {
    const fragment = this.#fragment ?? this.#begun()
    this.#fragment = fragment
    printFunction(fragment, { verb, name: this.#type.name })
    fragment.flatten()
    return fragment.asked
  }

  /** A fragment that has the steps which were known. */
  #begun(): Fragment {
    const { name } = this.#type
    const owner = name.startsWith('[') ? `$$${name.slice(1, -1)}` : `_${name}`
    const fragment = new Fragment({ types: this.#run.types, bodies }, owner)
    for (const { verb } of this.#steps) printFunction(fragment, { verb, name })
    return fragment
  }

  piece(): Piece {
    const isKnown = this.#fragment === null && this.#last.steps.length === this.#steps.length
    if (isKnown) return this.#last.piece
    const fragment = this.#fragment ?? this.#begun()
    const value = { steps: this.#steps, piece: fragment.piece() }
    keepLast.replace(this.#type, this.#run.types.named, { context: this.#run.context, value })
    return value.piece
  }
}

/** The function of a named type; where the type may hold itself the depth is counted around it. */
function printFunction(fragment: Fragment, { verb, name }: Asked): void {
  const own = namedFunction({ verb, name })
  const { schema } = fragment.named(name)
  if (verb === 'encode' || !fragment.types.isCounted(name)) {
    fragment.function(own, bodies[verb](fragment, schema))
    return
  }
  const inner = verb === 'decode' ? readFunction(fragment, schema) : `v=>{${bodies[verb](fragment, schema)}}`
  fragment.function(own, `return ${fragment.use('oneDeeper')}(${inner},v)`)
}
