/** What applications import of the capabilities. */
import type { CoreConfig, Exact } from '../boot/config.ts'
import type { Configured } from '../boot/settings/setting.ts'
import type { Route } from '../contract/route.ts'
import type { ApprovalSettings, ApprovalTable } from './approval/settings.ts'
import type { ApprovalRow } from './approval/types.ts'
import type { AuditTable } from './audit/settings.ts'
import type { DocumentTable } from './client-documents/settings.ts'
import type { EnterpriseTable } from './enterprise/settings.ts'
import type { IdempotencyTable } from './idempotency/settings.ts'
import type { IdempotencyRow } from './idempotency/types.ts'
import type { LeavingTable } from './leaving/settings.ts'
import type { MachineTable } from './machines/settings.ts'
import type { TaskLimits } from './tasks/settings.ts'
import type { TelemetryTable } from './telemetry/settings.ts'

export { ApprovalRefused, ApprovalRequired } from './approval/errors.ts'
export type { AskedApproval } from './approval/types.ts'
export type { EnterpriseConfig } from './enterprise/settings.ts'
export { IdempotencyRefused } from './idempotency/errors.ts'
export type { KeptRows, OnErase, UserDesk } from './leaving/types.ts'
export type { ClientConfig } from './machines/settings.ts'

declare module './leaving/types.ts' {
  interface KeptRows {
    readonly approvals: number
    readonly idempotencyKeys: number
  }
}

/** One row of `generated/routes.ts`. */
export interface WholeRoute extends Route, ApprovalRow, IdempotencyRow {}

export interface AppConfig
  extends Omit<CoreConfig, 'limits'>,
    Configured<ApprovalTable>,
    Configured<AuditTable>,
    Configured<DocumentTable>,
    Configured<EnterpriseTable>,
    Configured<IdempotencyTable>,
    Configured<LeavingTable>,
    Configured<MachineTable>,
    Configured<TelemetryTable> {
  readonly limits?: WholeLimits
}

interface WholeLimits extends NonNullable<CoreConfig['limits']>, Configured<TaskLimits> {}

/** How calls are approved that a person must approve first. See templates/docs/approval.md. */
export interface ApprovalConfig extends Configured<ApprovalSettings> {}

/** Declares the application's configuration: TypeScript checks the types and the names, and the boot refuses settings that do
 *  not exist. The result's type keeps the names, which the compiler reads. */
export function defineApp<const C extends AppConfig>(config: C & Exact<C, AppConfig>): C {
  return config
}
