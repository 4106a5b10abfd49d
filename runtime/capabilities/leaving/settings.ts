/** The setting of people who leave. */

import { callable } from '../../boot/settings/checks.ts'
import { type Group, group, type Optional, settingOrNull } from '../../boot/settings/setting.ts'
import type { OnErase } from './types.ts'

export class LeavingTable {
  /** Removes what the application keeps of a user who is being erased; called until it succeeds. See templates/docs/leaving.md. */
  readonly onErase: Optional<OnErase> = settingOrNull(callable)
}

export const leavingSettings: Group<LeavingTable> = group(new LeavingTable())
