/** One call that has its key: what it came to, which is kept when its run is over. */
import type { HttpResponse } from '../contract/http.ts'
import type { HeldKey, IdempotencyKeyRule } from '../contract/idempotency.ts'
import { ForMcpClient, TooManyRequests } from '../errors.ts'
import { AccessRefusal } from '../http/access/access-refusal.ts'
import { LateRun } from '../http/limits/call-time.ts'
import { Rendered } from '../http/pipeline/controller.ts'
import type { PreparedRoute, RequestContext } from '../http/pipeline/request-context.ts'
import { type AnswerSource, answerTo, failedAnswer, type KeptAnswer, keptAnswer } from './kept-answers.ts'

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

  /** Its run ended with what nobody handled: `status` is that of its answer. `undoes`: of a transaction nothing is left. */
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
