/** What the checker made a property of: where it keeps no declarations, its own fields are followed. Mapped types, their like with
 *  other keys, intersections, spreads and instances of generic types. */

import { nodesIn } from '../../program/nodes.ts'
import type { Source } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'

/** A property, or a node that says of what it is made. */
export type Origin = ts.Symbol | ts.Node

/** The checker's own fields of a property that it made. */
interface Links {
  readonly target?: ts.Symbol
  readonly syntheticOrigin?: ts.Symbol
  readonly leftSpread?: ts.Symbol
  readonly rightSpread?: ts.Symbol
  readonly containingType?: ts.UnionOrIntersectionType
  readonly mappedType?: Mapped
  /** The key before `as` gave it another name. */
  readonly keyType?: ts.Type
}

interface Mapped extends ts.Type {
  readonly declaration: ts.MappedTypeNode
  readonly mapper?: Mapper
}

/** Type parameters and what they stand for; which fields there are depends on `kind`. */
interface Mapper {
  readonly target?: ts.Type
  readonly targets?: readonly (ts.Type | (() => ts.Type))[]
  readonly mapper1?: Mapper
  readonly mapper2?: Mapper
}

const linksOf = (symbol: ts.Symbol): Links => (symbol as { readonly links?: Links }).links ?? {}

/** What a property is declared by, and made of. */
export function originsOf(source: Source, symbol: ts.Symbol): readonly Origin[] {
  const { target, syntheticOrigin, leftSpread, rightSpread, containingType, mappedType } = linksOf(symbol)
  const made = [target, syntheticOrigin, leftSpread, rightSpread].flatMap((origin) => origin ?? [])
  const joined = (containingType?.types ?? []).flatMap((type) => type.getProperty(symbol.name) ?? [])
  const declarations = symbol.declarations ?? []
  const mapped = mappedType === undefined ? [] : mappedFrom(source, symbol, mappedType)
  return [...declarations, ...made, ...joined, ...mapped]
}

/** The declarations of a property, also of the one that a mapped type gave another name. */
export function declarationsOf(source: Source, symbol: ts.Symbol): readonly ts.Declaration[] {
  if (symbol.declarations !== undefined) return symbol.declarations
  return [...new Set(takenFrom(source, symbol).flatMap(({ declarations }) => declarations ?? []))]
}

/** A property, and those whose value it has, through mapped types. */
export function takenFrom(source: Source, symbol: ts.Symbol): readonly ts.Symbol[] {
  const open = new Set<ts.Symbol>([symbol])
  for (const item of open) {
    const { target, syntheticOrigin, mappedType } = linksOf(item)
    const mapped = mappedType === undefined ? [] : renamedFrom(source, item, mappedType)
    for (const origin of [target ?? [], syntheticOrigin ?? [], mapped].flat()) open.add(origin) // grows as it is walked
  }
  return [...open]
}

/** A mapped type that makes another value of a property. */
export interface MadeValue {
  readonly template: ts.TypeNode
  /** The value of the property is somewhere in it: `T[K][]`. */
  readonly holdsValue: boolean
}

/** null = the property has the value of the one that it is made from, perhaps null besides. */
export function madeValueOf(source: Source, symbol: ts.Symbol): MadeValue | null {
  if (linksOf(symbol).mappedType === undefined && linksOf(symbol).target === undefined) return null
  for (const item of takenFrom(source, symbol)) {
    const template = linksOf(item).mappedType?.declaration.type
    if (template !== undefined && !isValueItself(template))
      return { template, holdsValue: holdsValue(template) }
  }
  return null
}

/** `T[K]`, `T[K] | null`, `NonNullable<T[K]>`, and what a condition decides. */
function isValueItself(node: ts.TypeNode): boolean {
  if (ts.isUnionTypeNode(node)) return node.types.some(isValueItself)
  if (ts.isParenthesizedTypeNode(node)) return isValueItself(node.type)
  if (ts.isTypeReferenceNode(node))
    return node.typeName.getText() === 'NonNullable' && (node.typeArguments ?? []).some(isValueItself)
  return ts.isIndexedAccessTypeNode(node) || ts.isConditionalTypeNode(node)
}

const holdsValue = (node: ts.Node): boolean =>
  ts.isIndexedAccessTypeNode(node) ||
  (ts.forEachChild(node, (child) => holdsValue(child) || undefined) ?? false)

/** The properties of the key before `as`, where the template takes their values over: `T[K]`. */
function renamedFrom(source: Source, symbol: ts.Symbol, mapped: Mapped): readonly ts.Symbol[] {
  const { type } = mapped.declaration
  if (type === undefined || !ts.isIndexedAccessTypeNode(type)) return []
  return mappedFrom(source, symbol, mapped).flatMap((origin) => ('kind' in origin ? [] : [origin]))
}

/** The types that a mapped type makes a property from. */
export function ownersOf(source: Source, symbol: ts.Symbol): readonly ts.Type[] {
  const { mappedType } = linksOf(symbol)
  if (mappedType === undefined) return []
  return [...typesIn(source, mappedType.declaration), ...targetsOf(mappedType.mapper)]
}

/** The names by which a property was known. */
export function keysOf(symbol: ts.Symbol): readonly string[] {
  const { keyType } = linksOf(symbol)
  return [symbol.name, ...(keyType === undefined ? [] : textsOf(keyType))]
}

/** The texts of a type of keys. */
export const textsOf = (type: ts.Type): readonly string[] =>
  partsOf(type).flatMap((part) =>
    part.isStringLiteral() || part.isNumberLiteral() ? [String(part.value)] : [],
  )

const partsOf = (type: ts.Type): readonly ts.Type[] =>
  type.isUnionOrIntersection() ? [type, ...type.types] : [type]

/** The properties of these names in a type, or in its members. */
export const propertiesNamed = (
  { checker }: Pick<Source, 'checker'>,
  type: ts.Type,
  names: readonly string[],
): readonly ts.Symbol[] =>
  partsOf(type)
    .filter(({ flags }) => flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection))
    .flatMap((part) => names.flatMap((name) => checker.getPropertyOfType(part, name) ?? []))

/** The template of a mapped type, and the properties of the key in all types that it speaks of. */
function mappedFrom(source: Source, symbol: ts.Symbol, { declaration, mapper }: Mapped): readonly Origin[] {
  const template = declaration.type === undefined ? [] : [declaration.type]
  if (symbol.declarations !== undefined) return template
  const keys = keysOf(symbol)
  const types = [...typesIn(source, declaration), ...targetsOf(mapper)]
  return [...template, ...types.flatMap((type) => propertiesNamed(source, type, keys))]
}

/** The types that are named inside a mapped type. */
function typesIn({ checker }: Source, mapped: ts.MappedTypeNode): readonly ts.Type[] {
  return nodesIn(mapped)
    .filter(ts.isTypeNode)
    .filter((node) => !ts.isMappedTypeNode(node))
    .flatMap((node) => withKeysOf(checker.getTypeFromTypeNode(node)))
}

/** What the type parameters around a mapped type stand for. */
function targetsOf(mapper: Mapper | undefined): readonly ts.Type[] {
  if (mapper === undefined) return []
  const { target, targets = [], mapper1, mapper2 } = mapper
  const all = targets.map((each) => (typeof each === 'function' ? each() : each))
  return [
    ...[...(target === undefined ? [] : [target]), ...all].flatMap(withKeysOf),
    ...targetsOf(mapper1),
    ...targetsOf(mapper2),
  ]
}

/** A type, and the object of which it is the keys. */
function withKeysOf(type: ts.Type): readonly ts.Type[] {
  const origin = 'origin' in type ? (type.origin as ts.Type | undefined) : type // the checker's own field of a union
  const of = origin !== undefined && origin.flags & ts.TypeFlags.Index ? (origin as ts.IndexType).type : null // the flag says so
  return of === null ? [type] : [type, of]
}
