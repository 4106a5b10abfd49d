/** Prints the functions of named types, as far as they are asked for. */

import { keeper } from '../../cache/memoize.ts'
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

/** What was printed last: `asking` for the same comes to the same while the types are the same. */
let last: {
  readonly types: Types
  readonly asking: readonly (readonly Asked[])[]
  readonly pieces: readonly Text[]
} | null = null

/** The functions of named types that were asked for, and those that they ask for, sorted by type. */
export function printNamed(types: Types, askers: readonly Piece[]): readonly Text[] {
  const asking = askers.map(({ asked }) => asked)
  if (last?.types === types && areSame(last.asking, asking)) return last.pieces
  const pieces = new Run(types).print(asking)
  last = { types, asking, pieces }
  return pieces
}

const areSame = (all: readonly (readonly Asked[])[], others: readonly (readonly Asked[])[]): boolean =>
  all.length === others.length && all.every((list, place) => areSameLists(list, others[place] ?? []))

const areSameLists = (list: readonly Asked[], other: readonly Asked[]): boolean =>
  list === other ||
  (list.length === other.length &&
    list.every(({ verb, name }, place) => verb === other[place]?.verb && name === other[place]?.name))

class Run {
  readonly #types: Types
  readonly #printings = new Map<string, Printing>()
  /** Grow on the way. */
  readonly #queues: Readonly<Record<Verb, Printing[]>> = { form: [], text: [], decode: [] }

  constructor(types: Types) {
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
      const printing = this.#printings.get(name) ?? new Printing(this.#types, name)
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

/** What the last build printed of a named type: three texts, for there are thousands. */
interface Last {
  readonly steps: string
  readonly text: string
  readonly uses: string
}

const nothing: Last = { steps: '', text: '', uses: '' }
const keepLast = keeper<Last>('codecs.type')

/** A line a step. */
const textOfSteps = (steps: readonly Step[]): string =>
  steps
    .map(({ verb, asked }) => [verb, ...asked.map((one) => `${one.verb} ${one.name}`)].join('\t'))
    .join('\n')

/** The items of a list that was joined. */
const split = (text: string, between: string): readonly string[] => (text === '' ? [] : text.split(between))

function stepsIn(text: string): readonly Step[] {
  return split(text, '\n').map((line) => {
    const [verb, ...asked] = line.split('\t')
    return { verb: verb as Verb, asked: asked.map(askedIn) } // as `textOfSteps` wrote it
  })
}

function askedIn(text: string): Asked {
  const blank = text.indexOf(' ')
  return { verb: text.slice(0, blank) as Verb, name: text.slice(blank + 1) } // as above
}

/** The functions of one named type, one verb after the other: what they come to depends on which verbs these are, and on
 *  nothing else. As long as the verbs are those of the last build nothing is printed. */
class Printing {
  readonly #types: Types
  readonly #type: NamedSchema
  readonly #last: Last
  readonly #known: readonly Step[]
  readonly #asked: Verb[] = []
  #fragment: Fragment | null = null
  readonly #steps: Step[] = []

  constructor(types: Types, name: string) {
    this.#types = types
    this.#type = typeNamed(types, name)
    this.#last = keepLast(this.#type, types.named, { context: types.context, make: () => nothing })
    this.#known = stepsIn(this.#last.steps)
  }

  /** Whether the verb is asked for first. */
  isAskedFor(verb: Verb): boolean {
    if (this.#asked.includes(verb)) return false
    this.#asked.push(verb)
    return true
  }

  /** What is asked for. */
  print(verb: Verb): readonly Asked[] {
    const known = this.#known[this.#steps.length]
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
    const isKnown = this.#fragment === null && this.#known.length === this.#steps.length
    if (isKnown) return { text: this.#last.text, uses: split(this.#last.uses, ' ') }
    const { text, uses } = (this.#fragment ?? this.#begun()).piece()
    const value = { steps: textOfSteps(this.#steps), text, uses: uses.join(' ') }
    keepLast.replace(this.#type, this.#types.named, { context: this.#types.context, value })
    return { text, uses }
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
