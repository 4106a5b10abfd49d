/** What a document says of a route whose calls may have a key (`@idempotencyKey`). Source:
 *  draft-ietf-httpapi-idempotency-key-header-07. */
import type { Action } from '../../ir/model.ts'
import { keyHeader, keySchema, keyText } from '../../schema/idempotency-key.ts'
import type { Json } from './json.ts'
import { retryAfter } from './plain-errors.ts'
import { type Problem, type ProblemResult, problemResult } from './problems.ts'

type Keyed = Pick<Action, 'options'>

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

export const keyResults = ({ options }: Keyed): readonly ProblemResult[] =>
  options.idempotencyKey === null ? [] : refused.map((refusal) => problemResult(refusal))

/** The header of the request. */
export function keyParameters({ options: { idempotencyKey } }: Keyed): readonly Json[] {
  if (idempotencyKey === null) return []
  const { required } = idempotencyKey
  return [
    {
      name: keyHeader,
      in: 'header',
      ...(required === true ? { required } : {}),
      description: keyText,
      schema: keySchema,
    },
  ]
}

/** The header fields of a response. */
export function keyHeaders({ options, results }: Pick<Action, 'options' | 'results'>, status: string): Json {
  if (options.idempotencyKey === null) return {}
  const isSuccess = results.some((result) => String(result.status) === status)
  return {
    ...(isSuccess ? { 'Idempotent-Replayed': replayed } : {}),
    ...(status === '409' ? retryAfter({ description: worthAsking }) : {}),
  }
}

const replayed: Json = {
  description: 'It is the answer of the first call with this key, which was not run again.',
  schema: { type: 'string', const: 'true' },
}

const worthAsking = 'Seconds until it is worth asking again; absent where the first call no longer runs.'

/** The field of an operation. */
export function keyField({ options: { idempotencyKey } }: Keyed): Json {
  if (idempotencyKey === null) return {}
  const { required = false, transaction = false } = idempotencyKey
  return { 'x-acmcp-idempotency-key': { required, transaction } }
}
