/** The settings of approvals. */

import { callable, duration, milliseconds } from '../../boot/settings/checks.ts'
import { type Group, group, type Optional, type Setting, settingOrNull } from '../../boot/settings/setting.ts'
import type { OnApprovalAsked } from './types.ts'

/** How calls of routes with `@approval` are approved. See templates/docs/approval.md. */
export class ApprovalSettings {
  /** The approving user must have signed in at the identity provider so lately, as `30s`, `5m` or `1h`, or must again: a program that
   *  drives their browser cannot. Default: any signed-in session will do. */
  readonly reauthenticate: Setting<string, number | null> = {
    check: duration(),
    byDefault: null,
    read: milliseconds,
  }
}

export class ApprovalTable {
  /** Calls that a person must approve first (`@approval`). */
  readonly approval: Group<ApprovalSettings> = group(new ApprovalSettings())
  /** Called once for each such call, when it begins to wait: for a message to its user. */
  readonly onApprovalAsked: Optional<OnApprovalAsked> = settingOrNull(callable)
}

export const approvalSettings: Group<ApprovalTable> = group(new ApprovalTable())
