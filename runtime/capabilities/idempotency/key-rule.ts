import type { Route } from '../../contract/route.ts'
import type { IdempotencyKeyRule, IdempotencyRow } from './types.ts'

/** What the `@idempotencyKey` of a route says; undefined = it has none. */
export const keyRule = (route: Route & IdempotencyRow): IdempotencyKeyRule | undefined => route.idempotencyKey
