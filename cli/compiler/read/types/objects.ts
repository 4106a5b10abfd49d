/** Object types → schemas: library types by name, lists, records, and the public data of interfaces and classes. */
import type { Property, Rest, Schema } from '../../ir/schema.ts'
import { reportClassDecorators, reportPropertyDecorators } from '../decorators/unread.ts'
import { textDoc, withExamples } from '../jsdoc/doc-comment.ts'
import { reportLostArguments } from '../jsdoc/lost-tags.ts'
import { docsOf } from '../jsdoc/property-docs.ts'
import { propertiesOf } from '../program/canonical-order.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { type BuiltIn, builtInOf, isForeign } from './built-ins.ts'
import { examplesIn } from './constraints.ts'
import { marksOf } from './marks/marks.ts'
import { isPublicData, writtenBy } from './parts.ts'
import { withTags } from './property-tags.ts'
import { mappingPattern, patternOf, textOfKey } from './template-literals.ts'
import { fail, type TypeLocation, type TypeReader, typeOfProperty } from './type-reader.ts'

/** The schema of an object type. Reports functions, library classes and mixed index signatures. */
export function readObject(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  const { source } = reader
  if (takesApart(source, type)) return fail(reader, type, location, 'takes a class of JavaScript apart')
  const written = writtenBy(source, type)
  if (written !== null) return reader.read(written, { ...location, path: `${location.path}.toJSON()` })
  const builtIn = builtInOf(source, type) ?? mappedList(source, type)
  if (builtIn !== null) return readBuiltIn(reader, builtIn, type, location)
  if (isForeign(source, type)) return fail(reader, type, location)
  if (isFunction(type) || isFunction(mappedFrom(source, type))) {
    return fail(reader, type, location, 'is a function')
  }
  return readMembers(reader, type, location)
}

function readBuiltIn(reader: TypeReader, builtIn: BuiltIn, type: ts.Type, location: TypeLocation): Schema {
  switch (builtIn.kind) {
    case 'value':
      return builtIn.schema
    case 'tuple':
      return readTuple(reader, builtIn.type, location)
    case 'map':
      return readMap(reader, builtIn, type, location)
    case 'list':
    case 'set':
      return readList(reader, builtIn, type, location)
  }
}

/** What a mapped type is made from: a list too, where it goes through all that a list has. */
function mappedFrom({ checker }: Source, type: ts.Type): ts.Type | null {
  if (!('declaration' in type)) return null // it is no mapped type
  checker.getPropertiesOfType(type) // by which the checker finds out
  return 'modifiersType' in type ? (type.modifiersType as ts.Type) : null // the checker's own field
}

/** A mapped type over all of a list with a name of its own is the list with other items. */
function mappedList(source: Source, type: ts.Type): BuiltIn | null {
  const from = mappedFrom(source, type)
  const item = source.checker.getIndexTypeOfType(type, ts.IndexKind.Number)
  return from !== null && item !== undefined && builtInOf(source, from)?.kind === 'list'
    ? { kind: 'list', item }
    : null
}

/** Whether it maps members that are not meant: those of a class that has a JSON form as a whole. */
function takesApart(source: Source, type: ts.Type): boolean {
  const from = mappedFrom(source, type)
  const kind = from === null ? undefined : builtInOf(source, from)?.kind
  return kind === 'value' || kind === 'map' || kind === 'set'
}

const isFunction = (type: ts.Type | null): boolean =>
  type !== null && (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0)

type Of<Kind extends BuiltIn['kind']> = Extract<BuiltIn, { readonly kind: Kind }>

/** Only texts can be the names of a JSON object. */
function readMap(
  reader: TypeReader,
  { key, value }: Of<'map'>,
  type: ts.Type,
  location: TypeLocation,
): Schema {
  if (!(key.flags & ts.TypeFlags.String))
    return fail(reader, type, location, 'has keys that are not any text')
  if (value.flags & nothing) return fail(reader, type, location)
  const definite = withoutUndefined(reader.source.checker, value) // a name without value is absent
  const values = reader.read(definite, { ...location, path: `${location.path}[]` })
  return { kind: 'converted', to: 'Map', inner: { kind: 'record', values } }
}

/** Nothing but `undefined` is no item. */
function readList(
  reader: TypeReader,
  { kind, item }: Of<'list' | 'set'>,
  type: ts.Type,
  location: TypeLocation,
): Schema {
  if (item.flags & nothing) return fail(reader, type, location)
  const items = readItem(reader, item, { ...location, path: `${location.path}[]` })
  return { kind: 'array', items, unique: kind === 'set' }
}

/** An item of a list: JSON writes null where it is `undefined`. */
function readItem(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  if (type.flags & nothing) return reader.read(type, location) // no value at all
  const definite = withoutUndefined(reader.source.checker, type)
  const schema = reader.read(definite, location)
  if (definite === type || includes(type, ts.TypeFlags.Null)) return schema
  return { kind: 'converted', to: 'undefined', inner: withNull(schema) }
}

/** The schema, or null. */
export function withNull(schema: Schema): Schema {
  const members = schema.kind === 'union' && schema.discriminator === null ? schema.members : [schema]
  return { kind: 'union', members: [...members, { kind: 'null' }], discriminator: null }
}

function readTuple(reader: TypeReader, type: ts.TupleTypeReference, location: TypeLocation): Schema {
  const { target } = type
  const { elementFlags, minLength } = target
  const first = elementFlags.findIndex((flags) => flags & ts.ElementFlags.Variable)
  const hasRest = first >= 0
  if (hasRest && first < elementFlags.length - 1)
    return fail(reader, type, location, 'has a rest before its end')
  const { checker } = reader.source
  const all = checker.getTypeArguments(type).map((item, index) => {
    const at = { ...location, path: `${location.path}[${index}]` }
    return index < minLength || mayHoldUndefined(checker, item)
      ? readItem(reader, item, at)
      : reader.read(withoutUndefined(checker, item), at)
  })
  const items = hasRest ? all.slice(0, -1) : all
  return { kind: 'tuple', items, required: minLength, rest: hasRest ? (all.at(-1) ?? null) : null }
}

/** Whether a place that may be absent may also hold `undefined`: under `exactOptionalPropertyTypes` only if its type says so. */
const mayHoldUndefined = (checker: ts.TypeChecker, type: ts.Type): boolean =>
  type.isUnion() && type.types.includes(checker.getUndefinedType())

function readMembers(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  const { checker } = reader.source
  reportClassDecorators(reader.source, type.getSymbol())
  reportLostArguments(reader.source, type)
  const properties = propertiesOf(checker, type).filter((property) => isPublicData(reader.source, property))
  const indexes = indexesOf(checker, type)
  const rests = indexes.map((index) => readIndex(reader, index, location))
  if (rests.includes(null)) return fail(reader, type, location, 'has keys that no pattern describes')
  const known = rests.flatMap((rest) => rest ?? [])
  const [only, second] = known
  if (only !== undefined && second === undefined && properties.length === 0) {
    return withKeys(reader, only, location)
  }
  const all = properties.flatMap((property) =>
    reader.guard.isOver ? [] : [readProperty(reader, { owner: type, symbol: property }, location)],
  )
  const read = all.filter((property) => typeof property !== 'string')
  const withheld = all.filter((property) => typeof property === 'string')
  const named = known.flatMap(({ pattern, ...rest }) => (pattern === null ? [] : [{ ...rest, pattern }]))
  const whole = known.find(({ pattern }) => pattern === null)
  const rest = whole === undefined ? null : { values: whole.values, orUndefined: whole.orUndefined }
  return { kind: 'object', properties: read, rest, named, withheld }
}

/** An index signature; `pattern: null` = of any text. */
interface Index extends Rest {
  readonly key: string
  readonly pattern: string | null
}

/** The index signatures that say something of JSON: a symbol is no name there, and one of any text with the same values
 *  speaks for the others. */
function indexesOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.IndexInfo[] {
  const narrow = type.isIntersection() ? narrowest(checker, type) : null
  if (narrow !== null) return [narrow]
  const all = checker
    .getIndexInfosOfType(type)
    .filter(({ keyType }) => !(keyType.flags & ts.TypeFlags.ESSymbol))
  const whole = all.find(({ keyType }) => keyType.flags & ts.TypeFlags.String)
  return whole !== undefined && all.every((info) => info.type === whole.type) ? [whole] : all
}

/** The index of any text whose values fit those of the other members: the checker would cross every value of one with every
 *  value of another. */
function narrowest(checker: ts.TypeChecker, { types }: ts.IntersectionType): ts.IndexInfo | null {
  const all = types.flatMap((member) => checker.getIndexInfosOfType(member))
  if (all.length < 2 || !all.every(({ keyType }) => keyType.flags & ts.TypeFlags.String)) return null
  return all.find((info) => all.every((other) => checker.isTypeAssignableTo(info.type, other.type))) ?? null
}

/** null = no pattern describes the names. */
function readIndex(
  reader: TypeReader,
  { type, keyType }: ts.IndexInfo,
  location: TypeLocation,
): Index | null {
  const pattern = keyPattern(keyType)
  if (pattern === undefined) return null
  const definite = withoutUndefined(reader.source.checker, type)
  return {
    values: reader.read(definite, { ...location, path: `${location.path}{}` }),
    orUndefined: definite !== type,
    pattern,
    key: textOfKey(reader.source.checker, keyType),
  }
}

/** The pattern of the names that an index signature speaks of; null = any text, undefined = not known. */
function keyPattern(key: ts.Type): string | null | undefined {
  if (key.flags & ts.TypeFlags.Number) return '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$'
  if (key.flags & ts.TypeFlags.TemplateLiteral) return patternOf(key as ts.TemplateLiteralType) ?? undefined // the flag says so
  if (key.flags & ts.TypeFlags.StringMapping) return mappingPattern(key) ?? undefined
  return null
}

/** A record, whose names must match when its index is not any text. */
function withKeys(reader: TypeReader, { values, pattern }: Index, { at }: TypeLocation): Schema {
  const record: Schema = { kind: 'record', values }
  if (pattern === null) return record
  reader.depends()
  return { kind: 'constrained', inner: record, keywords: { propertyNames: { pattern } }, at }
}

/** A property of the application is told at its own place. */
export function propertyLocation(
  { source }: Pick<TypeReader, 'source'>,
  symbol: ts.Symbol,
  location: TypeLocation,
): TypeLocation {
  const node = symbol.valueDeclaration
  const isOwn = node !== undefined && source.isOwn(node.getSourceFile())
  const at = isOwn ? placeOfNode(source, node) : location.at
  return { ...location, at, path: `${location.path}.${symbol.name}` }
}

interface Owned {
  /** The type that has the property. */
  readonly owner: ts.Type
  readonly symbol: ts.Symbol
}

/** A text = the name of one that is neither answered nor taken. */
function readProperty(
  reader: TypeReader,
  { owner, symbol }: Owned,
  location: TypeLocation,
): Property | string {
  const { checker } = reader.source
  const inside = propertyLocation(reader, symbol, location)
  reportPropertyDecorators(reader.source, symbol)
  const type = typeOfProperty(reader, symbol, inside)
  const { isWithheld, ...marks } = marksOf(reader.source, symbol, { type, owner })
  if (isWithheld) return symbol.name
  const isOptional = Boolean(symbol.flags & ts.SymbolFlags.Optional)
  const mayBeAbsent = isOptional || includes(type, nothing)
  const { text, isDeprecated } = docsOf(reader.source, symbol)
  if (type.flags & ts.TypeFlags.Never) fail(reader, type, inside, 'has no value')
  const plain = reader.read(mayBeAbsent ? withoutUndefined(checker, type) : type, inside)
  const schema = withTags(reader, symbol, plain)
  return {
    name: symbol.name,
    schema,
    required: !mayBeAbsent,
    orUndefined: mayBeAbsent && !isOptional,
    ...marks,
    doc: withExamples(textDoc(text, isDeprecated), examplesIn(schema)),
  }
}

/** Whether `type` is, or is a union with, a type of these flags. */
export function includes(type: ts.Type, flags: ts.TypeFlags): boolean {
  return type.isUnion() ? type.types.some((member) => member.flags & flags) : Boolean(type.flags & flags)
}

/** What JSON leaves out. A property of `void` holds nothing but `undefined`. */
const nothing = ts.TypeFlags.Undefined | ts.TypeFlags.Void

/** `type` without `undefined` and `void`; its alias name survives. `null` stays. */
export function withoutUndefined(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  if (!includes(type, nothing)) return type
  const members = type.isUnion() ? type.types.filter(isDefinite) : []
  const [only, second] = members
  if (only === undefined) return checker.getNeverType()
  if (second === undefined) return only // the checker would look inside
  const definite = checker.getNonNullableType(
    includes(type, ts.TypeFlags.Void) ? unionOf(checker, members) : type,
  )
  return includes(type, ts.TypeFlags.Null) ? checkerUnion(checker, definite) : definite
}

const isDefinite = ({ flags }: ts.Type): boolean => !(flags & nothing)

/** The checker makes unions, but says so to itself alone. */
function unionOf(checker: ts.TypeChecker, members: readonly ts.Type[]): ts.Type {
  const { getUnionType } = checker as unknown as { getUnionType(types: readonly ts.Type[]): ts.Type } // the checker's own method
  return getUnionType(members)
}

/** `type | null`, made by the checker. */
function checkerUnion(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  return checker.getNullableType(type, ts.TypeFlags.Null)
}
