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
  readonly byName: ReadonlyMap<string, NamedSchema>
  readonly order: ReadonlyMap<string, number>
}

/** One list serves a whole run: every route asks what it reaches. */
const indexes = new WeakMap<readonly NamedSchema[], Index>()

function indexOf(named: readonly NamedSchema[]): Index {
  const known = indexes.get(named)
  if (known !== undefined) return known
  const index = {
    byName: new Map(named.map((one) => [one.name, one])),
    order: new Map(named.map(({ name }, place) => [name, place])),
  }
  indexes.set(named, index)
  return index
}

/** The named schema `name`, or null. */
export function schemaNamed(name: string, named: readonly NamedSchema[]): NamedSchema | null {
  return indexOf(named).byName.get(name) ?? null
}

/** All named schemas that `schemas` reach, sorted as in `named`. */
export function reachable(schemas: readonly Schema[], named: readonly NamedSchema[]): readonly NamedSchema[] {
  const { byName, order } = indexOf(named)
  const found = new Map<string, NamedSchema>()
  const visit = (names: readonly string[]): void => {
    for (const name of names) {
      const target = found.has(name) ? undefined : byName.get(name)
      if (target === undefined) continue
      found.set(name, target)
      visit(refsOf(target.schema))
    }
  }
  for (const schema of schemas) visit(refsOf(schema))
  const placeOf = ({ name }: NamedSchema): number => order.get(name) ?? 0
  return [...found.values()].sort((a, b) => placeOf(a) - placeOf(b))
}

/** Each schema is searched once: every route asks again what its types reach. */
const refs = new WeakMap<Schema, readonly string[]>()

/** The names that stand in `schema`, each once. */
export function refsOf(schema: Schema): readonly string[] {
  const known = refs.get(schema)
  if (known !== undefined) return known
  const names = new Set<string>()
  addRefs(schema, names)
  const found = [...names]
  refs.set(schema, found)
  return found
}

/** Most schemas are the properties of objects, which need no list of children. */
function addRefs(schema: Schema, names: Set<string>): void {
  if (schema.kind === 'ref') names.add(schema.name)
  else if (schema.kind !== 'object') for (const child of childrenOf(schema)) addRefs(child, names)
  else {
    for (const property of schema.properties) addRefs(property.schema, names)
    if (schema.rest !== null) addRefs(schema.rest.values, names)
  }
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
      return none
  }
}

const none: readonly Schema[] = []

/** The branded types that `schemas` reach. */
export function brandsIn(schemas: readonly Schema[], named: readonly NamedSchema[]): readonly SymbolRef[] {
  const visit = (schema: Schema): readonly SymbolRef[] =>
    schema.kind === 'branded' ? [schema.symbol ?? []].flat() : childrenOf(schema).flatMap(visit)
  return [...schemas, ...reachable(schemas, named).map(({ schema }) => schema)].flatMap(visit)
}

/** The enums whose values `schemas` reach. */
export function enumerationsIn(
  schemas: readonly Schema[],
  named: readonly NamedSchema[],
): readonly SymbolRef[] {
  const visit = (schema: Schema): readonly SymbolRef[] => {
    const own = schema.kind === 'enum' || schema.kind === 'literal' ? schema.enumeration : null
    return own === null ? childrenOf(schema).flatMap(visit) : [own.symbol]
  }
  return [...schemas, ...reachable(schemas, named).map(({ schema }) => schema)].flatMap(visit)
}
