/** Where a reader is on its way through types, so that none leads it round for ever: a bound in depth and one in work. TypeScript
 *  makes types as they are asked for, and they need not be finite: `interface Grow<T> { next?: Grow<T[]> }` has no end. */
import type { At } from '../../ir/schema.ts'
import type { ts } from '../program/typescript.ts'

/** How deep types without a name may stand in each other. */
const maxDepth = 100

/** How many parts one parameter or answer may come to, with all that is read for the first time because of it. */
export const maxWork = 20_000

/** How many mistakes of one parameter or answer are reported. */
const maxMistakes = 20

/** Where a type stands: the place to report and the path of names to it. */
export interface TypeLocation {
  readonly at: At
  readonly path: string
  /** Whether a schema of a library says the type, so that the application cannot write another one for its `any`. */
  readonly isInferred?: boolean
}

/** A type that is being read. */
export interface Frame {
  readonly type: ts.Type
  readonly location: TypeLocation
  /** The name that it needs because it holds itself; null = none so far. */
  name: string | null
}

interface OpenFrame extends Frame {
  readonly outer: OpenFrame | null
  /** How many types without a name are open, with this one. */
  readonly depth: number
}

export class DepthGuard {
  #open: OpenFrame | null = null
  #work = 0
  #mistakes = 0
  #isOver = false
  #isRunning = false
  readonly #later: (() => void)[] = []
  readonly #endless = new Set<ts.Type>()
  /** Whether TypeScript ran out of stack over a property: what it then calls an error may be another place of the same circle. */
  hasOverflowed = false

  /** Whether nothing more is read of what stands inside of each other here: it has no end, or too many mistakes. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** How many parts were read of this parameter or answer. */
  get work(): number {
    return this.#work
  }

  /** Reads a parameter or an answer with all that is put off on the way; inside of one it is a part of that. */
  whole<T>(read: () => T): T {
    if (this.#isRunning) return read()
    this.#isRunning = true
    this.#work = 0
    this.#mistakes = 0
    try {
      const found = this.#begin(read)
      for (let next = this.#later.shift(); next !== undefined; next = this.#later.shift()) this.#begin(next)
      return found
    } finally {
      this.#isRunning = false
    }
  }

  #begin<T>(read: () => T): T {
    this.#open = null
    this.#isOver = this.#work > maxWork || this.#mistakes >= maxMistakes
    return read()
  }

  /** Puts off the inside of a named type, so that names end the nesting. */
  later(read: () => void): void {
    this.#later.push(read)
  }

  /** The open frame of the type itself, which thus holds itself. A list is gone through once more, for the object in it. */
  frameOf(type: ts.Type, isList: boolean): Frame | null {
    const found: Frame[] = []
    for (let item = this.#open; item !== null; item = item.outer) if (item.type === type) found.push(item)
    return found[isList ? 1 : 0] ?? null
  }

  /** Reads a type inside of those that are open. */
  inside<T>(type: ts.Type, location: TypeLocation, read: (frame: Frame) => T): T {
    const outer = this.#open
    const frame: OpenFrame = { type, location, name: null, outer, depth: (outer?.depth ?? 0) + 1 }
    this.#open = frame
    const found = read(frame)
    this.#open = outer
    return found
  }

  /** Whether what is open stands too deep, or was found to have no end before. */
  get isTooDeep(): boolean {
    const frame = this.#open
    return frame !== null && (frame.depth > maxDepth || this.isEndless(frame.type))
  }

  /** Whether it holds what was found to have no end. */
  isEndless(type: ts.Type): boolean {
    return this.#endless.has(type)
  }

  /** Counts parts; false = they are too many. */
  spend(parts: number): boolean {
    this.#work += parts
    return this.#work <= maxWork
  }

  /** Nothing more is read of what is open; where that has no end, the next that holds the outermost type stops at once. */
  stop({ isEndless }: { readonly isEndless: boolean }): void {
    this.#isOver = true
    let root = this.#open
    while (root !== null && root.outer !== null) root = root.outer
    if (isEndless && root !== null) this.#endless.add(root.type)
  }

  /** Counts a mistake; the last one that is reported stops what is open. */
  countMistake(): void {
    this.#mistakes++
    if (this.#mistakes >= maxMistakes) this.#isOver = true
  }
}
