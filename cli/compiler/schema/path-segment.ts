/** The schema of an argument in a path: an empty one counts as missing, for no address has an empty segment (decisions/http.md). */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'

/** The formats of which no text is empty; others are documented only. */
const checkedFormats: ReadonlySet<unknown> = new Set(['date-time', 'email', 'uri', 'uuid', 'int64'])

/** The schema without the empty text. */
export function inSegment(schema: JsonSchema): JsonSchema {
  const { anyOf, enum: values, minLength } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(inSegment) }
  if (Array.isArray(values)) return { ...schema, enum: values.filter((value) => value !== '') }
  return mayBeEmpty(schema) ? { ...schema, minLength: Math.max(1, Number(minLength ?? 0)) } : schema
}

function mayBeEmpty({ type, format, pattern, const: only, $ref, oneOf }: JsonSchema): boolean {
  if (only !== undefined || $ref !== undefined || oneOf !== undefined) return false
  if ((type !== undefined && type !== 'string') || checkedFormats.has(format)) return false
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test('')
}
