/** `Checked<typeof schema>` in a parameter's type as written: the schema by the name that the table imports, and the type that it
 *  reads. Types alone do not tell which value is meant, so the text is followed, through aliases. */

import {
  checkedInside,
  noStandardSchema,
  rulesNotRun,
  rulesOfOthers,
  schemaNotExported,
} from '../../diagnostics/checked-diagnostics.ts'
import type { SymbolRef } from '../../ir/schema.ts'
import { placeOfNode, publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { includes } from '../types/objects.ts'
import type { TypeLocation } from '../types/type-reader.ts'
import { importOfValue, valueNameOf } from './imported-classes.ts'
import { nestedSchemas } from './nested-schemas.ts'
import { wrappers } from './parameter-wrappers.ts'

/** A parameter whose rules are run. */
export interface CheckedParameter {
  /** What the schema reads, from which schemas and decoders come. */
  readonly input: ts.Type
  /** The schema's own type. */
  readonly type: ts.Type
  /** Null after a report. */
  readonly schema: SymbolRef | null
  /** Whether a union around `Checked<…>` has a member of this kind. */
  readonly isBeside: (flag: ts.TypeFlags) => boolean
  /** The aliases that it is written with: their tags count. */
  readonly aliases: readonly ts.TypeAliasDeclaration[]
}

/** What the type as written says; null where it names no `Checked`. Reports a schema that cannot be run. */
export function readChecked(
  source: Source,
  node: ts.TypeNode | undefined,
  { path }: TypeLocation,
): CheckedParameter | null {
  const { found, aliases, besides, isElicited } = follow(source, node)
  if (found === null || !isChecked(source, found)) return null
  if (isElicited) source.report(checkedInside(placeOfNode(source, found), path))
  const argument = found.typeArguments?.[0] ?? found
  const schema = schemaOf(source, argument)
  const type = source.checker.getTypeFromTypeNode(argument)
  const types = schema === null ? null : typesOf(source, type)
  if (schema !== null && types === null)
    source.report(noStandardSchema(placeOfNode(source, argument), argument.getText()))
  const isBeside = (flag: ts.TypeFlags): boolean =>
    besides.some((member) => includes(source.checker.getTypeFromTypeNode(member), flag))
  return { input: types?.input ?? source.checker.getUnknownType(), type, schema, isBeside, aliases }
}

/** Reports the type of an exported schema's output in place of the schema (`z.infer<typeof s>`): its rules would not run, but
 *  for a method that names the schema itself. */
export function reportUnchecked(source: Source, { type, parent }: ts.ParameterDeclaration): void {
  reportNested(source, type, parent)
  const { found } = follow(source, type)
  if (found === null || /in(put)?$/i.test(nameOf(found))) return
  const query = ts.isTypeReferenceNode(found) ? found.typeArguments?.[0] : found
  if (query === undefined || !ts.isTypeQueryNode(query)) return
  const value = query === found ? leftOf(query.exprName) : query.exprName
  const symbol = value === null ? undefined : symbolAt(source, value)
  if (value === null || symbol === undefined || !(isConstant(symbol) || isMember(symbol))) return
  const types = typesOf(source, source.checker.getTypeOfSymbol(symbol))
  if (isNamedIn(source, parent, symbol)) return
  if (types === null) {
    if (isOfOtherSchemas(source, found))
      source.report(rulesOfOthers(placeOfNode(source, found), found.getText(), value.getText()))
    return
  }
  if (!isSame(source, types.output, source.checker.getTypeFromTypeNode(found))) return
  if (importOfValue(source, query, symbol) !== null)
    source.report(rulesNotRun(placeOfNode(source, found), found.getText(), value.getText()))
}

/** Reports schemas inside of what the parameter takes. */
function reportNested(source: Source, type: ts.TypeNode | undefined, method: ts.Node): void {
  if (type === undefined) return
  const { found } = follow(source, type)
  for (const { node, symbol, text } of nestedSchemas(source, type)) {
    if (node === found || isNamedIn(source, method, symbol)) continue
    source.report(rulesOfOthers(placeOfNode(source, node), node.getText(), text))
  }
}

/** `static schema = …`, or a property of an object. */
const isMember = ({ valueDeclaration: node }: ts.Symbol): boolean =>
  node !== undefined && (ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node))

/** The types that libraries without Standard Schema infer: those of typebox and io-ts. */
const inferring = new Set(['Static', 'StaticDecode', 'StaticEncode', 'TypeOf', 'OutputOf'])

function isOfOtherSchemas(source: Source, node: ts.TypeReferenceNode | ts.TypeQueryNode): boolean {
  if (!ts.isTypeReferenceNode(node) || !inferring.has(nameOf(node))) return false
  const declarations = symbolAt(source, node.typeName)?.declarations ?? []
  return declarations.every((declaration) => !source.isOwn(declaration.getSourceFile()))
}

/** Whether code, and no type, names what is declared elsewhere. A property's name says more only in a namespace, or where it is the
 *  symbol's own: to ask for any other has TypeScript check the whole body. */
function isNamedIn(source: Source, node: ts.Node, symbol: ts.Symbol): boolean {
  if (ts.isTypeNode(node)) return false
  if (ts.isIdentifier(node)) return symbolAt(source, node) === symbol
  if (
    ts.isPropertyAccessExpression(node) &&
    node.name.text !== symbol.name &&
    !isNamespace(source, node.expression)
  )
    return isNamedIn(source, node.expression, symbol)
  return ts.forEachChild(node, (child) => isNamedIn(source, child, symbol)) ?? false
}

const isNamespace = (source: Source, node: ts.Node): boolean =>
  ts.isIdentifier(node) && ((symbolAt(source, node)?.flags ?? 0) & ts.SymbolFlags.Namespace) !== 0

/** A type as written, with what was followed on the way to it. */
interface Followed {
  /** What no wrapper and no alias without parameters stands around. */
  readonly found: ts.TypeReferenceNode | ts.TypeQueryNode | null
  readonly aliases: readonly ts.TypeAliasDeclaration[]
  /** Other members of unions. */
  readonly besides: readonly ts.TypeNode[]
  readonly isElicited: boolean
}

const nothing: Followed = { found: null, aliases: [], besides: [], isElicited: false }

function follow(source: Source, node: ts.TypeNode | undefined, seen: readonly ts.Node[] = []): Followed {
  if (node === undefined) return nothing
  if (ts.isParenthesizedTypeNode(node)) return follow(source, node.type, seen)
  if (ts.isTypeQueryNode(node)) return { ...nothing, found: node }
  if (ts.isUnionTypeNode(node)) return followUnion(source, node, seen)
  return ts.isTypeReferenceNode(node) ? followReference(source, node, seen) : nothing
}

function followUnion(source: Source, { types }: ts.UnionTypeNode, seen: readonly ts.Node[]): Followed {
  const members = types.map((type) => ({ type, inside: follow(source, type, seen) }))
  const member = members.find(({ inside }) => inside.found !== null)
  if (member === undefined) return nothing
  const besides = types.filter((type) => type !== member.type)
  return { ...member.inside, besides: [...member.inside.besides, ...besides] }
}

function followReference(source: Source, node: ts.TypeReferenceNode, seen: readonly ts.Node[]): Followed {
  const symbol = symbolAt(source, node.typeName)
  const name = publicName(source, symbol)
  if (name !== null && name !== 'Checked' && wrappers.has(name)) {
    const inside = follow(source, node.typeArguments?.at(-1), seen)
    return { ...inside, isElicited: inside.isElicited || name === 'Elicited' }
  }
  const alias = name === null ? symbol?.declarations?.find(ts.isTypeAliasDeclaration) : undefined
  if (alias === undefined || alias.typeParameters !== undefined || seen.includes(alias))
    return { ...nothing, found: node }
  const inside = follow(source, alias.type, [...seen, alias])
  return { ...inside, aliases: [alias, ...inside.aliases] }
}

const isChecked = (source: Source, node: ts.Node): node is ts.TypeReferenceNode =>
  ts.isTypeReferenceNode(node) && publicName(source, symbolAt(source, node.typeName)) === 'Checked'

/** The last name of a type: `infer` of `z.infer<…>` and of `typeof s.infer`. */
function nameOf(node: ts.TypeReferenceNode | ts.TypeQueryNode): string {
  const name = ts.isTypeReferenceNode(node) ? node.typeName : node.exprName
  return ts.isQualifiedName(name) ? name.right.text : name.text
}

const leftOf = (name: ts.EntityName): ts.EntityName | null => (ts.isQualifiedName(name) ? name.left : null)

/** How the table imports the value that `typeof` names; null after a report. */
function schemaOf(source: Source, node: ts.TypeNode): SymbolRef | null {
  const isValue = ts.isTypeQueryNode(node) || (ts.isImportTypeNode(node) && node.isTypeOf)
  const name = isValue ? valueNameOf(node) : null
  const symbol = name === null ? undefined : symbolAt(source, name)
  const found = symbol !== undefined && isConstant(symbol) ? importOfValue(source, node, symbol) : null
  if (found === null) source.report(schemaNotExported(placeOfNode(source, node), node.getText()))
  return found
}

const isConstant = ({ valueDeclaration: node }: ts.Symbol): boolean =>
  node !== undefined &&
  ts.isVariableDeclaration(node) &&
  Boolean(ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const)

interface SchemaTypes {
  readonly input: ts.Type
  readonly output: ts.Type
}

/** What a Standard Schema says of its types; null = it is none, or says nothing. */
function typesOf({ checker }: Source, type: ts.Type): SchemaTypes | null {
  const inside = (outer: ts.Type, name: string): ts.Type | null => {
    const property = checker.getPropertyOfType(outer, name)
    return property === undefined ? null : checker.getTypeOfSymbol(property)
  }
  const standard = inside(type, '~standard')
  if (standard === null || inside(standard, 'validate') === null) return null
  const types = inside(standard, 'types')
  if (types === null) return null
  const said = checker.getNonNullableType(types)
  const [input, output] = [inside(said, 'input'), inside(said, 'output')]
  return input === null || output === null ? null : { input: knownOf(checker, input), output }
}

/** `z.any()` reads anything, and its rules say what becomes of it. */
const knownOf = (checker: ts.TypeChecker, input: ts.Type): ts.Type =>
  input === checker.getAnyType() ? checker.getUnknownType() : input

const isSame = ({ checker }: Source, a: ts.Type, b: ts.Type): boolean =>
  checker.isTypeAssignableTo(a, b) && checker.isTypeAssignableTo(b, a)
