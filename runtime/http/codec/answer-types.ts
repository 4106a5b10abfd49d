/** The answer types of decoders: each has one, so that a type is printed once for what enters and what leaves. */
import type { AnswerType, AnswerUnion } from '../../contract/answer-type.ts'
import type { TextPattern } from '../../text-patterns.ts'

export const anyAnswer: AnswerType = { kind: 'whole' }

export const scalarAnswer = (accepts: (value: unknown) => boolean): AnswerType => ({
  kind: 'scalar',
  accepts,
})

/** Any single value. */
export const anyScalar: AnswerType = scalarAnswer(() => true)

export const textAnswer: AnswerType = scalarAnswer((value) => typeof value === 'string')

export const numberAnswer: AnswerType = scalarAnswer(
  (value) => typeof value === 'number' || typeof value === 'bigint',
)

export const listAnswer = (places: readonly AnswerType[], items: AnswerType | null): AnswerType => ({
  kind: 'list',
  places,
  items,
})

export const unionAnswer = (members: readonly AnswerType[], tag: AnswerUnion['tag'] = null): AnswerType => ({
  kind: 'union',
  members,
  tag,
})

/** What a name stands for. */
export function resolvedAnswer(answer: AnswerType): Exclude<AnswerType, { readonly kind: 'ref' }> {
  let found = answer
  while (found.kind === 'ref') found = found.type()
  return found
}

/** What `answer` says of names, of those that match alone. */
export function answerOfNames(answer: AnswerType, pattern: TextPattern): AnswerType {
  if (answer.kind !== 'object' || answer.others === null) return answer
  const { others } = answer
  return { ...answer, others: (name) => (name === null || pattern.test(name) ? others(name) : null) }
}
