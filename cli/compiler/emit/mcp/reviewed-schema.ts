/** A JSON Schema as `mcp.yml` shows it to a reviewer: every name, text, value and type in it, without what the rest says
 *  already: the type beside properties, items or values, and which objects are closed. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import { heldBy, isSchemaObject, nameOfRef } from '../../schema/schema-keywords.ts'
import { oneLine, type Plain } from '../yaml.ts'

/** What stands for a named type: its content where the type is used once, null where it stands by itself. */
export type ContentOf = (name: string) => JsonSchema | null

type Fields = Readonly<Record<string, Plain>>
type Show = (value: unknown, contentOf: ContentOf) => Plain

const jsonTypes = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'])

/** A type that JSON does not know is a text. */
const isPlain = (type: unknown): boolean =>
  type === undefined || [type].flat().every((item) => jsonTypes.has(String(item)))

const saysType = ['properties', 'additionalProperties', 'items', 'prefixItems', 'enum', 'const']

/** The schema in words; a reference to a named type is `type: Note`. */
export function reviewed(schema: JsonSchema, contentOf: ContentOf): Fields {
  const shown = Object.entries(schema).flatMap(([keyword, value]) => {
    const field = (keywords.get(keyword) ?? asItIs)(value, contentOf)
    return field === undefined ? [] : [[keyword, field] as const]
  })
  return withType(withProperties(Object.fromEntries(shown), schema, contentOf), schema, contentOf)
}

const inWords: Show = (value, contentOf) => (isSchemaObject(value) ? reviewed(value, contentOf) : value)

const asItIs: Show = (value) => value

/** Left out where it says nothing. */
const show: Show = (value, contentOf) => {
  const shown = inWords(value, contentOf)
  return isEmpty(shown) || shown === false ? undefined : shown
}

const list: Show = (value, contentOf) => {
  const shown = Array.isArray(value) ? value.map((item) => inWords(item, contentOf)) : [value]
  const saying = shown.filter((item) => !isEmpty(item))
  return saying.length === 0 ? undefined : saying
}

const byName: Show = (value, contentOf) =>
  isSchemaObject(value) ? mapped(value, (item) => inWords(item, contentOf)) : value

const gone: Show = () => undefined

/** How keywords are shown that hold schemas, or that others show. All others are data. */
const keywords: ReadonlyMap<string, Show> = new Map([
  ...[...heldBy].map(([name, how]) => [name, { one: show, list, byName }[how]] as const),
  ['contentSchema', show],
  ...['$ref', 'type'].map((name) => [name, gone] as const),
  ['properties', (value) => (isSchemaObject(value) ? undefined : value)],
  ['required', (value) => (Array.isArray(value) ? undefined : value)],
])

/** Properties say themselves that they are required. */
function withProperties(fields: Fields, schema: JsonSchema, contentOf: ContentOf): Fields {
  const properties = isSchemaObject(schema.properties) ? schema.properties : {}
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const others = required.filter((name) => !Object.hasOwn(properties, String(name)))
  const shown = Object.entries(properties).map(([name, property]): [string, Plain] => [
    name,
    marked(required.includes(name) ? { required: true } : {}, inWords(property, contentOf)),
  ])
  return {
    ...fields,
    ...(others.length === 0 ? {} : { required: others }),
    ...(shown.length === 0 ? {} : { properties: Object.fromEntries(shown) }),
  }
}

/** The name of a type in place of the reference to it. */
function withType(fields: Fields, { type, $ref }: JsonSchema, contentOf: ContentOf): Fields {
  const name = nameOfRef($ref)
  if (name === null || type !== undefined) {
    const isSaid = type === undefined || saysType.some((keyword) => Object.hasOwn(fields, keyword))
    return {
      ...(isSaid && isPlain(type) ? {} : { type }),
      ...($ref === undefined ? {} : { $ref }),
      ...fields,
    }
  }
  const content = contentOf(name)
  const inner = content === null ? {} : reviewed(content, contentOf)
  return marked({ type: name, ...fields }, inner)
}

/** The fields and those of `shown`; apart where they have names in common. */
export function marked(fields: Fields, shown: Plain): Fields {
  const isSeparate = !isSchemaObject(shown) || Object.keys(fields).some((name) => Object.hasOwn(shown, name))
  if (!isSeparate) return { ...fields, ...shown }
  return { ...fields, [Object.hasOwn(fields, 'schema') ? 'of the type' : 'schema']: shown }
}

const longestLine = 100

/** On one line where it is short, or has nothing inside; else a line for each part. */
export function laidOut(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value
  if (isShort(value)) return oneLine(value)
  if (Array.isArray(value)) return value.map(laidOut)
  return mapped({ ...value }, laidOut)
}

function isShort(value: object): boolean {
  if (roomAfter(value, longestLine) >= 0) return true
  return isSchemaObject(value) && Object.values(value).every(isSmall)
}

/** A text of one line, however long, or little else. */
const isSmall = (value: Plain): boolean =>
  typeof value === 'string' ? !value.includes('\n') : roomAfter(value, longestLine / 2) >= 0

/** What `value` leaves of `room` characters on a line; negative when it does not fit, or holds a line break. */
function roomAfter(value: Plain, room: number): number {
  if (typeof value === 'string') return value.includes('\n') ? -1 : room - value.length - 2
  if (typeof value !== 'object' || value === null) return room - String(value).length
  let left = room - 2
  for (const [name, inner] of Object.entries(value)) {
    if (left < 0) return left
    left = roomAfter(inner, left - (Array.isArray(value) ? 1 : name.length + 4))
  }
  return left
}

const isEmpty = (value: Plain): boolean => isSchemaObject(value) && Object.keys(value).length === 0

const mapped = (value: JsonSchema, make: (item: unknown) => Plain): Fields =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, make(item)]))

/** Adds how often each named type is referred to in `value`. */
export function countReferences(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [keyword, inner] of Object.entries(value)) {
    const name = keyword === '$ref' ? nameOfRef(inner) : null
    if (name === null) countReferences(inner, counts)
    else counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}
