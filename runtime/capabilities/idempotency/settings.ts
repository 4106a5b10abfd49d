/** The settings of idempotency keys. */
import { count, duration } from '../../boot/settings/checks.ts'
import { type Group, group, type Setting, setting } from '../../boot/settings/setting.ts'

/** How long calls with an idempotency key are remembered. See templates/docs/retries.md. */
export class IdempotencySettings {
  /** How long a client that repeats a call gets the answer of the first one. Default 24h. */
  readonly keep: Setting<string> = setting(duration(168), '24h')
  /** How many keys of one user may be remembered; calls with a further one are answered with 429. Default 10,000. */
  readonly perUser: Setting<number> = setting(count, 10_000)
}

export class IdempotencyTable {
  /** Calls with an idempotency key (`@idempotencyKey`). */
  readonly idempotency: Group<IdempotencySettings> = group(new IdempotencySettings())
}

export const idempotencySettings: Group<IdempotencyTable> = group(new IdempotencyTable())
