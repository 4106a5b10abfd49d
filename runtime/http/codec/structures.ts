/** Decoders of lists and objects, put together from those of their parts. */
// Source: language.md, Parameters; rules.md, parameter conversion.
import type { AnswerProperty, AnswerType } from '../../contract/answer-type.ts'
import type { FormFields } from '../../contract/http.ts'
import { meantName } from '../../suggestions.ts'
import type { TextPattern } from '../../text-patterns.ts'
import { listAnswer, unionAnswer } from './answer-types.ts'
import {
  addIssue,
  countRead,
  DecodeError,
  Decoder,
  forbiddenName,
  isCall,
  isOver,
  isText,
  mismatch,
  type Read,
  readJsonText,
  unkeepable,
} from './decoder.ts'
import { parsed } from './received.ts'
import { never } from './scalars.ts'

/** Every item read, or what does not fit. */
function readItems(input: readonly unknown[], read: (item: unknown, index: number) => unknown): unknown {
  countRead(input.length)
  const items: unknown[] = []
  let wrong: DecodeError | undefined
  for (let index = 0; index < input.length; index++) {
    const item = read(input[index], index)
    if (item instanceof DecodeError) wrong = addIssue(wrong, item.within(index))
    if (wrong?.isFull === true) return wrong
    items.push(item)
  }
  return wrong ?? items
}

/** As TypeScript writes it. */
const listOf = (items: string): string => (items.includes(' | ') ? `(${items})[]` : `${items}[]`)

/** A list. In texts it is repeated, comma-separated, or JSON (a tool call sends lists so, for their texts may hold commas);
 *  an empty text is an empty list. */
export function array(items: Decoder): Decoder {
  const restriction = (): string => listOf(items.restriction)
  const refused = mismatch(restriction)
  const readText = (text: unknown): unknown => items.text([String(text)])
  const json = (value: unknown): unknown =>
    Array.isArray(value) && !isOver() ? readItems(value, items.json) : refused()
  const text = (values: readonly string[]): unknown => {
    if (values.length > 1) return readItems(values, readText)
    const [only = ''] = values
    const list = only.startsWith('[') ? parsed(only) : null
    return Array.isArray(list) ? json(list) : readItems(only === '' ? [] : only.split(','), readText)
  }
  return new Decoder(restriction, listAnswer([], items.answer), json, text)
}

/** A structured value: text (in a query, header or form field) holds JSON. */
function structured(
  restriction: string | (() => string),
  answer: AnswerType,
  json: Read<unknown>,
  fields: Read<FormFields> | null = null,
): Decoder {
  const refused = mismatch(restriction)
  return new Decoder(restriction, answer, json, (values) => readJsonText(values, json, refused), fields)
}

/** A list of fixed places, of which the first `required` must be there; `rest` reads what follows. */
export function tuple(places: readonly Decoder[], required: number, rest: Decoder | null = null): Decoder {
  const most = rest === null ? places.length : Number.POSITIVE_INFINITY
  const more = (): readonly string[] => (rest === null ? [] : [`...${listOf(rest.restriction)}`])
  const restriction = (): string => `[${[...places.map((place) => place.restriction), ...more()].join(', ')}]`
  const refused = mismatch(restriction)
  const json = (value: unknown): unknown => {
    if (!Array.isArray(value) || value.length < required || value.length > most) return refused()
    return readItems(value, (item, index) => (places[index] ?? rest)?.json(item))
  }
  const answers = places.map(({ answer }) => answer)
  return structured(restriction, listAnswer(answers, rest?.answer ?? null), json)
}

/** An object of JSON. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noObject = mismatch('object')

/** A property that may be absent, and what is said of it where it is answered. */
interface Member extends Omit<AnswerProperty, 'type'> {
  readonly decoder: Decoder
}

const plain = { isRequired: true, isSecret: false, isUntrusted: false, isWithheld: false }

const memberOf = (input: Decoder | Member): Member =>
  input instanceof Decoder ? { ...plain, decoder: input } : input

/** A property that may be absent. */
export const optional = (decoder: Decoder): Member => ({ ...plain, decoder, isRequired: false })

/** A property that is `@secret`. */
export const secret = (input: Decoder | Member): Member => ({ ...memberOf(input), isSecret: true })

/** A property that is `@untrusted`. */
export const untrusted = (input: Decoder | Member): Member => ({ ...memberOf(input), isUntrusted: true })

/** A name that is in no answer, and that is not taken from a caller either. */
export const withheld: Member = { ...plain, decoder: never, isRequired: false, isWithheld: true }

interface Property extends Member {
  readonly name: string
  /** Every object has something of that name: only the value's own counts. */
  readonly isInherited: boolean
}

const propertyOf = ([name, input]: readonly [string, Decoder | Member]): Property => ({
  ...memberOf(input),
  name,
  isInherited: name in Object.prototype,
})

const answerProperty = ({ name, decoder, isRequired, isSecret, isUntrusted, isWithheld }: Property) =>
  [name, { type: decoder.answer, isRequired, isSecret, isUntrusted, isWithheld }] as const

/** The decoder of the names that match a pattern. */
type PatternDecoder = readonly [pattern: TextPattern, values: Decoder]

/** An object: further properties are read by those of `patterns` that match, else by `rest`; others are dropped, in a tool call
 *  refused. Those that fail are told together, and a missing one is told to be missing. In a form every field is a property, and there are no
 *  others. */
export function object(
  shape: Readonly<Record<string, Decoder | Member>>,
  rest: Decoder | null = null,
  patterns: readonly PatternDecoder[] = [],
): Decoder {
  const all = Object.entries(shape).map(propertyOf)
  const properties = all.filter(({ isWithheld }) => !isWithheld)
  const names = new Set(properties.map(({ name }) => name))
  const further =
    rest === null && patterns.length === 0 ? null : otherNames(rest, patterns, new Set(Object.keys(shape)))
  const json = (value: unknown): unknown => {
    if (!isRecord(value) || isOver()) return noObject()
    const known = readProperties(properties, value, jsonOf)
    if (further === null) return isCall() ? withoutUnknown(value, known, names) : known
    if (known instanceof DecodeError) return known
    const more = further(value)
    return more instanceof DecodeError ? more : Object.assign(more as object, known) // it reads objects
  }
  return structured(
    'object',
    {
      kind: 'object',
      properties: new Map(all.map(answerProperty)),
      others: further === null ? null : answerOfOthers(rest, patterns),
    },
    json,
    (form) => readProperties(properties, form, fieldOf),
  )
}

/** What a further name holds: of several patterns that match it the first says it, as of what is read. Null = any name. */
const answerOfOthers =
  (rest: Decoder | null, patterns: readonly PatternDecoder[]) =>
  (name: string | null): AnswerType | null => {
    if (name === null)
      return unionAnswer([
        ...patterns.map(([, { answer }]) => answer),
        ...(rest === null ? [] : [rest.answer]),
      ])
    const [, matched = rest] = patterns.find(([pattern]) => pattern.test(name)) ?? []
    return matched?.answer ?? null
  }

/** Strict function calling sends null for what is absent. */
function jsonOf(
  value: Readonly<Record<string, unknown>>,
  { name, decoder, isInherited, isRequired }: Property,
): unknown {
  const input = isInherited && !Object.hasOwn(value, name) ? undefined : value[name]
  if (input === undefined) return undefined
  const read = decoder.json(input)
  return input === null && !isRequired && isCall() && read instanceof DecodeError ? undefined : read
}

/** What was read of an object, unless it has names beside those that its type knows. */
function withoutUnknown(value: object, known: unknown, names: ReadonlySet<string>): unknown {
  let wrong: DecodeError | undefined
  for (const name of Object.keys(value)) {
    if (names.has(name)) continue
    wrong = addIssue(wrong, unknownProperty(name, names))
    if (wrong.isFull) return wrong
  }
  if (wrong === undefined) return known
  return known instanceof DecodeError ? addIssue(wrong, known) : wrong // what is missing may have been misspelt
}

function unknownProperty(name: string, names: Iterable<string>): DecodeError {
  const restriction = 'unknown property'
  return new DecodeError(restriction, 'untold', [name], () => `${restriction}${meantName(name, names)}`)
}

function fieldOf(form: FormFields, { name, decoder }: Property): unknown {
  if (form.has(name)) return decoder.text(form.getAll(name))
  const files = form.files?.(name)
  return files === undefined ? undefined : decoder.json(files)
}

/** `read` returns `undefined` for a property that is not there. */
function readProperties<Input>(
  properties: readonly Property[],
  input: Input,
  read: (input: Input, property: Property) => unknown,
): unknown {
  countRead(properties.length)
  const result: Record<string, unknown> = {}
  let wrong: DecodeError | undefined
  for (const property of properties) {
    const { name } = property
    const value = read(input, property)
    if (value instanceof DecodeError)
      wrong = addIssue(wrong, (property.isSecret ? value.concealed() : value).within(name))
    else if (value !== undefined) setOwn(result, name, value)
    else if (property.isRequired) wrong = addIssue(wrong, missing(property))
    if (wrong?.isFull === true) return wrong
  }
  return wrong ?? result
}

const missing = ({ name, decoder }: Property): DecodeError =>
  new DecodeError(decoder.restriction, 'missing', [name])

/** To assign `__proto__` would set the prototype. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}

/** An object with any names but `__proto__`, and one type of value. */
export const record = (values: Decoder): Decoder =>
  structured(
    'object',
    {
      kind: 'object',
      properties: new Map(),
      others: () => values.answer,
    },
    otherNames(values, [], new Set()),
  )

/** The names beside those `except`: all patterns that match one must take its value, and the first makes it; what matches none
 *  is read by `rest`. */
function otherNames(
  rest: Decoder | null,
  patterns: readonly PatternDecoder[],
  except: ReadonlySet<string>,
): Read<unknown> {
  const unmatched = rest === null ? [] : [rest]
  const nameError = (name: string, decoders: readonly Decoder[]): DecodeError | null => {
    if (decoders.length === 0) return isCall() ? unknownProperty(name, except) : null
    return isText(name) ? null : unkeepable(name, 'object')
  }
  const decodersOf = (name: string): readonly Decoder[] => {
    const matched = patterns.flatMap(([pattern, values]) => (pattern.test(name) ? [values] : []))
    return matched.length === 0 ? unmatched : matched
  }
  return (value) => {
    if (!isRecord(value) || isOver()) return noObject()
    if (Object.hasOwn(value, '__proto__')) return forbiddenName('object')
    const names = Object.keys(value).filter((name) => !except.has(name))
    countRead(names.length)
    const result: Record<string, unknown> = {}
    let wrong: DecodeError | undefined
    for (const name of names) {
      if (wrong?.isFull === true) return wrong
      const decoders = decodersOf(name)
      const refused = nameError(name, decoders)
      if (refused !== null) {
        wrong = addIssue(wrong, refused)
        continue
      }
      const items = decoders.map(({ json }) => json(value[name]))
      const error = items.find((item) => item instanceof DecodeError)
      if (error instanceof DecodeError) wrong = addIssue(wrong, error.within(name))
      if (wrong?.isFull === true) return wrong
      if (items.length > 0) result[name] = items[0]
    }
    return wrong ?? result
  }
}
