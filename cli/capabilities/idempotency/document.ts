/** What a document says of a route whose calls may have a key. Source: draft-ietf-httpapi-idempotency-key-header-07. */

import { retryAfter } from '../../compiler/emit/openapi/plain-errors.ts'
import { type Problem, problemResult } from '../../compiler/emit/openapi/problems.ts'
import type { LinkedRoute } from '../../compiler/feature.ts'
import type { NamedFields, OperationPart } from '../../compiler/ir/features.ts'
import { type KeyRule, keyHeader, keySchema, keyText } from './key.ts'

const refused: readonly Problem[] = [
  {
    status: 400,
    error: 'IdempotencyKeyInvalid',
    text: 'The key is missing where one is required, is none, or comes without credentials: keys are kept for a caller.',
  },
  {
    status: 409,
    error: 'IdempotencyConflict',
    text: 'The first call with this key is still running, its outcome is unknown, or its answer was not kept: `type` says which.',
  },
  { status: 422, error: 'IdempotencyKeyReused', text: 'The key was used for another call.' },
  { status: 429, error: 'TooManyIdempotencyKeys', text: 'Too many keys of this user are kept.' },
]

export const keyOperation = (
  { required, transaction }: KeyRule,
  { results }: Pick<LinkedRoute, 'results'>,
): OperationPart => ({
  fields: { 'x-acmcp-idempotency-key': { required: required === true, transaction: transaction === true } },
  parameters: [
    {
      name: keyHeader,
      in: 'header',
      ...(required === true ? { required } : {}),
      description: keyText,
      schema: keySchema,
    },
  ],
  results: refused.map((refusal) => problemResult(refusal)),
  headers: headersOf(results.map(({ status }) => String(status))),
})

function headersOf(successes: readonly string[]): OperationPart['headers'] {
  const ofSuccesses = successes.map((status) => [status, { 'Idempotent-Replayed': replayed }] as const)
  const conflict = {
    ...(successes.includes('409') ? { 'Idempotent-Replayed': replayed } : {}),
    ...worthAsking,
  }
  return Object.fromEntries([...ofSuccesses, ['409', conflict] as const])
}

const replayed: NamedFields = {
  description: 'It is the answer of the first call with this key, which was not run again.',
  schema: { type: 'string', const: 'true' },
}

const worthAsking = retryAfter({
  description: 'Seconds until it is worth asking again; absent where the first call no longer runs.',
})
