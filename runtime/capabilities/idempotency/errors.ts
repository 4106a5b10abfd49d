/** What a call is told that does not get its idempotency key. */
import { describeError, ProblemError } from '../../problem-errors.ts'

/** Why a call with an idempotency key does not run: it has none where the route needs one; it is no key; its owner cannot be told;
 *  another call had it; the first call is still running; that one ended with its process, and what it did is not known; it is done,
 *  and its answer was not kept; its owner has too many. */
export type IdempotencyRefusal =
  | 'required'
  | 'malformed'
  | 'no_caller'
  | 'reused'
  | 'running'
  | 'unknown'
  | 'done'
  | 'too_many'

/** Answered with its status, past every handler. */
// Source: draft-ietf-httpapi-idempotency-key-header-07, 2.7.
export class IdempotencyRefused extends ProblemError {
  declare readonly code: 'idempotency_refused'
  declare readonly status: 400 | 409 | 422 | 429
  readonly reason: IdempotencyRefusal
  readonly retryAfterSeconds: number | null
  /** Of the answer that was not kept; null = none is known. */
  readonly answered: number | null
  constructor(reason: IdempotencyRefusal, answered: number | null = null) {
    const [status, why, retryAfterSeconds] = keyRefusals[reason]
    super(answered === null ? why : `${why}: its status was ${answered}`)
    Object.assign(this, { status })
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
    this.answered = answered
  }

  problem(): ReturnType<ProblemError['problem']> {
    const type = `urn:acmcp:idempotency-${this.reason.replaceAll('_', '-')}`
    const answered = this.answered === null ? {} : { answered: this.answered }
    return { type, title: 'Idempotency key', ...answered }
  }
}

const keyRefusals: Readonly<
  Record<IdempotencyRefusal, readonly [status: number, why: string, retryAfterSeconds: number | null]>
> = {
  required: [400, 'this call needs an idempotency key: one value per intended effect', null],
  malformed: [
    400,
    'the idempotency key is not 1 to 255 printable ASCII characters, or a string of them in quotes',
    null,
  ],
  no_caller: [
    400,
    'an idempotency key needs credentials of one user or client: nothing else says whose it is',
    null,
  ],
  reused: [422, 'another call had this idempotency key: use a new one for a new effect', null],
  running: [409, 'the first call with this idempotency key is still running: send the same call again', 1],
  unknown: [
    409,
    'the first call with this idempotency key was interrupted, and nobody can say what it did: look before you use a new key',
    null,
  ],
  done: [409, 'the first call with this idempotency key is done, and its answer was not kept', null],
  too_many: [429, 'this user has too many idempotency keys that have not expired', 3600],
}

describeError(IdempotencyRefused, 'idempotency_refused', 409)
