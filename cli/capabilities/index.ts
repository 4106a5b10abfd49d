/** The optional tags of the compiler, in the order in which they apply. */
import type { Feature } from '../compiler/feature.ts'
import { approvalFeature } from './approval/index.ts'
import { auditFeature } from './audit/index.ts'
import { budgetFeature } from './budget/index.ts'
import { consumesFeature } from './consumes/index.ts'
import { iconFeature } from './icon/index.ts'
import { idempotencyFeature } from './idempotency/index.ts'
import { limitFeature } from './limit/index.ts'
import { skillFeature } from './skills/index.ts'
import { taskFeature } from './tasks/index.ts'
import { timeoutFeature } from './timeout/index.ts'

export const features: readonly Feature[] = [
  idempotencyFeature,
  approvalFeature,
  limitFeature,
  timeoutFeature,
  auditFeature,
  consumesFeature,
  taskFeature,
  iconFeature,
  skillFeature,
  budgetFeature,
]
