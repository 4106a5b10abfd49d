/** One order for what the checker has none of its own for. It numbers types as it meets them, and lists unions, and the
 *  properties that come from unions of names, by number: a program over some of the files would list them otherwise than
 *  one over all. */
import type { Schema } from '../../ir/schema.ts'
import { byText } from './host.ts'
import { textOfType } from './overflow.ts'
import { ts } from './typescript.ts'

/** A literal in quotes, or garbage between two: the closing quote may open the next. */
const quoted = /['"]([^'"\\\n]{1,80})(?=['"])/g

/** The names and texts of all files that were seen. */
export interface Texts {
  /** Registers those of `files` with `checker`, in alphabetical order, before anything else of theirs. */
  register(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): void
}

/** Texts that are gone stay until they are half of all: they change nothing in the order of the others. */
export function createTexts(): Texts {
  const texts = new Set<string>()
  let seen = new WeakSet<ts.SourceFile>()
  let most = -1
  let sorted: readonly string[] = []
  return {
    register(checker, files) {
      const isAnew = texts.size > most
      if (isAnew) {
        seen = new WeakSet()
        texts.clear()
      }
      for (const file of files) {
        if (seen.has(file)) continue
        seen.add(file)
        for (const text of textsOf(file)) texts.add(text)
      }
      if (isAnew) most = 2 * texts.size
      if (isAnew || texts.size !== sorted.length) sorted = [...texts].sort(byText)
      for (const text of sorted) checker.getStringLiteralType(text)
    },
  }
}

function textsOf(file: ts.SourceFile): Iterable<string> {
  const names = 'identifiers' in file ? (file.identifiers as ReadonlyMap<string, string>).keys() : [] // the parser's own field
  if (file.isDeclarationFile) return names
  return [...names, ...[...file.text.matchAll(quoted)].map(([, text = '']) => text)]
}

/** The members of a union: what the language brings, then texts and numbers by value, then the rest by the place of its
 *  declaration. */
export function orderedMembers(checker: ts.TypeChecker, type: ts.UnionType): readonly ts.Type[] {
  const textOf = (member: ts.Type): string => textOfType(checker, member)
  return type.types
    .map((member) => ({ member, key: keyOf(member) }))
    .sort((a, b) => byKey(a.key, b.key) || (a.key.rank < 4 ? 0 : byText(textOf(a.member), textOf(b.member))))
    .map(({ member }) => member)
}

/** The properties of an object type. Those that a mapped type takes from another, as `Omit` and `Pick` do, have the order
 *  that they have there; those that it makes of names, as `Record` does, come by name. */
export function propertiesOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.Symbol[] {
  const properties = checker.getPropertiesOfType(type)
  const from =
    'modifiersType' in type ? [type.modifiersType as ts.Type] : type.isIntersection() ? type.types : [] // the checker's own field
  if (from.length === 0) return properties
  const order = new Map(
    from.flatMap((item) => propertiesOf(checker, item)).map(({ name }, place) => [name, place]),
  )
  const placeOf = ({ name }: ts.Symbol): number => order.get(name) ?? order.size
  return [...properties].sort((a, b) => placeOf(a) - placeOf(b) || byName(a.name, b.name))
}

/** Numbers by value, then texts. */
function byName(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => (/^\d+$/.test(name) ? Number(name) : Number.POSITIVE_INFINITY))
  return first === second ? byText(a, b) : Number(first) - Number(second)
}

interface Key {
  readonly rank: number
  readonly value: string | number
  readonly file: string
  readonly position: number
}

const plain: Key = { rank: 0, value: 0, file: '', position: 0 }

function keyOf(type: ts.Type): Key {
  if (type.isNumberLiteral() && !(type.flags & ts.TypeFlags.EnumLiteral))
    return { ...plain, rank: 2, value: type.value }
  if (type.isStringLiteral() && !(type.flags & ts.TypeFlags.EnumLiteral))
    return { ...plain, rank: 1, value: type.value }
  if ('intrinsicName' in type) return plain
  const declaration = (type.aliasSymbol ?? type.getSymbol())?.declarations?.[0]
  const rank = type.flags & ts.TypeFlags.EnumLiteral ? 3 : 4
  if (declaration === undefined) return { ...plain, rank }
  return { ...plain, rank, file: declaration.getSourceFile().fileName, position: declaration.pos }
}

function byKey(a: Key, b: Key): number {
  const byValue =
    typeof a.value === 'number' && typeof b.value === 'number'
      ? a.value - b.value
      : byText(String(a.value), String(b.value))
  return a.rank - b.rank || byValue || byText(a.file, b.file) || a.position - b.position
}

/** `schema` with the values of its enum as `node` lists them, for readers; those that it does not name come last. */
export function inWrittenOrder(schema: Schema, node: ts.UnionTypeNode): Schema {
  if (schema.kind === 'union') {
    return { ...schema, members: schema.members.map((member) => inWrittenOrder(member, node)) }
  }
  if (schema.kind !== 'enum' || schema.ofEnum) return schema
  const written = node.types.flatMap((type) => (ts.isLiteralTypeNode(type) ? [textOf(type.literal)] : []))
  const placeOf = (value: string | number): number => {
    const place = written.indexOf(String(value))
    return place < 0 ? written.length : place
  }
  return { ...schema, values: [...schema.values].sort((a, b) => placeOf(a) - placeOf(b)) }
}

const textOf = (literal: ts.Node): string =>
  ts.isStringLiteralLike(literal) ? literal.text : literal.getText()
