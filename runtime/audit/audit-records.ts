/** Rows of the trail. Their ids are UUIDs of version 7 (RFC 9562, 5.7 and 6.2, method 1) as 32 hex digits, so that one index is the
 *  order of time and a row that is written twice is there once. */
import type { AuditEntry, AuditRecord } from '../contract/calls.ts'
import type { Clock, RandomBytes } from '../contract/store.ts'

export type RecordOf = (entry: AuditEntry) => AuditRecord

export function auditRecords(clock: Clock, randomBytes: RandomBytes): RecordOf {
  const nextId = createRowIds(clock, randomBytes)
  return (entry) => ({ ...blank, ...entry, id: nextId(), at: clock() })
}

const blank: Omit<AuditRecord, 'id' | 'at' | 'event'> = {
  user: null,
  client: null,
  clientName: null,
  grant: null,
  tool: null,
  route: null,
  decision: null,
  status: null,
  isError: null,
  milliseconds: null,
  requestId: null,
  traceId: null,
  argumentsDigest: null,
  detail: null,
}

const countersPerMs = 4096

/** Each greater than the one before, also where the clock goes back. */
function createRowIds(clock: Clock, randomBytes: RandomBytes): () => string {
  const tail = tailOf(randomBytes(8))
  let [lastMs, counter] = [0, 0]
  return () => {
    const now = clock()
    counter = now > lastMs ? 0 : counter + 1
    lastMs = Math.max(now, lastMs)
    if (counter === countersPerMs) {
      counter = 0
      lastMs += 1
    }
    return `${hex(lastMs, 12)}7${hex(counter, 3)}${tail}`
  }
}

/** The variant, and what no other process draws. */
function tailOf(bytes: Uint8Array): string {
  const [first = 0, ...rest] = bytes
  return Buffer.from([(first & 0x3f) | 0x80, ...rest]).toString('hex')
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
