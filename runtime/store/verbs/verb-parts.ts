/** What verbs are made of: those of a capability are its own, and the store has none of them. */
import type { Kysely, RawBuilder } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import type { Health } from '../health.ts'
import type { AlongIndexes, CoreTables, NamedTable } from '../tables.ts'
import type { Prepare } from './prepare.ts'

/** `Tables`: those of the capability. */
export interface VerbParts<Tables = unknown> {
  readonly database: Kysely<CoreTables & Tables>
  readonly clock: Clock
  /** Never goes back. */
  readonly monotonic: Clock
  readonly engine: VerbEngine
  /** All of the store. */
  readonly tables: readonly NamedTable[]
  /** Is awaited before the store closes its connections. */
  readonly beforeClose: (end: () => Promise<void>) => void
}

/** What verbs ask of an engine. */
export interface VerbEngine {
  readonly prepare: Prepare
  /** Ends a `select` of rows to be changed: those that another transaction has locked are left out. */
  readonly skipLocked: RawBuilder<unknown>
  /** The function that makes a JSON array of its arguments. */
  readonly jsonArray: RawBuilder<unknown>
  /** Does `work`, which goes through tables in batches by key: every statement of it uses the indexes that are there for it. */
  readonly alongIndexes: AlongIndexes
  /** What there is of SQLite beside its dialect; null = another engine. */
  readonly sqlite: SqliteParts | null
}

/** For a writer with a connection of its own to the file. */
export interface SqliteParts {
  /** Null = in memory. */
  readonly file: string | null
  readonly patienceMs: number
  readonly commits: { enqueue<Result>(write: (exec: Exec) => Result): Promise<Result> }
  /** Writes take turns: other writes wait for the end of `work`. */
  readonly takeTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Of the file that was found there. */
  readonly identity: () => { readonly main: string; readonly log: string } | null
  readonly health: Health
}

/** Runs one statement at once and returns its rows. */
type Exec = (sql: string, parameters: readonly unknown[]) => readonly unknown[]
