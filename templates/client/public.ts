/** What users of a generated client see beside its methods. */

/** Where the application is, and as whom it is called. */
export interface ClientOptions {
  /** Such as `https://api.example.org`; '' in a page of the application itself. */
  readonly baseUrl: string
  /** The bearer token, or what gives it: asked before each call. */
  readonly token?: string | (() => string | null | Promise<string | null>) | null | undefined
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether a browser sends cookies, as `fetch` has it: 'same-origin' unless said. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Of each call that does not say its own. */
  readonly retries?: CallOptions['retries']
}

/** What one call has of its own. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Is told once where a person must approve the call, to show them `url`: the call is then sent again until they have decided. */
  readonly onApprovalAsked?: ((approval: ApprovalRequired) => void) | undefined
  /** How often the same request may be sent again after a network error, a 503 with `Retry-After`, or while the first one is still running;
   *  0 unless said. POST and PATCH never are without an idempotency key. */
  readonly retries?: number | undefined
  /** Of a route that takes one: a random one for each call unless said; null = none is sent. */
  readonly idempotencyKey?: string | null | undefined
}

/** A documented answer with a status of 200 to 399. */
export interface Success<Status extends number, Data> {
  readonly ok: true
  readonly status: Status
  readonly data: Data
  /** Its body has been read, unless `data` is a stream. */
  readonly response: Response
}

/** A documented answer with a status of 400 to 599. */
export interface Failure<Status extends number, Data> {
  readonly ok: false
  readonly status: Status
  readonly data: Data
  /** Its body has been read, unless `data` is a stream. */
  readonly response: Response
}

export type AnyAnswer = Success<number, unknown> | Failure<number, unknown>

/** `Documented`, or any other error: a handler renders its own status. */
export type OrOther<Documented extends AnyAnswer, Data> =
  | Documented
  | Failure<Exclude<ErrorStatus, Documented['status']>, Data>

/** Source: IANA, HTTP Status Codes. */
type ErrorStatus =
  | (
      | 400
      | 401
      | 402
      | 403
      | 404
      | 405
      | 406
      | 407
      | 408
      | 409
      | 410
      | 411
      | 412
      | 413
      | 414
      | 415
      | 416
      | 417
    )
  | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451)
  | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511)

/** An event of a stream (WHATWG HTML, 9.2). */
export interface ServerSentEvent<Data> {
  readonly data: Data
  /** `message` unless the server named it. */
  readonly event: string
  /** The last one that the server gave, for `Last-Event-ID`; '' = none. */
  readonly id: string
}

/** An answer of which the documentation knows nothing, such as 429, 503, or what a proxy says. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number
  readonly response: Response
  /** The body as it came. */
  readonly text: string

  constructor(response: Response, text: string) {
    super(`${response.url} answered ${response.status} ${text.slice(0, 200)}`.trim())
    this.status = response.status
    this.response = response
    this.text = text
  }
}

/** A person must approve this very call first, at `url`: nothing has run. Thrown unless the call has `onApprovalAsked`, and when the
 *  time to decide is over. */
export class ApprovalRequired extends Error {
  override readonly name = 'ApprovalRequired'
  readonly url: string
  readonly expiresAt: Date
  readonly response: Response

  constructor(response: Response, approval: { readonly url: string; readonly expiresAt: string }) {
    super(`${response.url}: a person must approve this call at ${approval.url}`)
    this.url = approval.url
    this.expiresAt = new Date(approval.expiresAt)
    this.response = response
  }
}

/** What `dataOf` throws: a documented answer that is no success. */
export class FailedAnswer extends Error {
  override readonly name = 'FailedAnswer'
  readonly answer: Failure<number, unknown>

  constructor(answer: Failure<number, unknown>) {
    super(`${answer.response.url} answered ${answer.status}`)
    this.answer = answer
  }
}

/** The data of a success. Throws `FailedAnswer` for any other documented answer. */
export async function dataOf<Any extends AnyAnswer>(
  answer: Any | Promise<Any>,
): Promise<Extract<Any, { readonly ok: true }>['data']> {
  const settled: AnyAnswer = await answer
  if (settled.ok === false) throw new FailedAnswer(settled) // so that it is told apart without strictNullChecks too
  return settled.data as Extract<Any, { readonly ok: true }>['data'] // of what is a success
}
