/** Prints the functions of named types, as far as they are asked for. */

import { type Memos, memo } from '../../cache/memoize.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { bodyOf } from './decoders.ts'
import {
  type Asked,
  type Bodies,
  Fragment,
  namedFunction,
  type Piece,
  type Text,
  type Types,
  typeNamed,
  type Verb,
} from './module-section.ts'
import { readFunction } from './reading.ts'
import { formBody, textBody } from './text-decoders.ts'

export const bodies: Bodies = { decode: bodyOf, text: textBody, form: formBody }

/** In the order in which they are printed: none asks for one before it. */
const verbs: readonly Verb[] = ['form', 'text', 'decode']

/** The functions of named types that were asked for, and those that they ask for, sorted by type. */
export function printNamed(memos: Memos, types: Types, askers: readonly Piece[]): readonly Text[] {
  return new Run(memos, types).print(askers.map(({ asked }) => asked))
}

class Run {
  readonly #memos: Memos
  readonly #types: Types
  readonly #printings = new Map<string, Printing>()
  /** Grow on the way. */
  readonly #queues: Readonly<Record<Verb, Printing[]>> = { form: [], text: [], decode: [] }

  constructor(memos: Memos, types: Types) {
    this.#memos = memos
    this.#types = types
  }

  print(asking: readonly (readonly Asked[])[]): readonly Text[] {
    for (const list of asking) this.#ask(list)
    for (const verb of verbs) {
      for (const printing of this.#queues[verb]) this.#ask(printing.print(verb))
    }
    const { own, named } = this.#types
    return [...own, ...named].flatMap(({ name }) => this.#printings.get(name)?.piece() ?? [])
  }

  #ask(asked: readonly Asked[]): void {
    for (const { verb, name } of asked) {
      const printing = this.#printings.get(name) ?? new Printing(this.#memos, this.#types, name)
      this.#printings.set(name, printing)
      if (printing.isAskedFor(verb)) this.#queues[verb].push(printing)
    }
  }
}

/** A verb, and what is asked for by printing it that was not before. */
interface Step {
  readonly verb: Verb
  readonly asked: readonly Asked[]
}

/** What the last build printed of a named type. */
interface Last extends Text {
  readonly steps: readonly Step[]
}

const nothing: Last = { steps: [], text: '', uses: [] }
const keepLast = memo<Last>()

/** The functions of one named type, one verb after the other: what they come to depends on which verbs these are, and on
 *  nothing else. As long as the verbs are those of the last build nothing is printed. */
class Printing {
  readonly #memos: Memos
  readonly #types: Types
  readonly #type: NamedSchema
  readonly #last: Last
  readonly #asked: Verb[] = []
  #fragment: Fragment | null = null
  readonly #steps: Step[] = []

  constructor(memos: Memos, types: Types, name: string) {
    this.#memos = memos
    this.#types = types
    this.#type = typeNamed(types, name)
    this.#last = keepLast(memos, this.#type, types.named, { context: types.context, make: () => nothing })
  }

  /** Whether the verb is asked for first. */
  isAskedFor(verb: Verb): boolean {
    if (this.#asked.includes(verb)) return false
    this.#asked.push(verb)
    return true
  }

  /** What is asked for. */
  print(verb: Verb): readonly Asked[] {
    const known = this.#last.steps[this.#steps.length]
    const isKnown = this.#fragment === null && known?.verb === verb
    const step = isKnown ? known : { verb, asked: this.#printed(verb) }
    this.#steps.push(step)
    return step.asked
  }

  #printed(verb: Verb): readonly Asked[] {
    const fragment = this.#fragment ?? this.#begun()
    this.#fragment = fragment
    const before = fragment.askedCount
    printFunction(fragment, { verb, name: this.#type.name })
    fragment.flatten()
    return fragment.askedAfter(before)
  }

  /** A fragment that has the steps which were known. */
  #begun(): Fragment {
    const { name } = this.#type
    const owner = name.startsWith('[') ? `$$${name.slice(1, -1)}` : `_${name}`
    const fragment = new Fragment({ types: this.#types, bodies }, owner)
    for (const { verb } of this.#steps) printFunction(fragment, { verb, name })
    return fragment
  }

  piece(): Text {
    const { steps } = this.#last
    if (this.#fragment === null && steps.length === this.#steps.length) return this.#last
    const { text, uses } = (this.#fragment ?? this.#begun()).piece()
    const { named, context } = this.#types
    const make = (): Last => ({ steps: this.#steps, text, uses })
    return keepLast.replace(this.#memos, this.#type, named, { context, make })
  }
}

/** The function of a named type; where the type may hold itself the depth is counted around it. */
function printFunction(fragment: Fragment, { verb, name }: Asked): void {
  const own = namedFunction({ verb, name })
  const { schema } = fragment.named(name)
  if (!fragment.types.isCounted(name)) {
    fragment.function(own, bodies[verb](fragment, schema))
    return
  }
  const inner = verb === 'decode' ? readFunction(fragment, schema) : `v=>{${bodies[verb](fragment, schema)}}`
  fragment.function(own, `return ${fragment.use('oneDeeper')}(${inner},v)`)
}
