/** What a route answers of which a person decides about each call (`@approval`): problem details (RFC 9457), past every handler. */
import type { Action } from '../../ir/model.ts'
import type { Property } from '../../ir/schema.ts'
import type { Result } from '../../ir/steps.ts'
import type { Json } from './openapi-30.ts'
import { docOf, objectSchema, property, textSchema } from './plain-errors.ts'

type Approved = Pick<Action, 'approval'>

export const problemType = 'application/problem+json'

interface Refusal {
  readonly status: number
  /** What components are called after it. */
  readonly error: string
  readonly text: string
}

const asked: Refusal = {
  status: 428,
  error: 'ApprovalRequired',
  text: 'A person must approve this call first, at approval.url: then send the same request again.',
}
const refused: readonly Refusal[] = [
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

export const approvalErrors: ReadonlyMap<Result['status'], string> = new Map(
  [asked, ...refused].map(({ status, error }) => [status, error]),
)

export function approvalResults({ approval }: Approved): readonly Result[] {
  return approval === null ? [] : [problem(asked, waiting), ...refused.map((refusal) => problem(refusal))]
}

const problem = ({ status, text }: Refusal, ...more: readonly Property[]): Result => ({
  status,
  contentType: problemType,
  schema: objectSchema(
    property('type', textSchema('uri')),
    property('title', textSchema(null)),
    property('status', { kind: 'literal', value: status, ofEnum: false }),
    property('detail', textSchema(null)),
    ...more,
  ),
  doc: docOf(text),
})

const waiting = property(
  'approval',
  objectSchema(property('url', textSchema('uri')), property('expiresAt', textSchema('date-time'))),
)

/** The header fields of a response. */
export function approvalHeaders({ approval }: Approved, status: string): Json {
  if (approval === null || status !== String(asked.status)) return {}
  const field = {
    description: 'Seconds until it is worth asking again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  }
  return { headers: { 'Retry-After': field } }
}

/** The field of an operation. */
export function approvalField({ approval }: Approved): Json {
  if (approval === null) return {}
  const said = Object.entries(approval).filter(([, value]) => value !== null)
  return { 'x-acmcp-approval': Object.fromEntries(said) }
}
