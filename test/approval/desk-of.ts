/** The approvals of an application, as its parts have them. */
import type { Application } from '../../runtime/boot/application.ts'
import type { ApprovalParts } from '../../runtime/capabilities/approval/start.ts'
import type { ApprovalDesk } from '../../runtime/capabilities/approval/types.ts'

/** Null where no route has `@approval`. */
export const deskOf = ({ parts }: Pick<Application, 'parts'>): ApprovalDesk | null =>
  (parts.get('approval') as ApprovalParts | undefined)?.desk ?? null // it started under that name
