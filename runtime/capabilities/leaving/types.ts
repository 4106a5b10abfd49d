/** What people who leave are to the application, and at rest. */
import type { MaybePromise } from '../../contract/http.ts'
import type { Services, User, UserStanding } from '../../contract/store.ts'

/** What is kept of a user; `exports.ts` has what is counted of capabilities, too. */
export interface KeptRows {
  readonly sessions: number
  readonly grants: number
  readonly tasks: number
  readonly auditRows: number
}

declare module '../../contract/store.ts' {
  interface Services {
    /** Blocks and erases users. */
    readonly users: UserDesk
  }
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

/** Users who are blocked, and those of whom nothing is to stay, at rest. */
export interface LeavingStore {
  /** From then on no sign-in is that user's, and no session or token of theirs is one; whether anything changed. What they have, the
   *  caller ends. */
  blockUser(userId: string): Promise<boolean>
  /** The same back, unless they are being erased. */
  unblockUser(userId: string): Promise<boolean>
  /** Ends what of a user has not ended, as the tables say; resolves with how many rows, by what they are counted as. */
  endRows(userId: string): Promise<Readonly<Record<string, number>>>
  /** Blocks a user who is to be erased; the first pseudonym is kept. */
  beginErasure(userId: string, pseudonym: string): Promise<void>
  /** The first so many who are being erased. */
  listErasures(limit: number): Promise<readonly UserStanding[]>
  /** Of no user. */
  readonly noRows: KeptRows
  countRows(userId: string): Promise<KeptRows>
  /** Removes what is kept of a user who is being erased, in batches, and puts the pseudonym into the grants, whose revocation counts on
   *  until the last token has expired; but for what others write for a while. From then on rows of the audit that still come by these
   *  grants have it, too. */
  eraseRows(standing: UserStanding): Promise<KeptRows>
  /** Puts the pseudonym into the rows of the audit, in batches, and takes from them what may tell of the person; then removes the user.
   *  Resolves with how many rows. */
  eraseUser(standing: UserStanding): Promise<Partial<KeptRows>>
}
