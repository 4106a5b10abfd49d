/** The rules of `@approval`: where it may stand, and what its sentence may name. */

import { isCallerHeader } from '../../../runtime/caller-headers.ts'
import { calledBy, type Subject } from '../../compiler/check/controller-rules.ts'
import { didYouMean } from '../../compiler/diagnostics/similar-names.ts'
import { type Diagnostic, firstAndMore } from '../../compiler/diagnostics/source-diagnostics.ts'
import { meantBy } from '../../compiler/feature.ts'
import type { Action } from '../../compiler/ir/model.ts'
import { hasEvents } from '../../compiler/ir/schema-walk.ts'
import type { Param } from '../../compiler/ir/steps.ts'
import { hasMark } from '../../compiler/schema/marks.ts'
import { resolved } from '../../compiler/schema/references.ts'
import { approvalImpossible, approvalsMany, placeholderUnfit, placeholderUnknown } from './diagnostics.ts'
import { type ApprovalTag, approvalName, type Placeholder } from './tag.ts'

/** A tag, and the routes of the controller for which it counts. */
interface Covering {
  readonly tag: ApprovalTag
  readonly actions: readonly Action[]
}

/** Everything that is wrong with the approvals of one controller; of a tag for several routes each mistake is told once. */
export const approvalsFit = (subject: Subject): readonly Diagnostic[] => [
  ...coveringTags(subject).flatMap((covering) => [
    ...canBeApproved(subject, covering),
    ...covering.tag.placeholders.flatMap((placeholder) => judgePlaceholder(subject, covering, placeholder)),
  ]),
  ...approvalsAreRare(subject),
]

const approvalOf = (action: Action): ApprovalTag | null => meantBy(approvalName, action)

function coveringTags({ controller }: Subject): readonly Covering[] {
  const actions = controller.actions.filter(({ shortOf }) => shortOf === null)
  const covered = new Map<ApprovalTag, Action[]>()
  for (const action of actions) {
    const tag = approvalOf(action)
    if (tag !== null) covered.set(tag, [...(covered.get(tag) ?? []), action])
  }
  return [...covered].map(([tag, own]) => ({ tag, actions: own }))
}

function canBeApproved(subject: Subject, { tag, actions }: Covering): readonly Diagnostic[] {
  const wrong = actions.filter((action) => whyImpossible(action) !== null)
  const [first] = wrong
  const why = first === undefined ? null : whyImpossible(first)
  if (why === null) return []
  return [approvalImpossible(tag.at, membersOf(subject, wrong), why)]
}

function whyImpossible({ websocket, completes, results, produces }: Action): string | null {
  if (websocket) return 'a WebSocket stays open, and what comes through it is no call'
  if (completes.length > 0) return 'it completes what somebody is typing'
  const isStream = produces?.startsWith('text/event-stream') === true
  return isStream || hasEvents(results.map(({ schema }) => schema))
    ? 'a stream of events goes on as long as its client wants, and begins again by itself'
    : null
}

/** What may stand in braces: a parameter of the method or a filter, or a property of a body. */
type Named = Pick<Param, 'wireName' | 'from' | 'isSecret' | 'schema'>

/** An object in the body is told by its properties. */
function namedIn({ app: { schemas } }: Subject, { inputs }: Action): readonly Named[] {
  return inputs.flatMap((param): readonly Named[] => {
    const body = param.from === 'body' ? resolved(param.schema, schemas) : null
    if (body?.kind !== 'object') return [param]
    return body.properties.map(({ name, schema, isSecret }) => {
      return { wireName: name, from: 'body', isSecret: isSecret || param.isSecret, schema }
    })
  })
}

function judgePlaceholder(
  subject: Subject,
  { actions }: Covering,
  { name, at }: Placeholder,
): readonly Diagnostic[] {
  const lacking = actions.filter(
    (action) => !namedIn(subject, action).some(({ wireName }) => wireName === name),
  )
  const [first] = lacking
  if (first !== undefined) {
    const names = namedIn(subject, first).map(({ wireName }) => wireName)
    return [placeholderUnknown(at, name, membersOf(subject, lacking), didYouMean(name, names))]
  }
  const whyOf = (action: Action): string | null => whyUnfit(subject, action, name)
  const unfit = actions.filter((action) => whyOf(action) !== null)
  const why = unfit.map(whyOf)[0] ?? null
  return why === null ? [] : [placeholderUnfit(at, name, membersOf(subject, unfit), why)]
}

function whyUnfit(subject: Subject, action: Action, name: string): string | null {
  const [param, other] = namedIn(subject, action).filter(({ wireName }) => wireName === name)
  if (param === undefined) return null
  if (other !== undefined) return `may be that of the ${param.from} or that of the ${other.from}`
  if (isCredential(param)) return 'says who calls'
  if (param.isSecret) return 'is secret'
  return hasMark('isSecret', param.schema, subject.app.schemas) ? 'has secret properties' : null
}

const isCredential = ({ from, wireName }: Named): boolean => from === 'header' && isCallerHeader(wireName)

/** Below so many tools one of them would be many. */
const fewTools = 5

function approvalsAreRare({ controller }: Subject): readonly Diagnostic[] {
  const tools = controller.actions.filter(({ tool }) => tool !== null)
  const approved = tools.filter((action) => approvalOf(action) !== null).length
  if (tools.length < fewTools || approved * 5 <= tools.length) return []
  return [approvalsMany(controller.at, controller.symbol.name, approved, tools.length)]
}

/** The first by its name, and how many there are beside it. */
function membersOf(subject: Subject, actions: readonly Action[]): string {
  return firstAndMore([...new Set(actions.map((action) => calledBy(subject, action)))])
}
