/** Checker types → schemas. Goes by `ts.Type`, never by nodes, so that utility, mapped and imported types come out
 *  right. A type without a JSON form is reported with the path to it; nothing becomes a wrong schema in silence. */

import { memoize } from '../../cache/memoize.ts'
import { textSchema } from '../../ir/plain-schemas.ts'
import type { Schema } from '../../ir/schema.ts'
import { textOfType } from '../program/overflow.ts'
import { placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isPrimitive } from './brands.ts'
import { createNames } from './component-names.ts'
import { DepthGuard, type Frame, maxWork } from './depth-guard.ts'
import { readObject } from './objects.ts'
import { readTemplate } from './template-literals.ts'
import { nameOf } from './type-names.ts'
import { bounded, endless, fail, type TypeLocation, type TypeReader } from './type-reader.ts'
import { areOfEnum, bigintsOf, isTrue, readUnion } from './unions.ts'

const anything: Schema = { kind: 'unknown' }
/** `object`: what is no primitive. */
const anyObject: Schema = {
  kind: 'union',
  members: [
    { kind: 'record', values: anything },
    { kind: 'array', items: anything, unique: false },
  ],
  discriminator: null,
}

/** The branded types of the public surface. */
const brands: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['Int32', { kind: 'integer', format: 'int32' }],
  ['Int64', { kind: 'bigint', int64: true, values: null }],
  ['Float64', { kind: 'number' }],
  ['Uuid', textSchema('uuid')],
  ['DateTime', textSchema('date-time')],
  ['Email', textSchema('email')],
  ['Url', textSchema('uri')],
])

/** What a type came to. */
interface Known {
  readonly schema: Schema
  /** The names that it refers to. */
  readonly references: readonly string[]
  /** How many types stand in it, itself included; one where it has a name. */
  readonly parts: number
}

/** A reader of one run; named types collect in its `names`. */
export function createTypeReader(source: Source): TypeReader {
  const known = new Map<ts.Type, Known>()
  const guard = new DepthGuard()
  const names = createNames(source, guard)
  let dependent = 0
  const tooMuch = (type: ts.Type, location: TypeLocation): Schema => {
    const text = textOfType(source.checker, type)
    return endless(reader, location, text, `comes to more than ${maxWork} parts`)
  }
  const readOpen = (frame: Frame): Schema => {
    const { type, location } = frame
    if (guard.isTooDeep) return endless(reader, location, textOfType(source.checker, type))
    return closed(
      reader,
      frame,
      bounded(reader, frame, () => readType(reader, type, location)),
    )
  }
  const readNew = (type: ts.Type, location: TypeLocation): Schema => {
    const open = guard.frameOf(type, isList(source, type))
    if (open !== null) return holding(reader, open)
    const before = { dependent, work: guard.work }
    if (!guard.spend(1)) return tooMuch(type, location)
    const [schema, references] = guard.inside(type, location, (frame) =>
      names.withReferences(() => readOpen(frame)),
    )
    const isReference = schema.kind === 'ref'
    const parts = isReference ? 1 : guard.work - before.work
    if (dependent === before.dependent || isReference) known.set(type, { schema, references, parts })
    for (const name of references) names.recordReference(name)
    return schema
  }
  const readKnown = ({ schema, references, parts }: Known, type: ts.Type, location: TypeLocation): Schema => {
    for (const name of references) names.recordReference(name)
    return guard.spend(parts) ? schema : tooMuch(type, location)
  }
  const reader: TypeReader = {
    source,
    names,
    guard,
    read: (original, location) =>
      guard.whole(() => {
        if (guard.isOver) return anything
        const type = substituted(original)
        const before = known.get(type)
        return before === undefined ? readNew(type, location) : readKnown(before, type, location)
      }),
    depends: () => void dependent++,
  }
  return reader
}

const isList = ({ checker }: Source, type: ts.Type): boolean =>
  checker.isArrayType(type) || checker.isTupleType(type)

/** `NoInfer<T>` is T, but for inference. */
function substituted(type: ts.Type): ts.Type {
  return type.flags & ts.TypeFlags.Substitution ? (type as ts.SubstitutionType).baseType : type // the flag says so
}

/** A reference to a type that is still open: it needs a name. */
function holding({ source, names }: TypeReader, frame: Frame): Schema {
  frame.name ??= names.generateName(recursiveName(source, frame))
  names.recordReference(frame.name)
  return { kind: 'ref', name: frame.name }
}

/** What was read of a type; one that holds itself becomes a component. */
function closed({ source, names }: TypeReader, { type, name, location }: Frame, schema: Schema): Schema {
  if (name === null) return schema
  const alias = aliasOf(source, type)
  const at = alias === null ? location.at : placeOfNode(source, alias)
  return names.declareComponent({ name, at, schema })
}

function readType(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  const brand = brands.get(publicName(reader.source, type.aliasSymbol) ?? '')
  if (brand !== undefined) return brand
  if (publicName(reader.source, type.getSymbol()) === 'UploadedFile') {
    return fail(reader, type, location, 'must be a parameter of its own, or a list of it')
  }
  const named = readNamed(reader, type, location)
  if (named !== null) return named
  return readStructure(reader, type, location)
}

/** A type with a name of its own becomes a component; the name is taken before its inside is read. */
function readNamed(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema | null {
  const name = nameOf(reader.source, type)
  if (name === null) return null
  return reader.names.declareType({
    type,
    name,
    location,
    read: () => {
      const inside = { at: location.at, path: `${location.path} → ${name}` }
      return bounded(reader, { type, location: inside }, () => readStructure(reader, type, inside))
    },
  })
}

function readStructure(reader: TypeReader, type: ts.Type, location: TypeLocation): Schema {
  const simple = readSimple(reader, type)
  if (simple !== null) return simple
  if (type.isUnion()) return readUnion(reader, type, location)
  if (type.isIntersection()) return readIntersection(reader, type, location)
  if (type.flags & ts.TypeFlags.Object) return readObject(reader, type, location)
  if (type.flags & (ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping)) {
    const template = readTemplate(reader.source.checker, type as ts.TemplateLiteralType) // the flags say so
    if (template !== null) return template
  }
  return fail(reader, type, location)
}

function readSimple({ source }: TypeReader, type: ts.Type): Schema | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) {
    return { kind: 'literal', value: type.value, ofEnum: areOfEnum(source, [type]) }
  }
  if (type.flags & ts.TypeFlags.String) return textSchema()
  if (type.flags & (ts.TypeFlags.Number | ts.TypeFlags.Enum)) return { kind: 'number' } // or an enum's computed value
  if (type.flags & ts.TypeFlags.Boolean) return { kind: 'boolean' }
  if (type.flags & ts.TypeFlags.BooleanLiteral) {
    return { kind: 'literal', value: isTrue(type), ofEnum: false }
  }
  if (type.flags & ts.TypeFlags.BigInt) return { kind: 'bigint', int64: false, values: null }
  if (type.flags & ts.TypeFlags.BigIntLiteral) return bigintsOf([type])
  if (type.flags & ts.TypeFlags.Null) return { kind: 'null' }
  if (type.flags & ts.TypeFlags.Unknown) return anything
  if (type.flags & ts.TypeFlags.NonPrimitive) return anyObject
  if (type.flags & ts.TypeFlags.Never) return { kind: 'never' }
  return null
}

/** A primitive with a brand is the primitive; an intersection of objects is one object. */
function readIntersection(reader: TypeReader, type: ts.IntersectionType, location: TypeLocation): Schema {
  const primitive = type.types.find(isPrimitive)
  if (primitive !== undefined) return brandWithin(reader.source, type) ?? reader.read(primitive, location)
  if (
    reader.source.checker.getPropertiesOfType(type).length === 0 &&
    type.types.some((part) => part.getProperties().length > 0)
  ) {
    return fail(reader, type, location, 'has no value')
  }
  const branded = type.types.filter((part) => !isBrand(part) && !(part.flags & ts.TypeFlags.NonPrimitive))
  const [only] = branded
  return only !== undefined && branded.length === 1
    ? reader.read(only, location)
    : readObject(reader, type, location)
}

/** What a public brand says whose name TypeScript has forgotten: `NonNullable<Int32>`, `Int32 & { __brand: 'Age' }`. */
function brandWithin({ checker, publicSurface }: Source, { types }: ts.IntersectionType): Schema | null {
  for (const [name, schema] of brands) {
    const symbol = publicSurface.get(name)
    const declared = symbol === undefined ? null : checker.getDeclaredTypeOfSymbol(symbol)
    if (
      declared?.isIntersection() &&
      declared.types.some((part) => !isPrimitive(part) && types.includes(part))
    )
      return schema
  }
  return null
}

/** An object type whose only members are keyed by symbols. */
function isBrand(type: ts.Type): boolean {
  const properties = type.getProperties()
  return properties.length > 0 && properties.every(({ escapedName }) => String(escapedName).startsWith('__@'))
}

// Names for types that hold themselves and have none: what zod infers of a getter, or what a conditional type comes to.

/** The name of the application's alias that is the type, of the alias and the type that a mapped type was made by and of, or
 *  else of the place where it was met first. */
function recursiveName(source: Source, { type, location }: Frame): string {
  return aliasOf(source, type)?.name.text ?? mappedName(source, type) ?? nameOfPath(location.path)
}

/** The alias of the application that is only another word for `type`; of several the first by file and line. */
const aliasOf = (source: Source, type: ts.Type): ts.TypeAliasDeclaration | null =>
  aliasesOf(source).get(type) ?? null

const aliasesOf = memoize(({ checker, files }: Source): ReadonlyMap<ts.Type, ts.TypeAliasDeclaration> => {
  const found = new Map<ts.Type, ts.TypeAliasDeclaration>()
  const plain = files
    .flatMap(({ statements }) => statements.filter(ts.isTypeAliasDeclaration))
    .filter(({ typeParameters }) => typeParameters === undefined)
  for (const alias of plain) {
    const type = checker.getTypeFromTypeNode(alias.type)
    if (!found.has(type)) found.set(type, alias)
  }
  return found
})

function mappedName(source: Source, type: ts.Type): string | null {
  const node = type.getSymbol()?.declarations?.[0]
  if (node === undefined || !ts.isMappedTypeNode(node) || !source.isOwn(node.getSourceFile())) return null
  const from = 'modifiersType' in type ? nameOf(source, type.modifiersType as ts.Type) : null // the checker's own field
  const alias = ts.findAncestor(node, ts.isTypeAliasDeclaration)
  return alias === undefined || from === null ? null : `${alias.name.text}Of${from}`
}

/** `Notes.create(note).items[]` → `NotesCreateNoteItems`. */
function nameOfPath(path: string): string {
  const last = path.split(' → ').at(-1) ?? path
  const words = last.match(/[\p{ID_Continue}$]+/gu) ?? []
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^[\p{ID_Start}_$]/u.test(name) ? name : `Type${name}`
}
