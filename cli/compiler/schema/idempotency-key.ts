/** The key of a call (`@idempotencyKey`) as models and clients read of it: an argument of the tool, and a header. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import type { Action } from '../ir/model.ts'

export const keyArgument = 'idempotencyKey'
export const keyHeader = 'Idempotency-Key'

type Rule = Action['options']['idempotencyKey']

/** By this text models make the key: told of one that is unique for each request, they made a new one for a retry. */
export const keyText =
  'One value per intended effect, such as a new UUID. Use the same value again when the answer did not come; another value does it again.'

export const keySchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 }

/** The schema of the arguments with the key. */
export function withKey(input: JsonSchema, rule: Rule): JsonSchema {
  if (rule === null) return input
  const { required = [], properties } = input
  return {
    ...input,
    properties: { ...Object(properties), [keyArgument]: { ...keySchema, description: keyText } },
    ...(rule.required === true ? { required: [required, keyArgument].flat() } : {}),
  }
}
