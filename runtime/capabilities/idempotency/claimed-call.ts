/** One call that has its key: what it came to, which is kept when its run is over. */
import type { HttpResponse } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { ForMcpClient, TooManyRequests } from '../../errors.ts'
import { AccessRefusal } from '../../http/access/access-refusal.ts'
import { LateRun } from '../../http/limits/call-time.ts'
import { Rendered } from '../../http/pipeline/controller.ts'
import type { PreparedRoute, RequestContext } from '../../http/pipeline/request-context.ts'
import { LeaseSigns, LeaseWatch } from '../../lease-watch.ts'
import type { Scheduler } from '../../scheduler.ts'
import { type AnswerSource, answerTo, failedAnswer, type KeptAnswer, keptAnswer } from './kept-answers.ts'
import type { HeldKey, IdempotencyKeyRule, IdempotencyStore, Lease } from './types.ts'

/** What is to be written of a call. `unmarked`: its method returned, and should have marked the key. */
export type KeyedEnd =
  | { readonly kind: 'free' }
  | {
      readonly kind: 'kept'
      readonly status: number
      /** Null = it cannot be kept. */
      readonly answer: KeptAnswer | null
      readonly isUnmarked: boolean
    }

interface Answer {
  readonly kept: KeptAnswer | null
  readonly sent: HttpResponse
  readonly byMethod: boolean
}

interface NamedKey {
  readonly key: string
  /** To what its answer is sealed, beside its claim. */
  readonly boundTo: readonly string[]
}

const free: KeyedEnd = { kind: 'free' }

export class ClaimedCall {
  readonly held: HeldKey
  readonly key: string
  readonly boundTo: readonly string[]
  readonly #rule: IdempotencyKeyRule
  #context: RequestContext | null = null
  /** Those that were set before the method. */
  #before: ReadonlyMap<string, string | readonly string[]> = new Map()
  #thrown: unknown = null
  #answer: Answer | null = null

  constructor(held: HeldKey, { key, boundTo }: NamedKey, rule: IdempotencyKeyRule) {
    this.held = held
    this.key = key
    this.boundTo = boundTo
    this.#rule = rule
  }

  /** Runs the method: what it returns is answered as usual, and remembered. */
  async run(context: RequestContext, call: () => unknown): Promise<unknown> {
    this.#context = context
    this.#before = new Map(context.response.all)
    try {
      return this.#remembering(await call(), context, null)
    } catch (error) {
      this.#thrown = error
      throw error
    }
  }

  /** The same of an exception handler. */
  handled(made: unknown, context: RequestContext, handler: PreparedRoute['handlers'][number]): unknown {
    return this.#context === null ? made : this.#remembering(made, context, handler)
  }

  /** What is kept of an answer that the method has not given yet. */
  marked(answer: unknown): KeptAnswer | null {
    const context = this.#context
    if (context === null) throw new Error('the method has not begun')
    return keptAnswer(answer, { context, handler: null, headers: this.#headers(context) })
  }

  /** Its run ended with an answer, which a filter may have put in the place of that of the method. */
  endedWith({ status, body }: HttpResponse): KeyedEnd {
    if (this.#isFree()) return free
    const answer = this.#answer
    const isOwn = answer !== null && answer.sent.status === status && answer.sent.body === body
    const byMethod = this.#thrown === null && answer?.byMethod !== false
    const isUnmarked = this.#rule.transaction === true && byMethod
    return { kind: 'kept', status, answer: isOwn ? answer.kept : null, isUnmarked }
  }

  /** Its run ended with an unhandled exception: `status` is that of its answer. `undoes`: of a transaction nothing is left. */
  failedWith(
    error: unknown,
    { status, undoes }: { readonly status: number; readonly undoes: boolean },
  ): KeyedEnd {
    if (this.#isFree() || (undoes && this.#rule.transaction === true)) return free
    const answer = this.#answer
    if (error instanceof LateRun && answer?.byMethod === true)
      return {
        kind: 'kept',
        status: answer.sent.status,
        answer: answer.kept,
        isUnmarked: this.#rule.transaction === true,
      }
    return { kind: 'kept', status, answer: failedAnswer(status), isUnmarked: false }
  }

  /** Nothing of the method has run, or it asks for something first: as if it had not been called. */
  #isFree(): boolean {
    const thrown = this.#thrown
    return (
      this.#context === null ||
      thrown instanceof ForMcpClient ||
      thrown instanceof AccessRefusal ||
      thrown instanceof TooManyRequests
    )
  }

  #remembering(made: unknown, context: RequestContext, handler: AnswerSource['handler']): unknown {
    const kept = keptAnswer(made, { context, handler, headers: this.#headers(context) })
    if (kept === null) return made
    const sending = answerTo(made, { context, handler })
    if (sending === null) return made
    const make = async (): Promise<HttpResponse> => {
      const sent = await sending
      this.#answer = { kept, sent, byMethod: handler === null }
      return sent
    }
    return new Rendered(kept.status, { kind: 'answer', make })
  }

  /** Those that were set since the method began. */
  #headers({ response }: RequestContext): HttpResponse['headers'] {
    const set = [...response.all].filter(([name, value]) => this.#before.get(name) !== value)
    return Object.fromEntries(set)
  }
}

/** How long a process is believed to live without a sign of it, and how often it gives one. */
const leaseMs = 30_000
const signMs = 10_000

export interface ClaimOptions {
  readonly store: Pick<IdempotencyStore, 'renewKeys'>
  readonly clock: Clock
  /** Milliseconds that never go back, of when leases are over. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

/** The claims that this process works on, for whose calls it gives signs of life; and which claims of others got none for so long that
 *  their processes have died. */
export class Claims {
  readonly #options: ClaimOptions
  readonly #running = new Set<string>()
  readonly #signs: LeaseSigns
  readonly #watch: LeaseWatch
  #stop: (() => Promise<void>) | null = null

  constructor(options: ClaimOptions) {
    this.#options = options
    this.#signs = new LeaseSigns(options.clock, leaseMs)
    this.#watch = new LeaseWatch({ monotonic: options.monotonic, leaseMs })
  }

  /** What a claim that begins now has as its lease. */
  nextSign(): number {
    return this.#signs.next()
  }

  /** Whether no process works on it any more. */
  isOver({ claim, leaseUntil }: Lease): boolean {
    return !this.#running.has(claim) && this.#watch.isOver(claim, String(leaseUntil))
  }

  begin(claim: string): void {
    this.#running.add(claim)
    this.#stop ??= this.#options.every(signMs, () => this.#renew())
  }

  end(claim: string): void {
    this.#running.delete(claim)
  }

  /** Where the store is away, the next sign may still come in time. */
  async #renew(): Promise<void> {
    if (this.#running.size > 0)
      return this.#options.store.renewKeys([...this.#running], this.#signs.next()).catch(() => {})
    void this.#stop?.()
    this.#stop = null
  }
}
