/** Everything that may wrap a route, in the one order in which it does, whatever adds it: of a place the first is the outermost, and an
 *  answer passes its own in this order. */
export const wrapperOrder = [
  'audit',
  'time',
  'upgrade',
  'idempotency',
  'claims',
  'kept-answer',
  'entity-tag',
  'token-end',
  'uploads',
] as const

export type WrapperName = (typeof wrapperOrder)[number]
