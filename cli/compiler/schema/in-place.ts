/** Where the named types of a tool's arguments stand: in place where one is used once or is small, for several clients drop what `$ref`
 *  refers to; as definitions where they refer to themselves, or are large and used several times. Source: decisions/mcp.md, Clients'
 *  dialects. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { memoize, memoizeBy } from '../cache/memoize.ts'
import type { NamedSchema } from '../ir/schema.ts'
import { component, type Definition, definition, toDefs } from './json-schema.ts'
import { reachable, schemaNamed } from './references.ts'
import { type KeyNames, mapSchemas, noKeyNames, toolForm } from './tool-form.ts'

type Named = readonly NamedSchema[]

/** A type that is used more than once stands in place up to so many characters, with all that stands in place in it. */
export const maxRepeated = 400

/** A schema of arguments, and what it refers to. */
export interface PlacedSchema {
  readonly schema: JsonSchema
  /** In the order of the application's types. */
  readonly defined: readonly Definition[]
  /** The keys of all objects below it: its own are the arguments, which have their names already. */
  readonly names: KeyNames
}

/** `left`: the types that stay references, and are no part of it. */
export function inPlace(root: JsonSchema, named: Named, left: ReadonlySet<string> = nothing): PlacedSchema {
  const names = noKeyNames()
  const formed = toolForm(root, names, noKeyNames())
  const counts = referencesIn(formed)
  if (counts.size === 0) return { schema: formed, defined: [], names }
  const types = reached(counts, named, left)
  for (const { keys } of types.values()) addAll(names, keys)
  const isPlaced = placedTypes(counts, types)
  const place = (schema: JsonSchema): JsonSchema => placed(schema, { types, isPlaced })
  const kept = [...types].filter(([name]) => !isPlaced.has(name))
  const defined = kept.map(([name, { schema }]) => definition(name, place(schema)))
  return { schema: place(formed), defined: inOrder(defined, named), names }
}

const nothing: ReadonlySet<string> = new Set()

/** A named type in the form of arguments, its references as they are. */
interface FormedType {
  readonly schema: JsonSchema
  readonly keys: KeyNames
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

type Types = ReadonlyMap<string, FormedType & { readonly isKept: boolean }>

const formedType = memoize((type: NamedSchema): FormedType => {
  const keys = noKeyNames()
  const schema = toolForm(component(type, toDefs, true), keys)
  return { schema, keys, counts: referencesIn(schema), length: JSON.stringify(schema).length }
})

/** What the references reach, and whether it must stay a definition. */
function reached(counts: ReadonlyMap<string, number>, named: Named, left: ReadonlySet<string>): Types {
  const found = new Map<string, FormedType & { readonly isKept: boolean }>()
  const waiting = [...counts.keys()]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const type = left.has(name) || found.has(name) ? null : schemaNamed(name, named)
    if (type === null) continue
    const formed = formedType(type)
    found.set(name, { ...formed, isKept: isKept(named, type) })
    waiting.push(...formed.counts.keys())
  }
  return found
}

/** It refers to itself. */
const isKept = memoizeBy((named: Named, type: NamedSchema) => reachable([type.schema], named).includes(type))

/** The names of the types that stand in place. Each is judged when all that refer to it are: it counts once for each copy of them. */
function placedTypes(roots: ReadonlyMap<string, number>, types: Types): ReadonlySet<string> {
  const order = fromTheOutside(types)
  const lengths = wholeLengths(order, types)
  const uses = new Map(roots)
  const add = (counts: ReadonlyMap<string, number>, times: number): void => {
    for (const [name, count] of counts) uses.set(name, (uses.get(name) ?? 0) + count * times)
  }
  for (const { counts, isKept } of types.values()) if (isKept) add(counts, 1)
  const found = new Set<string>()
  for (const name of order) {
    const count = uses.get(name) ?? 0
    const isPlaced = count < 2 || (lengths.get(name) ?? 0) <= maxRepeated
    if (isPlaced) found.add(name)
    add(types.get(name)?.counts ?? new Map(), isPlaced ? count : 1)
  }
  return found
}

/** The types that may stand in place, each before those that it refers to: nothing of them goes in a circle. */
function fromTheOutside(types: Types): readonly string[] {
  const done = new Set<string>()
  const order: string[] = []
  const visit = (name: string): void => {
    const type = types.get(name)
    if (type === undefined || type.isKept || done.has(name)) return
    done.add(name)
    for (const inner of type.counts.keys()) visit(inner)
    order.push(name)
  }
  for (const name of types.keys()) visit(name)
  return order.reverse()
}

/** With all inside it in place, as far as that matters. */
function wholeLengths(order: readonly string[], types: Types): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>()
  for (const name of [...order].reverse()) {
    const { length = 0, counts = new Map<string, number>() } = types.get(name) ?? {}
    const whole = [...counts].reduce(
      (total, [inner, count]) => total + count * ((lengths.get(inner) ?? 0) || referenceLength(inner)),
      length - [...counts].reduce((total, [inner, count]) => total + count * referenceLength(inner), 0),
    )
    lengths.set(name, Math.min(whole, maxRepeated + 1))
  }
  return lengths
}

const referenceLength = (name: string): number => JSON.stringify({ $ref: toDefs(name) }).length

interface Places {
  readonly types: Types
  readonly isPlaced: ReadonlySet<string>
}

function placed(schema: JsonSchema, places: Places): JsonSchema {
  const name = nameIn(schema)
  const type = name === null ? undefined : places.types.get(name)
  if (name === null) return mapSchemas(schema, (inner) => placed(inner, places))
  const { $ref, ...beside } = schema
  if (type !== undefined && places.isPlaced.has(name)) return both(placed(type.schema, places), beside)
  const isAlone = Object.keys(beside).every((keyword) => besideReference.has(keyword))
  return isAlone ? schema : { anyOf: [{ $ref }], ...beside }
}

/** What may stand beside `$ref`: the rule of Gemini in `cli/dialects/clients.ts`. */
const besideReference: ReadonlySet<string> = new Set(['description', 'default'])

/** What explains, and may be said anew. */
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'description', 'x-mcp-header'],
])

/** A type, and what is said at the place that names it; what both restrict stays apart. */
function both(type: JsonSchema, beside: JsonSchema): JsonSchema {
  const further = Object.keys(beside)
  if (further.length === 0) return type
  if (further.some((keyword) => Object.hasOwn(type, keyword) && !annotations.has(keyword)))
    return { anyOf: [type], ...beside }
  const texts = [beside.description, type.description].filter((text) => typeof text === 'string')
  return {
    ...type,
    ...beside,
    ...(texts.length === 0 ? {} : { description: [...new Set(texts)].join('\n\n') }),
  }
}

const nameIn = ({ $ref }: JsonSchema): string | null =>
  typeof $ref === 'string' ? (/^#\/\$defs\/([^/]+)$/.exec($ref)?.[1] ?? null) : null

function referencesIn(schema: JsonSchema): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const count = (inner: JsonSchema): JsonSchema => {
    const name = nameIn(inner)
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
    return mapSchemas(inner, count)
  }
  count(schema)
  return counts
}

function addAll({ objects, clashes }: KeyNames, keys: KeyNames): void {
  clashes.push(...keys.clashes)
  for (const [place, names] of keys.objects) {
    const known = objects.get(place)
    if (known === undefined) objects.set(place, names)
    else
      for (const [safe, own] of Object.entries(names))
        if (known[safe] !== own) clashes.push([known[safe] ?? safe, own])
  }
}

function inOrder(defined: readonly Definition[], named: Named): readonly Definition[] {
  if (defined.length < 2) return defined
  const byName = new Map(defined.map((definition) => [definition.name, definition]))
  return named.flatMap(({ name }) => byName.get(name) ?? [])
}
