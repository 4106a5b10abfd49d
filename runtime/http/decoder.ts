/** What every decoder is made of: it answers the value or a `Misfit`, and only a misfit costs anything. */
import type { Codec, FormFields } from '../contract.ts'
import { MissingError, type ParamError, ValueError } from '../errors.ts'

/** Why a value does not fit. The path is completed from the inside out, by whoever holds the value. */
export class Misfit {
  readonly restriction: string
  readonly kind: 'missing' | 'invalid'
  readonly path: string
  constructor(restriction: string, kind: Misfit['kind'] = 'invalid', path = '') {
    this.restriction = restriction
    this.kind = kind
    this.path = path
  }

  /** The same, seen from the value that holds it under `name`. */
  within(name: string | number): Misfit {
    return new Misfit(this.restriction, this.kind, this.path === '' ? String(name) : `${name}.${this.path}`)
  }

  toError(parent: string): ParamError {
    const at = parent === '' || this.path === '' ? parent + this.path : `${parent}.${this.path}`
    return this.kind === 'missing'
      ? new MissingError(at, this.restriction)
      : new ValueError(at, this.restriction)
  }
}

/** A codec and its parts, each of which answers the value or a `Misfit`. */
export interface Decoder extends Codec {
  readonly text: (values: readonly string[]) => unknown
  readonly json: (value: unknown) => unknown
  readonly fields: (fields: FormFields) => unknown
  fromFields(fields: FormFields, path: string): unknown
}

interface Parts {
  /** Asked for when needed: types may be recursive. */
  readonly restriction: () => string
  readonly text: Decoder['text']
  readonly json: Decoder['json']
  /** Default: an object of the fields' last values. */
  readonly fields?: Decoder['fields']
}

/** How far hostile input may drive the decoders: nesting of recursive types, and values read in vain for the members of
 *  unions. Counted over one whole value. */
const deepest = 500
const mostWasted = 1_000_000

const effort = { depth: 0, read: 0, wasted: 0 }

/** Puts a decoder together. */
export function decoder({ restriction, text, json, fields = asObject(json) }: Parts): Decoder {
  return {
    get restriction(): string {
      return restriction()
    },
    text,
    json,
    fields,
    fromText: (values, path) => settled(afresh(text, values), path),
    fromJson: (value, path) => settled(afresh(json, value), path),
    fromFields: (form, path) => settled(afresh(fields, form), path),
  }
}

const asObject =
  (json: Decoder['json']): Decoder['fields'] =>
  (form) =>
    json(Object.fromEntries(form.entries()))

function afresh<T>(read: (given: T) => unknown, given: T): unknown {
  effort.depth = 0
  effort.read = 0
  effort.wasted = 0
  return read(given)
}

function settled(value: unknown, path: string): unknown {
  if (value instanceof Misfit) throw value.toError(path)
  return value
}

/** Counts values that a structured decoder is about to read. */
export function countRead(values: number): void {
  effort.read += values
}

const tooDeep = new Misfit(`at most ${deepest} levels`)

/** Reads a value of a named type, which may hold itself. */
export function oneDeeper<T>(read: (given: T) => unknown, given: T): unknown {
  if (effort.depth >= deepest) return tooDeep
  effort.depth += 1
  const value = read(given)
  effort.depth -= 1
  return value
}

/** The first member that reads a value; else `misfit`. Members that hold the same unions could make the work grow
 *  exponentially: what was read in vain is bounded. */
export function firstFit<T>(
  members: readonly T[],
  read: (member: T) => unknown,
  misfit: Misfit | (() => Misfit),
): unknown {
  for (const member of members) {
    if (effort.wasted > mostWasted) break
    const before = effort.read
    const value = read(member)
    if (!(value instanceof Misfit)) return value
    effort.wasted += effort.read - before + 1
  }
  return typeof misfit === 'function' ? misfit() : misfit
}

/** Of the members that read an object of `size` properties the first that keeps them all, else the one that keeps most;
 *  else `misfit`. Bounded as `firstFit` is. */
export function fullestFit<T>(
  members: readonly T[],
  read: (member: T) => unknown,
  size: number,
  misfit: () => Misfit,
): unknown {
  let best: unknown = null
  let kept = -1
  for (const member of members) {
    if (effort.wasted > mostWasted) break
    const before = effort.read
    const value = read(member)
    const count = value instanceof Misfit ? -1 : sizeOf(value)
    if (count >= size) return value
    effort.wasted += effort.read - before + 1
    if (count > kept) best = value
    kept = Math.max(kept, count)
  }
  return kept < 0 ? misfit() : best
}

/** Of what is no plain object (a `Map`) nothing is ever lost. */
function sizeOf(value: unknown): number {
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? Object.keys(value).length : Number.POSITIVE_INFINITY
}

/** Node 20 has `isWellFormed`, TypeScript's es2023 library does not know it. */
type Text = string & { isWellFormed(): boolean }

/** Text that can be kept: no U+0000, which neither database takes, and no lone surrogate, which UTF-8 cannot hold. */
export const isText = (value: string): boolean => !value.includes('\0') && (value as Text).isWellFormed()

/** Whether JSON of no declared type is harmless: not nested beyond all measure (nothing could write it out again),
 *  of texts that can be kept, and without the key that turns into a prototype when it is copied. */
export function isTame(value: unknown, level = 0): boolean {
  if (typeof value === 'string') return isText(value)
  if (typeof value !== 'object' || value === null) return true
  if (level >= deepest) return false
  if (Array.isArray(value)) return value.every((item) => isTame(item, level + 1))
  if (Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((item) => isTame(item, level + 1))
}
