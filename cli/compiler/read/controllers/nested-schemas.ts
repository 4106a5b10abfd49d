/** Schemas of libraries whose types stand inside of what a parameter takes: `Static<typeof s>` of a property, and a class with a
 *  schema of its own as a static member (`createZodDto(s)`). Their rules do not run there. */

import { memoizeBy } from '../../cache/memoize.ts'
import { isReference, publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** A schema that a type comes from. */
export interface NestedSchema {
  /** What is written where the rules are lost. */
  readonly node: ts.Node
  readonly symbol: ts.Symbol
  readonly text: string
}

/** What one type or declaration says itself, and the declarations that it names. */
interface Said {
  readonly schemas: readonly NestedSchema[]
  readonly declarations: readonly ts.Declaration[]
}

/** Those in the declarations that `node` names, however far. */
export function nestedSchemas(source: Source, node: ts.TypeNode): readonly NestedSchema[] {
  const open = new Set<ts.Node>([node])
  const found: NestedSchema[] = []
  for (const item of open) {
    const { schemas, declarations } = saidBy(source, item)
    if (item !== node) found.push(...schemas)
    for (const declaration of declarations) open.add(declaration) // grows as it is walked
  }
  return found
}

const saidBy = memoizeBy((source: Source, node: ts.Node): Said => {
  const schemas: NestedSchema[] = ts.isClassLike(node) ? ofClass(source, node) : []
  const declarations: ts.Declaration[] = []
  const visit = (item: ts.Node): void => {
    if (ts.isExpressionStatement(item) || ts.isBlock(item) || ts.isJSDoc(item)) return
    if (ts.isTypeReferenceNode(item)) {
      const schema = ofReference(source, item)
      if (schema !== null) schemas.push(schema)
      declarations.push(...ownTypes(source, item.typeName))
    } else if (ts.isExpressionWithTypeArguments(item)) declarations.push(...ownTypes(source, item.expression))
    ts.forEachChild(item, visit)
  }
  visit(node)
  return { schemas, declarations }
})

const ownTypes = (source: Source, name: ts.Node): readonly ts.Declaration[] =>
  (symbolAt(source, name)?.declarations ?? []).filter(
    (node) =>
      source.isOwn(node.getSourceFile()) &&
      (ts.isInterfaceDeclaration(node) || ts.isClassLike(node) || ts.isTypeAliasDeclaration(node)),
  )

/** `z.infer<typeof s>`, `Static<typeof Order.schema>`; not `Checked`, and not what goes in. */
function ofReference(source: Source, node: ts.TypeReferenceNode): NestedSchema | null {
  const [query] = node.typeArguments ?? []
  if (query === undefined || !ts.isTypeQueryNode(query) || /in(put)?$/i.test(node.typeName.getText()))
    return null
  const symbol = symbolAt(source, query.exprName)
  const generic = symbolAt(source, node.typeName)
  const isForeign =
    publicName(source, generic) === null &&
    generic?.declarations?.every((declaration) => !source.isOwn(declaration.getSourceFile()))
  if (symbol === undefined || isForeign !== true || !isSchema(source, symbol)) return null
  return { node, symbol, text: query.exprName.getText() }
}

/** A static member of the class, or of what it extends. */
function ofClass(source: Source, node: ts.ClassLikeDeclaration): NestedSchema[] {
  const { name } = node
  if (name === undefined) return []
  const type = source.checker.getTypeAtLocation(name)
  const statics = type.symbol === undefined ? [] : source.checker.getTypeOfSymbol(type.symbol).getProperties()
  return statics
    .filter((symbol) => symbol.name !== 'prototype' && isSchema(source, symbol))
    .map((symbol) => ({ node: name, symbol, text: `${name.text}.${symbol.name}` }))
}

/** What a schema of Standard Schema, typebox or io-ts has, and nothing else. */
const marks = ['~standard', '~kind', '_A']

function isSchema({ checker }: Source, symbol: ts.Symbol): boolean {
  const type = checker.getTypeOfSymbol(symbol)
  if (!(type.flags & ts.TypeFlags.Object)) return false
  const isOfTypebox = type.getProperties().some(({ escapedName }) => /^__@Kind/.test(String(escapedName)))
  const isNamed =
    isReference(type) && /^T[A-Z]\w+$/.test(type.symbol.name) && type.getProperty('static') !== undefined
  return isOfTypebox || isNamed || marks.some((name) => type.getProperty(name) !== undefined)
}
