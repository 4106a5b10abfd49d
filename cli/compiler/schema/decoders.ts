/** Prints the decoder of a schema: an expression of `acmcp/codec`, which the module imports as `c`. */

import type { NamedSchema, Schema } from '../ir/schema.ts'
import { type Of, type Visitor, visit } from '../ir/schema-walk.ts'
import { literalText, propertyName, quote } from './javascript.ts'
import { bareSchema } from './references.ts'

/** The constant of a named type; of a form of one (`Order.answered`) too. */
export const constantName = (name: string): string => `d_${name.replaceAll('.', '$')}`

export const decoderText = (schema: Schema, named: Named): string => visit(schema, decoders, named)

type Named = readonly NamedSchema[]

const decoders: Visitor<string, Named> = {
  string: ({ format }) => stringText(format),
  integer: ({ format }) => `c.${format ?? 'integer'}`,
  bigint: ({ values, int64 }) =>
    values === null ? `c.${int64 ? 'int64' : 'bigint'}` : `c.bigints(${JSON.stringify(values)})`,
  number: () => 'c.number',
  boolean: () => 'c.boolean',
  date: () => 'c.date',
  bytes: () => 'c.bytes',
  file: () => 'c.file',
  unknown: () => 'c.unknown',
  never: () => 'c.never',
  null: () => 'c.nullValue',
  binary: () => 'c.unknown',
  events: () => 'c.unknown',
  template: ({ pattern }) => `c.refine(c.string,{pattern:${quote(pattern)}})`,
  literal: ({ value }) => `c.literal([${literalText(value)}])`,
  enum: ({ values }) => `c.literal([${values.map(literalText).join()}])`,
  array: arrayText,
  tuple: tupleText,
  object: objectText,
  record: ({ values }, named) => `c.record(${decoderText(values, named)})`,
  union: unionText,
  constrained: constrainedText,
  converted: ({ to, inner }, named) =>
    `c.transform(${to === 'URL' && inner.kind === 'string' ? 'c.url' : decoderText(inner, named)},x=>${conversions[to]})`,
  ref: ({ name }) => `c.ref(()=>${constantName(name)})`,
}

function stringText(format: string | null): string {
  if (format === null) return 'c.string'
  return format === 'uuid' ? 'c.uuid' : `c.format(${quote(format)})`
}

function arrayText({ items, unique }: Of<'array'>, named: Named): string {
  const list = `c.array(${decoderText(items, named)})`
  return unique ? toSet(list) : list
}

const toSet = (list: string): string => `c.transform(${list},x=>new Set(x))`

function tupleText({ items, required, rest }: Of<'tuple'>, named: Named): string {
  const inner = (item: Schema): string => decoderText(item, named)
  const more = rest === null ? '' : `,${inner(rest)}`
  return `c.tuple([${items.map(inner).join()}],${required}${more})`
}

function objectText({ properties, rest, named, withheld }: Of<'object'>, types: Named): string {
  const inner = (item: Schema): string => decoderText(item, types)
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
function unionText(union: Of<'union'>, named: Named): string {
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
function tagsOf({ discriminator, members }: Of<'union'>, named: Named): readonly string[] | null {
  if (discriminator === null || discriminator in Object.prototype) return null
  const tags = members.flatMap((member) => {
    const object = bareSchema(member, named)
    const properties = object.kind === 'object' ? object.properties : []
    const property = properties.find(({ name, required }) => name === discriminator && required)
    const value = property === undefined ? null : bareSchema(property.schema, named)
    if (value?.kind === 'enum') return [value.values.map(literalText)]
    return value?.kind === 'literal' ? [[literalText(value.value)]] : []
  })
  const all = tags.flat()
  const isUnique = tags.length === members.length && new Set(all).size === all.length
  return isUnique ? tags.map((values) => (values.length === 1 ? values.join() : `[${values.join()}]`)) : null
}

/** Annotations (`title`, `default`, `examples`) ask nothing of a value. */
const enforced = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern'
    .concat(' minItems maxItems uniqueItems propertyNames')
    .split(' '),
)

function constrainedText(schema: Of<'constrained'>, named: Named): string {
  const inner = (item: Schema): string => decoderText(item, named)
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
