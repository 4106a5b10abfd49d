/** Schemas of what no application declares: texts, and objects that acmcp takes or answers itself. */
import { emptyDoc } from './docs.ts'
import type { Property, Schema } from './schema.ts'

/** A text, of this format of JSON Schema. */
export const textSchema = (format: string | null = null): Schema => ({
  kind: 'string',
  format,
  pattern: null,
})

export const objectSchema = (...properties: readonly Property[]): Schema => ({
  kind: 'object',
  properties,
  rest: null,
  named: [],
  withheld: [],
})

export const property = (name: string, schema: Schema, required = true): Property => ({
  name,
  schema,
  required,
  orUndefined: false,
  isSecret: false,
  isWriteOnly: false,
  isUntrusted: false,
  doc: emptyDoc,
})

/** Each of them once. */
export const distinct = <T>(items: readonly T[]): readonly T[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]
