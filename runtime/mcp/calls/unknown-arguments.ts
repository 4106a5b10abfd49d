/** Arguments that a tool does not have, and properties that its answer does not. Source: language.md, Parameters: they are an error
 *  that names them. */
import type { JsonSchema, ToolEntry } from '../../contract/mcp.ts'
import { ForMcpClient } from '../../errors.ts'
import { namesInstead, unknownName } from '../../suggestions.ts'
import { fieldsArgument } from '../answers/brief.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'

/** Raised where the route reads its parameters, after its filters: a caller that may not use the route learns only that. */
export class UnknownArguments extends ForMcpClient {}

/** A sentence for each of the first arguments that the tool does not have, with near ones that it has; null when it has
 *  them all. */
export type CheckNames = (args: WireObject) => string | null

const maxNamed = 3

/** The check for a tool's input schema and the further names that it takes; null where the schema leaves names open. */
export function nameCheck(schema: JsonSchema, more: readonly string[] = []): CheckNames | null {
  if (schema.additionalProperties !== false || 'patternProperties' in schema) return null
  const properties = isObject(schema.properties) ? Object.keys(schema.properties) : []
  const known = new Set([...properties, ...more])
  let places: ReadonlyMap<string, readonly string[]> | null = null // for a client that mistakes an argument
  return (args) => {
    const unknown = namesBesides(known, args)
    if (unknown.length === 0) return null
    places ??= placesInside(schema)
    return messageFor('argument', unknown, known, places)
  }
}

/** Where a name would be a property of an argument, and so for all names: `dto.name`. A model that is told of `dto` alone sends what is
 *  in it. */
function placesInside(schema: JsonSchema): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  for (const [argument, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    for (const name of propertyNames(inner, schema)) {
      const all = places.get(name) ?? []
      places.set(name, all)
      if (all.length < maxNamed) all.push(`${argument}.${name}`)
    }
  return places
}

/** Those of an object, of a shared one, and of the members of a union. */
function propertyNames(schema: unknown, { $defs }: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const open = new Set<unknown>([schema])
  for (const item of open) {
    if (!isObject(item)) continue
    for (const name of Object.keys(isObject(item.properties) ? item.properties : {})) names.add(name)
    for (const member of [item.anyOf, item.oneOf, item.allOf].flat()) open.add(member) // grows as it is walked
    if (typeof item.$ref === 'string' && isObject($defs)) open.add($defs[item.$ref.slice('#/$defs/'.length)])
  }
  return names
}

/** The check of `fields`, which no route decodes; null for a tool that answers all. */
export function fieldsCheck({ brief }: Pick<ToolEntry, 'brief'>): CheckNames | null {
  if (brief === undefined) return null
  const known = new Set([...brief.more, ...brief.names])
  return ({ [fieldsArgument]: fields }) => {
    if (fields === undefined || fields === null) return null
    if (!isListOfTexts(fields)) return `'${fieldsArgument}' must be a list of names`
    const unknown = fields.filter((name) => !known.has(name))
    return unknown.length === 0 ? null : messageFor('property', unknown, known)
  }
}

const keyHeader = 'Idempotency-Key'

/** The check of the argument that is an idempotency key: a header would carry another value as some text, and a model would not learn
 *  that its key is none. Null for a tool that takes no key. */
// Source: decisions/http.md, Idempotency.
export function keyCheck({ arguments: all }: Pick<ToolEntry, 'arguments'>): CheckNames | null {
  const key = all.find(({ from, name }) => from === 'header' && name === keyHeader)
  if (key === undefined) return null
  return ({ [key.argument]: value }) =>
    value === undefined || value === null || (typeof value === 'string' && !/\p{Cc}/u.test(value))
      ? null
      : `'${key.argument}' must be a text of 1 to 255 printable ASCII characters, such as a new UUID`
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const none: readonly string[] = []

function namesBesides(known: ReadonlySet<string>, args: WireObject): readonly string[] {
  let unknown = none
  for (const name in args) if (!known.has(name)) unknown = [...unknown.slice(0, maxNamed), name]
  return unknown
}

function messageFor(
  kind: string,
  unknown: readonly string[],
  known: ReadonlySet<string>,
  places?: ReadonlyMap<string, readonly string[]>,
): string {
  const sentences = unknown.slice(0, maxNamed).map((name) => {
    const inside = places?.get(name)
    return inside === undefined ? unknownName(kind, name, known) : namesInstead(kind, name, inside)
  })
  return [...sentences, ...(unknown.length > maxNamed ? ['and more'] : [])].join('\n')
}
