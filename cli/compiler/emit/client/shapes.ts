/** What the client makes of the JSON of an answer, as data (`Shape` of `templates/client/operation.ts`). */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import { childrenOf, withoutNull } from '../../ir/schema-walk.ts'
import { reachable } from '../../schema/references.ts'
import { literalText, propertyName, quote } from '../javascript.ts'

type Named = readonly NamedSchema[]
type Of<Kind extends Schema['kind']> = Extract<Schema, { readonly kind: Kind }>

/** The shape of `schema`; `'json'` where every value is its JSON. */
export const shapeText = (schema: Schema, named: Named): string =>
  isConverted(schema, named) ? fullShape(schema) : `'json'`

/** Whether a value of `schema` is, or holds, another than its JSON. */
export const isConverted = (schema: Schema, named: Named): boolean =>
  holdsClass(schema) || reachable([schema], named).some((one) => holdsClass(one.schema))

/** What is no JSON comes as a stream, and converts nothing. */
const converting: ReadonlySet<Schema['kind']> = new Set(['date', 'bigint', 'bytes', 'converted'])

const holdsClass = (schema: Schema): boolean =>
  converting.has(schema.kind) ||
  (schema.kind === 'array' && schema.unique) ||
  childrenOf(schema).some(holdsClass)

/** With what converts nothing: a union may have to be told from it. */
export function fullShape(schema: Schema): string {
  switch (schema.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'never':
    case 'date':
    case 'bigint':
    case 'bytes':
      return quote(schema.kind)
    case 'integer':
      return `'number'`
    case 'template':
      return `'string'`
    case 'literal':
      return `{ values: [${literalText(schema.value)}] }`
    case 'enum':
      return `{ values: [${schema.values.map(literalText).join(', ')}] }`
    case 'array':
      return `{ ${schema.unique ? 'set' : 'list'}: ${fullShape(schema.items)} }`
    case 'tuple':
      return tupleShape(schema)
    case 'object':
      return objectShape(schema)
    case 'union':
      return unionShape(schema)
    case 'ref':
      return `{ named: ${quote(schema.name)} }`
    case 'record':
      return `{ record: ${fullShape(schema.values)} }`
    case 'converted':
      return convertedShape(schema)
    case 'branded':
    case 'constrained':
      return fullShape(schema.inner)
    case 'unknown':
    case 'verbatim':
    case 'file':
    case 'binary':
    case 'events':
      return `'json'`
  }
}

function tupleShape({ items, required, rest }: Of<'tuple'>): string {
  const more = rest === null ? '' : `, rest: ${fullShape(rest)}`
  return `{ tuple: [${items.map(fullShape).join(', ')}], required: ${required}${more} }`
}

/** Where names of some patterns have types of their own, nothing is made of what is not named. */
function objectShape({ properties, rest, named }: Of<'object'>): string {
  const shapes = properties.map(({ name, schema }) => `${propertyName(name)}: ${fullShape(schema)}`)
  const required = properties.filter((one) => one.required).map(({ name }) => quote(name))
  const more = rest === null || named.length > 0 ? '' : `, rest: ${fullShape(rest.values)}`
  return `{ object: { ${shapes.join(', ')} }, required: [${required.join(', ')}]${more} }`
}

const unionShape = ({ members }: Of<'union'>): string => `{ union: [${members.map(fullShape).join(', ')}] }`

function convertedShape({ to, inner }: Of<'converted'>): string {
  switch (to) {
    case 'Map':
      return `{ map: ${inner.kind === 'record' ? fullShape(inner.values) : `'json'`} }`
    case 'URL':
      return `'url'`
    case 'Buffer':
      return `'bytes'`
    case 'undefined':
      return `{ absent: ${fullShape(withoutNull(inner))} }`
  }
}
