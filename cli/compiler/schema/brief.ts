/** What `@mcp brief` speaks of, the item of an answer: the answer itself, what a list has, or the list of a page. And the schemas that
 *  follow from it: the argument `fields`, and the answer in which all but the brief properties may be absent. */
import type { JsonSchema, ToolBrief } from '../../../runtime/contract/mcp.ts'
import type { Action, Tool } from '../ir/model.ts'
import type { NamedSchema, Property, Schema } from '../ir/schema.ts'
import { mapInside, type Of } from '../ir/schema-walk.ts'
import { alternativesOf, resolved } from './references.ts'

type Named = readonly NamedSchema[]

/** The argument that asks for more. */
export const moreArgument = 'fields'

/** Where the item stands: the names on the way to the list of a page; empty = the answer is no page. */
type Path = readonly string[]

export const pathOf = (items = ''): Path => (items === '' ? [] : [items])

/** The properties of the item, each once; members of unions one after the other. Null where it may be something whose properties
 *  are unknown, or has none, and where it is not sent as JSON. */
export function itemProperties(
  { results }: Pick<Action, 'results'>,
  path: Path,
  named: Named,
): readonly Property[] | null {
  const items = results.flatMap(({ schema }) => (schema === null ? [] : itemsAt(schema, path, named)))
  if (items.some(isOpen) || !results.every(isJson)) return null
  const properties = items.flatMap((item) => (item.kind === 'object' ? item.properties : []))
  const unique = new Map<string, Property>()
  for (const property of properties)
    if (unique.get(property.name)?.isSecret !== false) unique.set(property.name, property)
  return unique.size === 0 ? null : [...unique.values()]
}

/** Null = it is negotiated, and a tool asks for JSON. */
const isJson = ({ contentType }: Action['results'][number]): boolean =>
  contentType === null || /^application\/(?:[^\s;]+\+)?json\b/.test(contentType)

/** What a cut would take from without knowing what it has. */
const isOpen = (schema: Schema): boolean =>
  schema.kind === 'unknown' ||
  schema.kind === 'record' ||
  (schema.kind === 'converted' && schema.to === 'Map')

function itemsAt(schema: Schema, [name, ...below]: Path, named: Named): readonly Schema[] {
  const alternatives = alternativesOf(schema, named)
  if (name === undefined)
    return alternatives.flatMap((item) =>
      item.kind === 'array' ? alternativesOf(item.items, named) : [item],
    )
  return alternatives.flatMap((item) => {
    if (item.kind !== 'object') return isOpen(item) ? [item] : []
    const property = item.properties.find((known) => known.name === name)
    return property === undefined ? [] : itemsAt(property.schema, below, named)
  })
}

/** What a tool with `@mcp brief` answers, and what more it may be asked for; null where it says none. */
export function briefOf(
  action: Pick<Action, 'results'>,
  { brief }: Pick<Tool, 'brief'>,
  { items = '', named }: { readonly items: string | undefined; readonly named: Named },
): ToolBrief | null {
  if (brief === null) return null
  const names = brief.names.map(({ name }) => name)
  const known = itemProperties(action, pathOf(items), named) ?? []
  const more = known.filter(({ name, isSecret }) => !isSecret && !names.includes(name))
  return { names, more: more.map(({ name }) => name), ...(items === '' ? {} : { items }) }
}

/** The schema of the arguments with `fields`. */
export function withFields(input: JsonSchema, brief: ToolBrief | null): JsonSchema {
  if (brief === null) return input
  const items = { type: 'string', enum: brief.more }
  const description = `Properties to answer beside ${brief.names.join(', ')}.`
  const fields = { type: 'array', items, description }
  return { ...input, properties: { ...Object(input.properties), [moreArgument]: fields } }
}

/** The answer where only brief properties of the item are certain; named types on the way to them stand in their place. */
export const briefOutput = (output: Schema, brief: ToolBrief, named: Named): Schema =>
  relaxedAt(output, pathOf(brief.items), { names: new Set(brief.names), named })

type Inner = (schema: Schema) => Schema

interface Relaxing {
  readonly names: ReadonlySet<string>
  readonly named: Named
}

function relaxedAt(schema: Schema, path: Path, relaxing: Relaxing): Schema {
  const inner = (item: Schema): Schema => relaxedAt(item, path, relaxing)
  const [name, ...below] = path
  if (name === undefined)
    return schema.kind === 'array' ? relaxedList(schema, relaxing) : relaxedItem(schema, inner, relaxing)
  if (schema.kind !== 'object') return within(schema, inner, relaxing.named)
  const properties = schema.properties.map((property) =>
    property.name === name ? { ...property, schema: relaxedAt(property.schema, below, relaxing) } : property,
  )
  return { ...schema, properties }
}

/** Two items may be the same in brief. */
function relaxedList(list: Of<'array'>, relaxing: Relaxing): Schema {
  const inner = (item: Schema): Schema => relaxedItem(item, inner, relaxing)
  return { ...list, items: inner(list.items), unique: false }
}

/** What told the members of a union apart may be absent: then any of them fits. */
function relaxedItem(schema: Schema, inner: Inner, { names, named }: Relaxing): Schema {
  if (schema.kind === 'object') {
    const properties = schema.properties.map((property) => ({
      ...property,
      required: property.required && names.has(property.name),
    }))
    return { ...schema, properties }
  }
  const found = within(schema, inner, named)
  return found.kind === 'union' && !names.has(found.discriminator ?? '')
    ? { ...found, discriminator: null }
    : found
}

/** Through what is no value of its own. */
function within(schema: Schema, inner: Inner, named: Named): Schema {
  if (schema.kind === 'union') return mapInside(schema, inner)
  if (schema.kind === 'ref') {
    const target = resolved(schema, named)
    return target.kind === 'ref' ? schema : inner(target)
  }
  if (schema.kind !== 'constrained') return schema
  const { uniqueItems: _unique, ...keywords } = schema.keywords
  return { ...schema, inner: inner(schema.inner), keywords }
}
