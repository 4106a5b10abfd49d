/** Rows of the trail. Their ids are UUIDs of version 7 (RFC 9562, 5.7 and 6.2, method 1) as 32 hex digits, so that one index is the
 *  order of time and a row that is written twice is there once. */
import type { AuditEntry, NewAuditRecord } from '../contract/calls.ts'
import type { Clock, RandomBytes } from '../contract/store.ts'

export type RecordOf = (entry: AuditEntry) => NewAuditRecord

export function auditRecords(clock: Clock, randomBytes: RandomBytes): RecordOf {
  const nextId = createRowIds(clock, randomBytes)
  return (entry) => ({ ...entry, id: nextId(), at: clock() })
}

const countersPerMs = 4096

/** Each greater than the one before, also where the clock goes back. */
function createRowIds(clock: Clock, randomBytes: RandomBytes): () => string {
  const tail = tailOf(randomBytes(8))
  let [lastMs, counter, head] = [-1, 0, '']
  return () => {
    counter += 1
    const ms = Math.max(clock(), counter < countersPerMs ? lastMs : lastMs + 1)
    if (ms > lastMs) [lastMs, counter, head] = [ms, 0, `${hex(ms, 12)}7`]
    return head + hex(counter, 3) + tail
  }
}

/** The variant, and what no other process draws. */
function tailOf(bytes: Uint8Array): string {
  const [first = 0, ...rest] = bytes
  return Buffer.from([(first & 0x3f) | 0x80, ...rest]).toString('hex')
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
