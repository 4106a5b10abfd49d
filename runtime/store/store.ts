/** The store as the rest of the runtime sees it: plain records and atomic verbs. Every verb is one transaction; single
 *  use is decided by the row count of a conditional write, never by reading first. Types and one error only. */
import type { Kysely, Migration } from 'kysely'
import type { Clock, SessionStore, User } from '../contract.ts'

export type { Migration } from 'kysely'

/** The typed handle on the application's own tables. */
export type Database<Tables> = Kysely<Tables>

/** What `openStore` needs. `url`: `sqlite:path`, `sqlite::memory:` or `postgres://…`. `migrations` are the
 *  application's, run after the core's in the order of their names. `refuse` never changes a schema. */
export interface StoreOptions {
  readonly url: string
  readonly clock: Clock
  readonly migrations: Readonly<Record<string, Migration>>
  readonly migrate: 'apply' | 'refuse'
}

/** A registered client. Source: specification, Registered client; every client is public. */
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

/** What spending came to. `first`: this call alone spent it and the new pair is recorded. `again`: it had been spent at
 *  `firstSpentAt` (milliseconds). `unknown`: no such row, or its grant is revoked; fail closed. */
export type Spending =
  | { readonly kind: 'first' }
  | { readonly kind: 'again'; readonly grantId: string; readonly firstSpentAt: number }
  | { readonly kind: 'unknown' }

/** Users, clients, grants and sessions at rest. Each verb may throw `StoreBusy`. Bearer identifiers (code, token and
 *  session ids) are kept as SHA-256 only. Source: decisions.md, OAuth. */
export interface Store extends SessionStore {
  /** Creates or replaces the record of `user.id`. */
  saveUser(user: User): Promise<void>
  findUser(id: string): Promise<User | null>
  saveClient(client: Client): Promise<void>
  findClient(id: string): Promise<Client | null>
  /** Opens `grant` and records its authorization code. */
  issueCode(grant: Grant, code: Issued): Promise<void>
  /** Spends a code for a pair of tokens, in one transaction. Call it after everything else has been validated. */
  redeemCode(jti: string, pair: TokenPair): Promise<Spending>
  /** Spends a refresh token for its successor and a new access token, in one transaction. */
  rotateRefresh(jti: string, pair: TokenPair): Promise<Spending>
  /** Ends a grant with every code and token of it; the first reason is kept. */
  revokeGrant(grantId: string, reason: string): Promise<void>
  /** Whether the access token belongs to a revoked grant. An unknown one is not revoked. */
  isRevoked(accessJti: string): Promise<boolean>
  /** Removes what has expired, in batches, never earlier; answers how many rows went. */
  purgeExpired(): Promise<number>
  /** The application's handle on the same database. A verb awaited inside its transaction would wait for itself. */
  readonly database: Database<unknown>
  close(): Promise<void>
}

/** The database stayed locked by another process for about five seconds; answered with 503. */
export class StoreBusy extends Error {
  readonly status = 503
  constructor() {
    super('the store is busy')
  }
}

/** No further client fits in; answered with 503. */
export class ClientLimit extends Error {
  readonly status = 503
  constructor() {
    super('no more clients can be registered for now')
  }
}

/** Migrations are pending and the store was opened with `refuse`. */
export class StoreBehind extends Error {
  constructor() {
    super('the store is behind: start once with acmcp serve --migrate')
  }
}
