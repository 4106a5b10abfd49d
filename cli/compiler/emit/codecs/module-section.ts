/** A section of the printed module: the functions that one owner (a named type, a controller) needs. A section depends on
 *  its owner and on what named types are, never on other sections, so it can be printed again alone. */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import {
  bare,
  type OpenKind,
  refsOf,
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
  readonly isDepthCounted: (name: string) => boolean
  /** All of those: what is printed of a type depends on that for types which lead to it. */
  readonly context: string
}

/** What a function does: reads JSON, texts or a form. Its first letter begins the function's name. */
export type Verb = 'decode' | 'text' | 'form'

/** The function of a named type. */
export interface FunctionRequest {
  readonly verb: Verb
  readonly name: string
}

/** What the functions of a type do, each of `v`. */
export type Bodies = Readonly<Record<Verb, (section: ModuleSection, schema: Schema) => string>>

export interface Text {
  readonly text: string
  /** Names of the runtime. */
  readonly uses: readonly string[]
}

/** What was printed of one owner, and what it needs of others. */
export interface PrintedSection extends Text {
  readonly requested: readonly FunctionRequest[]
}

/** The text of one owner, and what it needs of others. */
export class ModuleSection {
  readonly types: Types
  /** Stands at the end of every name that is made here. */
  readonly #owner: string
  readonly #bodies: Bodies
  /** Functions of named types that were requested for, by their names. */
  readonly #requested = new Map<string, FunctionRequest>()
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

  printed(): PrintedSection {
    this.flatten()
    return { text: this.#texts.join(''), uses: [...this.#uses], requested: this.requestedAfter(0) }
  }

  /** Makes one text of all: V8 holds joined sections as a tree, which costs more to keep than its text. */
  flatten(): void {
    if (this.#texts.length > 1) this.#texts = [this.#texts.join('')]
  }

  /** Adds text. */
  add(text: string): void {
    this.#texts.push(text)
  }

  /** The name of the function that reads JSON of `schema`, a type without a name, printed when it is requested for first. What
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

  /** The name of the function that does `verb` with a named type, which another section prints. */
  request(verb: Verb, name: string): string {
    const requested = { verb, name }
    const own = namedFunction(requested)
    if (!this.#requested.has(own)) this.#requested.set(own, requested)
    return own
  }

  /** What was requested for after the first `count`, in that order. */
  requestedAfter(count: number): readonly FunctionRequest[] {
    return [...this.#requested.values()].slice(count)
  }

  /** How much was requested for. */
  get requestedCount(): number {
    return this.#requested.size
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
export const namedFunction = ({ verb, name }: FunctionRequest): string =>
  name.startsWith('[') ? `${verb.charAt(0)}$${name.slice(1, -1)}s` : `${verb.charAt(0)}_${name}`

/** Imports what `sections` use of the runtime; the decoder by JSON Schema, which is large, from a module of its own. */
export function printImports(sections: readonly Text[]): string {
  const names = new Set<string>()
  for (const { uses } of sections) for (const name of uses) names.add(name)
  const usual = [...names].filter((name) => name !== 'schema').sort()
  return [
    ...(usual.length === 0 ? [] : [`import { ${usual.join(', ')} } from 'acmcp/codec'\n`]),
    ...(names.has('schema') ? [`import { schema } from 'acmcp/codec/schema'\n`] : []),
  ].join('')
}

/** The types of a run, beside `own` ones of the compiler, which reach no others. */
export function typesOf(named: readonly NamedSchema[], own: readonly NamedSchema[]): Types {
  const byName = new Map(own.map((one) => [one.name, one]))
  const places = new Map<string, number>()
  for (const [place, one] of named.entries()) {
    byName.set(one.name, one)
    places.set(one.name, place)
  }
  const below = named.map(({ schema }) => refsOf(schema).flatMap((name) => places.get(name) ?? []))
  const above: number[][] = named.map(() => [])
  for (const [place, all] of below.entries()) for (const one of all) above[one]?.push(place)
  const recursive = new Set([...leadingIntoCycles(below, above), ...leadingIntoCycles(above, below)])
  const counted = new Set(named.flatMap(({ name }, place) => (recursive.has(place) ? [name] : [])))
  return {
    named,
    own,
    byName,
    isDepthCounted: (name) => counted.has(name),
    context: [...counted].join(' '),
  }
}

/** By place, the places that it leads to. */
type Graph = readonly (readonly number[])[]

/** The places from which the way `ahead` leads into a circle: what is left when all that end are taken away, again and
 *  again. */
function leadingIntoCycles(ahead: Graph, behind: Graph): readonly number[] {
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
