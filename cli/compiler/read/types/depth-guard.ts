/** Where a reader is on its way through types, so that none leads it round for ever. TypeScript makes types as they are asked
 *  for, and they need not be finite: `interface Grow<T> { next?: Grow<T[]> }` has no end. */
import type { At } from '../../ir/schema.ts'
import { noEnd } from '../program/overflow.ts'
import { isLibraryType, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** How deep types without a name may stand in each other, and how often one declaration in itself, with other arguments. */
const deepest = 100
const mostRepeats = 50

/** How many types one declaration may come to in one parameter or answer, how many parts a type without a name, and how
 *  many all types together that are read for the first time. */
const mostTypes = 2_000
const mostParts = 20_000
const mostReads = 20_000

/** How many mistakes of one parameter or answer are told. */
const mostMistakes = 20

/** Where a type stands: the place to report and the path of names to it. */
export interface TypeLocation {
  readonly at: At
  readonly path: string
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
  readonly declaration: ts.Symbol | null
  /** How many types without a name are open around it. */
  readonly depth: number
}

export class DepthGuard {
  readonly #source: Source
  #open: OpenFrame | null = null
  #depth = 0
  #parts = 0
  #reads = 0
  #mistakes = 0
  #isOver = false
  #isRunning = false
  readonly #counts = new Map<ts.Symbol, number>()
  readonly #later: (() => void)[] = []
  #defined: ts.Type[] = []
  #told: string[] = []
  #hasEndless = false
  #hasUnread = false
  #hasOverflowed = false
  readonly #before = new Set<string>()
  readonly #unknown = new Set<ts.Type>()
  readonly #endless = new Map<ts.Type, string>()
  readonly #lost = new Set<ts.Type>()

  constructor(source: Source) {
    this.#source = source
  }

  /** Whether nothing more is read of this parameter or answer: it has no end, or too many mistakes. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether a type without an end was met in this parameter or answer: one is told. */
  get hasEndless(): boolean {
    return this.#hasEndless
  }

  /** Whether TypeScript ran out of stack over a property: what it then calls an error may be another place of the same circle. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  overflow(): void {
    this.#hasOverflowed = true
  }

  /** Whether `type`, of a parameter or an answer, was not read to its end: other searches would find no end either. */
  isLost(type: ts.Type): boolean {
    return this.#lost.has(type)
  }

  /** Reads a parameter or an answer with all that is put off on the way; inside of one it is a part of that. What one met
   *  that was not read to its end the next must read again: `settle` says so. */
  whole<T>(type: ts.Type, read: () => T, settle: (isLost: boolean) => void): T {
    if (this.#isRunning) return read()
    this.#begin()
    const found = this.#readAll(read)
    const isLost = this.#isOver || this.#hasEndless || this.#hasUnread
    if (isLost) this.#lose(type)
    else this.#lost.delete(type)
    settle(isLost)
    return found
  }

  #readAll<T>(read: () => T): T {
    try {
      const found = read()
      for (let job = this.#later.shift(); job !== undefined; job = this.#later.shift()) job()
      return found
    } finally {
      this.#isRunning = false
    }
  }

  #lose(type: ts.Type): void {
    this.#lost.add(type)
    for (const one of this.#defined) this.#unknown.add(one)
    for (const one of this.#told) this.#before.add(one)
  }

  #begin(): void {
    this.#isRunning = true
    this.#isOver = false
    this.#hasEndless = false
    this.#hasUnread = false
    this.#open = null
    this.#depth = 0
    this.#mistakes = 0
    this.#parts = 0
    this.#reads = 0
    this.#counts.clear()
    this.#defined = []
    this.#told = []
  }

  /** Whether a named type was met, but not read to its end: it is to be read again. */
  isUnknown(type: ts.Type): boolean {
    return this.#unknown.has(type)
  }

  /** Says that a type was not read, because another has its name: it need not have an end. */
  unread(): void {
    this.#hasUnread = true
  }

  /** Puts off the inside of a named type, so that names end the nesting. */
  later(type: ts.Type, read: (isOver: boolean) => void): void {
    const outer = this.#open
    this.#defined.push(type)
    this.#unknown.delete(type)
    this.#later.push(() => {
      this.#open = outer
      this.#depth = 0
      this.#parts = 0
      read(this.#isOver)
      this.#open = null
    })
  }

  /** The open frame of the type itself, which thus holds itself. A list is gone through once more, for the object in it. */
  frameOf(type: ts.Type, isList: boolean): Frame | null {
    const found: Frame[] = []
    for (let one = this.#open, left = this.#depth; one !== null && left > 0; one = one.outer, left--) {
      if (one.type === type) found.push(one)
    }
    return found[isList ? 1 : 0] ?? null
  }

  /** Reads a type inside of those that are open; `parts` counts it with what stands in it. */
  inside<T>(
    type: ts.Type,
    location: TypeLocation,
    read: (frame: Frame) => T,
  ): readonly [found: T, parts: number] {
    const around = { open: this.#open, depth: this.#depth, parts: this.#parts }
    const frame: OpenFrame = {
      type,
      location,
      name: null,
      outer: around.open,
      declaration: declarationOf(this.#source, type),
      depth: around.depth + 1,
    }
    this.#open = frame
    this.#depth = frame.depth
    this.#parts = 1
    const found = read(frame)
    const parts = frame.name === null ? this.#parts : 1
    this.#open = around.open
    this.#depth = around.depth
    this.#parts = around.parts
    return [found, parts]
  }

  /** Counts parts that now stand in the open type. */
  count(parts: number): void {
    this.#parts += parts
    this.#reads++
  }

  /** Why the type that was opened last cannot be gone into; null = it can. */
  obstacle(): string | null {
    const frame = this.#open
    if (frame === null) return null
    const known = this.#endless.get(frame.type)
    if (known !== undefined) return known
    if (this.#reads > mostReads) return `comes with its inside to more than ${mostReads} parts`
    const { declaration, depth } = frame
    if (depth > deepest) return noEnd
    if (declaration === null) return null
    const count = (this.#counts.get(declaration) ?? 0) + 1
    this.#counts.set(declaration, count)
    if (count > mostTypes) return `comes to more than ${mostTypes} types`
    return repeatsOf(frame, declaration) > mostRepeats ? noEnd : null
  }

  /** Why what was read of the type that was opened last cannot stand; null = it can. */
  excess(): string | null {
    return this.#parts > mostParts && !this.#isOver ? `comes to more than ${mostParts} parts` : null
  }

  /** The type that was opened last cannot be gone into, nor can those around it; of what is only too much in all, the
   *  outermost. Nothing more is read until the next parameter or answer, and what is put off finds that out; a type of which
   *  that was known stops nobody. */
  stop(why: string): void {
    this.#hasEndless = true
    const isKnown = this.#open !== null && this.#endless.has(this.#open.type)
    for (let one = this.#open; one !== null; one = one.outer) {
      if (isKnown || why === noEnd || one.outer === null) this.#endless.set(one.type, why)
    }
    if (!isKnown) this.#isOver = true
  }

  /** Whether a mistake is to be told, which counts it: whoever makes too many is not read on, and one that was told of a
   *  parameter or an answer that was not read to its end is not told of the next. */
  isNew({ at, path }: TypeLocation, type: string): boolean {
    const key = JSON.stringify([at, path.slice(path.lastIndexOf('.')), type])
    if (this.#isOver || this.#before.has(key)) return false
    this.#told.push(key)
    this.#mistakes++
    this.#isOver = this.#mistakes >= mostMistakes
    return true
  }
}

function repeatsOf(frame: OpenFrame, declaration: ts.Symbol): number {
  let count = 0
  for (let one: OpenFrame | null = frame; one !== null; one = one.outer) {
    if (one.declaration === declaration) count++
  }
  return count
}

/** The declaration that may make types without end; null = none does, and lists and their like only hold them. */
function declarationOf(source: Source, type: ts.Type): ts.Symbol | null {
  if (type.aliasSymbol !== undefined) return type.aliasTypeArguments === undefined ? null : type.aliasSymbol
  if (!(type.flags & ts.TypeFlags.Object) || isLibraryType(source, type)) return null
  return source.checker.isTupleType(type) ? null : (type.getSymbol() ?? null)
}
