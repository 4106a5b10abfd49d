/** Where a schema takes a value that is absent though its input type does not say so. zod has `.catch()`, `z.preprocess` and a transformation read
 *  anything, yet infers the input of what they stand around, or `unknown`: its definitions, which are types too, tell. Other libraries
 *  say it in the input type. */
import type { Property, Schema } from '../../ir/schema.ts'
import { isReference, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { TypeReader } from '../types/type-reader.ts'

/** What a schema of zod is: `type` and the others of `_zod.def`; null of another library's. */
interface Definition {
  readonly kind: string
  /** The type of a schema, or of several, inside of it. */
  readonly inside: (name: string) => ts.Type | null
  /** Whether zod itself has a property of this schema absent. */
  readonly isOptional: boolean
}

function definitionOf(source: Source, schema: ts.Type): Definition | null {
  const internals = memberOf(source, schema, '_zod')
  const def = internals === null ? null : memberOf(source, internals, 'def')
  const type = def === null ? null : memberOf(source, def, 'type')
  if (internals === null || def === null || type === null || !type.isStringLiteral()) return null
  const optional = source.checker.getPropertyOfType(internals, 'optin')
  const isSaid = optional !== undefined && !(optional.flags & ts.SymbolFlags.Optional)
  const said = isSaid ? source.checker.getTypeOfSymbol(optional) : null
  return {
    kind: type.value,
    inside: (name) => memberOf(source, def, name),
    isOptional:
      said !== null && (said.isUnion() ? said.types : [said]).every((each) => each.isStringLiteral()),
  }
}

function memberOf({ checker }: Source, type: ts.Type, name: string): ts.Type | null {
  const symbol = checker.getPropertyOfType(type, name)
  return symbol === undefined ? null : checker.getTypeOfSymbol(symbol)
}

/** What schemas of zod that only stand around another one have this in. */
const aroundOne: ReadonlyMap<string, string> = new Map([
  ['pipe', 'in'],
  ...['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch'].map(
    (kind) => [kind, 'innerType'] as const,
  ),
])

/** Whether a property of this schema may be absent; null = it is none of zod's. */
export function takesAbsent(source: Source, schema: ts.Type): boolean | null {
  const found = definitionOf(source, schema)
  if (found === null) return null
  if (found.isOptional || found.kind === 'catch' || found.kind === 'transform') return true
  const inner = found.kind === 'pipe' || found.kind === 'readonly' || found.kind === 'nullable'
  const inside = inner ? found.inside(aroundOne.get(found.kind) ?? '') : null
  return inside !== null && takesAbsent(source, inside) === true
}

/** Whether a parameter of an input type of `unknown` is made up from nothing where it is absent: `z.coerce.string()` says `undefined`. */
export function isCoerced(source: Source, schema: ts.Type): boolean {
  const found = definitionOf(source, schema)
  if (found === null || found.isOptional || takesAbsent(source, schema) === true) return false
  const inside = found.inside(aroundOne.get(found.kind) ?? '')
  return inside === null ? coercible.has(found.kind) : isCoerced(source, inside)
}

const coercible: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'bigint', 'date'])

/** What the input type came to, with the properties optional that the schema has absent. */
export function withAbsent({ source, names }: TypeReader, read: Schema, type: ts.Type): Schema {
  return inDefinition({ source, names, amended: new Set() }, read, type)
}

interface Walk extends Pick<TypeReader, 'source' | 'names'> {
  /** The components that were gone through: they hold themselves. */
  readonly amended: Set<string>
}

function inDefinition(walk: Walk, read: Schema, type: ts.Type): Schema {
  const { source } = walk
  const found = definitionOf(source, type)
  if (found === null) return read
  const around = found.inside(aroundOne.get(found.kind) ?? '')
  if (around !== null) return inDefinition(walk, read, around)
  if (found.kind === 'intersection')
    return within(walk, within(walk, read, found.inside('left')), found.inside('right'))
  switch (read.kind) {
    case 'ref':
      amendOnce(walk, read.name, (schema) => inDefinition(walk, schema, type))
      return read
    case 'converted': // a Map, or items that may be undefined
      return { ...read, inner: inDefinition(walk, read.inner, type) }
    case 'object':
      return { ...read, properties: propertiesWithAbsent(walk, read.properties, found.inside('shape')) }
    case 'array':
      return { ...read, items: within(walk, read.items, found.inside(read.unique ? 'valueType' : 'element')) }
    case 'record':
      return { ...read, values: within(walk, read.values, found.inside('valueType')) }
    case 'tuple': {
      const types = itemsOf(source, found.inside('items'))
      return { ...read, items: read.items.map((item, place) => within(walk, item, types[place] ?? null)) }
    }
    case 'union':
      return { ...read, members: membersWithAbsent(walk, read.members, { type, found }) }
    default:
      return read
  }
}

function amendOnce({ names, amended }: Walk, name: string, amend: (schema: Schema) => Schema): void {
  if (amended.has(name)) return
  amended.add(name)
  names.amendComponent(name, amend)
}

const within = (walk: Walk, read: Schema, type: ts.Type | null): Schema =>
  type === null ? read : inDefinition(walk, read, type)

function propertiesWithAbsent(
  walk: Walk,
  properties: readonly Property[],
  shape: ts.Type | null,
): readonly Property[] {
  return properties.map((property) => {
    const type = shape === null ? null : memberOf(walk.source, shape, property.name)
    if (type === null) return property
    const required = property.required && takesAbsent(walk.source, type) !== true
    return { ...property, required, schema: inDefinition(walk, property.schema, type) }
  })
}

/** The types of a list of schemas. */
const itemsOf = ({ checker }: Source, list: ts.Type | null): readonly ts.Type[] =>
  list !== null && isReference(list) ? checker.getTypeArguments(list) : []

interface Defined {
  readonly type: ts.Type
  readonly found: Definition
}

/** Members are in another order than the options: what holds the same names and literals is the same. */
function membersWithAbsent(
  walk: Walk,
  members: readonly Schema[],
  { type, found }: Defined,
): readonly Schema[] {
  const { source } = walk
  const options = found.kind === 'union' ? itemsOf(source, found.inside('options')) : [type] // beside null
  const byContent = new Map<string, ts.Type | null>()
  for (const option of options) {
    const content = contentOf(source, option)
    byContent.set(content, byContent.has(content) ? null : option)
  }
  const amended = (member: Schema): Schema =>
    member.kind === 'object' ? within(walk, member, byContent.get(keyOf(member)) ?? null) : member
  for (const member of members) if (member.kind === 'ref') amendOnce(walk, member.name, amended)
  return members.map(amended)
}

function contentOf(source: Source, schema: ts.Type): string {
  const shape = definitionOf(source, schema)?.inside('shape') ?? null
  if (shape === null) return ''
  const literalOf = (name: string): unknown => {
    const type = memberOf(source, shape, name)
    const internals = type === null ? null : memberOf(source, type, '_zod')
    const input = internals === null ? null : memberOf(source, internals, 'input')
    return input?.isLiteral() === true ? input.value : undefined
  }
  const names = source.checker.getPropertiesOfType(shape).map(({ name }) => name)
  return textOf(names.map((name) => [name, literalOf(name)]))
}

const keyOf = ({ properties }: Schema & { readonly kind: 'object' }): string =>
  textOf(properties.map(({ name, schema }) => [name, schema.kind === 'literal' ? schema.value : undefined]))

const textOf = (content: readonly (readonly [name: string, literal: unknown])[]): string =>
  content
    .map(([name, literal]) => JSON.stringify([name, typeof literal === 'boolean' ? undefined : literal]))
    .sort()
    .join()
