/** Unions: literals that are an enum, enums of text, members that a property tells apart, `null` and `boolean`. */

import type { Schema } from '../../ir/schema.ts'
import { partsText, withoutLinks } from '../jsdoc/doc-comment.ts'
import { orderedMembers } from '../program/canonical-order.ts'
import { withinStack } from '../program/overflow.ts'
import { exportedRef, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { withNull } from './objects.ts'
import { isPublicData } from './parts.ts'
import { fail, type TypeLocation, type TypeReader } from './type-reader.ts'

/** The schema of a union: literals stand together as an enum, and `null` among the other members. */
export function readUnion(reader: TypeReader, type: ts.UnionType, location: TypeLocation): Schema {
  const { checker } = reader.source
  const hasNull = type.types.some((member) => member.flags & ts.TypeFlags.Null)
  if (hasNull) {
    const definite = checker.getNonNullableType(type)
    return withNull(reader.read(definite, location))
  }
  if (type.types.some((member) => member.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)))
    return fail(reader, type, location)
  const members = orderedMembers(checker, type)
  const values = members.flatMap((member) => literalOf(member) ?? [])
  if (values.length === members.length) {
    const schema: Schema = { kind: 'enum', values, ofEnum: areOfEnum(reader.source, members) }
    return withMemberTexts(reader, schema, members)
  }
  const bigints = members.filter(isBigintLiteral)
  if (bigints.length === members.length) return bigintsOf(bigints)
  const others = members.filter((member) => !isBigintLiteral(member))
  const schemas = withBoolean(others).map((member) => readMember(reader, member, location))
  const union = unionOf(
    bigints.length === 0 ? schemas : [...schemas, bigintsOf(bigints)],
    discriminatorOf(reader, members),
  )
  return withMemberTexts(reader, union, members)
}

/** The schema with what the doc comments of an enum's members say of its values. */
function withMemberTexts({ source }: TypeReader, schema: Schema, members: readonly ts.Type[]): Schema {
  const texts = members.flatMap((member) => memberText(source, member) ?? [])
  const [first] = texts
  if (first === undefined) return schema
  const description = texts.map(({ text }) => text).join('\n')
  return {
    kind: 'constrained',
    inner: schema,
    keywords: { description },
    at: placeOfNode(source, first.node),
  }
}

/** `- \`red\`: Warm.`; null = it is no member of an enum, or nothing is said of it. */
function memberText(
  { checker }: Source,
  type: ts.Type,
): { readonly text: string; readonly node: ts.Node } | null {
  const node = type.flags & ts.TypeFlags.EnumLiteral ? type.symbol.valueDeclaration : undefined
  if (node === undefined || !ts.isEnumMember(node)) return null
  const said = withoutLinks(partsText(type.symbol.getDocumentationComment(checker))).trim()
  return said === '' ? null : { text: `- \`${literalOf(type)}\`: ${said.replace(/\s*\n\s*/g, ' ')}`, node }
}

const isBigintLiteral = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.BigIntLiteral) !== 0

/** Literals of `bigint`, by value. */
export function bigintsOf(types: readonly ts.Type[]): Schema {
  const all = types.map((type) => {
    const { negative, base10Value } = (type as ts.LiteralType).value as {
      negative: boolean
      base10Value: string
    } // the flag said so
    return BigInt(negative ? `-${base10Value}` : base10Value)
  })
  return { kind: 'bigint', int64: false, values: all.sort((a, b) => (a < b ? -1 : 1)).map(String) }
}

function readMember(reader: TypeReader, member: ts.Type | 'boolean', location: TypeLocation): Schema {
  return member === 'boolean' ? { kind: 'boolean' } : reader.read(member, location)
}

/** The checker spreads `boolean` into `false | true`. */
function withBoolean(members: readonly ts.Type[]): readonly (ts.Type | 'boolean')[] {
  const rest = members.filter((member) => !(member.flags & ts.TypeFlags.BooleanLiteral))
  return members.length - rest.length === 2 ? [...rest, 'boolean'] : members
}

/** Literals of one union stand together as an enum. */
function unionOf(members: readonly Schema[], discriminator: string | null): Schema {
  const values = members.flatMap((member) =>
    member.kind === 'literal' && typeof member.value !== 'boolean' ? [member.value] : [],
  )
  const isOfEnum = members.some((member) => member.kind === 'literal' && member.ofEnum)
  if (values.length < 2 || isOfEnum) return { kind: 'union', members, discriminator }
  const rest = members.filter((member) => member.kind !== 'literal' || typeof member.value === 'boolean')
  return {
    kind: 'union',
    members: [...rest, { kind: 'enum', values, ofEnum: false }],
    discriminator: null,
  }
}

function literalOf(type: ts.Type): string | number | null {
  const literal = type.isIntersection() ? type.types.find((part) => part.isLiteral()) : type
  return literal?.isStringLiteral() || literal?.isNumberLiteral() ? literal.value : null
}

/** A public property that has other literals in every member. */
function discriminatorOf({ source }: TypeReader, members: readonly ts.Type[]): string | null {
  if (!members.every((member) => member.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)))
    return null
  const names = members[0]?.getProperties().map(({ name }) => name) ?? []
  const isUnique = (name: string): boolean => {
    const values = members.flatMap((member) => {
      const property = member.getProperty(name)
      return property === undefined || !isPublicData(source, property)
        ? null
        : withinStack(
            () => tagsOf(source.checker.getTypeOfSymbol(property)),
            () => null,
          )
    })
    return !values.includes(null) && new Set(values).size === values.length
  }
  return names.find(isUnique) ?? null
}

/** The values of a type of literals; of texts there may be several. */
const tagsOf = (type: ts.Type): readonly (string | number | boolean | null)[] =>
  type.isUnion() ? type.types.map((part) => (part.isStringLiteral() ? part.value : null)) : [tagOf(type)]

/** The value of a literal type; null = it is none. */
function tagOf(type: ts.Type): string | number | boolean | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
  if (!(type.flags & ts.TypeFlags.BooleanLiteral)) return null
  return isTrue(type)
}

/** Whether a literal of `boolean` is the one. */
export const isTrue = (type: ts.Type): boolean => 'intrinsicName' in type && type.intrinsicName === 'true'

/** Whether all of `members` are values of one exported enum of text. */
export function areOfEnum(source: Source, members: readonly ts.Type[]): boolean {
  const symbols = members.map(enumSymbol)
  const [symbol] = symbols
  if (symbol === undefined || symbol === null || symbols.some((other) => other !== symbol)) return false
  return exportedRef(source, symbol) !== null
}

/** The enum of a value, when some of its values are texts. */
function enumSymbol(type: ts.Type): ts.Symbol | null {
  if (!(type.flags & ts.TypeFlags.EnumLiteral) || !type.isLiteral()) return null
  const { symbol } = type
  const parent = 'parent' in symbol ? (symbol.parent as ts.Symbol | undefined) : undefined // the compiler's own field: the enum of a member
  const whole = symbol.flags & ts.SymbolFlags.Enum ? symbol : (parent ?? null) // an enum of one member is its own type
  return whole !== null && hasText(whole) ? whole : null
}

const hasText = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations
    .filter(ts.isEnumDeclaration)
    .flatMap(({ members }) => members)
    .some(({ initializer }) => initializer !== undefined && ts.isStringLiteralLike(initializer))
