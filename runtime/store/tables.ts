/** The tables of the store, all named `acmcp_…`: what a row holds, when it ends, and whose it is. Times are milliseconds since the epoch;
 *  `*_hash` columns hold SHA-256 (lower-case hex). */
import type { Kysely, RawBuilder } from 'kysely'
import type { UserStanding } from '../contract/store.ts'
import type { MarkedMigration } from './migrations/migration.ts'

export interface CoreTables {
  readonly acmcp_users: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly updated_at: number
    /** JSON; what the application keeps with them. */
    readonly attributes: string | null
    /** Null = not since there is this column. */
    readonly signed_in_at: number | null
    /** When the sign-in began that said so, or was refused; null = before that was kept. */
    readonly attributes_at: number | null
    /** Null = may sign in. */
    readonly blocked_at: number | null
    /** The pseudonym that the audit has in their place; null = is not being erased. */
    readonly erased_as: string | null
    /** When they were unblocked: tokens of before that were not issued here count no more. */
    readonly tokens_since: number | null
  }
  readonly acmcp_clients: {
    readonly id: string
    readonly metadata: string
    readonly created_at: number
    readonly last_used_at: number | null
  }
  readonly acmcp_grants: {
    readonly id: string
    readonly user_id: string
    readonly client_id: string
    readonly scope: string
    readonly resource: string
    readonly created_at: number
    readonly expires_at: number
    readonly revoked_at: number | null
    readonly revoked_reason: string | null
    /** Names with spaces in between; null where no scopes were declared. */
    readonly allowed: string | null
    /** 1 = yes. */
    readonly read_only: number | null
    /** A name of `acmcp_surfaces`, or `whole`. */
    readonly surface: string | null
    /** When its client was told to ask its user again. */
    readonly asked_at: number | null
    /** Null = its user allowed it, or it is a client's own. */
    readonly kind: string | null
  }
  /** What scopes let a client change, once a build that changed it. */
  readonly acmcp_surfaces: { readonly name: string; readonly routes: string; readonly used_at: number }
  readonly acmcp_tokens: {
    readonly jti_hash: string
    readonly grant_id: string
    readonly kind: 'code' | 'refresh' | 'access'
    readonly expires_at: number
    readonly spent_at: number | null
    readonly successor_hash: string | null
    /** How often a spent refresh token was exchanged again; null = never. */
    readonly retries: number | null
  }
  /** Tokens that were revoked without having been issued here. */
  readonly acmcp_revoked_tokens: {
    readonly jti_hash: string
    readonly expires_at: number
    readonly revoked_at: number
    readonly reason: string
  }
  /** How often something happened in a window of time, over all instances. */
  readonly acmcp_shared_counts: {
    readonly window_start: number
    readonly key: string
    readonly count: number
  }
  /** Sizes of tables that have a cap, so that no verb counts rows. The row's lock also orders those who add and remove. */
  readonly acmcp_sizes: { readonly name: 'clients'; readonly size: number }
  /** One row: counts what one process on a SQLite file tells the others (sqlite/sqlite-bus.ts). */
  readonly acmcp_changes: { readonly version: number }
  readonly acmcp_sessions: {
    readonly id_hash: string
    readonly data: string
    readonly expires_at: number
    /** Of the provider's own session, where it may end that. */
    readonly sid_hash: string | null
  }
  /** What was used, until it would be refused as too old. */
  readonly acmcp_used_once: { readonly id_hash: string; readonly expires_at: number }
}

/** The handle inside this room. */
export type CoreDatabase = Kysely<CoreTables>

/** What a table says of its rows: purge, erasure, and what they count, are loops over it. */
export interface TableRules<Column extends string = string> {
  /** A text, by which rows are changed in batches. */
  readonly key: Column
  /** When a row is to be purged; absent = never, or by a rule of its own there. */
  readonly ends?: Ends<Column>
  /** Absent = no row belongs to a person. */
  readonly person?: Person<Column>
  /** How rows go that are of before `end` (milliseconds): so long as the application keeps them. */
  readonly old?: (end: number) => Purge
  /** When the grant with that id was used last, as the rows have it. */
  readonly lastUse?: (grantId: RawBuilder<unknown>) => RawBuilder<number | null>
}

/** What goes from one table: the keys of a batch are looked up first, after those of the batch before, and then deleted by their
 *  names. Whatever the planner believes of the table, no row is looked at once a batch. */
export interface Purge {
  /** The next keys, at most 500; null = from the beginning. */
  readonly find: (database: CoreDatabase, now: number, last: FoundKey | null) => Promise<readonly FoundKey[]>
  readonly change: (database: CoreDatabase, now: number, found: readonly FoundKey[]) => Promise<number>
}

/** A key, and by what keys are in order. */
export interface FoundKey {
  readonly key: string
  readonly at: number | string
}

export interface NamedTable extends TableRules {
  readonly name: string
}

/** A table of a capability, which says the same of its rows. */
export interface CapabilityTable<Column extends string = string> extends TableRules<Column> {
  readonly name: `acmcp_${string}`
  /** By name, among those of the core. A name of the core or of another table is of one migration, of which this is a part. */
  readonly migrations: Readonly<Record<string, MarkedMigration>>
}

export interface Ends<Column extends string = string> {
  /** A time, with an index. */
  readonly column: Column
  /** So long after it, in milliseconds. */
  readonly afterMs?: number
  /** Only where that is so. */
  readonly where?: (now: number) => RawBuilder<unknown>
}

/** Whose a row is, and what their erasure does to it: it is deleted, or has the pseudonym in their place. */
export interface Person<Column extends string = string> {
  readonly column: Column
  readonly erasure: 'delete' | 'rename'
  /** As what its rows are counted; null = they are not. */
  readonly countedAs: string | null
  /** What goes before a batch of rows with these keys, as in `delete from`. */
  readonly before?: (keys: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Whether an index has the rows of a person in the order of their keys. */
  readonly isInOrder?: true
  /** What a row is given beside the pseudonym. */
  readonly set?: (standing: UserStanding) => RawBuilder<unknown>
  /** Whether other instances still write rows that name the person: these are erased last. */
  readonly isWrittenLate?: true
  /** What becomes of rows when the person's access ends, of those of which `where` is true. */
  readonly whenBlocked?: {
    readonly where: RawBuilder<unknown>
    readonly set: (now: number) => RawBuilder<unknown>
  }
  /** Of rows that no column finds, or that are not changed row by row. */
  readonly own?: OwnErasure
}

export interface OwnErasure {
  readonly count: (database: CoreDatabase, userId: string) => Promise<number>
  readonly erase: Erase
}

/** Resolves with how many rows. */
export type Erase = (
  database: CoreDatabase,
  standing: UserStanding,
  alongIndexes: AlongIndexes,
) => Promise<number>

/** Does `work` with the indexes that are there for it. */
export type AlongIndexes = <Result>(
  database: CoreDatabase,
  work: (database: CoreDatabase) => Promise<Result>,
) => Promise<Result>
