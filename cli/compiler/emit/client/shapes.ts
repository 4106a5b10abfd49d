/** What the client makes of the JSON of an answer, as data (`JsonShape` of `templates/client/operation.ts`). */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import { childrenOf, withoutNull } from '../../ir/schema-walk.ts'
import { reachable } from '../../schema/references.ts'

type Named = readonly NamedSchema[]
type Of<Kind extends Schema['kind']> = Extract<Schema, { readonly kind: Kind }>

/** What is printed as JSON: nobody has to judge its types. */
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
export function fullShape(schema: Schema): PrintedData {
  switch (schema.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'never':
    case 'date':
    case 'bigint':
    case 'bytes':
      return schema.kind
    case 'integer':
      return 'number'
    case 'template':
      return 'string'
    case 'literal':
      return { values: [schema.value] }
    case 'enum':
      return { values: schema.values }
    case 'array':
      return { [schema.unique ? 'set' : 'list']: fullShape(schema.items) }
    case 'tuple':
      return tupleShape(schema)
    case 'object':
      return objectShape(schema)
    case 'union':
      return { union: schema.members.map(fullShape) }
    case 'ref':
      return { named: schema.name }
    case 'record':
      return { record: fullShape(schema.values) }
    case 'converted':
      return convertedShape(schema)
    case 'constrained':
      return fullShape(schema.inner)
    case 'unknown':
    case 'file':
    case 'binary':
    case 'events':
      return 'json'
  }
}

const tupleShape = ({ items, required, rest }: Of<'tuple'>): PrintedData => ({
  tuple: items.map(fullShape),
  required,
  ...(rest === null ? {} : { rest: fullShape(rest) }),
})

/** Names of some patterns have types of their own: the first pattern that a name matches speaks for it. */
const objectShape = ({ properties, rest, named }: Of<'object'>): PrintedData => ({
  object: Object.fromEntries(properties.map(({ name, schema }) => [name, fullShape(schema)])),
  required: properties.filter((property) => property.required).map(({ name }) => name),
  ...(named.length === 0
    ? {}
    : { patterns: named.map(({ pattern, values }) => [pattern, fullShape(values)]) }),
  ...(rest === null ? {} : { rest: fullShape(rest.values) }),
})

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
