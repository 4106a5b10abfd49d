/** Rows of the trail. Their ids are UUIDs of version 7 (RFC 9562, 5.7 and 6.2, method 1) as 32 hex digits, so that one index is the
 *  order of time and a row that is written twice is there once. */
import type { AuditEntry, NewAuditRecord } from '../contract/calls.ts'
import type { Clock, RandomBytes } from '../contract/store.ts'

export type RecordOf = (entry: AuditEntry) => NewAuditRecord

export function auditRecords(clock: Clock, randomBytes: RandomBytes): RecordOf {
  const nextId = createRowIds(randomBytes)
  return (entry) => {
    const at = clock()
    return { id: nextId(at), at, entry }
  }
}

const countersPerMs = 4096
/** Before the counter stands the version. */
const firstCounter = 0x7000

/** Each greater than the one before, also where the clock goes back. */
function createRowIds(randomBytes: RandomBytes): (at: number) => string {
  const tail = tailOf(randomBytes(8))
  let [lastMs, counter, head] = [-1, 0, '']
  return (at) => {
    counter += 1
    const ms = Math.max(at, counter < countersPerMs ? lastMs : lastMs + 1)
    if (ms > lastMs) {
      lastMs = ms
      counter = 0
      head = ms.toString(16).padStart(12, '0')
    }
    return head + (firstCounter + counter).toString(16) + tail
  }
}

/** The variant, and what no other process draws. */
function tailOf(bytes: Uint8Array): string {
  const [first = 0, ...rest] = bytes
  return Buffer.from([(first & 0x3f) | 0x80, ...rest]).toString('hex')
}
