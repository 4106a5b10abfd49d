/** A JSON Schema of a tool's arguments as every client takes it: safe keys, `properties` in every object, an object as `items` in every
 *  list. It allows the same values, under those keys. Source: decisions/mcp.md, Clients' dialects. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { distinct } from '../ir/plain-schemas.ts'
import { safeName } from '../ir/safe-names.ts'

/** What clients call keys that they would refuse. */
export interface KeyNames {
  /** Own names by safe ones, of each object that has some, by all the safe keys that it has. */
  readonly objects: Map<string, Readonly<Record<string, string>>>
  /** Keys that would be equal. */
  readonly clashes: (readonly string[])[]
}

export const noKeyNames = (): KeyNames => ({ objects: new Map(), clashes: [] })

/** The schema in that form; the keys of its objects are added to `names`, those of itself to `own`. */
export function toolForm(schema: JsonSchema, names: KeyNames, own: KeyNames = names): JsonSchema {
  const inner = mapSchemas(schema, (item) => toolForm(item, names))
  return withItems(withProperties(inner, own))
}

/** The schema with each one directly inside it mapped; what is data, and what is no object, stays. */
export function mapSchemas(schema: JsonSchema, map: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const mapped = (value: unknown): unknown => (isSchema(value) ? map(value) : value)
  const fields = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (single.has(keyword)) return [keyword, mapped(value)]
    if (listed.has(keyword) && Array.isArray(value)) return [keyword, value.map(mapped)]
    if (!named.has(keyword) || !isSchema(value)) return [keyword, value]
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item)]))]
  })
  return Object.fromEntries(fields)
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Where schemas stand in a schema that the build makes.
const single: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'propertyNames', 'not'])
const listed: ReadonlySet<string> = new Set(['prefixItems', 'anyOf', 'oneOf'])
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties'])
export const isSchemaKeyword = (keyword: string): boolean => single.has(keyword)
export const isListOfSchemas = (keyword: string): boolean => listed.has(keyword)

function withProperties(schema: JsonSchema, names: KeyNames): JsonSchema {
  const { properties, required } = schema
  if (!isSchema(properties)) return schema.type === 'object' ? { ...schema, properties: {} } : schema
  const keys = Object.keys(properties)
  if (keys.every((key) => safeName(key) === key)) return schema
  addObject(names, keys)
  const safe = Object.entries(properties).map(([key, value]) => [safeName(key), value])
  return {
    ...schema,
    properties: Object.fromEntries(safe),
    ...(Array.isArray(required)
      ? { required: required.map((key) => (Object.hasOwn(properties, key) ? safeName(key) : key)) }
      : {}),
  }
}

/** Objects of the same safe keys cannot be told apart at a call: these must mean the same. */
function addObject({ objects, clashes }: KeyNames, keys: readonly string[]): void {
  const owners = new Map<string, string>()
  for (const key of keys) {
    const other = owners.get(safeName(key))
    if (other !== undefined) clashes.push([other, key])
    else owners.set(safeName(key), key)
  }
  const place = keysText([...owners.keys()])
  const renamed = Object.fromEntries([...owners].filter(([safe, own]) => safe !== own))
  const known = objects.get(place)
  if (known === undefined) objects.set(place, renamed)
  else
    for (const [safe, own] of owners)
      if ((known[safe] ?? safe) !== own) clashes.push([known[safe] ?? safe, own])
}

/** No safe key has a comma. */
const keysText = (keys: readonly string[]): string => [...keys].sort().join()

/** A client that reads `items` alone takes it for all: it is true of each. What follows a tuple's own members, and is of fewer types
 *  than these, is said beside it. */
function withItems(schema: JsonSchema): JsonSchema {
  const { type, prefixItems, items, ...rest } = schema
  if (type !== 'array') return schema
  if (!Array.isArray(prefixItems)) return isSchema(items) ? schema : { type, items: {}, ...rest }
  const own = isSchema(items) ? [...prefixItems, items] : prefixItems
  const all = distinct(own)
  const [only = {}] = all
  if (all.length < 2) return { type, items: only, ...rest }
  const whole = { type, items: { anyOf: all }, ...rest }
  return isSchema(items) ? { ...whole, anyOf: [{ prefixItems, items }] } : { ...whole, prefixItems }
}
