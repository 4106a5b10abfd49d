/** What stands before the method of a route and is told as problem details (RFC 9457): nothing of the method has run. */

/** Answered with its status, past every handler. */
export abstract class ProblemError extends Error {
  declare readonly code: string
  declare readonly status: number
  /** Whole seconds after which asking again makes sense; null = it makes none, or nobody knows. */
  abstract readonly retryAfterSeconds: number | null

  /** What problem details say of it (RFC 9457, 3.1 and 3.2), without `status` and `detail`. */
  abstract problem(): Readonly<Record<'type' | 'title', string>> & Readonly<Record<string, unknown>>
}

/** A person has to decide about this very call first (`@approval`), at `url`; answered with 428, past every handler. Nothing of the method
 *  has run: around filters see it as what `next()` rejects with. */
export class ApprovalRequired extends ProblemError {
  declare readonly code: 'approval_required'
  declare readonly status: 428
  readonly id: string
  readonly url: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** What the person is asked. */
  readonly sentence: string
  /** Whether this call is the first that asks. */
  readonly isNew: boolean
  /** An argument in which it differs from a call of the route that has been approved; null = there is none. */
  readonly differsIn: string | null
  readonly retryAfterSeconds = 3
  constructor(
    asked: Omit<ApprovalRequired, 'code' | 'status' | 'retryAfterSeconds' | 'problem' | keyof Error>,
  ) {
    super(`a person must approve this call first: ${asked.url}`)
    this.id = asked.id
    this.url = asked.url
    this.expiresAt = asked.expiresAt
    this.sentence = asked.sentence
    this.isNew = asked.isNew
    this.differsIn = asked.differsIn
  }

  problem(): ReturnType<ProblemError['problem']> {
    const approval = { url: this.url, expiresAt: new Date(this.expiresAt).toISOString() }
    return { type: 'urn:acmcp:approval-required', title: 'Approval required', approval }
  }
}

/** Why a call that needs an approval is not even asked about: a person denied it, or three calls of its route in ten minutes; there is no user
 *  who could be asked; the very same call ran less than a minute ago; too many calls wait. */
export type ApprovalRefusal = 'denied' | 'denied_often' | 'no_user' | 'spent' | 'too_many'

/** Answered with its status, past every handler. */
export class ApprovalRefused extends ProblemError {
  declare readonly code: 'approval_refused'
  declare readonly status: 403 | 409 | 429
  readonly reason: ApprovalRefusal
  readonly retryAfterSeconds: number | null
  constructor(reason: ApprovalRefusal) {
    super(whyRefused[reason])
    this.reason = reason
    this.retryAfterSeconds = reason === 'spent' || reason === 'too_many' ? 60 : null
    if (reason in otherStatus) Object.assign(this, { status: otherStatus[reason] })
  }

  problem(): ReturnType<ProblemError['problem']> {
    return { type: 'urn:acmcp:approval-refused', title: 'Not approved', reason: this.reason }
  }
}

/** Of what is no 403. */
const otherStatus: Readonly<Partial<Record<ApprovalRefusal, number>>> = { spent: 409, too_many: 429 }

const whyRefused: Readonly<Record<ApprovalRefusal, string>> = {
  denied: 'a person denied this call',
  denied_often: 'a person denied several calls like this: it is not asked about for some minutes',
  no_user:
    'this call needs the approval of a person, and there is no user behind these credentials, or more than one',
  spent: 'this very call was approved and has run less than a minute ago',
  too_many: 'too many calls wait for the approval of this user already',
}

/** Why a call with an idempotency key does not run: it has none where the route needs one; it is no key; nobody can say whose it is;
 *  another call had it; the first call is still running; that one ended with its process, and nobody can say what it did; it is done,
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
