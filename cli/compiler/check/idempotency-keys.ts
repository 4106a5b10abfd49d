/** The rules of `@idempotencyKey`: where it may stand, and that nothing else has the name of the key. */
import {
  keyImpossible,
  keyNameTaken,
  keyNeedless,
  keyOutsideSchema,
} from '../diagnostics/idempotency-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import { keylessBecause, mayRepeat } from '../ir/idempotency-keys.ts'
import type { Action } from '../ir/model.ts'
import type { DeclaredMethod } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { closedBy, keyArgument, keyHeader } from '../schema/idempotency-key.ts'
import { verbatimInput } from '../schema/tools.ts'
import { calledBy, type Subject } from './controller-rules.ts'

/** Everything that is wrong with the keys of one controller; of a filter for several routes each mistake is told once. */
export function keysFit(subject: Subject): readonly Diagnostic[] {
  const keyed = subject.controller.actions.filter(({ options }) => options.idempotencyKey !== null)
  const found = keyed.flatMap((action) => [...keyIsFree(subject, action), ...schemaTakesKey(subject, action)])
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
  const properties = Object(schemaOf(subject, action)?.properties)
  const isTaken = (param: Param): boolean =>
    hasName(param) || (param.from === 'body' && Object.hasOwn(properties, keyArgument))
  return params
    .filter(isTaken)
    .map((param) => keyNameTaken(param.at, textOf(param), calledBy(subject, action)))
}

const hasName = ({ from, wireName }: Param): boolean =>
  from === 'header' ? wireName.toLowerCase() === keyHeader.toLowerCase() : wireName === keyArgument

const textOf = (param: Param): string => {
  const { from, wireName, name } = param
  if (!hasName(param)) return `${name}.${keyArgument}`
  return from === 'header' ? `the header ${wireName}` : `the parameter ${wireName}`
}

/** A schema of the application that is the tool's own. */
const schemaOf = ({ app }: Subject, { tool }: Action): ReturnType<typeof verbatimInput> =>
  tool === null ? null : verbatimInput(app.schemas, tool)

function schemaTakesKey(subject: Subject, action: Action): readonly Diagnostic[] {
  const schema = schemaOf(subject, action)
  const keyword = schema === null ? null : closedBy(schema)
  const body = action.inputs.find(({ from }) => from === 'body')
  if (keyword === null || body === undefined) return []
  return [keyOutsideSchema(body.at, action.tool?.name ?? action.id, keyword)]
}
