/** The trail that is kept: rows wait in memory and are written many at a time, off the path of the requests they tell of.
 *  Source: decisions/audit.md, Writing. */
import type { AuditEntry, AuditTrail, NewAuditRecord } from '../../contract/calls.ts'
import type { Clock, Logger, RandomBytes } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { auditRecords, type RecordOf } from './audit-records.ts'
import { batchSpanMs } from './audit-rows.ts'
import type { AuditStore } from './audit-store.ts'
import { RepeatedRefusals } from './repeated-refusals.ts'

export interface AuditTrailOptions {
  readonly store: Pick<AuditStore, 'appendAudit'>
  readonly clock: Clock
  /** Milliseconds that never go back (default: the clock). */
  readonly monotonic?: Clock | undefined
  readonly randomBytes: RandomBytes
  readonly every: Scheduler
  readonly log: Logger
}

/** How long a row waits, in milliseconds, when few come. */
const writeEveryMs = 1000
/** One batch. As many are written without waiting for the clock. */
const rowsTogether = 250
/** While the store is away; then the oldest are lost. About 5 MB. */
const maxWaiting = 10_000

interface WaitingRow {
  readonly record: NewAuditRecord
  /** Of a row that a call waits for. */
  readonly settle: ((error: unknown) => void) | null
  /** The batch in which it may have been written: it comes again with the same rows. */
  readonly batch: string | null
}

export class KeptTrail implements AuditTrail {
  readonly #options: AuditTrailOptions
  readonly #recordOf: RecordOf
  readonly #refusals: RepeatedRefusals
  readonly #stop: () => Promise<void>
  #waiting: WaitingRow[] = []
  /** How many of those that wait are to be written now, the oldest first. */
  #due = 0
  #writing: Promise<void> | null = null
  #isAway = false
  #lost = 0

  constructor(options: AuditTrailOptions) {
    this.#options = options
    this.#recordOf = auditRecords(options.clock, options.randomBytes)
    this.#refusals = new RepeatedRefusals(options.monotonic ?? options.clock)
    this.#stop = options.every(writeEveryMs, () => {
      this.#recordRepeated()
      return this.flush()
    })
  }

  readonly record = (entry: AuditEntry): void => {
    if (!this.#refusals.isRepeated(entry)) this.#record(entry)
  }

  #record(entry: AuditEntry): void {
    this.#waiting.push({ record: this.#recordOf(entry), settle: null, batch: null })
    if (this.#waiting.length > maxWaiting) this.#lose()
    if (this.#waiting.length >= rowsTogether && !this.#isAway) void this.flush()
  }

  readonly recordDurably = (entry: AuditEntry): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!isOwnAct(entry) && this.#refusals.isRepeated(entry)) return resolve()
      const settle = (error: unknown): void => (error === null ? resolve() : reject(error))
      this.#waiting.push({ record: this.#recordOf(entry), settle, batch: null })
      void this.flush()
    })

  /** Writes what waits; what cannot be written now is lost, and said in the log. */
  async close(): Promise<void> {
    await this.#stop()
    this.#recordRepeated('all')
    await this.flush()
    this.#lost += this.#waiting.length
    this.#waiting = []
    this.#logLost()
  }

  #recordRepeated(which: 'ended' | 'all' = 'ended'): void {
    for (const entry of this.#refusals.takeEnded(which)) this.#record(entry)
  }

  readonly flush = (): Promise<void> => {
    this.#due = this.#waiting.length
    if (this.#writing === null && this.#due > 0) this.#writing = this.#write()
    return this.#writing ?? Promise.resolve()
  }

  async #write(): Promise<void> {
    while (this.#due > 0) {
      const rows = this.#take()
      this.#due -= rows.length
      const error = await this.#append(rows)
      if (error !== null) await this.#failed(rows, error)
    }
    if (!this.#isAway) this.#logLost()
    this.#writing = null // in the same turn: a later row begins a new write
  }

  /** The next batch: one that comes again, or of what has come within two seconds. Its last row says which it is: it may have lost its
   *  oldest meanwhile. */
  #take(): readonly WaitingRow[] {
    const [first] = this.#waiting
    const isNext = ({ batch, record }: WaitingRow): boolean =>
      batch !== first?.batch || (batch === null && record.at - first.record.at > batchSpanMs)
    const end = this.#waiting.slice(0, rowsTogether).findIndex(isNext)
    return this.#waiting.splice(0, end < 0 ? rowsTogether : end)
  }

  /** Null, or why they could not be written. */
  async #append(rows: readonly WaitingRow[]): Promise<unknown> {
    try {
      await this.#options.store.appendAudit(rows.map(({ record }) => record))
    } catch (error) {
      return error
    }
    this.#isAway = false
    for (const { settle } of rows) settle?.(null)
    return null
  }

  async #failed(rows: readonly WaitingRow[], error: unknown): Promise<void> {
    if (error instanceof StoreUnavailable) return this.#keep(rows, error)
    this.#options.log.error({ err: error }, 'the audit could not be written')
    for (const row of rows) this.#alone(row, rows.length > 1 ? await this.#append([row]) : error)
  }

  /** What the database does not take is lost, and not what was to be written with it. */
  #alone(row: WaitingRow, error: unknown): void {
    if (error instanceof StoreUnavailable) this.#keep([row], error)
    else if (error !== null) {
      this.#lost += 1
      row.settle?.(error)
    }
  }

  /** Rows come back for later when the database cannot be used; a call that waits for one waits no longer. */
  #keep(rows: readonly WaitingRow[], error: StoreUnavailable): void {
    for (const { settle } of rows) settle?.(error)
    this.#isAway = true
    this.#due = 0
    const kept = this.#waiting.map((row) => withheldAfter(row, error))
    const batch = rows.at(-1)?.record.id ?? null
    this.#waiting = [...rows.map((row) => ({ ...withheldAfter(row, null), batch })), ...kept]
    while (this.#waiting.length > maxWaiting) this.#lose()
  }

  #lose(): void {
    this.#waiting.shift()?.settle?.(new StoreUnavailable())
    this.#due = Math.max(0, this.#due - 1)
    this.#lost += 1
  }

  #logLost(): void {
    if (this.#lost === 0) return
    this.#options.log.error({ event: 'audit-loss', rows: this.#lost }, 'rows of the audit were lost')
    this.#lost = 0
  }
}

/** What a known user tried and may not do is worth a row each time, where the settings ask for a record of every call. */
const isOwnAct = ({ decision, user }: AuditEntry): boolean => decision === 403 && user != null

/** The row of an answer that was withheld, because it could not be written in time; `error` is told to a call that still waits. */
function withheldAfter(row: WaitingRow, error: unknown): WaitingRow {
  if (row.settle === null) return row
  if (error !== null) row.settle(error)
  const { entry } = row.record
  const detail = { ...entry.detail, withheld: true }
  return { ...row, record: { ...row.record, entry: { ...entry, detail } }, settle: null }
}
