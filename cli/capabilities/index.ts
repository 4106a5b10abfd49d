/** The optional tags of the compiler, in the order in which they apply. */
import type { Feature } from '../compiler/feature.ts'
import { idempotencyKey } from './idempotency/index.ts'

export const features: readonly Feature[] = [idempotencyKey]
