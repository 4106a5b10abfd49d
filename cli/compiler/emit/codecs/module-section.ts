/** A piece of the printed module: the functions that one owner (a named type, a controller) needs. A fragment depends on
 *  its owner and on what named types are, never on other fragments, so it can be printed again alone. */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import {
  bare,
  type OpenKind,
  type ScalarKind,
  type StreamKind,
  type StructureKind,
  type WrapperKind,
} from '../../ir/schema-walk.ts'

/** What is known about the named types of a run. */
export interface Types {
  /** Sorted by name. */
  readonly named: readonly NamedSchema[]
  /** The compiler's own. */
  readonly own: readonly NamedSchema[]
  /** All of them. */
  readonly byName: ReadonlyMap<string, NamedSchema>
  /** Whether reading the named type may lead to, or be part of, a type that holds itself: its depth is counted. */
  readonly isCounted: (name: string) => boolean
  /** All of those: what is printed of a type depends on that for types which lead to it. */
  readonly context: string
}

/** What a function does: reads JSON, texts or a form. Its first letter begins the function's name. */
export type Verb = 'decode' | 'text' | 'form'

/** The function of a named type. */
export interface Asked {
  readonly verb: Verb
  readonly name: string
}

/** What the functions of a type do, each of `v`. */
export type Bodies = Readonly<Record<Verb, (fragment: Fragment, schema: Schema) => string>>

export interface Text {
  readonly text: string
  /** Names of the runtime. */
  readonly uses: readonly string[]
}

/** What was printed of one owner, and what it needs of others. */
export interface Piece extends Text {
  readonly asked: readonly Asked[]
}

/** The text of one owner, and what it needs of others. */
export class Fragment {
  readonly types: Types
  /** Stands at the end of every name that is made here. */
  readonly #owner: string
  readonly #bodies: Bodies
  /** Functions of named types that were asked for, by their names. */
  readonly #asked = new Map<string, Asked>()
  /** The names of the functions that were printed here. */
  readonly #functions = new Map<string | Schema, string>()
  readonly #constants = new Map<string, string>()
  readonly #uses = new Set<string>()
  #texts: string[] = []

  constructor({ types, bodies }: { readonly types: Types; readonly bodies: Bodies }, owner: string) {
    this.types = types
    this.#bodies = bodies
    this.#owner = owner
  }

  /** A name of `acmcp/codec`, which the module will import. */
  use(name: string): string {
    this.#uses.add(name)
    return name
  }

  piece(): Piece {
    this.flatten()
    return { text: this.#texts.join(''), uses: [...this.#uses], asked: this.askedAfter(0) }
  }

  /** Makes one text of all: V8 holds joined pieces as a tree, which costs more to keep than its text. */
  flatten(): void {
    if (this.#texts.length > 1) this.#texts = [this.#texts.join('')]
  }

  /** Adds text. */
  add(text: string): void {
    this.#texts.push(text)
  }

  /** The name of the function that reads JSON of `schema`, a type without a name, printed when it is asked for first. What
   *  it does may ask for the same again: types may be recursive. Texts and forms of such types are read by expressions. */
  declare(schema: Schema, body: Bodies[Verb] = this.#bodies.decode): string {
    const key = keyOf(schema)
    const known = this.#functions.get(key)
    if (known !== undefined) return known
    const name = `d${this.#functions.size + 1}${this.#owner}`
    this.#functions.set(key, name)
    this.function(name, body(this, schema))
    return name
  }

  /** Adds a function. */
  function(name: string, body: string): void {
    this.#texts.push(`function ${name}(v){${body}}\n`)
  }

  /** The name of the function that does `verb` with a named type, which another fragment prints. */
  ask(verb: Verb, name: string): string {
    const asked = { verb, name }
    const own = namedFunction(asked)
    if (!this.#asked.has(own)) this.#asked.set(own, asked)
    return own
  }

  /** What was asked for after the first `count`, in that order. */
  askedAfter(count: number): readonly Asked[] {
    return [...this.#asked.values()].slice(count)
  }

  /** How much was asked for. */
  get askedCount(): number {
    return this.#asked.size
  }

  /** The name of a constant. */
  constant(value: string): string {
    const known = this.#constants.get(value)
    if (known !== undefined) return known
    const name = `k${this.#constants.size + 1}${this.#owner}`
    this.#constants.set(value, name)
    this.#texts.push(`const ${name}=${value}\n`)
    return name
  }

  /** The named type. */
  named(name: string): NamedSchema {
    return typeNamed(this.types, name)
  }

  /** The schema without names, brands and constraints around it. */
  resolved(schema: Schema): Schema {
    const inner = bare(schema)
    if (inner.kind === 'ref') return this.resolved(this.named(inner.name).schema)
    return inner.kind === 'branded' ? this.resolved(inner.inner) : inner
  }
}

/** The named type. */
export function typeNamed({ byName }: Types, name: string): NamedSchema {
  const found = byName.get(name)
  if (found === undefined) throw new Error(`no type is named ${name}`) // our bug
  return found
}

/** The same for types that are the same, as far as that is told at a glance. */
function keyOf(schema: Schema): string | Schema {
  switch (schema.kind) {
    case 'ref':
      return schema.name
    case 'null':
    case 'date':
      return `(${schema.kind})`
    case 'union': {
      const keys = schema.members.map(keyOf)
      return keys.every((key) => typeof key === 'string') ? keys.join('|') : schema
    }
    case 'array': {
      const key = keyOf(schema.items)
      return typeof key === 'string' && !schema.unique ? `${key}[]` : schema
    }
    default:
      schema.kind satisfies ScalarKind | StructureKind | WrapperKind | OpenKind | StreamKind
      return schema
  }
}

/** The function of a named type. */
export const namedFunction = ({ verb, name }: Asked): string =>
  name.startsWith('[') ? `${verb.charAt(0)}$${name.slice(1, -1)}s` : `${verb.charAt(0)}_${name}`

/** Imports what `pieces` use of the runtime; the decoder by JSON Schema, which is large, from a module of its own. */
export function printImports(pieces: readonly Text[]): string {
  const names = new Set<string>()
  for (const { uses } of pieces) for (const name of uses) names.add(name)
  const usual = [...names].filter((name) => name !== 'schema').sort()
  return [
    ...(usual.length === 0 ? [] : [`import { ${usual.join(', ')} } from 'acmcp/codec'\n`]),
    ...(names.has('schema') ? [`import { schema } from 'acmcp/codec/schema'\n`] : []),
  ].join('')
}

interface Given {
  readonly named: readonly NamedSchema[]
  /** Those of the compiler, which reach no others. */
  readonly own: readonly NamedSchema[]
  /** The names that stand in each of `named`. */
  readonly refs: readonly (readonly string[])[]
}

let last: Types | null = null

/** The types of a run; the same object as the last time for the same types. */
export function typesOf(given: Given): Types {
  const { named } = given
  const isSame = last?.named.length === named.length && last.named.every((one, place) => one === named[place])
  const types = last !== null && isSame ? last : foundTypes(given, last?.context ?? '')
  last = types
  return types
}

/** Finds those whose depth counts. One text object for the same context is compared at a glance. */
function foundTypes({ named, own, refs }: Given, lastContext: string): Types {
  const byName = new Map(own.map((one) => [one.name, one]))
  const places = new Map<string, number>()
  for (const [place, one] of named.entries()) {
    byName.set(one.name, one)
    places.set(one.name, place)
  }
  const below = refs.map((names) => names.flatMap((name) => places.get(name) ?? []))
  const above: number[][] = named.map(() => [])
  for (const [place, all] of below.entries()) for (const one of all) above[one]?.push(place)
  const circling = new Set([...endless(below, above), ...endless(above, below)])
  const counted = new Set(named.flatMap(({ name }, place) => (circling.has(place) ? [name] : [])))
  const context = [...counted].join(' ')
  return {
    named,
    own,
    byName,
    isCounted: (name) => counted.has(name),
    context: context === lastContext ? lastContext : context,
  }
}

/** By place, the places that it leads to. */
type Graph = readonly (readonly number[])[]

/** The places from which the way `ahead` leads into a circle: what is left when all that end are taken away, again and
 *  again. */
function endless(ahead: Graph, behind: Graph): readonly number[] {
  const open = ahead.map((all) => all.length)
  const ended = open.flatMap((count, place) => (count === 0 ? [place] : []))
  // grows on the way
  for (const place of ended) {
    for (const one of behind[place] ?? []) {
      const count = (open[one] ?? 0) - 1
      open[one] = count
      if (count === 0) ended.push(one)
    }
  }
  return open.flatMap((count, place) => (count > 0 ? [place] : []))
}
