/** What a route answers of which a person decides about each call: problem details (RFC 9457), past every handler. */
import { retryAfter } from '../../compiler/emit/openapi/plain-errors.ts'
import { type Problem, problemResult } from '../../compiler/emit/openapi/problems.ts'
import type { OperationPart } from '../../compiler/ir/features.ts'
import { objectSchema, property, textSchema } from '../../compiler/ir/plain-schemas.ts'
import { type ApprovalTag, requiredOf } from './tag.ts'

const approvalProblem: Problem = {
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

const waiting = property(
  'approval',
  objectSchema(property('url', textSchema('uri')), property('expiresAt', textSchema('date-time'))),
)

export const approvalOperation = (tag: ApprovalTag): Partial<OperationPart> => ({
  fields: { 'x-acmcp-approval': requiredOf(tag) },
  results: [problemResult(approvalProblem, waiting), ...refused.map((refusal) => problemResult(refusal))],
  headers: {
    [approvalProblem.status]: retryAfter({
      description: 'Seconds until it is worth asking again.',
      required: true,
    }),
  },
})
