/** Schemas → TypeScript types and quoted names, for the generated table. */
import type { NamedSchema, Property, Schema } from '../model.ts'

/** A literal of JavaScript, safe in any source. */
export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")
  return `'${inner.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')}'`
}

/** A property name: bare when it is an identifier. */
export function propertyName(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

/** The type of the value that a decoder makes; `nameOf` gives the local name of a named type. */
export function typeText(schema: Schema, nameOf: (name: string) => string): string {
  const inner = (one: Schema): string => typeText(one, nameOf)
  switch (schema.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return schema.kind
    case 'date':
      return 'Date'
    case 'bytes':
      return 'Uint8Array'
    case 'integer':
      return 'number'
    case 'bigint':
      return 'bigint'
    case 'literal':
      return literal(schema.value)
    case 'enum':
      return schema.values.map(literal).join(' | ')
    case 'array':
      return schema.unique ? `Set<${inner(schema.items)}>` : `Array<${inner(schema.items)}>`
    case 'tuple':
      return `[${schema.items.map((item, index) => itemText(inner(item), index < schema.required)).join(', ')}]`
    case 'object':
      return objectText(schema.properties, inner)
    case 'union':
      return schema.members.map(inner).join(' | ')
    case 'ref':
      return nameOf(schema.name)
    case 'record':
      return `Record<string, ${inner(schema.values)}>`
  }
}

const itemText = (text: string, isRequired: boolean): string => (isRequired ? text : `(${text})?`)

function objectText(properties: readonly Property[], inner: (schema: Schema) => string): string {
  if (properties.length === 0) return 'Record<string, never>'
  const fields = properties.map(
    ({ name, schema, required }) => `${propertyName(name)}${required ? '' : '?'}: ${inner(schema)}`,
  )
  return `{ ${fields.join('; ')} }`
}

/** The names of all named schemas that `schemas` reach, sorted as in `named`. */
export function reachable(schemas: readonly Schema[], named: readonly NamedSchema[]): readonly NamedSchema[] {
  const byName = new Map(named.map((one) => [one.name, one]))
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    for (const child of childrenOf(schema)) visit(child)
    if (schema.kind !== 'ref' || found.has(schema.name)) return
    found.add(schema.name)
    const target = byName.get(schema.name)
    if (target !== undefined) visit(target.schema)
  }
  for (const schema of schemas) visit(schema)
  return named.filter(({ name }) => found.has(name))
}

function childrenOf(schema: Schema): readonly Schema[] {
  switch (schema.kind) {
    case 'array':
      return [schema.items]
    case 'tuple':
      return schema.items
    case 'object':
      return schema.properties.map((property) => property.schema)
    case 'union':
      return schema.members
    case 'record':
      return [schema.values]
    default:
      return []
  }
}
