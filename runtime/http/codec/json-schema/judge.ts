/** Judges values by a JSON Schema that was made into nodes. What a node that references lead to said of a value is remembered
 *  for the time of one document, so that the work is linear in it however unions and references are nested. */

import { Numbered } from '../same-json.ts'

/** Why a value does not fit: the first thing found, at the place that the steps lead to. */
export interface Misfit {
  readonly message: string
  /** From the value to where it is wrong, outermost first. */
  readonly step: Step | null
  readonly depth: number
}

interface Step {
  readonly name: string | number
  readonly inner: Misfit
}

/** One keyword with its value. */
export interface Rule {
  readonly judge: (value: unknown, run: Run) => Misfit | null
  /** Notes the names and places that the keyword evaluates of a value that it takes (JSON Schema Core, 10 and 11). */
  readonly note?: (value: unknown, run: Run, noted: Noted) => void
}

/** A schema. */
export interface Node {
  readonly id: number
  readonly rules: Rule[]
  /** Whether more than one way leads to it, so that it may be asked of one value again. */
  isShared: boolean
}

/** What a keyword stands in. */
export interface SchemaLocation {
  readonly schema: Readonly<Record<string, unknown>>
  /** Its node, with the rules of the keywords before. */
  readonly node: Node
  /** The node of a schema inside. */
  readonly nodeOf: (schema: unknown) => Node
  /** The node that `$ref` names. */
  readonly referred: (reference: string) => Node
  /** Numbers what the schema holds, of all that is judged by it. */
  readonly constants: Numbered
}

/** A keyword's name, and the rules of what is given for it: none = it says nothing by itself. */
export type Keyword = readonly [
  name: string,
  rulesOf: (keyword: never, place: SchemaLocation) => readonly Rule[],
]

/** The names or places that were evaluated. */
export interface Noted {
  isAll: boolean
  readonly names: Set<string | number>
}

/** Schemas asked of each other; a call stack holds about twice as many. An honest document of 250 levels takes 1,000. */
const deepest = 1200
/** Above what an honest document of a megabyte asks of a large schema; takes up to a quarter of a second. */
const maxJudged = 5_000_000
/** What it costs to remember, in judgements. */
const remembering = 4

/** A document was too deep or too large for its schema. */
export class TooMuch extends Error {}

/** What is remembered while one document is judged. */
export class Run {
  readonly numbered: Numbered
  /** By node, then by object. */
  readonly #known: (Misfit | null)[][] = []
  readonly #objects = new Map<object, number>()
  #last: object = this
  #numberOfLast = 0
  judged = 0
  #depth = 0

  /** `constants`: of the schema. */
  constructor(constants: Numbered) {
    this.numbered = new Numbered(constants)
  }

  /** Null = it fits. Throws `TooMuch`. */
  judge(node: Node, value: unknown): Misfit | null {
    if (!node.isShared || typeof value !== 'object' || value === null) return this.#judgeAfresh(node, value)
    const known = this.#known[node.id] ?? []
    this.#known[node.id] = known
    const number = this.#numberOf(value)
    const before = known[number]
    if (before !== undefined) return before
    this.count(remembering)
    const misfit = this.#judgeAfresh(node, value)
    known[number] = misfit
    return misfit
  }

  /** Schemas beside each other are asked of one value in turn. */
  #numberOf(value: object): number {
    if (value === this.#last) return this.#numberOfLast
    const number = this.#objects.get(value) ?? this.#objects.size
    if (number === this.#objects.size) this.#objects.set(value, number)
    this.#last = value
    this.#numberOfLast = number
    return number
  }

  /** What stands in a value, of the misfits inside told with its name. */
  judgeInside(node: Node, name: string | number, value: unknown): Misfit | null {
    const inner = this.judge(node, value)
    return inner && { message: inner.message, step: { name, inner }, depth: inner.depth + 1 }
  }

  /** Of a value that `node` takes. */
  note(node: Node, value: unknown, noted: Noted): void {
    for (const rule of node.rules) rule.note?.(value, this, noted)
  }

  /** Counts work that grows with the document. */
  count(work: number): void {
    this.judged += work
    if (this.judged > maxJudged) throw new TooMuch()
  }

  #judgeAfresh({ rules }: Node, value: unknown): Misfit | null {
    this.count(1)
    if (this.#depth >= deepest) throw new TooMuch()
    this.#depth += 1
    let misfit: Misfit | null = null
    for (const rule of rules) {
      misfit = rule.judge(value, this)
      if (misfit !== null) break
    }
    this.#depth -= 1
    return misfit
  }
}

export const misfit = (message: string): Misfit => ({ message, step: null, depth: 0 })

/** The names and places that lead to a misfit, outermost first. */
export function stepsOfMisfit(misfit: Misfit): readonly (string | number)[] {
  const names: (string | number)[] = []
  for (let step = misfit.step; step !== null; step = step.inner.step) names.push(step.name)
  return names
}
