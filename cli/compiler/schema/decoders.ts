/** Prints the decoder of a schema: an expression of `acmcp/codec`, which the module imports as `c`. */

import type { NamedSchema, Schema } from '../ir/schema.ts'
import { bare } from '../ir/schema-walk.ts'
import { literalText, propertyName, quote } from './javascript.ts'
import { schemaNamed } from './references.ts'

/** The constant of a named type; of a form of one (`Order.answered`) too. */
export const constantName = (name: string): string => `d_${name.replaceAll('.', '$')}`

export function decoderText(schema: Schema, named: readonly NamedSchema[]): string {
  const inner = (item: Schema): string => decoderText(item, named)
  switch (schema.kind) {
    case 'string':
      return stringText(schema.format)
    case 'integer':
      return `c.${schema.format ?? 'integer'}`
    case 'bigint':
      if (schema.values !== null) return `c.bigints(${JSON.stringify(schema.values)})`
      return schema.int64 ? 'c.int64' : 'c.bigint'
    case 'number':
    case 'boolean':
    case 'date':
    case 'bytes':
    case 'file':
    case 'unknown':
    case 'never':
      return `c.${schema.kind}`
    case 'null':
      return 'c.nullValue'
    case 'binary':
    case 'events':
      return 'c.unknown'
    case 'template':
      return `c.refine(c.string,{pattern:${quote(schema.pattern)}})`
    case 'literal':
      return `c.literal([${literalText(schema.value)}])`
    case 'enum':
      return `c.literal([${schema.values.map(literalText).join()}])`
    case 'array':
      return arrayText(schema, inner)
    case 'tuple':
      return tupleText(schema, inner)
    case 'object':
      return objectText(schema, inner)
    case 'record':
      return `c.record(${inner(schema.values)})`
    case 'union':
      return unionText(schema, named)
    case 'constrained':
      return constrainedText(schema, inner)
    case 'converted':
      return `c.transform(${schema.to === 'URL' && schema.inner.kind === 'string' ? 'c.url' : inner(schema.inner)},x=>${conversions[schema.to]})`
    case 'ref':
      return `c.ref(()=>${constantName(schema.name)})`
  }
}

type Of<Kind extends Schema['kind']> = Extract<Schema, { readonly kind: Kind }>
type Inner = (schema: Schema) => string

function stringText(format: string | null): string {
  if (format === null) return 'c.string'
  return format === 'uuid' ? 'c.uuid' : `c.format(${quote(format)})`
}

function arrayText({ items, unique }: Of<'array'>, inner: Inner): string {
  const list = `c.array(${inner(items)})`
  return unique ? toSet(list) : list
}

const toSet = (list: string): string => `c.transform(${list},x=>new Set(x))`

function tupleText({ items, required, rest }: Of<'tuple'>, inner: Inner): string {
  const more = rest === null ? '' : `,${inner(rest)}`
  return `c.tuple([${items.map(inner).join()}],${required}${more})`
}

function objectText({ properties, rest, named, withheld }: Of<'object'>, inner: Inner): string {
  const known = properties.map(({ name, schema, required, isSecret, isUntrusted }) => {
    const decoder = required ? inner(schema) : `c.optional(${inner(schema)})`
    const marks = [...(isSecret ? ['c.secret'] : []), ...(isUntrusted ? ['c.untrusted'] : [])]
    return `${propertyName(name)}:${marks.reduce((text, mark) => `${mark}(${text})`, decoder)}`
  })
  const shape = [...known, ...withheld.map((name) => `${propertyName(name)}:c.withheld`)]
  if (rest === null && named.length === 0) return `c.object({${shape.join()}})`
  const others = rest === null ? 'null' : inner(rest.values)
  const patterns = named.map(({ pattern, values }) => `[c.textPattern(${quote(pattern)}),${inner(values)}]`)
  return `c.object({${shape.join()}},${others},[${patterns.join()}])`
}

/** Of one member beside null that member, or null. */
function unionText(union: Of<'union'>, named: readonly NamedSchema[]): string {
  const members = union.members.filter(({ kind }) => kind !== 'null')
  const texts = members.map((member) => decoderText(member, named))
  const tags = tagsOf(union, named)
  const tagged = (): string => texts.map((text, index) => `[${tags?.[index]},${text}]`).join()
  const all =
    tags === null
      ? `c.union([${texts.join()}])`
      : `c.discriminated(${quote(union.discriminator ?? '')},[${tagged()}])`
  const text = texts.length === 1 ? texts.join() : all
  return members.length < union.members.length ? `c.nullable(${text})` : text
}

/** The values of the property that tells the members apart, of each as code; null = there is none. */
function tagsOf(
  { discriminator, members }: Of<'union'>,
  named: readonly NamedSchema[],
): readonly string[] | null {
  if (discriminator === null || discriminator in Object.prototype) return null
  const tags = members.flatMap((member) => {
    const object = resolved(member, named)
    const properties = object.kind === 'object' ? object.properties : []
    const property = properties.find(({ name, required }) => name === discriminator && required)
    const value = property === undefined ? null : resolved(property.schema, named)
    if (value?.kind === 'enum') return [value.values.map(literalText)]
    return value?.kind === 'literal' ? [[literalText(value.value)]] : []
  })
  const all = tags.flat()
  const isUnique = tags.length === members.length && new Set(all).size === all.length
  return isUnique ? tags.map((values) => (values.length === 1 ? values.join() : `[${values.join()}]`)) : null
}

/** The schema without names and constraints around it. */
function resolved(schema: Schema, named: readonly NamedSchema[]): Schema {
  const inner = bare(schema)
  const target = inner.kind === 'ref' ? schemaNamed(inner.name, named) : null
  return target === null ? inner : resolved(target.schema, named)
}

/** Annotations (`title`, `default`, `examples`) ask nothing of a value. */
const enforced = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern'
    .concat(' minItems maxItems uniqueItems propertyNames')
    .split(' '),
)

function constrainedText(schema: Of<'constrained'>, inner: Inner): string {
  const constraints = Object.entries(schema.keywords).filter(([name]) => enforced.has(name))
  if (constraints.length === 0) return inner(schema.inner)
  const refined = (text: string): string =>
    `c.refine(${text},${JSON.stringify(Object.fromEntries(constraints))})`
  const { inner: items } = schema
  if (items.kind !== 'array' || !items.unique) return refined(inner(items))
  return toSet(refined(inner({ ...items, unique: false }))) // the rules are of the list that is sent
}

/** From the JSON form, `x`, to the class. */
const conversions = {
  Map: 'new Map(Object.entries(x))',
  URL: 'new URL(x)',
  Buffer: 'Buffer.from(x)',
  undefined: 'x??undefined',
}
