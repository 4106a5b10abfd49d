/** Prints the functions of named types, as far as they are requested for. */

import { type Memos, memo } from '../../cache/memoize.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { bodyOf } from './decoders.ts'
import {
  type Bodies,
  type FunctionRequest,
  ModuleSection,
  namedFunction,
  type PrintedSection,
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

/** The functions of named types that were requested for, and those that they ask for, sorted by type. */
export function printNamed(memos: Memos, types: Types, askers: readonly PrintedSection[]): readonly Text[] {
  return new Run(memos, types).print(askers.map(({ requested }) => requested))
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

  print(asking: readonly (readonly FunctionRequest[])[]): readonly Text[] {
    for (const list of asking) this.#request(list)
    for (const verb of verbs) {
      for (const printing of this.#queues[verb]) this.#request(printing.print(verb))
    }
    const { own, named } = this.#types
    return [...own, ...named].flatMap(({ name }) => this.#printings.get(name)?.printed() ?? [])
  }

  #request(requested: readonly FunctionRequest[]): void {
    for (const { verb, name } of requested) {
      const printing = this.#printings.get(name) ?? new Printing(this.#memos, this.#types, name)
      this.#printings.set(name, printing)
      if (printing.isAskedFor(verb)) this.#queues[verb].push(printing)
    }
  }
}

/** A verb, and what is requested for by printing it that was not before. */
interface Step {
  readonly verb: Verb
  readonly requested: readonly FunctionRequest[]
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
  readonly #requested: Verb[] = []
  #section: ModuleSection | null = null
  readonly #steps: Step[] = []

  constructor(memos: Memos, types: Types, name: string) {
    this.#memos = memos
    this.#types = types
    this.#type = typeNamed(types, name)
    this.#last = keepLast(memos, this.#type, types.named, { context: types.context, make: () => nothing })
  }

  /** Whether the verb is requested for first. */
  isAskedFor(verb: Verb): boolean {
    if (this.#requested.includes(verb)) return false
    this.#requested.push(verb)
    return true
  }

  /** What is requested for. */
  print(verb: Verb): readonly FunctionRequest[] {
    const known = this.#last.steps[this.#steps.length]
    const isKnown = this.#section === null && known?.verb === verb
    const step = isKnown ? known : { verb, requested: this.#printed(verb) }
    this.#steps.push(step)
    return step.requested
  }

  #printed(verb: Verb): readonly FunctionRequest[] {
    const section = this.#section ?? this.#begun()
    this.#section = section
    const before = section.requestedCount
    printFunction(section, { verb, name: this.#type.name })
    section.flatten()
    return section.requestedAfter(before)
  }

  /** A section that has the steps which were known. */
  #begun(): ModuleSection {
    const { name } = this.#type
    const owner = name.startsWith('[') ? `$$${name.slice(1, -1)}` : `_${name}`
    const section = new ModuleSection({ types: this.#types, bodies }, owner)
    for (const { verb } of this.#steps) printFunction(section, { verb, name })
    return section
  }

  printed(): Text {
    const { steps } = this.#last
    if (this.#section === null && steps.length === this.#steps.length) return this.#last
    const { text, uses } = (this.#section ?? this.#begun()).printed()
    const { named, context } = this.#types
    const make = (): Last => ({ steps: this.#steps, text, uses })
    return keepLast.replace(this.#memos, this.#type, named, { context, make })
  }
}

/** The function of a named type; where the type may hold itself the depth is counted around it. */
function printFunction(section: ModuleSection, { verb, name }: FunctionRequest): void {
  const own = namedFunction({ verb, name })
  const { schema } = section.named(name)
  if (!section.types.isDepthCounted(name)) {
    section.function(own, bodies[verb](section, schema))
    return
  }
  const inner = verb === 'decode' ? readFunction(section, schema) : `v=>{${bodies[verb](section, schema)}}`
  section.function(own, `return ${section.use('oneDeeper')}(${inner},v)`)
}
