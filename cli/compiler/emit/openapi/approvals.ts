/** What a route answers of which a person decides about each call (`@approval`): problem details (RFC 9457), past every handler. */
import type { FrameworkResult } from '../../ir/features.ts'
import type { Action } from '../../ir/model.ts'
import { objectSchema, property, textSchema } from '../../ir/plain-schemas.ts'
import type { Json } from './json.ts'
import { retryAfter } from './plain-errors.ts'
import { type Problem, problemResult } from './problems.ts'

type Approved = Pick<Action, 'approval'>

const asked: Problem = {
  status: 428,
  error: 'ApprovalRequired',
  text: 'A person must approve this call first, at approval.url: then send the same request again.',
}
const refused: readonly Problem[] = [
  {
    status: 403,
    error: 'ApprovalRefused',
    text: 'A person denied the call, or there is none behind the credentials who could approve it.',
  },
  {
    status: 409,
    error: 'ApprovalSpent',
    text: 'This very call was approved and has run less than a minute ago.',
  },
  { status: 429, error: 'ApprovalsPending', text: 'Too many calls wait for the approval of this user.' },
]

export function approvalResults({ approval }: Approved): readonly FrameworkResult[] {
  return approval === null
    ? []
    : [problemResult(asked, waiting), ...refused.map((refusal) => problemResult(refusal))]
}

const waiting = property(
  'approval',
  objectSchema(property('url', textSchema('uri')), property('expiresAt', textSchema('date-time'))),
)

/** The header fields of a response. */
export function approvalHeaders({ approval }: Approved, status: string): Json {
  if (approval === null || status !== String(asked.status)) return {}
  return retryAfter({ description: 'Seconds until it is worth asking again.', required: true })
}

/** The field of an operation. */
export function approvalField({ approval }: Approved): Json {
  if (approval === null) return {}
  const said = Object.entries(approval).filter(([, value]) => value !== null)
  return { 'x-acmcp-approval': Object.fromEntries(said) }
}
