/** What schemas name and reach. A schema is searched once, and a list of named schemas has one index: every pass asks. */
import { memoize } from '../cache/memoize.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { refsOf } from '../ir/schema-walk.ts'

interface Index {
  readonly places: ReadonlyMap<string, number>
  /** By place, the places that each which was asked for reaches, with its own, in order. */
  readonly closures: (readonly number[] | undefined)[]
}

/** One list serves a whole run: every route asks what it reaches. */
const indexOf = memoize(
  (named: readonly NamedSchema[]): Index => ({
    places: new Map(named.map(({ name }, place) => [name, place])),
    closures: [],
  }),
)

/** The named schema `name`, or null. */
export function schemaNamed(name: string, named: readonly NamedSchema[]): NamedSchema | null {
  const place = indexOf(named).places.get(name)
  return place === undefined ? null : (named[place] ?? null)
}

/** The schema behind a reference: clients refuse a whole list over a root `$ref` (decisions/mcp.md, Results). */
export function resolved(schema: Schema, named: readonly NamedSchema[]): Schema {
  if (schema.kind !== 'ref') return schema
  const target = schemaNamed(schema.name, named)
  return target === null ? schema : resolved(target.schema, named)
}

/** The schema without names and constraints around it. */
export function bareSchema(schema: Schema, named: readonly NamedSchema[]): Schema {
  const found = resolved(schema, named)
  return found.kind === 'constrained' ? bareSchema(found.inner, named) : found
}

/** What a value of `schema` may be, without names, brands and constraints; members of unions one by one. What was `seen` by
 *  its name is not looked at again. */
export function alternativesOf(
  schema: Schema,
  named: readonly NamedSchema[],
  seen: Set<string> = new Set(),
): readonly Schema[] {
  const inner = (item: Schema): readonly Schema[] => alternativesOf(item, named, seen)
  if (schema.kind === 'constrained') return inner(schema.inner)
  if (schema.kind === 'union') return schema.members.flatMap(inner)
  if (schema.kind !== 'ref') return [schema]
  const target = seen.has(schema.name) ? null : schemaNamed(schema.name, named)
  seen.add(schema.name)
  return target === null ? [] : inner(target.schema)
}

/** All named schemas that `schemas` reach, sorted as in `named`. */
export function reachable(schemas: readonly Schema[], named: readonly NamedSchema[]): readonly NamedSchema[] {
  const index = indexOf(named)
  const starts = new Set<number>()
  for (const schema of schemas) addTargets(starts, schema, index)
  const [first] = starts
  if (first === undefined) return none
  if (starts.size === 1) return listOf(closureOf(first, named, index), named)
  const places = new Set<number>()
  for (const start of starts) {
    // what a type reaches reaches no more
    if (!places.has(start)) for (const place of closureOf(start, named, index)) places.add(place)
  }
  return listOf(inOrder(places), named)
}

/** All that one of `named` reaches, itself too. */
export function reachedBy(schema: NamedSchema, named: readonly NamedSchema[]): readonly NamedSchema[] {
  const index = indexOf(named)
  const place = index.places.get(schema.name)
  return place === undefined || named[place] !== schema
    ? reachable([schema.schema], named)
    : listOf(closureOf(place, named, index), named)
}

const listOf = (places: readonly number[], named: readonly NamedSchema[]): readonly NamedSchema[] =>
  places.flatMap((place) => named[place] ?? [])

const none: readonly NamedSchema[] = []

function closureOf(start: number, named: readonly NamedSchema[], index: Index): readonly number[] {
  const known = index.closures[start]
  if (known !== undefined) return known
  const found = new Set([start])
  // those that are added on the way have their turn too
  for (const place of found) {
    const target = named[place]
    if (target !== undefined) addTargets(found, target.schema, index)
  }
  const closure = inOrder(found)
  index.closures[start] = closure
  return closure
}

function addTargets(found: Set<number>, schema: Schema, { places }: Index): void {
  for (const name of refsOf(schema)) {
    const place = places.get(name)
    if (place !== undefined) found.add(place)
  }
}

const inOrder = (places: ReadonlySet<number>): readonly number[] =>
  places.size === 1 ? [...places] : [...places].sort((a, b) => a - b)
