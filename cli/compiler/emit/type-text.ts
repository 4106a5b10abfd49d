/** Schemas → TypeScript types and quoted names, for the generated table. */
import type { Enumeration, NamedSchema, Schema, SymbolRef } from '../model.ts'

/** A literal of JavaScript, safe in any source. */
export function quote(text: string): string {
  if (/^[ -&(-[\]-~]*$/.test(text)) return `'${text}'` // nothing to escape, as in nearly all
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")
  return `'${inner.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')}'`
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name)

/** A property name: bare when it is an identifier. */
export function propertyName(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return isIdentifier(name) ? name : quote(name)
}

/** A property of `object`, an expression. */
export const access = (object: string, name: string): string =>
  isIdentifier(name) ? `${object}.${name}` : `${object}[${quote(name)}]`

const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

/** The local names in a generated file. */
export interface TypeNames {
  /** Of a named type. */
  readonly typeName: (name: string) => string
  /** Of an imported class or enum. */
  readonly symbolName: (symbol: SymbolRef) => string
}

/** The type of the value that a decoder makes. */
export function typeText(schema: Schema, names: TypeNames): string {
  const inner = (one: Schema): string => typeText(one, names)
  switch (schema.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
    case 'never':
      return schema.kind
    case 'verbatim':
      return 'any' // what the schema says is the application's own promise
    case 'date':
      return 'Date'
    case 'bytes':
      return 'Uint8Array'
    case 'integer':
      return 'number'
    case 'bigint':
      return 'bigint'
    case 'literal':
      return schema.enumeration === null ? literal(schema.value) : enumText(schema.enumeration, names)
    case 'enum':
      if (schema.enumeration !== null) return enumText(schema.enumeration, names)
      return schema.values.map(literal).join(' | ')
    case 'array':
      return schema.unique ? `Set<${inner(schema.items)}>` : `Array<${inner(schema.items)}>`
    case 'tuple':
      return tupleText(schema, inner)
    case 'object':
      return objectText(schema, inner)
    case 'union':
      return schema.members.map(inner).join(' | ')
    case 'ref':
      return names.typeName(schema.name)
    case 'record':
      return `{ [name: string]: ${inner(schema.values)} }`
    case 'file':
      return names.symbolName({ module: 'acmcp', name: 'UploadedFile' })
    case 'binary':
      return 'Uint8Array'
    case 'constrained':
      return inner(schema.inner)
    case 'template':
      return schema.text
    case 'converted':
      return convertedText(schema, inner)
    case 'branded':
      return schema.symbol === null ? inner(schema.inner) : names.symbolName(schema.symbol)
    case 'events':
      return `AsyncIterable<${inner(schema.items)}>`
  }
}

function convertedText(
  { to, inner }: Extract<Schema, { kind: 'converted' }>,
  textOf: (schema: Schema) => string,
): string {
  return to === 'Map' && inner.kind === 'record' ? `Map<string, ${textOf(inner.values)}>` : to
}

function enumText({ symbol, members }: Enumeration, { symbolName }: TypeNames): string {
  const name = symbolName(symbol)
  return members === null ? name : members.map((member) => enumMember(name, member)).join(' | ')
}

const enumMember = (name: string, member: string): string =>
  isIdentifier(member) ? `${name}.${member}` : `(typeof ${name})[${quote(member)}]`

function tupleText(
  { items, required, rest }: Extract<Schema, { kind: 'tuple' }>,
  inner: (schema: Schema) => string,
): string {
  const texts = items.map((item, index) => itemText(inner(item), index < required))
  return `[${[...texts, ...(rest === null ? [] : [`...Array<${inner(rest)}>`])].join(', ')}]`
}

const itemText = (text: string, isRequired: boolean): string => (isRequired ? text : `(${text})?`)

function objectText(
  { properties, rest }: Extract<Schema, { kind: 'object' }>,
  inner: (schema: Schema) => string,
): string {
  if (properties.length === 0) return 'Record<string, never>'
  const fields = properties.map(
    ({ name, schema, required, orUndefined }) =>
      `${propertyName(name)}${required || orUndefined ? '' : '?'}: ${inner(schema)}${orUndefined ? ' | undefined' : ''}`,
  )
  const index =
    rest === null ? [] : [`[name: string]: ${inner(rest.values)}${rest.orUndefined ? ' | undefined' : ''}`]
  return `{ ${[...fields, ...index].join('; ')} }`
}

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
  if (starts.size === 0) return none
  const places = new Set<number>()
  for (const start of starts) {
    // what a type reaches reaches no more
    if (!places.has(start)) for (const place of closureOf(start, named, index)) places.add(place)
  }
  return inOrder(places).flatMap((place) => named[place] ?? [])
}

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

const inOrder = (places: ReadonlySet<number>): readonly number[] => [...places].sort((a, b) => a - b)

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
export function partsOf(schema: Schema): Parts {
  if (isLeaf(schema)) return noParts
  const known = parts.get(schema)
  if (known !== undefined) return known
  const found = search(schema)
  parts.set(schema, found)
  return found
}

const isLeaf = ({ kind }: Schema): boolean =>
  kind === 'string' || kind === 'integer' || kind === 'number' || kind === 'boolean'

function search(schema: Schema): Parts {
  const refs = new Set<string>()
  const [brands, enumerations, constrained]: [SymbolRef[], SymbolRef[], Constrained[]] = [[], [], []]
  const visit = (one: Schema): void => {
    if (one.kind === 'ref') refs.add(one.name)
    else if (one.kind === 'constrained') constrained.push(one)
    else if (one.kind === 'branded' && one.symbol !== null) brands.push(one.symbol)
    else if ((one.kind === 'enum' || one.kind === 'literal') && one.enumeration !== null)
      enumerations.push(one.enumeration.symbol)
    for (const child of childrenOf(one)) visit(child)
  }
  visit(schema)
  const isNone = refs.size + brands.length + enumerations.length + constrained.length === 0
  return isNone ? noParts : { refs: [...refs], brands, enumerations, constrained }
}

/** The names that stand in `schema`, each once. */
export const refsOf = (schema: Schema): readonly string[] => partsOf(schema).refs

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
        ...(schema.rest === null ? [] : [schema.rest.values]),
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
