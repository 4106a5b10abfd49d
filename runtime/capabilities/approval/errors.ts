/** What a call is told that a person must approve first. Nothing of the method has run. */
import { describeError, ProblemError } from '../../problem-errors.ts'

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
    details: Omit<ApprovalRequired, 'code' | 'status' | 'retryAfterSeconds' | 'problem' | keyof Error>,
  ) {
    super(`a person must approve this call first: ${details.url}`)
    this.id = details.id
    this.url = details.url
    this.expiresAt = details.expiresAt
    this.sentence = details.sentence
    this.isNew = details.isNew
    this.differsIn = details.differsIn
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

describeError(ApprovalRequired, 'approval_required', 428)
describeError(ApprovalRefused, 'approval_refused', 403)
