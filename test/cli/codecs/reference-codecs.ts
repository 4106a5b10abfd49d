/** Decoders of every route as calls of `../http/combinators.ts`: what the printed ones are held against. */

import { propertyName, quote } from '../../../cli/compiler/emit/javascript.ts'
import type { Action, Model, Param } from '../../../cli/compiler/ir/model.ts'
import type { Property, Schema } from '../../../cli/compiler/ir/schema.ts'
import { reachable } from '../../../cli/compiler/schema/references.ts'

/** The text of a module that exports `codecs`, by route id; named schemas are constants above. */
export function referenceCodecs(model: Model): string {
  for (const { name, schema } of model.schemas) components.set(name, schema)
  const actions = model.controllers.flatMap((controller) => controller.actions)
  const used = actions.flatMap((action) =>
    [action, ...action.filters, ...action.handlers].flatMap(({ params }) =>
      params.map(({ schema }) => schema),
    ),
  )
  const named = reachable(used, model.schemas).map(
    ({ name, schema }) => `const ${constantName(name)} = ${codecText(schema)}\n`,
  )
  const rows = actions.map((action) => `  ${propertyName(action.id)}: ${printRoute(action)},\n`)
  const schemas = named.some((text) => text.includes('Codec = schema('))
    ? `import { schema } from 'acmcp/codec/schema'\n`
    : ''
  return `import * as c from 'acmcp/combinators'\n${schemas}${named.join('')}export const codecs = {\n${rows.join('')}}\n`
}

const constantName = (name: string): string => `${name}Codec`

function printRoute({ params, filters, handlers }: Action): string {
  const all = (lists: readonly { readonly params: readonly Param[] }[]): string =>
    `[${lists.map((one) => printParams(one.params)).join(', ')}]`
  return `{ params: ${printParams(params)}, filters: ${all(filters)}, handlers: ${all(handlers)} }`
}

function printParams(params: readonly Param[]): string {
  const items = params
    .filter(({ from }) => from !== 'absent')
    .map(
      ({ wireName, from, required, schema }) =>
        `{ name: ${quote(wireName)}, from: ${quote(from)}, required: ${required}, codec: ${codecText(schema)} }`,
    )
  return `[${items.join(', ')}]`
}

function codecText(schema: Schema): string {
  switch (schema.kind) {
    case 'string':
      return stringText(schema.format)
    case 'null':
      return 'c.nullValue'
    case 'number':
    case 'boolean':
    case 'date':
    case 'bytes':
    case 'unknown':
    case 'never':
      return `c.${schema.kind}`
    case 'verbatim':
      return `schema(${JSON.stringify(schema.json)})`
    case 'template':
      return `c.constrained(c.string, { pattern: ${quote(schema.pattern)} })`
    case 'converted':
      return `c.converted(${codecText(schema.inner)}, ${conversions[schema.to]})`
    case 'branded':
      return codecText(schema.inner)
    case 'constrained':
      return constrainedText(schema)
    case 'file':
      return 'c.file()'
    case 'binary':
    case 'events':
      return 'c.unknown'
    case 'integer':
      return schema.format === 'int32' ? 'c.int32' : 'c.integer'
    case 'bigint':
      return schema.int64 ? 'c.int64' : 'c.bigint'
    case 'literal':
      return literals([schema.value])
    case 'enum':
      return literals(schema.values)
    case 'array':
      return `c.array(${codecText(schema.items)}${schema.unique ? ', { unique: true }' : ''})`
    case 'tuple':
      return `c.tuple([${schema.items.map(codecText).join(', ')}], ${schema.required}${restText(schema.rest)})`
    case 'object':
      return objectText(schema)
    case 'union':
      return unionText(schema)
    case 'ref':
      return `c.ref(() => ${constantName(schema.name)})`
    case 'record':
      return `c.record(${codecText(schema.values)})`
  }
}

function objectText({ properties, rest, named }: Extract<Schema, { kind: 'object' }>): string {
  const further = rest === null ? 'null' : codecText(rest.values)
  const some = named.map(
    ({ pattern, values }) => `[new RegExp(${quote(pattern)}, 'u'), ${codecText(values)}]`,
  )
  return `c.object({ ${properties.map(propertyText).join(', ')} }, ${further}, [${some.join(', ')}])`
}

const restText = (rest: Schema | null): string => (rest === null ? '' : `, ${codecText(rest)}`)

/** From the JSON form to the class. */
const conversions = {
  Map: '(value) => new Map(Object.entries(value))',
  URL: '(value) => new URL(value)',
  Buffer: '(value) => Buffer.from(value)',
  undefined: '(value) => value ?? undefined',
}

/** Annotations (`title`, `default`, `examples`) ask nothing of a value. */
const enforced = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern'
    .concat(' minItems maxItems uniqueItems propertyNames')
    .split(' '),
)

function constrainedText({ inner, keywords }: Extract<Schema, { kind: 'constrained' }>): string {
  const rules = Object.entries(keywords).filter(([name]) => enforced.has(name))
  if (rules.length === 0) return codecText(inner)
  const texts = rules.map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`,
  )
  return `c.constrained(${codecText(inner)}, { ${texts.join(', ')} })`
}

function stringText(format: string | null): string {
  if (format === null) return 'c.string'
  return format === 'uuid' ? 'c.uuid' : `c.format(${quote(format)})`
}

function literals(values: readonly (string | number | boolean)[]): string {
  return `c.literal([${values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(', ')}])`
}

const propertyText = ({ name, schema, required }: Property): string =>
  `${propertyName(name)}: { codec: ${codecText(schema)}, required: ${required} }`

function unionText({ members, discriminator }: Extract<Schema, { kind: 'union' }>): string {
  const rest = members.filter(({ kind }) => kind !== 'null')
  const [only] = rest
  const inner =
    only !== undefined && rest.length === 1
      ? codecText(only)
      : (taggedText(rest, discriminator) ?? `c.union([${rest.map(codecText).join(', ')}])`)
  return rest.length < members.length ? `c.nullable(${inner})` : inner
}

/** Of the model that is printed. */
const components = new Map<string, Schema>()

function resolved(schema: Schema): Schema {
  const inner = schema.kind === 'ref' ? components.get(schema.name) : schema
  return inner?.kind === 'constrained' ? resolved(inner.inner) : (inner ?? schema)
}

/** null = no tag tells the members apart. */
function taggedText(members: readonly Schema[], tag: string | null): string | null {
  if (tag === null || tag in Object.prototype) return null
  const pairs = members.flatMap((member) => {
    const object = resolved(member)
    const property =
      object.kind === 'object'
        ? object.properties.find(({ name, required }) => name === tag && required)
        : undefined
    const value = property === undefined ? null : resolved(property.schema)
    return value?.kind === 'literal' ? [`[${JSON.stringify(value.value)}, ${codecText(member)}]`] : []
  })
  return pairs.length < members.length ? null : `c.tagged(${quote(tag)}, [${pairs.join(', ')}])`
}
