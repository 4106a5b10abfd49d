/** What the aliases say that a type is written with, also inside lists, records, tuples and unions: their constraint tags,
 *  and their names where the type has none of its own (what `Pick` or a library's `infer` came to). The checker's types do
 *  not know them, so the schema is walked beside the type's text. */

import type { Schema } from '../../ir/schema.ts'
import { mapInside } from '../../ir/schema-walk.ts'
import { wrappers } from '../controllers/parameter-wrappers.ts'
import { reportPropertyDecorators } from '../decorators/unread.ts'
import { inWrittenOrder } from '../program/canonical-order.ts'
import { publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { constrain, constraintTags, rulesFor } from '../types/constraints.ts'
import { propertiesNamed, textsOf } from '../types/marks/property-origins.ts'
import { lists, records, reportLost, streams } from './lost-tags.ts'

type Of = (schema: Schema, node: ts.TypeNode | undefined) => Schema

/** What the walk must know of names. */
export interface Naming {
  readonly source: Source
  /** The name that a type has by itself, or null. */
  readonly nameOf: (type: ts.Type) => string | null
  /** The reference to a component by the name of an alias. */
  readonly declare: (alias: ts.TypeAliasDeclaration, schema: Schema) => Schema
}

/** `schema` with the tags and the names of the aliases in `node`. A component has its aliases' tags itself. */
export function withAliases(naming: Naming, schema: Schema, node: ts.TypeNode | undefined): Schema {
  return walk(naming, schema, node, [])
}

function walk(
  naming: Naming,
  schema: Schema,
  node: ts.TypeNode | undefined,
  seen: readonly ts.Node[],
): Schema {
  const inner: Of = (item, at) => walk(naming, item, at, seen)
  if (node !== undefined && ts.isTypeReferenceNode(node)) reportLost(naming.source, node)
  if (node === undefined || schema.kind === 'ref') return schema
  if (schema.kind === 'constrained' || schema.kind === 'converted') {
    if (!ts.isTypeReferenceNode(node)) return { ...schema, inner: inner(schema.inner, node) }
  }
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return inner(schema, node.type)
  if (ts.isUnionTypeNode(node)) return node.types.reduce(inner, inWrittenOrder(schema, node))
  if (ts.isArrayTypeNode(node)) return inLists(schema, (items) => inner(items, node.elementType))
  if (ts.isTupleTypeNode(node)) return inTuple(schema, node, inner)
  if (ts.isIndexedAccessTypeNode(node)) return ofProperty(naming, schema, node)
  return ts.isTypeReferenceNode(node) ? ofReference(naming, schema, node, seen) : schema
}

/** `Order['count']` has the rules of the property. */
function ofProperty({ source }: Naming, schema: Schema, node: ts.IndexedAccessTypeNode): Schema {
  const [type, key] = [node.objectType, node.indexType].map((item) =>
    source.checker.getTypeFromTypeNode(item),
  )
  const found = type === undefined || key === undefined ? [] : propertiesNamed(source, type, textsOf(key))
  const [only, second] = found
  if (only === undefined || second !== undefined) return schema
  reportPropertyDecorators(source, only)
  return constrain(source, schema, rulesFor(schema, constraintTags(only.declarations ?? [])))
}

function ofReference(
  naming: Naming,
  schema: Schema,
  node: ts.TypeReferenceNode,
  seen: readonly ts.Node[],
): Schema {
  const { source } = naming
  const typeArguments = node.typeArguments
  const inner: Of = (item, at) => walk(naming, item, at, seen)
  const symbol = symbolAt(source, node.typeName)
  const isWrapper = wrappers.has(publicName(source, symbol) ?? '')
  if (isWrapper) return inner(schema, typeArguments?.at(-1))
  const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration)
  if (alias !== undefined && source.isOwn(alias.getSourceFile())) {
    if (seen.includes(alias)) return schema
    const inside = walk(naming, schema, alias.type, [...seen, alias])
    return named(naming, constrain(source, inside, constraintTags([alias])), node, alias)
  }
  const name = symbol?.name ?? ''
  if (name === 'Promise') return inner(schema, typeArguments?.[0])
  if (lists.has(name)) return inLists(schema, (items) => inner(items, typeArguments?.[0]))
  if (records.has(name)) return inRecords(schema, (values) => inner(values, typeArguments?.[1]))
  const [only] = typeArguments ?? []
  if (wholes.has(name) && only !== undefined && isRecord(only)) return inner(schema, only)
  return streams.has(name) && schema.kind === 'events'
    ? mapInside(schema, (items) => inner(items, only))
    : schema
}

/** They leave the properties of a record as they are. */
const wholes = new Set(['Partial', 'Required', 'Readonly'])

const isRecord = (node: ts.TypeNode): boolean =>
  ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Record'

/** An object that has no name but that of the alias it is written with becomes a component by it. */
function named(
  { source, nameOf, declare }: Naming,
  schema: Schema,
  node: ts.TypeReferenceNode,
  alias: ts.TypeAliasDeclaration,
): Schema {
  const type = source.checker.getTypeFromTypeNode(node)
  const isObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
  if (alias.typeParameters !== undefined || !isObject || nameOf(type) !== null) return schema
  return inOnly(schema, 'object', (object) => declare(alias, object))
}

/** `schema` with the items of its only list changed; of several in a union it is not clear which is meant. */
function inLists(schema: Schema, change: (items: Schema) => Schema): Schema {
  return inOnly(schema, 'array', (list) => mapInside(list, change))
}

/** A record of known names is an object. */
function inRecords(schema: Schema, change: (values: Schema) => Schema): Schema {
  if (schema.kind === 'object') {
    const properties = schema.properties.map((property) => ({ ...property, schema: change(property.schema) }))
    return { ...schema, properties }
  }
  return inOnly(schema, 'record', (record) => mapInside(record, change))
}

function inTuple(schema: Schema, node: ts.TupleTypeNode, inner: Of): Schema {
  return inOnly(schema, 'tuple', (tuple) =>
    tuple.kind === 'tuple'
      ? {
          ...tuple,
          items: tuple.items.map((item, index) => inner(item, elementOf(node.elements[index]))),
          rest: tuple.rest === null ? null : inner(tuple.rest, elementOf(node.elements[tuple.items.length])),
        }
      : tuple,
  )
}

function elementOf(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (node === undefined) return undefined
  if (ts.isNamedTupleMember(node) || ts.isOptionalTypeNode(node)) return node.type
  if (!ts.isRestTypeNode(node)) return node
  return ts.isArrayTypeNode(node.type) ? node.type.elementType : undefined
}

function inOnly(schema: Schema, kind: Schema['kind'], change: (schema: Schema) => Schema): Schema {
  if (schema.kind === kind) return change(schema)
  if (schema.kind === 'converted' || schema.kind === 'constrained')
    return mapInside(schema, (inner) => inOnly(inner, kind, change))
  if (schema.kind !== 'union') return schema
  const isFit = (member: Schema): boolean => member.kind === kind
  if (schema.members.filter(isFit).length !== 1) return schema
  return mapInside(schema, (member) => (isFit(member) ? change(member) : member))
}
