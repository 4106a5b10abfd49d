/** What operators and applications do about users who leave. */
import type { MaybePromise } from './http.ts'
import type { Services, User } from './store.ts'

/** How a user stands, also one who is blocked. Times are milliseconds since the epoch. */
export interface UserStanding {
  /** With their attributes. */
  readonly user: User
  /** The last time; null = before that was kept. */
  readonly signedInAt: number | null
  /** Null = may sign in. */
  readonly blockedAt: number | null
  /** Who stands in the audit in their place; null = is not being erased. */
  readonly erasedAs: string | null
}

/** What is kept of somebody. */
export interface KeptRows {
  readonly sessions: number
  readonly grants: number
  readonly tasks: number
  readonly approvals: number
  readonly idempotencyKeys: number
  readonly auditRows: number
}

/** Users of the store, by their ids. See templates/docs/leaving.md. */
export interface UserDesk {
  /** Null = there is no such user. */
  readonly show: (id: string) => Promise<UserStanding | null>
  /** Ends their sessions, connections, tokens, streams, sockets and tasks, at every instance, and refuses their sign-in. False = there is
   *  no such user. */
  readonly block: (id: string) => Promise<boolean>
  /** Lets them sign in again; nothing of before comes back. False = there is no such user, or one who is being erased. */
  readonly unblock: (id: string) => Promise<boolean>
  /** Blocks them, calls `onErase`, and removes what is kept of them: resolves with how many rows when that is done, null = there is no such
   *  user. Rejects with what `onErase` threw; it is tried again until it succeeds. `dryRun`: counts, and changes nothing. */
  readonly erase: (id: string, options?: { readonly dryRun?: boolean }) => Promise<KeptRows | null>
}

/** Removes what the application keeps of a user who is being erased; their access has ended. It is called again after it threw, and after
 *  a crash, maybe when it had succeeded. See templates/docs/leaving.md. */
export type OnErase = (user: User, services: Services) => MaybePromise<void>
