/** What the client makes of the JSON of an answer, as data (`JsonShape` of `templates/client/operation.ts`). */
import type { NamedSchema, Schema } from '../../compiler/ir/schema.ts'
import { childrenOf, type Of, type Visitor, visit, withoutNull } from '../../compiler/ir/schema-walk.ts'
import { reachable } from '../../compiler/schema/references.ts'

type Named = readonly NamedSchema[]

/** What is printed as JSON: its types need no check. */
export type PrintedData =
  | string
  | number
  | boolean
  | readonly PrintedData[]
  | { readonly [name: string]: PrintedData }

/** The shape of `schema`; `json` where every value is its JSON. */
export const shapeOf = (schema: Schema, named: Named): PrintedData =>
  isConverted(schema, named) ? fullShape(schema) : 'json'

/** Whether a value of `schema` is, or holds, another than its JSON. */
export const isConverted = (schema: Schema, named: Named): boolean =>
  holdsClass(schema) || reachable([schema], named).some((namedSchema) => holdsClass(namedSchema.schema))

/** What is no JSON comes as a stream, and converts nothing. */
const converting: ReadonlySet<Schema['kind']> = new Set(['date', 'bigint', 'bytes', 'converted'])

const holdsClass = (schema: Schema): boolean =>
  converting.has(schema.kind) ||
  (schema.kind === 'array' && schema.unique) ||
  childrenOf(schema).some(holdsClass)

/** With what converts nothing: a union may have to be told from it. */
export const fullShape = (schema: Schema): PrintedData => visit(schema, shapes, null)

const shapes: Visitor<PrintedData> = {
  string: () => 'string',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  never: () => 'never',
  date: () => 'date',
  bigint: () => 'bigint',
  bytes: () => 'bytes',
  integer: () => 'number',
  template: () => 'string',
  literal: ({ value }) => ({ values: [value] }),
  enum: ({ values }) => ({ values }),
  array: ({ items, unique }) => ({ [unique ? 'set' : 'list']: fullShape(items) }),
  tuple: tupleShape,
  object: objectShape,
  union: ({ members }) => ({ union: members.map(fullShape) }),
  ref: ({ name }) => ({ named: name }),
  record: ({ values }) => ({ record: fullShape(values) }),
  converted: convertedShape,
  constrained: ({ inner }) => fullShape(inner),
  unknown: () => 'json',
  file: () => 'json',
  binary: () => 'json',
  events: () => 'json',
}

function tupleShape({ items, required, rest }: Of<'tuple'>): PrintedData {
  return { tuple: items.map(fullShape), required, ...(rest === null ? {} : { rest: fullShape(rest) }) }
}

/** Names of some patterns have types of their own: the first pattern that a name matches speaks for it. */
function objectShape({ properties, rest, named }: Of<'object'>): PrintedData {
  const patterns = named.map(({ pattern, values }) => [pattern, fullShape(values)])
  return {
    object: Object.fromEntries(properties.map(({ name, schema }) => [name, fullShape(schema)])),
    required: properties.filter((property) => property.required).map(({ name }) => name),
    ...(named.length === 0 ? {} : { patterns }),
    ...(rest === null ? {} : { rest: fullShape(rest.values) }),
  }
}

function convertedShape({ to, inner }: Of<'converted'>): PrintedData {
  switch (to) {
    case 'Map':
      return { map: inner.kind === 'record' ? fullShape(inner.values) : 'json' }
    case 'URL':
      return 'url'
    case 'Buffer':
      return 'bytes'
    case 'undefined':
      return { absent: fullShape(withoutNull(inner)) }
  }
}
