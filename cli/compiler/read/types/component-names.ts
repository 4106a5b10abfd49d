/** The components of one reading: which types become one, and which of them would have one name. */

import { schemaNameTaken } from '../../diagnostics/source-diagnostics.ts'
import { emptyDoc } from '../../ir/docs.ts'
import { freeName } from '../../ir/safe-names.ts'
import type { At, NamedSchema, Schema } from '../../ir/schema.ts'
import { type Naming, withAliases } from '../jsdoc/alias-tags.ts'
import { partsText, textDoc, withExamples } from '../jsdoc/doc-comment.ts'
import { byText } from '../program/host.ts'
import { textOfType } from '../program/overflow.ts'
import { isReference, placeOfNode, type Source } from '../program/program.ts'
import { declaredName, distinctName, type SharedNames } from '../program/qualified-names.ts'
import { ts } from '../program/typescript.ts'
import { componentKey } from './component-key.ts'
import { constrain, constraintTags, examplesIn } from './constraints.ts'
import type { DepthGuard } from './depth-guard.ts'
import { nameOf } from './type-names.ts'

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
  /** Makes another schema of that of a component; of one that is not read yet nothing. */
  amendComponent(name: string, amend: (schema: Schema) => Schema): void
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
  /** The declarations that turned out to have one name: read again, they are told apart. */
  clashes(): SharedNames
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
  readonly clashes: Clashes
  /** The reference to one that is known from now on; a name that is taken must stand for the same. */
  readonly keep: (component: NamedSchema, symbol?: ts.Symbol) => Schema
  /** The same, and says that it is referred to. */
  readonly declare: Components['keep']
}

function createComponents(source: Source): Components {
  const schemas = new Map<string, NamedSchema>()
  const symbols = new Map<string, ts.Symbol | undefined>()
  const references = createReferences()
  const clashes = createClashes()
  const keep: Components['keep'] = (schema, symbol) => {
    const known = schemas.get(schema.name)
    if (known === undefined) {
      schemas.set(schema.name, schema)
      symbols.set(schema.name, symbol)
    } else if (JSON.stringify(known.schema) !== JSON.stringify(schema.schema)) {
      const first = symbols.get(schema.name)
      if (first !== undefined && symbol !== undefined && first !== symbol) clashes.add([first, symbol])
      source.report(schemaNameTaken(schema.at, schema.name, known.at))
    }
    return { kind: 'ref', name: schema.name }
  }
  const declare: Components['declare'] = (schema, symbol) => {
    references.recordReference(schema.name)
    return keep(schema, symbol)
  }
  return { ...references, schemas, clashes, keep, declare }
}

const namingOf = (source: Source, declare: Components['declare']): Naming => ({
  source,
  nameOf: (type) => nameOf(source, type),
  declare: ({ name }, schema) => {
    const symbol = source.checker.getSymbolAtLocation(name)
    const distinct = symbol === undefined ? null : distinctName(source, symbol)
    const at = placeOfNode(source, name.parent)
    return declare(
      { name: componentKey(distinct ?? name.text), doc: docOf(source, symbol), at, schema },
      symbol,
    )
  },
})

/** The names of one run. Two types of one name are reported with both places. `guard` says when the inside of one is read. */
export function createNames(source: Source, guard: DepthGuard): Names {
  const types = new Map<string, Pick<Definition, 'type' | 'location'>>()
  const inside = new Map<string, readonly string[]>()
  const others = new Set<ts.Type>()
  const recursive = new Set<string>()
  const { withReferences, recordReference, schemas, clashes, keep, declare } = createComponents(source)
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
          keep({ name, doc, at, schema }, symbol)
        })
      } else if (first.type !== type) {
        const symbols = clashing(source, type, first.type)
        clashes.add(symbols)
        if (symbols.length > 0 && !others.has(type)) guard.later(() => void read()) // what it reaches may clash too
        others.add(type)
        reportOther(source, name, { type, location }, first)
      }
      return { kind: 'ref', name }
    },
    declareComponent: ({ name, at, schema }) =>
      declare({ name: componentKey(name), doc: emptyDoc, at, schema }),
    amendComponent(name, amend) {
      const known = schemas.get(name)
      if (known !== undefined) schemas.set(name, { ...known, schema: amend(known.schema) })
    },
    generateName(written) {
      const all = [types, schemas, recursive]
      const name = freeName(componentKey(written), (other) => all.some((taken) => taken.has(other)))
      recursive.add(name)
      return name
    },
    hasGeneratedNames: () => recursive.size > 0 || source.distinct.size > 0,
    clashes: () => clashes.all,
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

/** The declarations that two types have one name by: their own, or those of their arguments. */
function clashing(source: Source, item: ts.Type, other: ts.Type): readonly ts.Symbol[] {
  const [symbol, otherSymbol] = [symbolOf(item), symbolOf(other)]
  if (symbol === undefined || otherSymbol === undefined) return []
  if (symbol !== otherSymbol) {
    const isOne = keyOf(symbol) === keyOf(otherSymbol)
    return isOne || [symbol, otherSymbol].some((each) => isRenamed(source, each)) ? [symbol, otherSymbol] : []
  }
  const [typeArguments, others] = [item, other].map((type) => argumentsOf(source, type))
  return (typeArguments ?? []).flatMap((argument, place) => {
    const counterpart = others?.[place]
    return counterpart === undefined || counterpart === argument
      ? []
      : clashing(source, argument, counterpart)
  })
}

/** Whether the type has another name than its own, which may be that of another type. */
const isRenamed = ({ distinct }: Source, { declarations = [] }: ts.Symbol): boolean =>
  declarations.some((declaration) => distinct.has(declaration))

/** `A$` and `A_` are one key. */
function keyOf(symbol: ts.Symbol): string | null {
  const name = declaredName(symbol)
  return name === null ? null : componentKey(name)
}

/** Records declarations that share a name. */
interface Clashes {
  readonly all: Map<string, Set<ts.Declaration>>
  readonly add: (symbols: readonly ts.Symbol[]) => void
}

function createClashes(): Clashes {
  const all: Clashes['all'] = new Map()
  const add = (symbol: ts.Symbol): void => {
    const [name, declaration] = [keyOf(symbol), symbol.declarations?.[0]]
    if (name === null || declaration === undefined) return
    all.set(name, (all.get(name) ?? new Set()).add(declaration))
  }
  return { all, add: (symbols) => symbols.forEach(add) }
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
