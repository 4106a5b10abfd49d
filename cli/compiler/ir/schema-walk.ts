/** Walks of schemas. */
import { memoize } from '../cache/memoize.ts'
import type { Marks, Rest, Schema } from './schema.ts'

/** A schema of one kind. */
export type Of<Kind extends Schema['kind']> = Extract<Schema, { readonly kind: Kind }>

/** What becomes of a schema of each kind: a new kind does not compile until every visitor says it. */
export type Visitor<Result, Context = null> = {
  readonly [Kind in Schema['kind']]: (schema: Of<Kind>, context: Context) => Result
}

/** What `visitor` makes of `schema`. */
export function visit<Result, Context>(
  schema: Schema,
  visitor: Visitor<Result, Context>,
  context: Context,
): Result {
  const ofKind = visitor[schema.kind] as (schema: Schema, context: Context) => Result // the one of its own kind
  return ofKind(schema, context)
}

/** What becomes of schemas of some kinds. */
export type PartialVisitor<Result, Context = null> = Partial<Visitor<Result, Context>>

/** What `visitor` makes of `schema`; null where it does not know its kind. */
export function visitSome<Result, Context>(
  schema: Schema,
  visitor: PartialVisitor<Result, Context>,
  context: Context,
): Result | null {
  const ofKind = visitor[schema.kind] as ((schema: Schema, context: Context) => Result) | undefined // the one of its own kind
  return ofKind?.(schema, context) ?? null
}

const nothing = (): readonly Schema[] => []

const children: Visitor<readonly Schema[]> = {
  array: ({ items }) => [items],
  events: ({ items }) => [items],
  tuple: ({ items, rest }) => (rest === null ? items : [...items, rest]),
  object: (schema) => [
    ...schema.properties.map((property) => property.schema),
    ...restsOf(schema).map(({ values }) => values),
  ],
  union: ({ members }) => members,
  record: ({ values }) => [values],
  constrained: ({ inner }) => [inner],
  converted: ({ inner }) => [inner],
  string: nothing,
  template: nothing,
  date: nothing,
  bytes: nothing,
  integer: nothing,
  bigint: nothing,
  number: nothing,
  boolean: nothing,
  null: nothing,
  literal: nothing,
  enum: nothing,
  unknown: nothing,
  never: nothing,
  ref: nothing,
  file: nothing,
  binary: nothing,
}

/** The schemas directly inside `schema`. */
export const childrenOf = (schema: Schema): readonly Schema[] => visit(schema, children, null)

type Change = (inner: Schema) => Schema

/** The schema with each one directly inside it changed. */
export const mapInside = (schema: Schema, change: Change): Schema =>
  visitSome(schema, changed, change) ?? schema

const changed: PartialVisitor<Schema, Change> = {
  array: (schema, change) => ({ ...schema, items: change(schema.items) }),
  events: (schema, change) => ({ ...schema, items: change(schema.items) }),
  tuple: (schema, change) => ({
    ...schema,
    items: schema.items.map((item) => change(item)),
    rest: schema.rest && change(schema.rest),
  }),
  object: (schema, change) => ({
    ...schema,
    properties: schema.properties.map((property) => ({ ...property, schema: change(property.schema) })),
    rest: schema.rest && { ...schema.rest, values: change(schema.rest.values) },
    named: schema.named.map((index) => ({ ...index, values: change(index.values) })),
  }),
  union: (schema, change) => ({ ...schema, members: schema.members.map((member) => change(member)) }),
  record: (schema, change) => ({ ...schema, values: change(schema.values) }),
  constrained: (schema, change) => ({ ...schema, inner: change(schema.inner) }),
  converted: (schema, change) => ({ ...schema, inner: change(schema.inner) }),
}

/** The index signatures of an object. */
const restsOf = ({ rest, named }: Of<'object'>): readonly Rest[] => (rest === null ? named : [rest, ...named])

/** What tags narrow. */
export type Constrained = Of<'constrained'>

/** What a schema names, where tags narrow it, and whether its properties are marked; not what named schemas do. */
export interface Parts extends Marks {
  /** Named schemas, each once. */
  readonly refs: readonly string[]
  readonly constrained: readonly Constrained[]
  /** An object has names that are in no answer. */
  readonly withholds: boolean
}

const noParts: Parts = {
  refs: [],
  constrained: [],
  isSecret: false,
  isUntrusted: false,
  isWriteOnly: false,
  withholds: false,
}

/** The parts of `schema`, in the order in which they are written. Each type is searched once: every pass asks again what it names. */
export const partsOf: (schema: Schema) => Parts = memoize((schema) => {
  const isLeaf = schema.kind !== 'ref' && schema.kind !== 'constrained' && schema.kind !== 'object'
  if (isLeaf && childrenOf(schema).length === 0) return noParts
  const all: Schema[] = []
  collect(schema, all)
  const objects = all.filter((part) => part.kind === 'object')
  const properties = objects.flatMap((object) => object.properties)
  return {
    refs: [...new Set(all.flatMap((part) => (part.kind === 'ref' ? [part.name] : [])))],
    constrained: all.filter((part) => part.kind === 'constrained'),
    isSecret: properties.some(({ isSecret }) => isSecret),
    isUntrusted: properties.some(({ isUntrusted }) => isUntrusted),
    isWriteOnly: properties.some(({ isWriteOnly }) => isWriteOnly),
    withholds: objects.some(({ withheld }) => withheld.length > 0),
  }
})

/** The schema and all inside it. */
function collect(schema: Schema, all: Schema[]): void {
  all.push(schema)
  for (const inner of childrenOf(schema)) collect(inner, all)
}

/** The names that stand in `schema`, each once. */
export const refsOf = (schema: Schema): readonly string[] => partsOf(schema).refs

/** Whether `schema` is an uploaded file or a list of files. */
export const isFile = (schema: Schema): boolean =>
  schema.kind === 'array' ? isFile(schema.items) : schema.kind === 'file'

type StreamedType = Extract<Schema, { kind: 'binary' }>['type'] | 'text/event-stream'

/** The content type of a response that is no JSON, but sent as it comes; null = it is negotiated. */
export function streamedType(schema: Schema): StreamedType | null {
  if (schema.kind === 'binary') return schema.type
  return schema.kind === 'events' ? 'text/event-stream' : null
}

/** Whether one of these answers is a stream of events; null = no value. */
export const hasEvents = (answers: readonly (Schema | null)[]): boolean =>
  answers.some((schema) => schema !== null && streamedType(schema) === 'text/event-stream')

/** The schema without its constraints. */
export function bare(schema: Schema): Schema {
  return schema.kind === 'constrained' ? bare(schema.inner) : schema
}

/** What is left of a union that has null. */
export function withoutNull(schema: Schema): Schema {
  if (schema.kind === 'constrained') return { ...schema, inner: withoutNull(schema.inner) }
  if (schema.kind !== 'union') return schema
  return { ...schema, members: schema.members.filter(({ kind }) => kind !== 'null') }
}
