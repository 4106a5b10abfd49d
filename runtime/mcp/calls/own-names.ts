/** The keys below a tool's arguments under the names that its route knows: what clients do not take has a safe name in its schema.
 *  Source: decisions/mcp.md, Clients' dialects. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { textPattern } from '../../text-patterns.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'

type WithNames = Pick<ToolEntry, 'inputSchema' | 'renamed'>
type Schemas = readonly JsonSchema[]

/** No decoder reads further. */
const maxDepth = 600

/** Gives back the arguments of a call under those names; null for a tool whose keys all have their own. */
export function ownNames({ inputSchema, renamed }: WithNames): ((args: WireObject) => WireObject) | null {
  if (renamed === undefined) return null
  const alternatives = alternativesIn(inputSchema)
  const named = (value: unknown, schemas: Schemas, depth: number): unknown => {
    if (schemas.length === 0 || depth > maxDepth) return value
    if (Array.isArray(value))
      return value.map((item, place) => named(item, alternatives(itemsAt(schemas, place)), depth + 1))
    if (!isObject(value)) return value
    const names = namesFor(value, schemas, renamed)
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
      Object.hasOwn(names, key) ? (names[key] ?? key) : key,
      named(inner, alternatives(propertiesAt(schemas, key)), depth + 1),
    ])
    return Object.fromEntries(entries)
  }
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {}
  return (args) =>
    Object.fromEntries(
      Object.entries(args).map(([argument, value]) => [
        argument,
        named(value, alternatives(Object.hasOwn(properties, argument) ? [properties[argument]] : []), 0),
      ]),
    )
}

/** Of the objects that the value may be the first that has all its keys, and whose required ones it has; else the first that renames
 *  one. */
function namesFor(
  value: WireObject,
  schemas: Schemas,
  renamed: NonNullable<ToolEntry['renamed']>,
): Readonly<Record<string, string>> {
  const keys = Object.keys(value)
  const objects = schemas.filter(({ properties }) => isObject(properties))
  const fits = ({ properties, required }: JsonSchema): boolean =>
    keys.every((key) => Object.hasOwn(Object(properties), key)) &&
    [required ?? []].flat().every((key) => Object.hasOwn(value, String(key)))
  const namesOf = ({ properties }: JsonSchema): Readonly<Record<string, string>> =>
    renamed[Object.keys(Object(properties)).sort().join()] ?? {}
  const fitting = objects.find(fits)
  if (fitting !== undefined) return namesOf(fitting)
  return objects.map(namesOf).find((names) => keys.some((key) => Object.hasOwn(names, key))) ?? {}
}

const propertiesAt = (schemas: Schemas, key: string): readonly unknown[] =>
  schemas.flatMap((schema) => {
    const { properties, patternProperties = {}, additionalProperties } = schema
    if (isObject(properties) && Object.hasOwn(properties, key)) return [properties[key]]
    const matching = Object.entries(Object(patternProperties)).filter(([pattern]) =>
      textPattern(pattern).test(key),
    )
    return matching.length > 0 ? matching.map(([, inner]) => inner) : [additionalProperties]
  })

const itemsAt = (schemas: Schemas, place: number): readonly unknown[] =>
  schemas.map(({ prefixItems, items }) =>
    Array.isArray(prefixItems) && place < prefixItems.length ? prefixItems[place] : items,
  )

/** The schemas that these may be, without references and combinations of others; each once. */
function alternativesIn(root: JsonSchema): (schemas: readonly unknown[]) => Schemas {
  const definitions: WireObject = { ...Object(root.definitions), ...Object(root.$defs) }
  const known = new WeakMap<object, Schemas>()
  const collect = (schema: unknown, found: Set<JsonSchema>): void => {
    if (!isObject(schema) || found.has(schema)) return
    found.add(schema)
    const { $ref, anyOf, oneOf, allOf } = schema
    for (const inner of [anyOf, oneOf, allOf].flat()) collect(inner, found)
    const name = typeof $ref === 'string' ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1] : undefined
    if (name !== undefined) collect(definitions[name], found)
  }
  const alternativesOf = (schema: JsonSchema): Schemas => {
    const found = new Set<JsonSchema>()
    collect(schema, found)
    return [...found]
  }
  return (schemas) => {
    const all = schemas.filter(isObject).flatMap((schema) => {
      const own = known.get(schema) ?? alternativesOf(schema)
      known.set(schema, own)
      return own
    })
    return [...new Set(all)]
  }
}
