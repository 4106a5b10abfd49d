/** Decoders around others: unions, constraints, conversions, references. */
import type { AnswerType } from '../../contract/answer-type.ts'
import { answerOfNames, scalarAnswer, unionAnswer } from './answer-types.ts'
import { type Constraints, constraintCheck } from './constraints.ts'
import {
  bestMatch,
  DecodeError,
  Decoder,
  firstMatch,
  mismatch,
  readJsonText,
  readNamed,
  step,
  withDepthGuard,
} from './decoder.ts'
import { isRecord } from './structures.ts'

/** `anyOf`: the first member that takes the value decides; of objects the first that keeps most of it. */
export function union(members: readonly Decoder[]): Decoder {
  const restriction = (): string => [...new Set(members.map((member) => member.restriction))].join(' | ')
  const refused = mismatch(restriction)
  const json = members.map((member) => member.json)
  const text = members.map((member) => member.text)
  const fields = members.map((member) => member.fields)
  return new Decoder(
    restriction,
    unionAnswer(members.map(({ answer }) => answer)),
    (value) => (isRecord(value) ? bestMatch(json, value, refused) : firstMatch(json, value, refused)),
    (values) => firstMatch(text, values, refused),
    (form) => firstMatch(fields, form, refused),
  )
}

/** More would make a long message of one mistake. */
const maxTags = 20

/** A union whose member the property `name` tells, so that what is wrong inside is told by its own path. */
export function discriminated(
  name: string,
  members: readonly (readonly [tag: unknown, member: Decoder])[],
): Decoder {
  const whole = union(members.map(([, member]) => member))
  const byTag = new Map(members)
  const byText = new Map(members.map(([tag, member]) => [String(tag), member])) // as texts of literals are read
  const answers = members.map(([, { answer }]) => answer)
  const tags = members.slice(0, maxTags).map(([tag]) => JSON.stringify(tag))
  const refused = mismatch(() => whole.restriction, `${step(name)} must be one of ${tags.join(', ')}`)
  const json = (value: unknown): unknown => {
    const member = isRecord(value) ? byTag.get(value[name]) : undefined
    return member === undefined ? refused() : member.json(value)
  }
  return new Decoder(
    () => whole.restriction,
    unionAnswer(answers, { name, members: new Map(members.map(([tag, { answer }]) => [tag, answer])) }),
    json,
    (values) => readJsonText(values, json, refused),
    (form) => {
      const member = byText.get(form.getAll(name)[0] ?? '')
      return member === undefined ? refused() : member.fields(form)
    },
  )
}

/** The value or null. Who sends something else is told what it could have been; a text or form is never null. */
export const nullable = (decoder: Decoder): Decoder =>
  new Decoder(
    () => `${decoder.restriction} | null`,
    unionAnswer([decoder.answer, nullAnswer]),
    (value) => (value === null ? null : decoder.json(value)),
    decoder.text,
    decoder.fields,
  )

const nullAnswer: AnswerType = scalarAnswer((value) => value === null)

/** What `decoder` reads, when it keeps the constraints; else the error names the one that it breaks. */
export function refine(decoder: Decoder, constraints: Constraints): Decoder {
  const brokenBy = constraintCheck(constraints)
  const refusals = new Map<string, () => DecodeError>() // as many as there are constraints
  const refused = (rule: string): DecodeError => {
    const known = refusals.get(rule) ?? mismatch(() => decoder.restriction, rule)
    refusals.set(rule, known)
    return known()
  }
  const { propertyNames } = constraints
  const names = propertyNames === undefined ? null : new RegExp(propertyNames.pattern, 'u')
  const keep = (value: unknown): unknown => {
    if (value instanceof DecodeError) return value
    const rule = brokenBy(value)
    return rule === null ? value : refused(rule)
  }
  return mapped(decoder, keep, names === null ? decoder.answer : answerOfNames(decoder.answer, names))
}

/** What `decoder` reads, made into another value, such as a `Map`. */
export const transform = (decoder: Decoder, make: (value: never) => unknown): Decoder =>
  mapped(decoder, (value) => (value instanceof DecodeError ? value : make(value as never))) // the compiler prints what takes it

/** What `decoder` reads, of which an error tells nothing (`@secret`). */
export function concealed(decoder: Decoder): Decoder {
  const made = mapped(decoder, (value) => (value instanceof DecodeError ? value.concealed() : value))
  made.isSecret = true
  return made
}

/** `next` is given what was read, or the error. */
function mapped(
  decoder: Decoder,
  next: (value: unknown) => unknown,
  answer: AnswerType = decoder.answer,
): Decoder {
  return new Decoder(
    () => decoder.restriction,
    answer,
    (value) => next(decoder.json(value)),
    (values) => next(decoder.text(values)),
    (form) => next(decoder.fields(form)),
  )
}

/** The decoder of an object under its type's name, by which unions and lists tell it; what is none is told to want an object. */
export const named = (name: string, decoder: Decoder): Decoder =>
  new Decoder(name, decoder.answer, decoder.json, decoder.text, decoder.fields)

/** The named types whose text is being made. */
const inProgress = new Set<Decoder>()

/** The decoder of a named type, looked up when it is used: types may hold themselves. Inside its own text such a type is `…`. */
export function ref(named: () => Decoder): Decoder {
  const restriction = (): string => {
    const decoder = named()
    if (inProgress.has(decoder)) return '…'
    inProgress.add(decoder)
    try {
      return decoder.restriction
    } finally {
      inProgress.delete(decoder)
    }
  }
  return new Decoder(
    restriction,
    { kind: 'ref', type: () => named().answer },
    (value) => readNamed(named().json, value),
    (values) => withDepthGuard(named().text, values),
    (form) => withDepthGuard(named().fields, form),
  )
}
