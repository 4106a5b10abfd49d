/** Which handlers can be asked at a route. An exception may come from code that a route calls, which nothing here reads: left
 *  out are only errors that the framework alone raises, where it has no reason to. Source: rules.md, Exception handlers 7. */
import type { Action } from '../../ir/model.ts'
import type { Handler } from '../../ir/steps.ts'

type Reason = (action: Action) => boolean

const readsParameters: Reason = ({ inputs }) => inputs.some(({ from }) => from !== 'absent')
const readsBody: Reason = ({ inputs }) => inputs.some(({ from }) => from === 'body' || from === 'field')
const negotiates: Reason = ({ produces, websocket }) => produces === null && !websocket

/** By the name of the shipped class; of the base classes any reason will do. */
const reasons: ReadonlyMap<string, Reason> = new Map([
  ['MissingError', readsParameters],
  ['ValueError', readsParameters],
  ['ParamError', readsParameters],
  ['JsonParseError', readsBody],
  ['UnsupportedMediaType', readsBody],
  ['NotAcceptable', negotiates],
  ['RouteError', (action) => negotiates(action) || readsBody(action)],
])

/** The handlers of errors that can be raised at the route, and are not answered by an earlier one. */
export const raisedHandlers = (action: Action): readonly Handler[] =>
  action.handlers.filter(({ coveredBy, error }) => coveredBy === null && canBeRaised(error, action))

function canBeRaised({ module, name }: Handler['error'], action: Action): boolean {
  const reason = module === 'acmcp' ? reasons.get(name) : undefined
  return reason === undefined || reason(action)
}
