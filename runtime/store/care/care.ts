/** What an operator asks of a store that engines answer in their own ways. All of it reads, or leaves nothing. */
import type { Kysely } from 'kysely'

export interface StoreCare {
  /** Every table, the application's too, by name. */
  tables(database: Kysely<unknown>): Promise<readonly TableSize[]>
  size(database: Kysely<unknown>): Promise<StoreSize>
  /** What to do when it cannot be written. */
  readonly writable: string
  /** What is damaged in the database itself. */
  damage(database: Kysely<unknown>): Promise<readonly StoreFinding[]>
}

export interface TableSize {
  readonly table: string
  readonly rows: number
  /** Whether `rows` is what the engine remembers: counting would take long. */
  readonly isEstimate: boolean
  /** With its indexes. */
  readonly bytes: number
}

export interface StoreSize {
  readonly bytes: number
  /** Of these, what rows that are gone have left for new ones; null where the engine does not say. */
  readonly freeBytes: number | null
  /** The write-ahead log beside it; null where it is the server's. */
  readonly walBytes: number | null
}

/** What is wrong, and what to do about it. */
export interface StoreFinding {
  readonly what: string
  readonly remedy: string
}
