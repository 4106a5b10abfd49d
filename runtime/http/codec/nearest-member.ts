/** What is told of a value that no member of a union takes. */
import type { AnswerType } from '../../contract/answer-type.ts'
import { resolvedAnswer } from './answer-types.ts'
import { countRead, type DecodeError, type Decoder } from './decoder.ts'

type Resolved = ReturnType<typeof resolvedAnswer>

/** The types that a value may be of, apart from unions. */
function alternatives(answer: AnswerType): readonly Resolved[] {
  const type = resolvedAnswer(answer)
  return type.kind === 'union' ? type.members.flatMap(alternatives) : [type]
}

export const isListType = (answer: AnswerType): boolean =>
  alternatives(answer).every(({ kind }) => kind === 'list')

export const isObjectType = (answer: AnswerType): boolean =>
  alternatives(answer).every(({ kind }) => kind === 'object')

/** The error of the one member that the value is most like, else null: of lists the only one, of objects that which declares most of its
 *  names; of several that one which finds no fault but that something is missing. `errors`: that of each member. */
export function nearestError(
  members: readonly Decoder[],
  value: object,
  errors: readonly DecodeError[],
): DecodeError | null {
  if (errors.length < members.length) return null // they have not all been tried
  const names = Array.isArray(value) ? null : Object.keys(value)
  countRead((names?.length ?? 1) * members.length)
  const likeness = members.map(({ answer }) => likenessOf(answer, names))
  const most = Math.max(...likeness)
  if (most < 0 || (most === 0 && likeness.filter((like) => like === 0).length > 1)) return null
  const nearest = errors.filter((_error, place) => likeness[place] === most)
  return onlyOne(nearest) ?? onlyOne(nearest.filter(({ kind }) => kind === 'missing'))
}

const onlyOne = (errors: readonly DecodeError[]): DecodeError | null =>
  errors.length === 1 ? (errors[0] ?? null) : null

/** How many of the names the type has; -1 where it is no object. `names`: null of a list, which any list is like. */
const likenessOf = (answer: AnswerType, names: readonly string[] | null): number =>
  Math.max(...alternatives(answer).map((type) => likenessOfOne(type, names)))

function likenessOfOne(type: Resolved, names: readonly string[] | null): number {
  if (names === null) return type.kind === 'list' ? 0 : -1
  return type.kind === 'object' ? names.filter((name) => type.properties.has(name)).length : -1
}

/** More would make a long message of one mistake. */
const longestNames = 200

/** What objects must have, where several do not take a value; empty where all have names that say it. */
export function memberNames(members: readonly Decoder[]): string {
  if (members.every(({ restriction }) => restriction !== 'object')) return ''
  const required = members.flatMap(({ answer }) => {
    const type = resolvedAnswer(answer)
    if (type.kind !== 'object') return []
    return [...type.properties]
      .filter(([, { isRequired }]) => isRequired)
      .map(([name]) => name)
      .join(' and ')
  })
  const text = `must have ${required.join(', or ')}`
  return required.length < 2 || required.includes('') || text.length > longestNames ? '' : text
}
