/** The settings of the audit. */

import { flag, wholeOrFalse } from '../../boot/settings/checks.ts'
import { type Group, group, type Setting, setting } from '../../boot/settings/setting.ts'

/** What is kept of the acts of users and clients. See templates/docs/audit.md. */
export class AuditSettings {
  /** Whether tool calls and changes of access are recorded; default true. */
  readonly enabled: Setting<boolean> = setting(flag, true)
  /** For how many days; `false` = for good. Default 365. */
  readonly keepDays: Setting<number | false> = setting(wholeOrFalse, 365)
  /** Whether each row of a tool call has a digest of its arguments; default false: those of `@audit strict` alone. */
  readonly digest: Setting<boolean> = setting(flag, false)
}

export class AuditTable {
  /** What is kept of the acts of users and clients. */
  readonly audit: Group<AuditSettings> = group(new AuditSettings())
}

export const auditSettings: Group<AuditTable> = group(new AuditTable())
