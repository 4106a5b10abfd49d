/** Rows of the trail. Their ids are UUIDs of version 7 (RFC 9562, 5.7 and 6.2, method 1) as 32 hex digits, so that one index is the
 *  order of time and a row that is written twice is there once. */
import { createHmac } from 'node:crypto'
import { writeCanonicalJson } from '../../canonical-json.ts'
import type { AuditEntry, AuditTrail, NewAuditRecord, ObserveCall } from '../../contract/calls.ts'
import type { Clock, RandomBytes } from '../../contract/store.ts'

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

export interface CallAuditOptions {
  readonly trail: AuditTrail
  /** Of what the digests are keyed with. */
  readonly secret: string
  /** Whether calls of other routes have a digest too. */
  readonly digestsAll: boolean
  /** The routes with `@audit strict`: their calls are answered when they are recorded. */
  readonly strictRoutes: ReadonlySet<string>
}

/** Records tool calls; of their arguments at most a digest. Source: decisions/audit.md, Rows. */
export function callAudit({ trail, secret, digestsAll, strictRoutes }: CallAuditOptions): ObserveCall {
  const digestOf = argumentDigest(secret)
  return (record, args) => {
    const isStrict = record.route !== null && strictRoutes.has(record.route)
    const entry = digestsAll || isStrict ? { ...record, argumentsDigest: digestOf(args) } : record
    return isStrict ? trail.recordDurably(entry) : trail.record(entry)
  }
}

/** So that what the secret signs elsewhere is no digest. */
const label = 'acmcp audit arguments v1\n'

/** The same arguments have the same digest, and without the key they cannot be guessed from it: HMAC-SHA-256 in lower-case hex
 *  over canonical JSON; its key is the HMAC-SHA-256 of our label under `secret`. */
function argumentDigest(secret: string): (args: Readonly<Record<string, unknown>>) => string {
  const key = createHmac('sha256', secret).update(label).digest()
  return (args) => {
    const hmac = createHmac('sha256', key)
    writeCanonicalJson(args, (text) => hmac.update(text))
    return hmac.digest('hex')
  }
}
