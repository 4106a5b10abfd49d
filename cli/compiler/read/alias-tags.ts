/** The constraint tags of the aliases that a type is written with, also inside lists, records, tuples and unions: the
 *  checker's types do not know them, so the schema is walked beside the type's text. */

import type { Schema } from '../model.ts'
import { constrain, constraintTags } from './constraints.ts'
import { inWrittenOrder } from './order.ts'
import { followAlias, publicName, type Source } from './program.ts'
import { ts } from './typescript.ts'

type Of = (schema: Schema, node: ts.TypeNode | undefined) => Schema

/** `schema` with the tags of the aliases that `node` names. A component has its aliases' tags itself. */
export function constrainAliases(source: Source, schema: Schema, node: ts.TypeNode | undefined): Schema {
  return walk(source, schema, node, [])
}

function walk(
  source: Source,
  schema: Schema,
  node: ts.TypeNode | undefined,
  seen: readonly ts.Node[],
): Schema {
  const inner: Of = (one, at) => walk(source, one, at, seen)
  if (node === undefined || schema.kind === 'ref') return schema
  if (schema.kind === 'constrained' || schema.kind === 'converted') {
    if (!ts.isTypeReferenceNode(node)) return { ...schema, inner: inner(schema.inner, node) }
  }
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return inner(schema, node.type)
  if (ts.isUnionTypeNode(node)) return node.types.reduce(inner, inWrittenOrder(schema, node))
  if (ts.isArrayTypeNode(node)) return inLists(schema, (items) => inner(items, node.elementType))
  if (ts.isTupleTypeNode(node)) return inTuple(schema, node, inner)
  return ts.isTypeReferenceNode(node) ? ofReference(source, schema, node, seen) : schema
}

const lists = new Set(['Array', 'ReadonlyArray', 'Set', 'ReadonlySet'])
const records = new Set(['Record', 'Map', 'ReadonlyMap'])

function ofReference(
  source: Source,
  schema: Schema,
  node: ts.TypeReferenceNode,
  seen: readonly ts.Node[],
): Schema {
  const given = node.typeArguments
  const found = source.checker.getSymbolAtLocation(node.typeName)
  const symbol = found === undefined ? undefined : followAlias(source.checker, found)
  const isWrapper = ['Body', 'Named', 'Header', 'Cookie'].includes(publicName(source, symbol) ?? '')
  if (isWrapper) return walk(source, schema, given?.at(-1), seen)
  const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration)
  if (alias !== undefined && source.files.includes(alias.getSourceFile())) {
    if (seen.includes(alias)) return schema
    return constrain(source, walk(source, schema, alias.type, [...seen, alias]), constraintTags([alias]))
  }
  const name = symbol?.name ?? ''
  if (lists.has(name)) return inLists(schema, (items) => walk(source, items, given?.[0], seen))
  if (records.has(name)) return inRecords(schema, (values) => walk(source, values, given?.[1], seen))
  return schema
}

/** `schema` with the items of its only list changed; of several in a union nobody can say which is meant. */
function inLists(schema: Schema, change: (items: Schema) => Schema): Schema {
  return inOnly(schema, 'array', (list) =>
    list.kind === 'array' ? { ...list, items: change(list.items) } : list,
  )
}

function inRecords(schema: Schema, change: (values: Schema) => Schema): Schema {
  return inOnly(schema, 'record', (record) =>
    record.kind === 'record' ? { ...record, values: change(record.values) } : record,
  )
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
  if (schema.kind === 'converted' || schema.kind === 'constrained') {
    return { ...schema, inner: inOnly(schema.inner, kind, change) }
  }
  if (schema.kind !== 'union') return schema
  const fits = schema.members.filter((member) => member.kind === kind)
  if (fits.length !== 1) return schema
  return {
    ...schema,
    members: schema.members.map((member) => (member.kind === kind ? change(member) : member)),
  }
}
