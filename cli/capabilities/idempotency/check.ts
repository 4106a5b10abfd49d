/** The rules of `@idempotencyKey`: where it may stand, and that nothing else has the name of the key. */

import { calledBy, type Subject } from '../../compiler/check/controller-rules.ts'
import type { Diagnostic } from '../../compiler/diagnostics/source-diagnostics.ts'
import { meantBy, saidBy } from '../../compiler/feature.ts'
import type { Action } from '../../compiler/ir/model.ts'
import type { DeclaredMethod } from '../../compiler/ir/source-model.ts'
import type { Param } from '../../compiler/ir/steps.ts'
import { keyImpossible, keyNameTaken, keyNeedless } from './diagnostics.ts'
import { keyArgument, keyHeader, keyTag } from './key.ts'
import { keylessBecause, mayRepeat } from './key-routes.ts'

const key = { tag: keyTag }

/** Everything that is wrong with the keys of one controller; of a filter for several routes each mistake is told once. */
export function keysFit(subject: Subject): readonly Diagnostic[] {
  const keyed = subject.controller.actions.filter((action) => meantBy(key, action) !== null)
  const found = keyed.flatMap((action) => keyIsFree(subject, action))
  const byPlace = new Map(
    [...found].reverse().map((diagnostic) => [JSON.stringify(diagnostic.at), diagnostic]),
  )
  return [...subject.declared.methods.flatMap((method) => canHaveKey(subject, method)), ...byPlace.values()]
}

/** What a class says covers those of its methods that can have a key; on what is no route at all the tag is misplaced. */
function canHaveKey(subject: Subject, method: DeclaredMethod): readonly Diagnostic[] {
  const { routes, tags } = method
  const tag = tags.find((tagPlace) => tagPlace.tag === `@${keyTag}`)
  const action = subject.controller.actions.find((item) => item.method === method.name)
  if (saidBy(key, method) === null || tag === undefined || action === undefined) return []
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
