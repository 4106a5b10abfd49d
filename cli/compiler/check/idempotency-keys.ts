/** The rules of `@idempotencyKey`: where it may stand, and that nothing else has the name of the key. */
import { keyImpossible, keyNameTaken, keyNeedless } from '../diagnostics/idempotency-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import { keylessBecause, mayRepeat } from '../ir/idempotency-keys.ts'
import type { Action } from '../ir/model.ts'
import type { DeclaredMethod } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { keyArgument, keyHeader } from '../schema/idempotency-key.ts'
import { calledBy, type Subject } from './controller-rules.ts'

/** Everything that is wrong with the keys of one controller; of a filter for several routes each mistake is told once. */
export function keysFit(subject: Subject): readonly Diagnostic[] {
  const keyed = subject.controller.actions.filter(({ options }) => options.idempotencyKey !== null)
  const found = keyed.flatMap((action) => keyIsFree(subject, action))
  const byPlace = new Map(
    [...found].reverse().map((diagnostic) => [JSON.stringify(diagnostic.at), diagnostic]),
  )
  return [...subject.declared.methods.flatMap((method) => canHaveKey(subject, method)), ...byPlace.values()]
}

/** What a class says covers those of its methods that can have a key; on what is no route at all the tag is misplaced. */
function canHaveKey(subject: Subject, method: DeclaredMethod): readonly Diagnostic[] {
  const { routes, options, tags } = method
  const tag = tags.find((tagPlace) => tagPlace.tag === '@idempotencyKey')
  const action = subject.controller.actions.find((item) => item.method === method.name)
  if (options.idempotencyKey === null || tag === undefined || action === undefined) return []
  if (routes.every(({ websocket }) => websocket)) return []
  const member = calledBy(subject, action)
  if (!routes.some(mayRepeat)) {
    const verbs = [...new Set(routes.map(({ verb }) => verb))]
    return [keyNeedless(tag.at, member, verbs.join(' and '))]
  }
  const why = keylessBecause(method)
  return why === null ? [] : [keyImpossible(tag.at, member, why)]
}

function keyIsFree(subject: Subject, action: Action): readonly Diagnostic[] {
  const params = [action, ...action.filters].flatMap((reader) => reader.params)
  return params
    .filter(hasName)
    .map((param) => keyNameTaken(param.at, textOf(param), calledBy(subject, action)))
}

const hasName = ({ from, wireName }: Param): boolean =>
  from === 'header' ? wireName.toLowerCase() === keyHeader.toLowerCase() : wireName === keyArgument

const textOf = (param: Param): string => {
  const { from, wireName } = param
  return from === 'header' ? `the header ${wireName}` : `the parameter ${wireName}`
}
