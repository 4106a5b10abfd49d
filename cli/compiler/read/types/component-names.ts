/** The names of types: which types become components, and under which name. */

import { schemaNameTaken } from '../../diagnostics/source-diagnostics.ts'
import type { At, NamedSchema, Schema } from '../../ir/schema.ts'
import { type Naming, withAliases } from '../jsdoc/alias-tags.ts'
import { emptyDoc, partsText, textDoc, withExamples } from '../jsdoc/doc-comment.ts'
import { orderedMembers } from '../program/canonical-order.ts'
import { byText } from '../program/host.ts'
import { textOfType } from '../program/overflow.ts'
import { placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { constrain, constraintTags, examplesIn } from './constraints.ts'

interface Definition {
  readonly type: ts.Type
  readonly name: string
  readonly spot: { readonly at: At }
  /** Puts off what reads the inside, and says then whether nothing more is read. */
  readonly later: (job: (isOver: boolean) => void) => void
  /** Whether a type was met, but not read to its end. */
  readonly isUnknown: (type: ts.Type) => boolean
  /** Says that it is not read: another has its name. */
  readonly unread: () => void
  readonly read: () => Schema
}

export interface Names {
  /** The reference to a named type; its inside is read once, some time after it is met first. */
  define(definition: Definition): Schema
  /** The reference to a schema that a file gives; the same name again must hold the same. */
  give(given: Omit<NamedSchema, 'doc'>): Schema
  /** The name for a type that has none, with a number behind it when it is given away. */
  unlike(name: string): string
  /** Whether there is such a type: its name depends on what else was read. */
  hasUnlike(): boolean
  /** `schema` with what the aliases say that `node`, the type as written, names. */
  aliased(schema: Schema, node: ts.TypeNode | undefined): Schema
  /** What `read` gives, and the names that it meets: not those inside named schemas. */
  met<T>(read: () => T): readonly [T, readonly string[]]
  /** Says that a name was met: where a schema is taken over that was read before. */
  meet(name: string): void
  /** All named schemas, sorted by name. */
  all(): readonly Found[]
}

/** A named schema, and the names directly inside it. */
export interface Found {
  readonly named: NamedSchema
  readonly inside: readonly string[]
}

/** The names of one run. Two types of one name are reported with both places. */
export function createNames(source: Source): Names {
  const types = new Map<string, Pick<Definition, 'type' | 'spot'>>()
  const schemas = new Map<string, NamedSchema>()
  const inside = new Map<string, readonly string[]>()
  const recursive = new Set<string>()
  const { met, meet } = createRecord()
  /** A name that is given away already must stand for the same. */
  const keep = (one: NamedSchema): Schema => {
    const known = schemas.get(one.name)
    if (known === undefined) schemas.set(one.name, one)
    else if (JSON.stringify(known.schema) !== JSON.stringify(one.schema)) {
      source.report(schemaNameTaken(one.at, one.name, known.at))
    }
    return { kind: 'ref', name: one.name }
  }
  const give = (one: NamedSchema): Schema => {
    meet(one.name)
    return keep(one)
  }
  const naming: Naming = {
    source,
    nameOf: (type) => nameOf(source, type),
    give: ({ name }, schema) => {
      const doc = docOf(source, source.checker.getSymbolAtLocation(name))
      return give({ name: name.text, doc, at: placeOfNode(source, name.parent), schema })
    },
  }
  return {
    met,
    meet,
    define({ type, name, spot, later, isUnknown, unread, read }) {
      meet(name)
      const first = types.get(name)
      if (first === undefined || (first.type === type && isUnknown(type))) {
        types.set(name, { type, spot })
        schemas.delete(name)
        const symbol = symbolOf(type)
        const at = declaredAt(source, symbol) ?? spot.at
        later((isOver) => {
          const [schema, names] = met(() =>
            isOver ? nothing : withTags(naming, read(), symbol?.declarations ?? []),
          )
          inside.set(name, names)
          const doc = withExamples(docOf(source, symbol), examplesIn(schema))
          keep({ name, doc, at, schema })
        })
      } else if (first.type !== type) {
        const isOther = reportOther(source, name, { type, spot }, first)
        if (isOther || isUnknown(first.type)) unread()
      }
      return { kind: 'ref', name }
    },
    give: ({ name, at, schema }) => give({ name, doc: emptyDoc, at, schema }),
    unlike(name) {
      let count = 1
      const numbered = (): string => (count === 1 ? name : `${name}${count}`)
      while (types.has(numbered()) || schemas.has(numbered()) || recursive.has(numbered())) count++
      recursive.add(numbered())
      return numbered()
    },
    hasUnlike: () => recursive.size > 0,
    aliased: (schema, node) => withAliases(naming, schema, node),
    all: () =>
      [...schemas.values()]
        .sort((a, b) => byText(a.name, b.name))
        .map((named) => ({ named, inside: inside.get(named.name) ?? [] })),
  }
}

const nothing: Schema = { kind: 'unknown' }

type Named = Pick<Definition, 'type' | 'spot'>

/** Reports, and says, that two types have one name: two declarations, or one with other arguments (`Box<'A'>` and `Box<A>`). */
function reportOther(source: Source, name: string, { type, spot }: Named, first: Named): boolean {
  const [symbol, firstSymbol] = [symbolOf(type), symbolOf(first.type)]
  if (symbol !== firstSymbol) {
    const firstAt = declaredAt(source, firstSymbol) ?? spot.at
    source.report(schemaNameTaken(declaredAt(source, symbol) ?? spot.at, name, firstAt))
    return true
  }
  if (spelt(source, type) === spelt(source, first.type)) return false
  source.report(schemaNameTaken(spot.at, name, first.spot.at))
  return true
}

/** The type as text, names with their modules. */
function spelt({ checker }: Source, type: ts.Type): string {
  return textOfType(checker, type, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseFullyQualifiedType)
}

interface Record {
  readonly met: Names['met']
  readonly meet: Names['meet']
}

function createRecord(): Record {
  const open: Set<string>[] = []
  return {
    meet: (name) => void open.at(-1)?.add(name),
    met(read) {
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
    return withArguments(source, declaredName(alias), { given: type.aliasTypeArguments ?? [], depth })
  }
  const symbol = type.getSymbol()
  if (symbol === undefined || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return null
  const name = declaredName(symbol)
  if (isLibrary(source, symbol) || name === null || !/^[A-Za-z_$][\w$]*$/.test(name)) return null
  const given = isReference(type) ? source.checker.getTypeArguments(type) : []
  return withArguments(source, name, { given: given.filter((argument) => !isThis(argument)), depth })
}

/** The name that a declaration has in its file: `export default` is none. */
function declaredName({ name, declarations = [] }: ts.Symbol): string | null {
  if (name !== 'default') return name
  const own = declarations.flatMap((node) => ts.getNameOfDeclaration(node) ?? []).find(ts.isIdentifier)
  return own?.text ?? null
}

const isSimple = (type: ts.Type): boolean =>
  !type.isUnion() && !(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))

const isThis = (type: ts.Type): boolean => 'isThisType' in type && type.isThisType === true

/** Whether `type` is a generic type with its arguments: only such a type may be asked for them. */
export function isReference(type: ts.Type): type is ts.TypeReference {
  return 'target' in type && (type.flags & ts.TypeFlags.Object) !== 0
}

interface Given {
  readonly given: readonly ts.Type[]
  /** How many arguments it stands in. */
  readonly depth: number
}

/** Arguments in arguments make a name for nobody at some point, and longer for ever. */
const deepestName = 6
const longestName = 200

function withArguments(source: Source, name: string | null, { given, depth }: Given): string | null {
  if (given.length === 0 || name === null) return name
  if (depth >= deepestName) return null
  const parts = given.map((argument) => argumentName(source, argument, depth + 1))
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
  const given = isReference(type) ? source.checker.getTypeArguments(type) : []
  const parts = given.map((argument) => argumentName(source, argument, depth + 1))
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

/** Whether `symbol` is declared by the standard library (or Node's types). */
export function isLibrary(source: Source, symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.[0]
  if (declaration === undefined) return false
  const file = declaration.getSourceFile()
  return (
    source.program.isSourceFileDefaultLibrary(file) || file.fileName.includes('/node_modules/@types/node/')
  )
}

/** Whether `type` is declared by the standard library (or Node's types). */
export function isLibraryType(source: Source, type: ts.Type): boolean {
  const symbol = type.getSymbol()
  return symbol !== undefined && !(symbol.flags & ts.SymbolFlags.TypeLiteral) && isLibrary(source, symbol)
}
