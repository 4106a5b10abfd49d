/** What the runtime lends to controllers and rooms: users, services, clock, randomness and log. */

import type { BusMessage } from './bus.ts'
import type { Session } from './http.ts'

// Source: rules.md, User. Models read the comment where a route answers with a user.
/** A signed-in person. */
export interface User {
  /** `<provider>:<provider_uid>` */
  readonly id: string
  readonly name: string
  readonly email: string | null
}

/** What an application keeps with a user, by its `onSignIn`. It adds its own: `declare module 'acmcp' { interface UserAttributes { … } }`. */
// biome-ignore lint/suspicious/noEmptyInterface: an application adds to it
export interface UserAttributes {}

/** Whose an access token is, and what it may do. */
export interface AuthInfo {
  /** Null for the own token of a client, which acts for no user. */
  readonly user: User | null
  /** The user's id, or `client:` and the client's: no user has such an id. */
  readonly subject: string
  /** Of a client's own token: the scopes that the client may have at all. */
  readonly mayHave?: readonly string[]
  /** Null when the token names none. */
  readonly clientId: string | null
  /** Null for a token that was not issued here. */
  readonly grantId: string | null
  /** Declared scopes, `api` and what they imply resolved; what the token names where none is declared. */
  readonly scopes: readonly string[]
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** What its grant lacks, whatever its scopes say; null or absent = nothing. */
  readonly limits?: GrantLimits | null
}

// Source: decisions/oauth.md, Scopes and consent.
/** What a grant does not allow beside what its scopes do not. */
export interface GrantLimits {
  /** Its user let it look, and change nothing. */
  readonly readOnly: boolean
  /** What its scopes came to let it change after its user was asked, as `changeOf` names it. */
  readonly uncovered: ReadonlySet<string>
  /** Whether its client has been told once to ask its user again. */
  readonly isAsked: boolean
}

/** What the scopes of a build let a client change. `name` is a digest of `routes`, or one that the store knows of itself. */
export interface Surface {
  readonly name: string
  /** JSON: by scope, routes by verb and path. */
  readonly routes: string
}

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

/** What the runtime offers to controllers; `databaseOf` of `acmcp/store` finds the application's tables with it. */
export interface Services {
  /** The user of a valid access token, else null. */
  // Source: rules.md, Protected API.
  readonly userOfAccessToken: (token: string) => Promise<User | null>
  /** The user whom a browser's session signed in at `/auth`, else null: `this.request.session`. */
  readonly userOfSession: (session: Session) => Promise<User | null>
  readonly clock: Clock
  /** Tells the listeners of `topic`: those of this instance before it returns, those of every other instance soon, each message at
   *  most once and in order. Waits for nobody. Throws a `TypeError` for what is no JSON, a `RangeError` for a topic that has not 1 to
   *  200 characters, and for topic and message of more than 7,000 bytes of JSON together. */
  // Source: decisions/store.md, Application events.
  readonly publish: (topic: string, message: BusMessage) => void
  /** Listens to `topic` until the returned function is called. What a listener throws is logged. */
  readonly subscribe: (topic: string, listener: MessageListener, options?: SubscribeOptions) => () => void
  /** Tells every MCP client that subscribed to the resource at that address, and may read it, here and at every other instance, that it
   *  has changed; waits for nobody. `/notes/1` continues the base URL. Many calls for one address within a second become two. Throws a
   *  `TypeError` or `RangeError` for an address that no resource has. See templates/docs/prompts-resources.md. */
  // Source: decisions/mcp.md, Subscriptions; MCP 2026-07-28, Subscriptions.
  readonly resourceChanged: (uri: string) => void
}

/** Takes what was published, here or at another instance: one frozen value for all listeners. */
export type MessageListener = (message: BusMessage) => unknown

export interface SubscribeOptions {
  /** Messages of other instances may have been missed: read again what they tell of. */
  readonly onGap?: () => unknown
}

/** Milliseconds since the epoch. */
export type Clock = () => number

export type RandomBytes = (count: number) => Uint8Array

/** One line per event; `fields` hold no secret. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Connections to the database, now. */
export interface PoolUse {
  readonly used: number
  readonly idle: number
  /** Who waits for one. */
  readonly waiting: number
}

/** Where a task is; the last three are ends. Source: SEP-2663, Task status. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A tool call that its client comes back for. Times are milliseconds since the epoch. No credential is in it. */
export interface TaskRecord {
  /** What the store knows it by: the SHA-256 of its id, which is told the client alone. */
  readonly key: string
  /** Names who made it: who comes with another one does not find it. */
  readonly owner: string
  /** Ids, as far as a token says them. */
  readonly user: string | null
  readonly client: string | null
  readonly grant: string | null
  readonly tool: string
  readonly status: TaskStatus
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number
  /** Counts its changes: a change is made of the newest one or not at all. */
  readonly revision: number
  /** The process that works on it, and until when that is believed without a sign of life; null = none does. */
  readonly runner: string | null
  readonly leaseUntil: number | null
  readonly message: string | null
  /** What it was called with, as JSON; null once that is needed no more. */
  readonly args: string | null
  /** The address that says how far it is; null = it runs here. */
  readonly location: string | null
  /** The questions to its user and what came back, as JSON; null = none was asked. */
  readonly input: string | null
  /** The result, or the error, as JSON; null before its end. */
  readonly outcome: string | null
}

export type NewTask = Omit<TaskRecord, 'key' | 'createdAt' | 'updatedAt' | 'revision' | 'outcome'> & {
  readonly id: string
  /** Those of the headers that came with the call which it carries whenever it runs, as JSON; null = none. No credential is among them. */
  readonly headers: string | null
}

/** What may change of it. */
export type TaskChange = Partial<
  Pick<TaskRecord, 'status' | 'runner' | 'leaseUntil' | 'message' | 'args' | 'location' | 'input' | 'outcome'>
>

/** How many tasks one owner may have, those that have ended and are kept included, and how many that have not. */
export interface TaskRoom {
  readonly kept: number
  readonly unfinished: number
  /** Of kept results, of one owner and of all. */
  readonly ownerBytes: number
  readonly allBytes: number
}

/** Tasks at rest: the truth about them, whichever instance is asked. */
export interface TaskStore {
  /** Null, and nothing is stored, where the owner has as many as it may. */
  createTask(task: NewTask, room: TaskRoom): Promise<TaskRecord | null>
  /** Null also for one that has expired, or is another's. */
  findTask(id: string, owner: string): Promise<TaskRecord | null>
  /** The headers that it was made with, as JSON; null = none. */
  headersOfTask(task: Pick<TaskRecord, 'key'>): Promise<string | null>
  /** The task as it then is; null where somebody else changed it first, or it has gone. */
  changeTask(task: TaskRecord, change: TaskChange): Promise<TaskRecord | null>
  /** A sign of life of a process for the tasks that it works on; resolves with the keys of those that are still its own. Any other that
   *  names it, because it never heard that it got it, is left to whoever asks. */
  renewTasks(runner: string, keys: readonly string[], leaseUntil: number): Promise<readonly string[]>
}
