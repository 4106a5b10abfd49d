/** The classes of `@exception`: where they are declared, what their literal type arguments ask of an error, and
 *  whether the handler's first parameter takes them. Compares declarations: two classes of one shape are two. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import {
  errorParameterUnfit,
  exportedElsewise,
  genericWithoutProperty,
  symbolNotExported,
  typeArgumentNotLiteral,
  unresolvedException,
} from '../../diagnostics/source-diagnostics.ts'
import type { SymbolRef } from '../../ir/schema.ts'
import type { DeclaredException } from '../../ir/source-model.ts'
import type { Match } from '../../ir/steps.ts'
import { refuse, type Tag } from '../jsdoc/tag.ts'
import { followAlias, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { classOf, entityNameOf, instanceOf, symbolOfName } from './class-names.ts'
import { identityOf, importOf } from './imported-classes.ts'

/** The class of an exception: all that its tag says but for status and type. */
type ErrorClass = Pick<DeclaredException, 'error' | 'identity' | 'isGeneric' | 'match' | 'bases' | 'known'>

/** The class that `type` names; null after a report. `first` is the handler's first parameter. */
export function resolveError(
  source: Source,
  type: ts.TypeNode,
  tag: Tag,
  first: ts.Symbol | undefined,
): ErrorClass | null {
  const symbol = classSymbol(source, type)
  if (symbol === null) {
    reportNoClass(source, type, tag)
    return null
  }
  const error = importOf(source, type, symbol)
  if (error === null) {
    reportUnexported(source, symbol, tag)
    return null
  }
  const declared = instanceOf(source, symbol)
  if (first !== undefined) reportUnfit(source, declared, { first, name: error.name })
  const match = matchOf(source, declared, type, tag)
  if (match === 'refused') return null
  const known = literalsOf(source, source.checker.getTypeFromTypeNode(type))
  return {
    error,
    identity: identityOf(source, symbol),
    isGeneric: typeParametersOf(declared).length > 0 || !isTypeToo(source, type, symbol, error),
    match,
    bases: basesOf(source, declared).map((base) => identityOf(source, base)),
    known: match === null ? known : [match, ...known],
  }
}

/** Whether the table can name the class as a type as well: the name of a constant is none. */
function isTypeToo(source: Source, type: ts.TypeNode, symbol: ts.Symbol, { name }: SymbolRef): boolean {
  const written = entityNameOf(type)
  const found = written === null ? undefined : symbolOfName(source, written)
  const isOwnName = name.split('.').at(-1) === symbol.name
  return isOwnName && (found === undefined || (found.flags & ts.SymbolFlags.Type) !== 0)
}

/** Reports that the type of an `@exception` or `@throws` is no class. */
export function reportNoClass(source: Source, type: ts.TypeNode, tag: Tag): void {
  if (ts.isUnionTypeNode(type)) {
    refuse(source, tag, `'${tag.typeText}' is more than one class`, 'Write one tag for each class.')
  } else if (entityNameOf(type) === null || source.checker.getTypeFromTypeNode(type).symbol !== undefined) {
    refuse(
      source,
      tag,
      `'${tag.typeText}' is no class`,
      'Name a class: only its instances can be told apart.',
    )
  } else {
    const meant = meantClass(source, type, tag.typeText)
    source.report(unresolvedException(tag.typeAt, tag.name, tag.typeText, meant))
  }
}

/** What a name that stands for nothing was to be: a class that is in scope at `node`, or one of `acmcp`; a text to stand behind
 *  a hint. */
export function meantClass({ checker, publicSurface }: Source, node: ts.Node, written: string): string {
  if (publicSurface.has(written)) return " It comes from 'acmcp'."
  const flags = ts.SymbolFlags.Class | ts.SymbolFlags.Alias
  const inScope = checker.getSymbolsInScope(node, flags).map(({ name }) => name)
  const shipped = [...publicSurface].flatMap(([name, { flags }]) =>
    flags & ts.SymbolFlags.Class ? [name] : [],
  )
  return didYouMean(written, [...inScope, ...shipped])
}

/** The class that a type node names, whatever its arguments: by its own name, or by that of a constant or an alias that is it. */
export function classSymbol(source: Source, type: ts.TypeNode): ts.Symbol | null {
  const name = entityNameOf(type)
  const symbol = name === null ? undefined : symbolOfName(source, name)
  return symbol === undefined ? null : classOf(source, symbol)
}

/** Reports a class of a tag that the table cannot import by its name: where it is exported in another way, or at the tag. */
export function reportUnexported(source: Source, symbol: ts.Symbol, tag: Tag): void {
  const node = otherExport(source, symbol)
  if (node === null) source.report(symbolNotExported(tag.typeAt, nameIn(symbol, tag)))
  else source.report(exportedElsewise(placeOfNode(source, node), nameIn(symbol, tag), tag.typeAt))
}

/** What exports a class of the application under another name: the word `default`, or the other name. */
function otherExport({ checker, isOwn }: Source, symbol: ts.Symbol): ts.Node | null {
  const declaration = symbol.declarations?.find(ts.isClassLike)
  const file = declaration?.getSourceFile()
  if (declaration === undefined || file === undefined || !isOwn(file)) return null
  const word = ts.canHaveModifiers(declaration) ? ts.getModifiers(declaration)?.find(isDefault) : undefined
  if (word !== undefined) return word
  const module = checker.getSymbolAtLocation(file)
  const other = (module === undefined ? [] : checker.getExportsOfModule(module)).find(
    (item) => item.name !== symbol.name && followAlias(checker, item) === symbol,
  )
  const node = other?.declarations?.[0]
  if (node === undefined) return null
  if (ts.isExportSpecifier(node)) return node.name
  return node.getChildren().find(isDefault) ?? node
}

const isDefault = ({ kind }: ts.Node): boolean => kind === ts.SyntaxKind.DefaultKeyword

/** `export default class`, and the class of an expression, need not have a name of their own. */
function nameIn({ name, declarations = [] }: ts.Symbol, tag: Tag): string {
  const own = declarations.flatMap((node) => ts.getNameOfDeclaration(node) ?? []).find(ts.isIdentifier)
  return name === 'default' || name.startsWith('__') ? (own?.text ?? tag.typeText) : name
}

/** The ancestors of a class, nearest first; of a class that was mixed together those of its parts. */
function basesOf(source: Source, type: ts.Type): readonly ts.Symbol[] {
  const parts = type.isIntersection() ? type.types : []
  const [base] = (type.isClassOrInterface() ? type.getBaseTypes() : undefined) ?? []
  return [...parts, ...(base === undefined ? [] : [base])].flatMap((item) => {
    const symbol = item.getSymbol()
    if (item.isIntersection()) return basesOf(source, item)
    return symbol === undefined
      ? []
      : [symbol, ...basesOf(source, source.checker.getDeclaredTypeOfSymbol(symbol))]
  })
}

const typeParametersOf = (type: ts.Type): readonly ts.Type[] =>
  (type.isClassOrInterface() ? type.typeParameters : undefined) ?? []

/** What the type argument asks of an error. Arguments are erased at run time, so that a readonly property whose type is
 *  the parameter must hold the value. Source: rules.md, Exception handlers 8. */
function matchOf(source: Source, declared: ts.Type, type: ts.TypeNode, tag: Tag): Match | null | 'refused' {
  const isNamed = ts.isTypeReferenceNode(type) || ts.isImportTypeNode(type)
  const typeArguments = isNamed ? (type.typeArguments ?? []) : []
  const [argument, second] = typeArguments
  if (argument === undefined) return null
  const value = literalValue(source.checker.getTypeFromTypeNode(argument))
  if (value === null || second !== undefined) {
    source.report(typeArgumentNotLiteral(tag.typeAt, tag.typeText))
    return 'refused'
  }
  const [parameter] = typeParametersOf(declared)
  const property = declared
    .getProperties()
    .find((item) => isReadonly(item) && source.checker.getTypeOfSymbol(item) === parameter)
  if (property !== undefined) return { property: property.name, value }
  source.report(genericWithoutProperty(tag.typeAt, tag.typeText))
  return 'refused'
}

const isReadonly = ({ valueDeclaration: node }: ts.Symbol): boolean =>
  node !== undefined && Boolean(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Readonly)

function literalValue(type: ts.Type): Match['value'] | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
  if (!(type.flags & ts.TypeFlags.BooleanLiteral)) return null
  return 'intrinsicName' in type && type.intrinsicName === 'true'
}

function literalsOf({ checker }: Source, type: ts.Type): readonly Match[] {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const value = literalValue(checker.getTypeOfSymbol(property))
    return value === null ? [] : [{ property: property.name, value }]
  })
}

/** Reports a first parameter that is neither the class, nor one of its bases, nor a union with one of them. */
function reportUnfit(
  source: Source,
  declared: ts.Type,
  { first, name }: { readonly first: ts.Symbol; readonly name: string },
): void {
  const { checker } = source
  const type = checker.getTypeOfSymbol(first)
  const accepted = new Set([declared.getSymbol(), ...basesOf(source, declared)])
  const fits = (member: ts.Type): boolean => {
    const symbol = member.getSymbol()
    if (symbol !== undefined && accepted.has(symbol)) return true
    const isOther = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Class) !== 0
    return !isOther && checker.isTypeAssignableTo(declared, member)
  }
  if ((type.isUnion() ? type.types : [type]).some(fits) || first.valueDeclaration === undefined) return
  const at = placeOfNode(source, first.valueDeclaration)
  source.report(errorParameterUnfit(at, checker.typeToString(type), name))
}
