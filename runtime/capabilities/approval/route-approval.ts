import type { Route } from '../../contract/route.ts'
import type { ApprovalRow, RequiredApproval } from './types.ts'

/** What the `@approval` of a route says; undefined = it has none. */
export const routeApproval = (route: Route & ApprovalRow): RequiredApproval | undefined => route.approval
