/** Everything that may wrap a route, in the one order in which it does, whatever adds it: of a place the first is the outermost, and an
 *  answer passes its own in this order. `part`: what a capability adds whose
 *  place does not matter. */
export const wrapperOrder = [
  'audit',
  'time',
  'upgrade',
  'idempotency',
  'claims',
  'kept-answer',
  'part',
  'entity-tag',
  'token-end',
  'uploads',
] as const

export type WrapperName = (typeof wrapperOrder)[number]
