/** Problem details (RFC 9457), which acmcp answers past every handler. */
import { docOf } from '../../ir/docs.ts'
import type { FrameworkResult } from '../../ir/features.ts'
import { objectSchema, property, textSchema } from '../../ir/plain-schemas.ts'
import type { Property } from '../../ir/schema.ts'

export interface Problem {
  readonly status: number
  /** What components are called after it. */
  readonly error: string
  readonly text: string
}

/** `more`: properties of this problem alone. */
export const problemResult = (
  { status, error, text }: Problem,
  ...more: readonly Property[]
): FrameworkResult => ({
  status,
  error,
  contentType: 'application/problem+json',
  schema: objectSchema(
    property('type', textSchema('uri')),
    property('title', textSchema(null)),
    property('status', { kind: 'literal', value: status, ofEnum: false }),
    property('detail', textSchema(null)),
    ...more,
  ),
  doc: docOf(text),
})
