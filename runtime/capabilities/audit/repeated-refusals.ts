/** A client that is refused may go on asking: the first refusal of a minute is a row, those after it are counted, and a row at
 *  its end says how many, so that the table grows no faster than refusals differ. */
import type { AuditEntry } from '../../contract/calls.ts'
import type { Clock } from '../../contract/store.ts'

const windowMs = 60_000
/** At one time; above that the oldest minute ends early. */
const maxWindows = 1000

interface RefusalWindow {
  readonly entry: AuditEntry
  readonly endsAt: number
  repeated: number
}

export class RepeatedRefusals {
  readonly #monotonic: Clock
  // all are equally long: a Map iterates in the order of insertion, so that the next to end is the first
  readonly #windows = new Map<string, RefusalWindow>()
  constructor(monotonic: Clock) {
    this.#monotonic = monotonic
  }

  /** Whether it is one more of those that have a row; then it is counted. */
  isRepeated(entry: AuditEntry): boolean {
    if (entry.decision === undefined || entry.decision === null || entry.decision === 'allowed') return false
    const key = keyOf(entry)
    const now = this.#monotonic()
    const known = this.#windows.get(key)
    if (known !== undefined) {
      known.repeated += 1 // also when its minute is over and its row is due
      return true
    }
    this.#windows.set(key, { entry, endsAt: now + windowMs, repeated: 0 })
    return false
  }

  /** Rows of the minutes that are over, or of all. */
  takeEnded(which: 'ended' | 'all'): readonly AuditEntry[] {
    const now = this.#monotonic()
    const ended: AuditEntry[] = []
    for (const [key, { entry, endsAt, repeated }] of this.#windows) {
      if (which === 'ended' && now < endsAt && this.#windows.size <= maxWindows) break
      this.#windows.delete(key)
      if (repeated > 0) ended.push(repeatedEntry(entry, repeated))
    }
    return ended
  }
}

/** Not the tool: a client may invent names without end, which have no route. */
const keyOf = ({ event, user, client, grant, route, decision }: AuditEntry): string =>
  JSON.stringify([event, user, client, grant, route, decision])

/** What differs from call to call is left out. */
const repeatedEntry = (entry: AuditEntry, repeated: number): AuditEntry => ({
  event: entry.event,
  user: entry.user ?? null,
  client: entry.client ?? null,
  grant: entry.grant ?? null,
  tool: entry.route == null ? null : (entry.tool ?? null),
  route: entry.route ?? null,
  decision: entry.decision ?? null,
  status: entry.status ?? null,
  isError: entry.isError ?? null,
  detail: { repeated },
})
