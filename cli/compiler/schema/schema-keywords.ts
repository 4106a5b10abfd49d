/** The keywords of JSON Schema that hold schemas; all others are data. Source: JSON Schema 2020-12, Core, 10. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'

const keywords = {
  one: 'items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else',
  list: 'prefixItems allOf anyOf oneOf',
  byName: 'properties patternProperties dependentSchemas $defs definitions',
} as const

/** Whether a keyword holds one schema, a list of some, or some by name. */
export const heldBy: ReadonlyMap<string, keyof typeof keywords> = new Map(
  (['one', 'list', 'byName'] as const).flatMap((how) =>
    keywords[how].split(' ').map((keyword) => [keyword, how] as const),
  ),
)

/** `true` and `false` are schemas too. */
export const isSchemaObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The named type that a `$ref` refers to; null = it is none of the document's own. */
export const nameOfRef = ($ref: unknown): string | null =>
  typeof $ref === 'string' ? (/^#\/\$defs\/([^/]+)$/.exec($ref)?.[1] ?? null) : null
