/** What JSON makes of the classes of JavaScript, and of whatever is one of them: by what a type extends or is crossed with,
 *  wherever that is declared. `JSON.stringify` looks at the value: a list with a brand, or with methods of its own, is a list. */
import type { Schema } from '../../ir/schema.ts'
import { isLibrary, isLibraryType } from '../program/library.ts'
import { isReference, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

export type BuiltIn =
  | { readonly kind: 'list' | 'set'; readonly item: ts.Type }
  | { readonly kind: 'tuple'; readonly type: ts.TupleTypeReference }
  | { readonly kind: 'map'; readonly key: ts.Type; readonly value: ts.Type }
  | { readonly kind: 'value'; readonly schema: Schema }

/** Classes that JSON writes as one value. */
const values: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['Date', { kind: 'date' }],
  ['Uint8Array', { kind: 'bytes' }],
  ['Buffer', { kind: 'converted', to: 'Buffer', inner: { kind: 'bytes' } }],
  ['URL', { kind: 'converted', to: 'URL', inner: { kind: 'string', format: 'uri', pattern: null } }],
])
const collections: ReadonlyMap<string, 'set' | 'map'> = new Map([
  ['Map', 'map'],
  ['ReadonlyMap', 'map'],
  ['Set', 'set'],
  ['ReadonlySet', 'set'],
])

/** What `type` is to JSON beyond an object of its properties; null = such an object, or nothing that JSON writes. */
export function builtInOf(source: Source, type: ts.Type): BuiltIn | null {
  const base = baseOf(source, type)
  if (base === null) return null
  const { checker } = source
  if (checker.isTupleType(base)) return { kind: 'tuple', type: base as ts.TupleTypeReference } // the checker said so
  if (checker.isArrayType(base)) {
    const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    return item === undefined ? null : { kind: 'list', item }
  }
  const { name } = base.symbol
  const schema = values.get(name)
  if (schema !== undefined) return { kind: 'value', schema }
  const [key, value = key] = argumentsOf(source, type, base)
  if (key === undefined || value === undefined) return null
  return collections.get(name) === 'set' ? { kind: 'set', item: key } : { kind: 'map', key, value }
}

/** The class of JavaScript that `type` is, extends, or has among its parts; of a generic one as it was declared. */
function baseOf(source: Source, type: ts.Type): ts.Type | null {
  const { checker } = source
  if (checker.isArrayType(type) || checker.isTupleType(type)) return type
  if (type.isIntersection()) return firstBase(source, type.types)
  const declared = isReference(type) ? type.target : type
  if (!declared.isClassOrInterface()) return null
  const { name } = declared.symbol
  const isKnown = (values.has(name) || collections.has(name)) && isLibrary(source, declared.symbol)
  return isKnown ? type : firstBase(source, checker.getBaseTypes(declared))
}

function firstBase(source: Source, types: readonly ts.Type[]): ts.Type | null {
  for (const type of types) {
    const base = baseOf(source, type)
    if (base !== null) return base
  }
  return null
}

/** The arguments of `Map` or `Set` in `type`: its own, or those of the collection that its `forEach` hands on as the third. */
function argumentsOf({ checker }: Source, type: ts.Type, base: ts.Type): readonly ts.Type[] {
  if (type === base) return isReference(type) ? checker.getTypeArguments(type) : []
  const collection = parameterOf(checker, parameterOf(checker, methodOf(checker, type, 'forEach'), 0), 2)
  return collection !== undefined && isReference(collection) ? checker.getTypeArguments(collection) : []
}

function methodOf(checker: ts.TypeChecker, type: ts.Type, name: string): ts.Type | undefined {
  const method = checker.getPropertyOfType(type, name)
  return method === undefined ? undefined : checker.getTypeOfSymbol(method)
}

function parameterOf(
  checker: ts.TypeChecker,
  callable: ts.Type | undefined,
  place: number,
): ts.Type | undefined {
  const parameter = callable?.getCallSignatures()[0]?.parameters[place]
  return parameter === undefined ? undefined : checker.getTypeOfSymbol(parameter)
}

/** Whether JSON writes nothing of a type of the library, or it is not known what: a class, whose values keep what they are to
 *  themselves, and what has methods. Interfaces of data, as `NodeJS.MemoryUsage`, are objects like any other. */
export function isForeign(source: Source, type: ts.Type): boolean {
  if (!isLibraryType(source, type)) return false
  const { checker } = source
  if (type.symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Variable)) return true
  const properties = checker.getPropertiesOfType(type)
  const isEmpty = properties.every(isOfSymbol) && checker.getIndexInfosOfType(type).length === 0
  return (
    isEmpty || type.symbol.name === 'ArrayLike' || properties.some((property) => isMethod(checker, property))
  )
}

const isOfSymbol = ({ escapedName }: ts.Symbol): boolean => String(escapedName).startsWith('__@')

/** Whether a property is a function, always or where it is there. */
export function isMethod(checker: ts.TypeChecker, property: ts.Symbol): boolean {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(property))
  return type.getCallSignatures().length > 0
}
