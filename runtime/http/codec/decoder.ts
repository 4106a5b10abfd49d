/** What every decoder is made of: it returns the value or a `DecodeError`, and only an error costs anything. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { FormFields } from '../../contract/http.ts'
import type { Codec, JsonRules } from '../../contract/route.ts'
import { MissingError, maxFailures, type ParamError, type ParamFailure, ValueError } from '../../errors.ts'
import { isWellFormed } from '../../utf8.ts'
import { parsed, type Received, receivedFields, receivedJson, receivedTexts, type Steps } from './received.ts'
import { Numbered } from './same-json.ts'

const none: readonly never[] = []

/** What stands for a name in a path; an empty one would be lost there. */
export const step = (name: string | number): string => (name === '' ? '""' : String(name))

/** Why a value is not of its type; returned, never thrown. The steps to it are completed from the inside out, by the decoder that holds the
 *  value; what came is looked up along them at the end, for most errors are never told. */
export class DecodeError {
  readonly restriction: string
  /** `untold`: of what came nothing is told, for it is secret, or the hint says it; `deep`: the place is not told either, for it is
   *  hundreds of steps away. */
  readonly kind: 'missing' | 'invalid' | 'untold' | 'deep'
  readonly steps: Steps
  /** What the text of the type does not say; empty = nothing. A function where it takes work, for most errors are never told. */
  readonly hint: string | (() => string)
  /** What else does not fit, in order; none of them has others. */
  readonly others: readonly DecodeError[]
  constructor(
    restriction: string,
    kind: DecodeError['kind'] = 'invalid',
    steps: Steps = none,
    hint: string | (() => string) = '',
    others: readonly DecodeError[] = none,
  ) {
    this.restriction = restriction
    this.kind = kind
    this.steps = steps
    this.hint = hint
    this.others = others
  }

  /** The same, seen from the value that holds it under `name`. */
  within(name: string | number): DecodeError {
    if (this.kind === 'deep') return this
    const others = this.others.map((other) => other.within(name))
    return new DecodeError(this.restriction, this.kind, [name, ...this.steps], this.hint, others)
  }

  /** The same, with others beside it. */
  alongWith(others: readonly DecodeError[]): DecodeError {
    const all = [...this.others, ...others].slice(0, maxFailures - 1)
    return new DecodeError(this.restriction, this.kind, this.steps, this.hint, all)
  }

  /** The same of a value that is `@secret`. */
  concealed(): DecodeError {
    const kind = this.kind === 'invalid' ? 'untold' : this.kind
    const others = this.others.map((other) => other.concealed())
    return new DecodeError(this.restriction, kind, this.steps, this.hint, others)
  }

  /** Whether no more is told, so that reading on would be in vain. */
  get isFull(): boolean {
    return this.others.length + 1 >= effort.most
  }

  toError(parent: string, received: Received): ParamError {
    const error = this.#error(parent, received)
    if (this.others.length === 0) return error
    return error.alongWith(this.others.map((other): ParamFailure => other.#error(parent, received)))
  }

  #error(parent: string, received: Received): ParamError {
    const { restriction, steps, hint } = this
    const at = wellFormed(beginningOf([...(parent === '' ? [] : [parent]), ...steps.map(step)].join('.')))
    if (this.kind === 'missing') return new MissingError(at, restriction)
    const came = this.kind === 'invalid' ? received(steps, restriction) : ''
    return new ValueError(at, restriction, 'parameter', textOf(hint), came)
  }
}

/** Names inside of a value may be as long as a body, and an error says where it is several times. */
const longestText = 1_000

/** As much of a place, or of what a schema of the application says, as an error tells. */
export const beginningOf = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText)}…`

/** A name, and what is left of a pair that was cut, may hold half a character. */
const wellFormed = (text: string): string => (isText(text) ? text : Buffer.from(text).toString())

/** The error of a value that is not of its type, made when it is first needed: types may hold themselves. `hint` says what
 *  the type's text does not. */
export function mismatch(
  restriction: string | (() => string),
  hint: string | (() => string) = '',
): () => DecodeError {
  let known: DecodeError | undefined
  return () => {
    known ??= new DecodeError(textOf(restriction), 'invalid', none, hint)
    return known
  }
}

const textOf = (restriction: string | (() => string)): string =>
  typeof restriction === 'string' ? restriction : restriction()

/** `next`, after what did not fit before it. */
export function addIssue(before: DecodeError | undefined, next: DecodeError): DecodeError {
  const all = before === undefined ? next : joined(before, next)
  effort.isOver ||= all.isFull
  return all
}

const joined = (before: DecodeError, next: DecodeError): DecodeError =>
  before.isFull ? before : before.alongWith([next, ...next.others])

/** Reads what JSON, texts or a form hold: the value, or a `DecodeError`. */
export type Read<Input> = (input: Input) => unknown

/** A codec and its parts, none of which needs `this`. */
export class Decoder implements Codec {
  readonly #restriction: string | (() => string)
  readonly json: Read<unknown>
  readonly text: Read<readonly string[]>
  readonly fields: Read<FormFields>
  /** What the type says of an answer. */
  readonly answer: AnswerType
  /** Its value is `@secret`. */
  isSecret = false

  /** Without `fields` a form is an object of its fields' last values. */
  constructor(
    restriction: string | (() => string),
    answer: AnswerType,
    json: Read<unknown>,
    text: Read<readonly string[]>,
    fields: Read<FormFields> | null = null,
  ) {
    this.#restriction = restriction
    this.answer = answer
    this.json = json
    this.text = text
    this.fields = fields ?? ((form) => json(Object.fromEntries(form.entries())))
  }

  get restriction(): string {
    return textOf(this.#restriction)
  }

  fromText(values: readonly string[], path: string): unknown {
    return settled(afresh(this.text, values), path, () => receivedTexts(values))
  }

  fromJson(value: unknown, path: string, rules?: JsonRules): unknown {
    const read = afresh(this.json, value, rules !== undefined)
    if (value === null && rules === 'optional' && read instanceof DecodeError) return undefined
    return settled(read, path, () => receivedJson(value))
  }

  fromFields(form: FormFields, path: string): unknown {
    return settled(afresh(this.fields, form), path, () => receivedFields(form))
  }
}

/** A structured value as a text (in a query, a header, a form field): JSON. */
export function readJsonText(
  values: readonly string[],
  json: Read<unknown>,
  refused: () => DecodeError,
): unknown {
  const value = parsed(values[0] ?? '')
  return value === undefined ? refused() : json(value)
}

/** How far hostile input may drive the decoders: nesting of recursive types, and values read in vain for the members of
 *  unions. Counted over one whole value. */
const deepest = 500
const maxBacktracked = 1_000_000

/** `most`: so many errors of one value are told; one of a member of a union, which is read in vain all the time. They are
 *  told: `isOver`, and what is still asked for costs nothing, for it is not looked at. `isCall`: the rules of tool calls hold. */
const effort = { depth: 0, read: 0, backtracked: 0, most: maxFailures, isOver: false, isCall: false }

function afresh<T>(read: Read<T>, input: T, isCall = false): unknown {
  effort.depth = 0
  effort.read = 0
  effort.backtracked = 0
  effort.most = maxFailures
  effort.isOver = false
  effort.isCall = isCall
  if (tries.size > 0) tries = new Map()
  numbered = null
  return read(input)
}

function settled(value: unknown, path: string, received: () => Received): unknown {
  if (value instanceof DecodeError) throw value.toError(path, received())
  return value
}

/** Whether nothing more is told, so that nothing more need be read. */
export const isOver = (): boolean => effort.isOver

/** Whether it is the argument of a tool call that is read: see `JsonRules`. */
export const isCall = (): boolean => effort.isCall

/** Counts values that a structured decoder is about to read. */
export function countRead(values: number): void {
  effort.read += values
}

const tooDeep = new DecodeError(
  `at most ${deepest} levels`,
  'deep',
  none,
  `nested deeper than ${deepest} levels`,
)

/** What was read of an object for the members of unions, by decoder: members that hold the same named types ask again. */
let tries = new Map<Read<unknown>, Map<object, unknown>>()

let numbered: Numbered | null = null

/** Numbers all that is read of one value: lists of unique items hold one another. */
export function numberedNow(): Numbered {
  numbered ??= new Numbered()
  return numbered
}

/** Reads JSON of a named type, which may hold itself. In vain it is read once alone, so that the work does not double with each
 *  level of a union; an object stands at one place, so what was made of it does too. */
export function readNamed(read: Read<unknown>, input: unknown): unknown {
  if (effort.most > 1 || effort.isOver || typeof input !== 'object' || input === null)
    return withDepthGuard(read, input)
  const known = tries.get(read) ?? new Map<object, unknown>()
  tries.set(read, known)
  if (known.has(input)) return known.get(input)
  const value = withDepthGuard(read, input)
  known.set(input, value)
  return value
}

/** Reads a value of a named type, which may hold itself. */
export function withDepthGuard<T>(read: Read<T>, input: T): unknown {
  if (effort.depth >= deepest) return tooDeep
  effort.depth += 1
  const value = read(input)
  effort.depth -= 1
  return value
}

/** The first member that reads a value; else what `refused` makes of the error of each. Members that hold the same unions could make the
 *  work grow exponentially: what was read in vain is bounded. */
export function firstMatch<T>(
  members: readonly Read<T>[],
  input: T,
  refused: (errors: readonly DecodeError[]) => DecodeError,
): unknown {
  const errors: DecodeError[] = []
  for (const read of members) {
    if (effort.isOver || effort.backtracked > maxBacktracked) break
    const before = effort.read
    const value = tried(read, input)
    if (!(value instanceof DecodeError)) return value
    errors.push(value)
    effort.backtracked += effort.read - before
  }
  return refused(errors)
}

/** Reads what may not fit: the first error ends it. */
function tried<T>(read: Read<T>, input: T): unknown {
  const { most } = effort
  effort.most = 1
  const value = read(input)
  effort.most = most
  effort.isOver = false // as it was: else nothing is tried
  return value
}

/** Of the members that read an object the first that keeps all its properties, else the one that keeps most; else what `refused` makes of
 *  the error of each. Bounded as `firstMatch` is. */
export function bestMatch(
  members: readonly Read<unknown>[],
  input: object,
  refused: (errors: readonly DecodeError[]) => DecodeError,
): unknown {
  const size = Object.keys(input).length
  countRead(size) // properties that no member declares too: looking for them is work
  let best: unknown = null
  let kept = -1
  const errors: DecodeError[] = []
  for (const read of members) {
    if (effort.isOver || effort.backtracked > maxBacktracked) break
    const before = effort.read
    const value = tried(read, input)
    if (value instanceof DecodeError) errors.push(value)
    const count = value instanceof DecodeError ? -1 : sizeOf(value)
    if (count >= size) return value
    effort.backtracked += effort.read - before
    if (count > kept) best = value
    kept = Math.max(kept, count)
  }
  return kept < 0 ? refused(errors) : best
}

/** How many properties were kept; of what is no plain object (a `Map`) nothing is ever lost. */
export function sizeOf(value: unknown): number {
  const isCounted = typeof value === 'object' && value !== null && isPlain(value)
  return isCounted ? Object.keys(value).length : Number.POSITIVE_INFINITY
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Text that can be kept: no U+0000, which neither database takes, and no lone surrogate, which UTF-8 cannot hold. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && !value.includes('\0') && isWellFormed(value)

/** Why a text cannot be kept: it names the first character that cannot. */
export function unkeepable(text: string, restriction: string): DecodeError {
  const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text)
  const isNull = text.includes('\0')
  const hint = isNull
    ? 'must not contain the character U+0000'
    : `must not contain half a character (U+${half?.[0].charCodeAt(0).toString(16).toUpperCase()})`
  return new DecodeError(restriction, 'untold', none, hint)
}

/** Copied, it would turn into a prototype. */
export const forbiddenName = (restriction: string): DecodeError =>
  new DecodeError(restriction, 'untold', none, "must not have the name '__proto__'")

/** A copy of JSON of no declared type: the route may change it, and others read the same body. A `DecodeError` where it is not
 *  harmless: nested beyond all measure (nothing could write it out again), with a text that cannot be kept, or with the key that turns into a
 *  prototype. `refused`: the error of what came after others were told. */
export function copiedJson(value: unknown, refused: DecodeError, level = 0): unknown {
  if (effort.isOver) return refused
  if (typeof value === 'string') return isText(value) ? value : unkeepable(value, refused.restriction)
  if (typeof value !== 'object' || value === null) return value
  if (level >= deepest) return tooDeep
  if (Array.isArray(value)) return copiedList(value, refused, level)
  return isPlain(value) ? copiedObject(value, refused, level) : value // a file, or what a parser of the application has made
}

function copiedList(list: readonly unknown[], refused: DecodeError, level: number): unknown {
  countRead(list.length)
  const copy: unknown[] = []
  for (const [index, item] of list.entries()) {
    const copied = copiedJson(item, refused, level + 1)
    if (copied instanceof DecodeError) return copied.within(index)
    copy.push(copied)
  }
  return copy
}

function copiedObject(object: object, refused: DecodeError, level: number): unknown {
  if (Object.hasOwn(object, '__proto__')) return forbiddenName(refused.restriction)
  const fields = Object.entries(object)
  countRead(fields.length)
  const copy: Record<string, unknown> = {}
  for (const [name, field] of fields) {
    if (!isText(name)) return unkeepable(name, refused.restriction)
    const copied = copiedJson(field, refused, level + 1)
    if (copied instanceof DecodeError) return copied.within(name)
    copy[name] = copied
  }
  return copy
}
