/** A piece of the printed module: the functions that one owner (a named type, a controller) needs. A fragment depends on
 *  its owner and on what named types are, never on other fragments, so it can be printed again alone. */
import type { NamedSchema, Schema } from '../model.ts'
import { bare, childrenOf, quote, schemaNamed } from './type-text.ts'

/** What is known about the named types of a run. */
export interface Types {
  readonly named: readonly NamedSchema[]
  /** Whether reading the named type may lead to, or be part of, a type that holds itself: its depth is counted. */
  readonly isCounted: (name: string) => boolean
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

  get uses(): ReadonlySet<string> {
    return this.#uses
  }

  get text(): string {
    return this.#texts.join('')
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
    const found = schemaNamed(name, this.types.named)
    if (found === null) throw new Error(`no type is named ${name}`) // our bug
    return found
  }

  /** The schema without names, brands and constraints around it. */
  resolved(schema: Schema): Schema {
    const inner = bare(schema)
    if (inner.kind === 'ref') return this.resolved(this.named(inner.name).schema)
    return inner.kind === 'branded' ? this.resolved(inner.inner) : inner
  }
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

/** `names` imports from the runtime. */
export function printImports(names: ReadonlySet<string>): string {
  return names.size === 0 ? '' : `import { ${[...names].sort().join(', ')} } from 'acmcp/codec'\n`
}

/** A literal of JavaScript. */
export const literalText = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

/** The types of a run; finds those whose depth counts. */
export function typesOf(named: readonly NamedSchema[]): Types {
  const reach = new Map(named.map(({ name, schema }) => [name, reachedBy(schema)]))
  const closure = (start: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const visit = (name: string): void => {
      for (const next of reach.get(name) ?? []) {
        if (found.has(next)) continue
        found.add(next)
        visit(next)
      }
    }
    visit(start)
    return found
  }
  const closures = new Map(named.map(({ name }) => [name, closure(name)]))
  const cyclic = new Set([...closures].flatMap(([name, all]) => (all.has(name) ? [name] : [])))
  const below = new Set([...cyclic].flatMap((name) => [...(closures.get(name) ?? [])]))
  const isCounted = (name: string): boolean =>
    below.has(name) || [...(closures.get(name) ?? [])].some((one) => cyclic.has(one))
  return { named, isCounted: remembered(isCounted) }
}

function remembered(ask: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const answer = known.get(name) ?? ask(name)
    known.set(name, answer)
    return answer
  }
}

function reachedBy(schema: Schema): readonly string[] {
  return schema.kind === 'ref' ? [schema.name] : childrenOf(schema).flatMap(reachedBy)
}
