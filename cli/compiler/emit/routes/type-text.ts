/** Schemas → TypeScript types and quoted names, for the generated table. */
import type { Enumeration, Schema, SymbolRef } from '../../ir/schema.ts'

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
  if (to === 'undefined') return `${textOf(withoutNull(inner))} | undefined`
  return to === 'Map' && inner.kind === 'record' ? `Map<string, ${textOf(inner.values)}>` : to
}

/** What is left of a union that has null. */
export function withoutNull(schema: Schema): Schema {
  if (schema.kind === 'constrained') return { ...schema, inner: withoutNull(schema.inner) }
  if (schema.kind !== 'union') return schema
  return { ...schema, members: schema.members.filter(({ kind }) => kind !== 'null') }
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
  const texts = items.map((item, index) => (index < required ? inner(item) : `(${inner(absentOr(item))})?`))
  return `[${[...texts, ...(rest === null ? [] : [`...Array<${inner(rest)}>`])].join(', ')}]`
}

/** What may be absent takes what may not be `undefined` too, whatever `exactOptionalPropertyTypes` says. */
const absentOr = (schema: Schema): Schema =>
  schema.kind === 'converted' && schema.to === 'undefined' ? withoutNull(schema.inner) : schema

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
