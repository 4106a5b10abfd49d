/** The store as the rest of the runtime sees it: plain records and atomic verbs. Every verb is one transaction; single
 *  use is decided by the row count of a conditional write, never by reading first. Types and errors only. */
import type { Bus } from '../contract/bus.ts'
import type { SessionStore } from '../contract/session-store.ts'
import type { AuthInfo, Clock, PoolUse, Surface, User, UserStanding } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'
import type { OutageListener } from './health.ts'
import type { Database } from './lend-database.ts'
import type { Migration } from './migrations/migration.ts'
import type { PoolLimits } from './pool.ts'
import type { CapabilityTable } from './tables.ts'
import type { VerbParts } from './verbs/verb-parts.ts'

/** What `openStore` needs. `url`: `sqlite:path`, `sqlite::memory:` or `postgres://…`. `migrations` are the
 *  application's, run after the core's in the order of their names; null = nothing is asked of its tables. `refuse` never
 *  changes a schema. */
export interface StoreOptions {
  readonly url: string
  readonly clock: Clock
  /** Of what is remembered for a while; never goes back (default: that clock). */
  readonly monotonic?: Clock | undefined
  readonly migrations: Readonly<Record<string, Migration>> | null
  readonly migrate: 'apply' | 'refuse'
  /** Of the capabilities.
   *  @internal */
  readonly tables: readonly CapabilityTable[]
  /** Of PostgreSQL; those of `DATABASE_POOL` and its like when not given. */
  readonly pool?: PoolLimits
  /** How many clients are kept at most; 100,000 when not given. */
  readonly clientCap?: number
  /** Is told when the database can no longer be used, and when it can again. */
  readonly onOutage?: OutageListener
  /** By table, how long its rows are kept (milliseconds), where that is not always. */
  readonly keptMs?: ReadonlyMap<string, number>
}

/** A registered client; every client is public. */
// Source: rules.md, Registered client.
export interface Client {
  readonly id: string
  /** Null = not given; pages show the id. */
  readonly name: string | null
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  readonly responseTypes: readonly string[]
}

/** A user's consent for one client: the family that a code and all tokens made from it belong to. */
export interface Grant {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly scope: string
  /** The resource the client named (RFC 8707), empty when none. */
  readonly resource: string
  /** The declared scopes that the user allowed, `scope` resolved as it was that day: nothing that is declared or implied
   *  later comes to them. Null when none were declared. */
  readonly allowed: readonly string[] | null
  /** Its client may look, and change nothing; absent = it may change, too. */
  readonly readOnly?: boolean
  /** What those scopes let a client change when the user was asked; `whole` = the user was shown no page, and it covers its scopes;
   *  absent = no scopes were declared. */
  readonly surface?: Surface | 'whole'
  readonly kind?: GrantKind
}

/** Which organization of its user allowed a grant, as the part that opened it calls that; null = its user, or its client for itself. */
export type GrantKind = string | null

/** What a token's grant says beside its scopes. */
export interface GrantTerms {
  readonly readOnly: boolean
  /** The name of its surface, or `whole`; null for a grant of before there were surfaces, or scopes. */
  readonly surface: string | null
}

/** An identifier handed out in a JWT and the end of its life, in milliseconds since the epoch. */
export interface Issued {
  readonly jti: string
  readonly expiresAt: number
}

/** The pair that a code or refresh token is exchanged for. */
export interface TokenPair {
  readonly access: Issued
  readonly refresh: Issued
}

/** For how long after its first use (milliseconds) a refresh token is exchanged again, and how often at most. */
export interface RefreshGrace {
  readonly ms: number
  readonly maxRetries: number
}

/** What redeeming came to. `redeemed`: by this call alone, and the new pair is recorded. `retried`: it had been redeemed, and this pair is
 *  recorded beside the first. `replayed`: it had been redeemed at `redeemedAt` (milliseconds). `invalid`: no such row, or its grant is revoked; fail closed. */
export type Redemption =
  | { readonly kind: 'redeemed' | 'retried'; readonly grantId: string }
  | { readonly kind: 'replayed'; readonly grantId: string; readonly redeemedAt: number }
  | { readonly kind: 'invalid' }

/** Whose a token is. `grantId`, `allowed` and `surface` are null for one that was not issued here. */
export interface TokenHolder extends Pick<AuthInfo, 'grantId'>, Pick<Grant, 'allowed'>, GrantTerms {
  readonly user: User
  /** Whether `askOnce` has been true for its grant. */
  readonly isAsked: boolean
  /** When it was redeemed, of a code or refresh token (milliseconds); null = not yet, or it is none. */
  readonly spentAt: number | null
}

/** What a client holds of a user. */
export type HeldGrant = Pick<Grant, 'scope' | 'allowed'> & GrantTerms

/** How often something happened, under an opaque name: never what a caller sent, only its hash. */
export interface Count {
  readonly key: string
  readonly count: number
}

/** A grant with a token that still works, as people see it. Times are milliseconds since the epoch. */
export interface LiveGrant {
  readonly grantId: string
  readonly user: User
  /** Null = it gave no name, or has been removed. */
  readonly client: { readonly id: string; readonly name: string | null }
  /** What the client asked for, and what that came to where scopes are declared. */
  readonly scope: string
  readonly allowed: readonly string[] | null
  readonly readOnly: boolean
  readonly kind: GrantKind
  readonly connectedAt: number
  /** Of its last tool call, recorded request or refresh, as the audit has it; null = none. */
  readonly lastUsedAt: number | null
}

/** Where a grant stands among others. */
export interface GrantKey {
  readonly clientId: string
  readonly id: string
}

/** Grants that ended at once. */
export interface RevokedBatch {
  /** Whose they were, each once. */
  readonly userIds: readonly string[]
  /** Those of them that had a token that worked. */
  readonly live: readonly LiveGrant[]
  /** After which the next batch begins; null = this was the last. */
  readonly next: GrantKey | null
}

/** All that is named must fit; nothing = every connection. */
export interface GrantFilter {
  readonly grantId?: string
  readonly userId?: string
  readonly clientId?: string
}

/** A client, how often it is connected, and when it asked for consent last. */
export interface KnownClient {
  readonly id: string
  readonly name: string | null
  readonly registeredAt: number
  readonly lastUsedAt: number | null
  readonly connections: number
}

export interface KnownUser extends User {
  /** The last time that they signed in; null = never, or not since acmcp keeps that. */
  readonly signedInAt: number | null
  readonly connections: number
  /** Null = may sign in. */
  readonly blockedAt: number | null
}

/** Users, clients, grants and sessions at rest. Each verb may throw `StoreUnavailable` (or its `StoreBusy`) and works
 *  again as soon as the database does. Bearer identifiers (code, token and session ids) are kept as SHA-256 only. */
// Source: rules.md, OAuth.
export interface Store extends SessionStore {
  /** Creates or replaces the record of `user.id`; what a sign-in has said stays. Throws `UserBlocked`. */
  saveUser(user: User): Promise<void>
  /** The same when they sign in: now, with these attributes (JSON) in place of those that are there; null = none. `beganAt`: when it was
   *  asked who they are (milliseconds); of what a later sign-in has said, or its refusal, nothing is replaced. `hasSignedIn`: false where their identity provider alone says so (an ID-JAG), and the time
   *  of the last sign-in stays. Throws `UserBlocked`. */
  saveSignIn(user: User, attributes: string | null, beganAt: number, hasSignedIn?: boolean): Promise<void>
  /** No attributes are kept with the user any more, unless a later sign-in has said them: whether that is so. The record and the time of
   *  the last sign-in stay. */
  forgetAttributes(userId: string, beganAt: number): Promise<boolean>
  /** Null also for one who is blocked. */
  findUser(id: string): Promise<User | null>
  /** The user of a token (or of a code), and the grant with what it allows when it was issued here, unless the token is
   *  revoked by itself or with its grant, or its user blocked: one statement. A token without a `jti` (null) cannot be revoked by itself.
   *  One that was not issued here ends when its user is unblocked: it was issued at `issuedAt` (milliseconds). */
  findUserOfToken(userId: string, jti: string | null, issuedAt?: number): Promise<TokenHolder | null>
  findStanding(userId: string): Promise<UserStanding | null>
  /** Those of these users who are blocked, or not there at all. */
  findGone(userIds: readonly string[]): Promise<readonly string[]>
  /** Creates or replaces a client. At the cap, a new one takes the place of the oldest that was never used, else of the one
   *  used longest ago, first of those without a live grant; the grants of that one live on. Throws `ClientLimit` when there
   *  is none. */
  saveClient(client: Client): Promise<void>
  findClient(id: string): Promise<Client | null>
  /** The names of those of these clients that are registered under one, by id; in one statement. */
  findClientNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Opens `grant` and records its authorization code. Throws `UserBlocked`. */
  issueCode(grant: Grant, code: Issued): Promise<void>
  /** What a client holds of a user by tokens that still work, the same once: of 1,000 grants at most. */
  findLiveGrants(userId: string, clientId: string): Promise<readonly HeldGrant[]>
  /** Keeps a surface, unless there is one of that name. Those of grants are kept with them. */
  keepSurface(surface: Surface): Promise<void>
  /** The `routes` of a surface. */
  findSurface(name: string): Promise<string | null>
  /** True once for a grant, over all instances. */
  askOnce(grantId: string): Promise<boolean>
  /** Redeems a code for a pair of tokens, in one transaction. Call it after everything else has been validated. */
  redeemCode(jti: string, pair: TokenPair): Promise<Redemption>
  /** Redeems a refresh token for its successor and a new access token, in one transaction; within `grace` another time. */
  rotateRefresh(jti: string, pair: TokenPair, grace?: RefreshGrace | null): Promise<Redemption>
  /** True once for the parts of an id of that kind (as `client-assertion`), over all instances, until `expiresAt` (milliseconds): a caller that refuses what is too
   *  old by itself takes it once. */
  useOnce(kind: string, id: readonly string[], expiresAt: number): Promise<boolean>
  /** Whether `useOnce` has been true for it. */
  wasUsed(kind: string, id: readonly string[]): Promise<boolean>
  /** Records an access token for which no user was asked, with the live grant of its subject, client and kind, which is renewed as
   *  `grant` says, else opened: the grant's id. Throws `UserBlocked` where an organization allowed it. */
  issueUnasked(grant: Grant, token: Issued): Promise<string>
  /** The live grant by which that token was issued to the subject, `client:` and the client's id, else null. */
  findGrantOfToken(subject: string, jti: string): Promise<string | null>
  /** Ends a grant with every code and token of it; the first reason is kept. */
  revokeGrant(grantId: string, reason: string): Promise<void>
  /** Revokes the grant of a code, access or refresh token and resolves with the grant's id. A token that was not issued here
   *  (another holder of the shared key signed it) is remembered as revoked until `until` (milliseconds): null. */
  revokeToken(jti: string, until: number, reason: string): Promise<string | null>
  /** Grants (without `limit` all) and clients: the oldest first; users: by their ids. */
  listGrants(filter: GrantFilter, limit?: number): Promise<readonly LiveGrant[]>
  /** A page of a user's grants: the first `limit` of those whose clients come after the id `after`, those of one client together. */
  listGrantsByClient(userId: string, after: string, limit: number): Promise<readonly LiveGrant[]>
  listClients(limit: number): Promise<readonly KnownClient[]>
  listUsers(limit: number): Promise<readonly KnownUser[]>
  /** Revokes the first 500 grants that fit and come after `after`; null = from the beginning. The first reason is kept. */
  revokeGrants(filter: GrantFilter, reason: string, after: GrantKey | null): Promise<RevokedBatch>
  /** Forgets the client; its grants live on. Resolves with whether there was one. */
  removeClient(id: string): Promise<boolean>
  /** Signs the user out of every browser; resolves with how many. */
  revokeSessions(userId: string): Promise<number>
  /** Ends the sessions that a provider calls by that name (a hash), and those of the user of which no such name is known; null = it says
   *  none: all of the user, none of another. Resolves with how many ended, by user. */
  endSessions(userId: string | null, sidHash: string | null): Promise<ReadonlyMap<string, number>>
  /** Whose the sessions are that a provider calls by that name (a hash). */
  findSessionUsers(sidHash: string): Promise<readonly string[]>
  /** Adds this instance's counts for the window that began at `window` (milliseconds) and resolves with the sums over all
   *  instances, by key, in one transaction. Windows that began more than two hours ago are purged. */
  shareCounts(window: number, counts: readonly Count[]): Promise<ReadonlyMap<string, number>>
  /** Whether other machines share this store (PostgreSQL), so that counts are worth sharing. */
  readonly isShared: boolean
  /** What its connections do now; null where there is no pool. */
  readonly poolUse: (() => PoolUse) | null
  /** Joins the other instances on this store: none on SQLite. `secrets` seal what they say where others may connect (the first
   *  seals, all open). Rejects where notifications cannot arrive. */
  joinBus(every: Scheduler, secrets: readonly string[]): Promise<Bus>
  /** Whether it has every migration that this build needs. */
  isCurrent(): Promise<boolean>
  /** Rejects with `StoreUnavailable` when nothing can be written now: a full disk, a file or server that only reads. Blocks
   *  no writer, and waits for none. */
  probeWrite(): Promise<void>
  /** Removes what has expired, in batches, never earlier; resolves with the number of rows. Stops between two batches when
   *  `signal` aborts. */
  purgeExpired(signal?: AbortSignal | null): Promise<number>
  /** Those of a capability, on its own tables.
   *  @internal */
  verbs<Tables, Verbs extends object>(make: (parts: VerbParts<Tables>) => Verbs): Verbs
  /** The application's handle on the same database. A verb awaited inside its transaction would wait for itself. */
  readonly database: Database<unknown>
  close(): Promise<void>
}

/** The database cannot be used now: locked, read-only, full, damaged, gone or unreachable. Answered with 503 and
 *  `Retry-After`; nothing needs a restart. What the driver said is the `cause` and belongs in the log only. */
export class StoreUnavailable extends Error {
  readonly status = 503
  readonly retryAfterSeconds: number
  constructor(
    message = 'the store is not available',
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5
  }
}

/** Others kept the database locked for about five seconds. */
export class StoreBusy extends StoreUnavailable {
  constructor(options: ErrorOptions = {}) {
    super('the store is busy', { ...options, retryAfterSeconds: 1 })
  }
}

/** Why a write waited in vain when no other process held the lock: as likely as not for its own transaction. */
export class WriteLockHeld extends Error {
  constructor() {
    super(
      'another transaction of this process held the write lock all the time. Inside `transaction().execute(async (trx) => …)` ask `trx`: what asks the handle of `databaseOf` there waits for its own transaction',
    )
  }
}

/** The user is blocked: no sign-in and no connection of a client as that user. */
export class UserBlocked extends Error {
  readonly status = 403
  /** Of OAuth. */
  readonly error = 'access_denied'
  constructor() {
    super('the user is blocked')
  }
}

/** The store may keep no client at all. */
export class ClientLimit extends StoreUnavailable {
  constructor() {
    super('no more clients can be registered', { retryAfterSeconds: 3600 })
  }
}

/** The address of the store is none. */
export class StoreAddressError extends Error {}

/** Notifications do not arrive on a connection that takes them. */
export class DeafConnection extends Error {
  constructor() {
    super(
      'PostgreSQL takes LISTEN, but no notification arrives: a pooler between gives each transaction another connection. Let it pool by session (PgBouncer: pool_mode = session)',
    )
  }
}
