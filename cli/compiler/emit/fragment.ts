/** A piece of the printed module: the functions that one owner (a named type, a controller) needs. A fragment depends on
 *  its owner and on what named types are, never on other fragments, so it can be printed again alone. */
import type { NamedSchema, Schema } from '../model.ts'
import { bare, quote, refsOf, schemaNamed } from './type-text.ts'

/** What is known about the named types of a run. */
export interface Types {
  readonly named: readonly NamedSchema[]
  /** Whether reading the named type may lead to, or be part of, a type that holds itself: its depth is counted. */
  readonly isCounted: (name: string) => boolean
  /** All of those, sorted. */
  readonly counted: readonly string[]
}

/** What a function does: reads JSON, texts or a form, or writes JSON. */
export type Verb = 'decode' | 'text' | 'form' | 'encode'

/** The function of a named type. */
export interface Asked {
  readonly verb: Verb
  readonly name: string
}

/** What the functions of a type do, each of `v`. */
export type Bodies = Readonly<Record<Verb, (fragment: Fragment, schema: Schema) => string>>

/** What was printed of one owner, and what it needs of others. */
export interface Piece {
  readonly text: string
  /** Names of the runtime. */
  readonly uses: readonly string[]
  readonly asked: readonly Asked[]
}

/** The text of one owner, and what it needs of others. */
export class Fragment {
  readonly types: Types
  /** Stands at the end of every name that is made here. */
  readonly #owner: string
  /** Functions of named types that were asked for. */
  readonly #asked = new Map<string, Asked>()
  readonly #functions = {
    decode: new Map<string | Schema, string>(),
    text: new Map<string | Schema, string>(),
    form: new Map<string | Schema, string>(),
    encode: new Map<string | Schema, string>(),
  }
  readonly #constants = new Map<string, string>()
  readonly #printed = new Set<string>()
  readonly #texts: string[] = []
  readonly #uses = new Set<string>()

  readonly #bodies: Bodies

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
    return { text: this.#texts.join(''), uses: [...this.#uses], asked: this.asked }
  }

  /** Adds text. */
  add(text: string): void {
    this.#texts.push(text)
  }

  /** The name of the function that does `verb` with `schema`, printed when it is asked for first. What it does may ask for
   *  the same again: types may be recursive. */
  declare(verb: Verb, schema: Schema, body: Bodies[Verb] = this.#bodies[verb]): string {
    const name = this.#known(this.#functions[verb], keyOf(schema), verb)
    if (!this.#printed.has(name)) {
      this.#printed.add(name)
      this.function(name, body(this, schema))
    }
    return name
  }

  /** Adds a function. */
  function(name: string, body: string): void {
    this.#texts.push(`function ${name}(v) {\n${body}}\n`)
  }

  /** The name of the function that does `verb` with a named type, which another fragment prints. */
  ask(verb: Verb, name: string): string {
    const text = namedFunction({ verb, name })
    this.#asked.set(text, { verb, name })
    return text
  }

  get asked(): readonly Asked[] {
    return [...this.#asked.values()]
  }

  /** The name of a constant. */
  constant(value: string): string {
    const name = this.#known(this.#constants, value, 'known')
    if (!this.#printed.has(name)) {
      this.#printed.add(name)
      this.#texts.push(`const ${name} = ${value}\n`)
    }
    return name
  }

  #known<Key>(names: Map<Key, string>, key: Key, verb: string): string {
    const name = names.get(key) ?? `${verb}${names.size + 1}${this.#owner}`
    names.set(key, name)
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
export function typeNamed({ named }: Types, name: string): NamedSchema {
  const found = schemaNamed(name, named)
  if (found === null) throw new Error(`no type is named ${name}`) // our bug
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
      return schema
  }
}

/** The function of a named type. */
export const namedFunction = ({ verb, name }: Asked): string => `${verb}_${name}`

/** Imports `names` from the runtime; the decoder by JSON Schema, which is large, from a module of its own. */
export function printImports(names: ReadonlySet<string>): string {
  const usual = [...names].filter((name) => name !== 'schema').sort()
  return [
    ...(usual.length === 0 ? [] : [`import { ${usual.join(', ')} } from 'acmcp/codec'\n`]),
    ...(names.has('schema') ? [`import { schema } from 'acmcp/codec/schema'\n`] : []),
  ].join('')
}

/** A literal of JavaScript. */
export const literalText = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

/** The types of a run; finds those whose depth counts. */
export function typesOf(named: readonly NamedSchema[]): Types {
  const below: Graph = new Map(named.map(({ name }) => [name, []]))
  const above: Graph = new Map(named.map(({ name }) => [name, []]))
  for (const { name, schema } of named) {
    for (const inner of refsOf(schema)) {
      below.get(name)?.push(inner)
      above.get(inner)?.push(name)
    }
  }
  const counted = new Set([...endless(below, above), ...endless(above, below)])
  return { named, isCounted: (name) => counted.has(name), counted: [...counted].sort() }
}

type Graph = ReadonlyMap<string, string[]>

/** Those from which the way `ahead` leads into a circle: what is left when all that end are taken away, again and again. */
function endless(ahead: Graph, behind: Graph): readonly string[] {
  const open = new Map([...ahead].map(([name, all]) => [name, all.length]))
  const ended = [...open].flatMap(([name, count]) => (count === 0 ? [name] : []))
  // grows on the way
  for (const name of ended) {
    for (const one of behind.get(name) ?? []) {
      const count = (open.get(one) ?? 0) - 1
      open.set(one, count)
      if (count === 0) ended.push(one)
    }
  }
  return [...open].flatMap(([name, count]) => (count > 0 ? [name] : []))
}
