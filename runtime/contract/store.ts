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
  /** The pseudonym that the audit has in their place; null = is not being erased. */
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
   *  most once and in order. Does not wait for them. Throws a `TypeError` for what is no JSON, a `RangeError` for a topic that has not 1 to
   *  200 characters, and for topic and message of more than 7,000 bytes of JSON together. */
  // Source: decisions/store.md, Application events.
  readonly publish: (topic: string, message: BusMessage) => void
  /** Listens to `topic` until the returned function is called. What a listener throws is logged. */
  readonly subscribe: (topic: string, listener: MessageListener, options?: SubscribeOptions) => () => void
  /** Tells every MCP client that subscribed to the resource at that address, and may read it, here and at every other instance, that it
   *  has changed; never waits for them. `/notes/1` continues the base URL. Many calls for an address within a second become two. Throws a
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
  /** Requests that wait for a connection. */
  readonly waiting: number
}
