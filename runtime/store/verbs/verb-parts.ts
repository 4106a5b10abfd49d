/** What verbs are made of: those of a capability are its own, and the store has none of them. */
import type { Kysely, RawBuilder } from 'kysely'
import type { Clock } from '../../contract/store.ts'
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
}
