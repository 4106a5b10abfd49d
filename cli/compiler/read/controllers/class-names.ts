/** The names of classes in tags: through namespaces, constants and aliases to the class itself. */
import { followAlias, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** The name in a type that is one, with its namespaces. */
export function entityNameOf(type: ts.TypeNode): ts.EntityName | null {
  if (ts.isTypeReferenceNode(type)) return type.typeName
  return ts.isImportTypeNode(type) ? (type.qualifier ?? null) : null
}

/** The class that a symbol stands for: its own, that of a constant (`const Alias = Err`, a class expression) or of an alias of its
 *  type; null = there is none. */
export function classOf(source: Source, symbol: ts.Symbol): ts.Symbol | null {
  const { checker } = source
  if (symbol.flags & ts.SymbolFlags.Class) return symbol
  if (symbol.flags & ts.SymbolFlags.Variable) {
    const type = checker.getTypeOfSymbol(symbol)
    if (type.getConstructSignatures().length === 0) return null
    const [made] = type.getConstructSignatures().map((signature) => signature.getReturnType().getSymbol())
    const isOfLibrary = made?.valueDeclaration !== undefined && checker.getTypeOfSymbol(made) === type // as RangeError is
    return [type.getSymbol(), isOfLibrary ? made : undefined].find(isClassOrConstant) ?? symbol
  }
  if (!(symbol.flags & ts.SymbolFlags.TypeAlias)) return null
  const named = checker.getDeclaredTypeOfSymbol(symbol).getSymbol()
  return isClassOrConstant(named) ? (named ?? null) : null
}

const isClassOrConstant = (symbol: ts.Symbol | undefined): boolean =>
  symbol !== undefined && (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Variable)) !== 0

/** The type of what such a class makes. */
export function instanceOf({ checker }: Source, symbol: ts.Symbol): ts.Type {
  if (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))
    return checker.getDeclaredTypeOfSymbol(symbol)
  const [signature] = checker.getTypeOfSymbol(symbol).getConstructSignatures()
  return signature?.getReturnType() ?? checker.getAnyType()
}

/** What a name in a type stands for; a name of values alone, as that of a class expression, TypeScript does not find there. */
export function symbolOfName(source: Source, entity: ts.EntityName): ts.Symbol | undefined {
  const found = symbolAt(source, entity)
  if (found?.declarations !== undefined) return found
  const { checker } = source
  if (!ts.isQualifiedName(entity)) {
    const value = valueInScope(source, entity)
    return value === undefined ? undefined : followAlias(checker, value)
  }
  const outer = symbolOfName(source, entity.left)
  const inner = outer === undefined ? [] : checker.getExportsOfModule(outer)
  const value = inner.find(({ name }) => name === entity.right.text)
  return value === undefined ? undefined : followAlias(checker, value)
}

/** What an exported constant is in its own file says that it is exported, and nothing else of it. */
function valueInScope({ checker }: Source, node: ts.Identifier): ts.Symbol | undefined {
  const found = checker
    .getSymbolsInScope(node, ts.SymbolFlags.Value | ts.SymbolFlags.Alias)
    .find(({ name }) => name === node.text)
  return found === undefined ? undefined : checker.getExportSymbolOfSymbol(found)
}

/** What the first of these names is in its file: an import, or a declaration. */
export function localSymbol(source: Source, entity: ts.EntityName): ts.Symbol | undefined {
  const root = rootOf(entity)
  const found = source.checker.getSymbolAtLocation(root)
  return found?.declarations === undefined ? valueInScope(source, root) : found
}

/** The names of an entity, outermost first. */
export function entityNames(entity: ts.EntityName): readonly string[] {
  return ts.isQualifiedName(entity) ? [...entityNames(entity.left), entity.right.text] : [entity.text]
}

function rootOf(entity: ts.EntityName): ts.Identifier {
  return ts.isQualifiedName(entity) ? rootOf(entity.left) : entity
}
