/** The names of types: which types become components, and under which name. */

import { schemaNameTaken } from '../../diagnostics/source-diagnostics.ts'
import type { At, NamedSchema, Schema } from '../../ir/schema.ts'
import { type Naming, withAliases } from '../jsdoc/alias-tags.ts'
import { emptyDoc, partsText, textDoc, withExamples } from '../jsdoc/doc-comment.ts'
import { orderedMembers } from '../program/canonical-order.ts'
import { byText } from '../program/host.ts'
import { isLibrary, isLibraryType } from '../program/library.ts'
import { textOfType } from '../program/overflow.ts'
import { isReference, placeOfNode, publicName, type Source } from '../program/program.ts'
import { declaredName, distinctName } from '../program/qualified-names.ts'
import { ts } from '../program/typescript.ts'
import { isPrimitive } from './brands.ts'
import { componentKey } from './component-key.ts'
import { constrain, constraintTags, examplesIn } from './constraints.ts'
import type { DepthGuard } from './depth-guard.ts'

interface Definition {
  readonly type: ts.Type
  readonly name: string
  readonly location: { readonly at: At }
  readonly read: () => Schema
}

export interface Names {
  /** The reference to a named type; its inside is read once, some time after the first reference. */
  declareType(definition: Definition): Schema
  /** The reference to a component that is no type of its own; the same name again must hold the same. */
  declareComponent(component: Omit<NamedSchema, 'doc'>): Schema
  /** The name for a type that has none, with a number behind it when it is taken. */
  generateName(name: string): string
  /** Whether there is such a type: its name depends on what else was read. */
  hasGeneratedNames(): boolean
  /** `schema` with what the aliases say that `node`, the type as written, names. */
  aliased(schema: Schema, node: ts.TypeNode | undefined): Schema
  /** What `read` returns, and the names that it refers to: not those inside named schemas. */
  withReferences<T>(read: () => T): readonly [T, readonly string[]]
  /** Says that a name is referred to: where a schema is taken over that was read before. */
  recordReference(name: string): void
  /** The plain names that two declarations turned out to have: read again, they are told apart. */
  clashes(): ReadonlySet<string>
  /** All named schemas, sorted by name. */
  all(): readonly Found[]
}

/** A named schema, and the names directly inside it. */
export interface Found {
  readonly named: NamedSchema
  readonly inside: readonly string[]
}

interface Components extends Pick<Names, 'withReferences' | 'recordReference'> {
  readonly schemas: Map<string, NamedSchema>
  /** The reference to one that is known from now on; a name that is taken must stand for the same. */
  readonly keep: (component: NamedSchema) => Schema
  /** The same, and says that it is referred to. */
  readonly declare: (component: NamedSchema) => Schema
}

function createComponents(source: Source): Components {
  const schemas = new Map<string, NamedSchema>()
  const references = createReferences()
  const keep = (schema: NamedSchema): Schema => {
    const known = schemas.get(schema.name)
    if (known === undefined) schemas.set(schema.name, schema)
    else if (JSON.stringify(known.schema) !== JSON.stringify(schema.schema)) {
      source.report(schemaNameTaken(schema.at, schema.name, known.at))
    }
    return { kind: 'ref', name: schema.name }
  }
  const declare = (schema: NamedSchema): Schema => {
    references.recordReference(schema.name)
    return keep(schema)
  }
  return { ...references, schemas, keep, declare }
}

const namingOf = (source: Source, declare: Components['declare']): Naming => ({
  source,
  nameOf: (type) => nameOf(source, type),
  declare: ({ name }, schema) => {
    const doc = docOf(source, source.checker.getSymbolAtLocation(name))
    return declare({ name: componentKey(name.text), doc, at: placeOfNode(source, name.parent), schema })
  },
})

/** The names of one run. Two types of one name are reported with both places. `guard` says when the inside of one is read. */
export function createNames(source: Source, guard: DepthGuard): Names {
  const types = new Map<string, Pick<Definition, 'type' | 'location'>>()
  const inside = new Map<string, readonly string[]>()
  const recursive = new Set<string>()
  const clashes = new Set<string>()
  const { withReferences, recordReference, schemas, keep, declare } = createComponents(source)
  const naming = namingOf(source, declare)
  return {
    withReferences,
    recordReference,
    declareType({ type, name: written, location, read }) {
      const name = componentKey(written)
      recordReference(name)
      const first = types.get(name)
      if (first === undefined) {
        types.set(name, { type, location })
        const symbol = symbolOf(type)
        const at = declaredAt(source, symbol) ?? location.at
        guard.later(() => {
          const [schema, names] = withReferences(() => withTags(naming, read(), symbol?.declarations ?? []))
          inside.set(name, names)
          const doc = withExamples(docOf(source, symbol), examplesIn(schema))
          keep({ name, doc, at, schema })
        })
      } else if (first.type !== type) {
        for (const text of clashing(source, type, first.type)) clashes.add(text)
        reportOther(source, name, { type, location }, first)
      }
      return { kind: 'ref', name }
    },
    declareComponent: ({ name, at, schema }) =>
      declare({ name: componentKey(name), doc: emptyDoc, at, schema }),
    generateName(written) {
      const name = componentKey(written)
      let count = 1
      const numbered = (): string => (count === 1 ? name : `${name}${count}`)
      while (types.has(numbered()) || schemas.has(numbered()) || recursive.has(numbered())) count++
      recursive.add(numbered())
      return numbered()
    },
    hasGeneratedNames: () => recursive.size > 0 || source.shared.size > 0,
    clashes: () => clashes,
    aliased: (schema, node) => withAliases(naming, schema, node),
    all: () =>
      [...schemas.values()]
        .sort((a, b) => byText(a.name, b.name))
        .map((named) => ({ named, inside: inside.get(named.name) ?? [] })),
  }
}

type Named = Pick<Definition, 'type' | 'location'>

/** Reports that two types have one name: two declarations, or one with other arguments (`Box<'A'>` and `Box<A>`). */
function reportOther(source: Source, name: string, { type, location }: Named, first: Named): void {
  const [symbol, firstSymbol] = [symbolOf(type), symbolOf(first.type)]
  if (symbol !== firstSymbol) {
    const firstAt = declaredAt(source, firstSymbol) ?? location.at
    source.report(schemaNameTaken(declaredAt(source, symbol) ?? location.at, name, firstAt))
  } else if (spelt(source, type) !== spelt(source, first.type))
    source.report(schemaNameTaken(location.at, name, first.location.at))
}

/** The names that two declarations have, as far as more words tell them apart: their own, or those of their arguments. */
function clashing(source: Source, item: ts.Type, other: ts.Type): readonly string[] {
  const [symbol, otherSymbol] = [symbolOf(item), symbolOf(other)]
  if (symbol === undefined || otherSymbol === undefined) return []
  if (symbol !== otherSymbol) {
    const [name, otherName] = [declaredName(symbol), declaredName(otherSymbol)]
    if (name === otherName) return name === null ? [] : [name]
    return [name, otherName].flatMap((each) => (each !== null && source.shared.has(each) ? [each] : []))
  }
  const [typeArguments, others] = [item, other].map((type) => argumentsOf(source, type))
  return (typeArguments ?? []).flatMap((argument, place) => {
    const counterpart = others?.[place]
    return counterpart === undefined || counterpart === argument
      ? []
      : clashing(source, argument, counterpart)
  })
}

const argumentsOf = ({ checker }: Source, type: ts.Type): readonly ts.Type[] =>
  type.aliasTypeArguments ?? (isReference(type) ? checker.getTypeArguments(type) : [])

/** The type as text, names with their modules. */
function spelt({ checker }: Source, type: ts.Type): string {
  return textOfType(checker, type, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseFullyQualifiedType)
}

function createReferences(): Pick<Names, 'withReferences' | 'recordReference'> {
  const open: Set<string>[] = []
  return {
    recordReference: (name) => void open.at(-1)?.add(name),
    withReferences(read) {
      const names = new Set<string>()
      open.push(names)
      const value = read()
      open.pop()
      return [value, [...names]]
    },
  }
}

/** The schema with the tags of the declarations, and of the aliases that an alias is written with. */
function withTags(naming: Naming, schema: Schema, declarations: readonly ts.Declaration[]): Schema {
  const aliased = declarations
    .filter(ts.isTypeAliasDeclaration)
    .reduce((inner, { type }) => withAliases(naming, inner, type), schema)
  return constrain(naming.source, aliased, constraintTags(declarations))
}

const symbolOf = (type: ts.Type): ts.Symbol | undefined => type.aliasSymbol ?? type.getSymbol()

function docOf(source: Source, symbol: ts.Symbol | undefined): NamedSchema['doc'] {
  if (symbol === undefined) return emptyDoc
  const isDeprecated = symbol.getJsDocTags(source.checker).some(({ name }) => name === 'deprecated')
  return textDoc(partsText(symbol.getDocumentationComment(source.checker)), isDeprecated)
}

function declaredAt(source: Source, symbol: ts.Symbol | undefined): At | null {
  const declaration = symbol?.declarations?.[0]
  return declaration === undefined ? null : placeOfNode(source, declaration)
}

/** The component name of `type`: its alias, interface or class name, with `Of…` for type arguments; null = inline. */
export function nameOf(source: Source, type: ts.Type, depth = 0): string | null {
  const alias = type.aliasSymbol
  if (alias !== undefined) {
    if (isLibrary(source, alias) || isSimple(type) || publicName(source, alias) !== null) return null
    return withArguments(source, distinctName(source, alias), {
      typeArguments: type.aliasTypeArguments ?? [],
      depth,
    })
  }
  const symbol = type.getSymbol()
  if (symbol === undefined || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return null
  const name = declaredName(symbol)
  if (isLibrary(source, symbol) || name === null || !/^[\p{ID_Start}_$]/u.test(name)) return null
  const typeArguments = isReference(type) ? source.checker.getTypeArguments(type) : []
  return withArguments(source, distinctName(source, symbol), {
    typeArguments: typeArguments.filter((argument) => !isThis(argument)),
    depth,
  })
}

/** A primitive, with a brand or without: what is said of its alias stands where it is written. */
const isSimple = (type: ts.Type): boolean =>
  type.isIntersection()
    ? type.types.some(isPrimitive)
    : !type.isUnion() && !(type.flags & ts.TypeFlags.Object)

const isThis = (type: ts.Type): boolean => 'isThisType' in type && type.isThisType === true

interface AppliedType {
  readonly typeArguments: readonly ts.Type[]
  /** How many arguments it stands in. */
  readonly depth: number
}

/** Arguments in arguments make a name for nobody at some point, and longer for ever. */
const deepestName = 6
const longestName = 200

function withArguments(
  source: Source,
  name: string | null,
  { typeArguments, depth }: AppliedType,
): string | null {
  if (typeArguments.length === 0 || name === null) return name
  if (depth >= deepestName) return null
  const parts = typeArguments.map((argument) => argumentName(source, argument, depth + 1))
  const all = `${name}Of${parts.join('And')}`
  return parts.includes(null) || all.length > longestName ? null : all
}

/** The name of a type argument inside a component's name; null = nothing readable. */
function argumentName(source: Source, type: ts.Type, depth: number): string | null {
  const named = nameOf(source, type, depth)
  if (named !== null) return named
  const flag = primitives.find(([flags]) => type.flags & flags)
  if (flag !== undefined) return flag[1]
  const symbol = type.getSymbol()
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Enum) return symbol.name
  if (type.isStringLiteral()) return /^[A-Za-z]\w*$/.test(type.value) ? capital(type.value) : null
  if (type.isNumberLiteral()) return Number.isInteger(type.value) && type.value >= 0 ? `${type.value}` : null
  if (type.isUnion()) return unionName(source, type, depth)
  return depth < deepestName ? referenceName(source, type, depth) : null
}

/** The name of a list, or of a type of the library with its arguments. */
function referenceName(source: Source, type: ts.Type, depth: number): string | null {
  if (!isReference(type) && !isLibraryType(source, type)) return null
  if (source.checker.isTupleType(type)) return null
  const typeArguments = isReference(type) ? source.checker.getTypeArguments(type) : []
  const parts = typeArguments.map((argument) => argumentName(source, argument, depth + 1))
  if (parts.includes(null)) return null
  if (source.checker.isArrayType(type)) return `${parts.join('')}List`
  return isLibraryType(source, type)
    ? `${type.symbol.name}${parts.length === 0 ? '' : 'Of'}${parts.join('And')}`
    : null
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const primitives: readonly (readonly [flags: ts.TypeFlags, name: string])[] = [
  [ts.TypeFlags.String, 'String'],
  [ts.TypeFlags.Number, 'Number'],
  [ts.TypeFlags.Boolean, 'Boolean'],
  [ts.TypeFlags.BigInt, 'BigInt'],
  [ts.TypeFlags.Null, 'Null'],
  [ts.TypeFlags.Unknown, 'Unknown'],
]

/** Up to three members; more would be no name. */
function unionName(source: Source, type: ts.UnionType, depth: number): string | null {
  if (depth >= deepestName) return null
  const parts = orderedMembers(source.checker, type).map((member) => argumentName(source, member, depth + 1))
  return parts.includes(null) || parts.length > 3 ? null : parts.join('Or')
}
