/** Approval: a person decides about exactly one call before it runs (`@approval`). */
// Source: decisions/http.md, Approval.
import type { Services } from '../../contract/store.ts'

/** What a route's `@approval` says. */
export interface RequiredApproval {
  /** What its user reads; `{name}` stands for the parameter of that public name. */
  readonly sentence: string
  /** A user signed in to the session, without an `Authorization` header, is not asked. */
  readonly unless?: 'session'
}

/** Its field in a row of `generated/routes.ts`. */
export interface ApprovalRow {
  /** A person decides about each call first (`@approval`); absent = no user is asked. */
  readonly approval?: RequiredApproval
}

/** How it was decided: on our page, by an MCP client's refusal to open it, by an operator. */
export type ApprovalMethod = 'page' | 'client' | 'operator'

export type ApprovalDecision = 'approved' | 'denied'

/** An approval at rest; times are milliseconds since the epoch. */
export interface ApprovalRecord {
  /** In the address of its page. A stranger who knows it can do nothing with it: the page asks for a sign-in. */
  readonly id: string
  readonly user: string
  /** Null = the browser's own session asked. */
  readonly client: string | null
  /** With which it ends. */
  readonly grant: string | null
  readonly route: string
  /** Names caller, route, what is told of it, and everything that it reads. */
  readonly digest: string
  /** What its user is shown of the call, sealed. */
  readonly sealed: string
  readonly createdAt: number
  /** Until then it may be decided; once approved, used; once denied or used, it stands in the way of the same call. */
  readonly expiresAt: number
  readonly decision: ApprovalDecision | null
  readonly method: ApprovalMethod | null
  readonly decidedAt: number | null
  /** When the identity provider last saw the user, as far as that was asked. */
  readonly authTime: number | null
  readonly spentAt: number | null
}

export type NewApproval = Pick<
  ApprovalRecord,
  'id' | 'user' | 'client' | 'grant' | 'route' | 'digest' | 'sealed' | 'expiresAt'
>

/** How many may wait for one user and client, and after how many denials of a route its calls are refused without asking. */
export interface ApprovalQuota {
  readonly pending: number
  readonly denied: number
}

/** What asking came to: the row of the call as it is now, `isNew` when this call made it; or why none was made. */
export type ApprovalRequestResult =
  | { readonly kind: 'row'; readonly row: ApprovalRecord; readonly isNew: boolean }
  | { readonly kind: 'full' }
  | { readonly kind: 'refused' }

/** One decision; it counts for a row that is undecided, not expired, of that user and digest. */
export interface NewDecision {
  readonly id: string
  readonly user: string
  readonly digest: string
  readonly decision: ApprovalDecision
  readonly method: ApprovalMethod
  readonly authTime: number | null
  /** Until when it counts. */
  readonly expiresAt: number
}

export interface ApprovalFilter {
  readonly user?: string
  /** Null = the browser's own session. */
  readonly client?: string | null
  readonly route?: string
  /** Those that may be used now; default: those that wait to be decided. */
  readonly decision?: 'approved'
}

/** Approvals at rest: the truth about them, whichever instance is asked. */
export interface ApprovalStore {
  /** The row, for the one call that may now run: approved, unused, not expired, its grant not revoked. Null for every other. `until`: how
   *  long the same call is refused. */
  spendApproval(digest: string, until: number): Promise<ApprovalRecord | null>
  /** What was spent has not run: it may be used until `expiresAt`. */
  releaseApproval(spent: Pick<ApprovalRecord, 'id' | 'spentAt'>, expiresAt: number): Promise<void>
  /** The row of the digest that has not expired; else a new one, where there is room. */
  askApproval(approval: NewApproval, quota: ApprovalQuota): Promise<ApprovalRequestResult>
  /** Null also for one that has expired. */
  findApproval(id: string): Promise<ApprovalRecord | null>
  /** The row as it is then; null where it is no more to be decided. */
  decideApproval(decision: NewDecision): Promise<ApprovalRecord | null>
  /** Those that have not expired, the oldest first. */
  listApprovals(filter: ApprovalFilter, limit: number): Promise<readonly ApprovalRecord[]>
  /** Removes those that were not decided in time, at most `limit`. Each is returned once, over all instances. */
  expireApprovals(limit: number): Promise<readonly ApprovalRecord[]>
}

/** What its user is shown of a call. */
export interface ShownCall {
  /** With the values in it, still to be escaped. */
  readonly sentence: string
  /** The tool's name, or verb and path. */
  readonly name: string
  /** Every argument by its public name, as text; secrets are dots. */
  readonly arguments: readonly { readonly name: string; readonly text: string }[]
}

/** An approval as pages and operators see it. */
export interface ShownApproval extends ShownCall {
  readonly row: ApprovalRecord
  /** The client's name, or its id; null = the browser itself. */
  readonly client: string | null
}

/** What happens to an approval; `expired`: not decided in time. */
export type ApprovalAction = 'asked' | 'approved' | 'denied' | 'spent' | 'expired'

/** Is told of each, by the process in which it happens; does not throw. */
export type ObserveApproval = (action: ApprovalAction, row: ApprovalRecord) => void

/** A call that begins to wait for a person. */
export interface AskedApproval {
  readonly id: string
  /** Of the page on which its user decides. */
  readonly url: string
  /** The id of the user, who alone can decide. */
  readonly user: string
  /** The calling client, by the name that it gave itself; null = the user's own browser. */
  readonly client: { readonly id: string; readonly name: string | null } | null
  /** The id of the route. */
  readonly route: string
  /** Of the tool, or verb and path. */
  readonly name: string
  /** What the user is asked, with the values in it: texts of the caller. */
  readonly sentence: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Nothing waits for it; what it throws stands in the log. */
export type OnApprovalAsked = (approval: AskedApproval, services: Services) => void | Promise<void>

/** Approvals as the pages of the authorization server, the MCP endpoint and operators use them. */
export interface ApprovalDesk {
  /** That of the user alone; null for an unknown id, another user's, and one that has expired. */
  find(id: string, user: string): Promise<ShownApproval | null>
  /** Those that wait for the user, the oldest first: 100 at most. */
  pending(user: string): Promise<readonly ShownApproval[]>
  /** Null where there is nothing to decide any more. */
  decide(decision: Omit<NewDecision, 'expiresAt'>): Promise<ApprovalRecord | null>
  /** The same for the client of the call, which can only deny. */
  deny(id: string): Promise<ApprovalRecord | null>
  /** Resolves with whether it was decided, here or at another instance, within 25 seconds and before `signal` aborted. */
  decided(id: string, signal: AbortSignal): Promise<boolean>
}
