import type { Counter } from '../../boot/watching.ts'

export const keyCounter: Counter = {
  name: 'acmcp.idempotency.repeated',
  unit: '{call}',
  description: 'Calls with an idempotency key that another had before, by what came of them.',
  attribute: 'acmcp.idempotency.outcome',
}
