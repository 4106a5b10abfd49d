/** What schemas name and reach. A schema is searched once, and a list of named schemas has one index: every pass asks. */
import type { NamedSchema, Rest, Schema, SymbolRef } from '../ir/schema.ts'

interface Index {
  readonly places: ReadonlyMap<string, number>
  /** By place, the places that each which was asked for reaches, with its own, in order. */
  readonly closures: (readonly number[] | undefined)[]
}

/** One list serves a whole run: every route asks what it reaches. */
const indexes = new WeakMap<readonly NamedSchema[], Index>()

function indexOf(named: readonly NamedSchema[]): Index {
  const known = indexes.get(named)
  if (known !== undefined) return known
  const places = new Map<string, number>()
  for (const [place, { name }] of named.entries()) places.set(name, place)
  const index = { places, closures: [] }
  indexes.set(named, index)
  return index
}

/** The named schema `name`, or null. */
export function schemaNamed(name: string, named: readonly NamedSchema[]): NamedSchema | null {
  const place = indexOf(named).places.get(name)
  return place === undefined ? null : (named[place] ?? null)
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
export function reachedBy(one: NamedSchema, named: readonly NamedSchema[]): readonly NamedSchema[] {
  const index = indexOf(named)
  const place = index.places.get(one.name)
  return place === undefined || named[place] !== one
    ? reachable([one.schema], named)
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

/** What tags narrow. */
export type Constrained = Extract<Schema, { kind: 'constrained' }>

/** What a schema names, and where tags narrow it; not what named schemas do. */
export interface Parts {
  /** Named schemas, each once. */
  readonly refs: readonly string[]
  readonly brands: readonly SymbolRef[]
  readonly enumerations: readonly SymbolRef[]
  readonly constrained: readonly Constrained[]
}

const noParts: Parts = { refs: [], brands: [], enumerations: [], constrained: [] }

/** Each type is searched once: every pass asks again what it names. */
const parts = new WeakMap<Schema, Parts>()

/** The parts of `schema`, in the order in which they are written. */
export function typesInside(schema: Schema): Parts {
  if (isLeaf(schema)) return noParts
  const known = parts.get(schema)
  if (known !== undefined) return known
  const found = search(schema)
  parts.set(schema, found)
  return found
}

const isLeaf = ({ kind }: Schema): boolean =>
  kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean'

type Found = { readonly [K in keyof Parts]: Parts[K][number][] }

function search(schema: Schema): Parts {
  const found: Found = { refs: [], brands: [], enumerations: [], constrained: [] }
  collect(schema, found)
  return found
}

function collect(schema: Schema, found: Found): void {
  switch (schema.kind) {
    case 'ref':
      if (!found.refs.includes(schema.name)) found.refs.push(schema.name)
      return
    case 'enum':
    case 'literal':
      if (schema.enumeration !== null) found.enumerations.push(schema.enumeration.symbol)
      return
    case 'object':
      for (const { schema: inner } of schema.properties) collect(inner, found)
      for (const { values } of restsOf(schema)) collect(values, found)
      return
    case 'constrained':
      found.constrained.push(schema)
      collect(schema.inner, found)
      return
    case 'branded':
      if (schema.symbol !== null) found.brands.push(schema.symbol)
      collect(schema.inner, found)
      return
    default:
      for (const inner of childrenOf(schema)) collect(inner, found)
  }
}

/** The index signatures of an object. */
const restsOf = ({ rest, named }: Extract<Schema, { kind: 'object' }>): readonly Rest[] =>
  rest === null ? named : [rest, ...named]

/** The names that stand in `schema`, each once. */
export const refsOf = (schema: Schema): readonly string[] => typesInside(schema).refs

/** Whether `schema` is an uploaded file or a list of files. */
export function isFile(schema: Schema): boolean {
  return schema.kind === 'file' || (schema.kind === 'array' && isFile(schema.items))
}

/** The schema without its constraints. */
export function bare(schema: Schema): Schema {
  return schema.kind === 'constrained' ? bare(schema.inner) : schema
}

/** The schemas directly inside `schema`. */
export function childrenOf(schema: Schema): readonly Schema[] {
  switch (schema.kind) {
    case 'array':
    case 'events':
      return [schema.items]
    case 'tuple':
      return [...schema.items, ...(schema.rest === null ? [] : [schema.rest])]
    case 'object':
      return [
        ...schema.properties.map((property) => property.schema),
        ...restsOf(schema).map(({ values }) => values),
      ]
    case 'union':
      return schema.members
    case 'record':
      return [schema.values]
    case 'constrained':
    case 'converted':
    case 'branded':
      return [schema.inner]
    default:
      return []
  }
}
