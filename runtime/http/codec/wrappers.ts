/** Decoders around one other: null, constraints, conversions, references. */
import type { AnswerType } from '../../contract/answer-type.ts'
import { textPattern } from '../../text-patterns.ts'
import { answerOfNames, scalarAnswer, unionAnswer } from './answer-types.ts'
import { type Constraints, constraintCheck } from './constraints.ts'
import { DecodeError, Decoder, mismatch, readNamed, withDepthGuard } from './decoder.ts'

/** The value or null. A client that sends something else is told what it could have been; a text or form is never null. */
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
  const names = propertyNames === undefined ? null : textPattern(propertyNames.pattern)
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
