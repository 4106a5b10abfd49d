/** The key of a call as models and clients read of it: an argument of the tool, and a header. */
import type { IdempotencyKeyRule } from '../../../runtime/capabilities/idempotency/types.ts'
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'

export const keyTag = 'idempotencyKey'
export const keyArgument = 'idempotencyKey'
export const keyHeader = 'Idempotency-Key'

export type KeyRule = IdempotencyKeyRule

/** By this text models make the key: told of one that is unique for each request, they made a new one for a retry. */
export const keyText =
  'One value per intended effect, such as a new UUID. Use the same value again when the answer did not come; another value does it again.'

export const keySchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 }
