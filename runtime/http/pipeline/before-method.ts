/** What a call must have before its method runs: a key of its own, the approval of a person. The store is asked. */
import { passingHandlers } from '../../errors.ts'
import { LateRun } from '../limits/call-time.ts'
import type { CallMethod, RequestContext, RouteWrapper } from './request-context.ts'

/** Asks about a call; null = it needs nothing. What it rejects with passes every exception handler. */
export type CallQuestion = (context: RequestContext) => Promise<CallClaim | null>

/** What the store has said about one call. */
export interface CallClaim {
  /** Whether the call has what it needs; else nothing further is asked. */
  readonly isHeld: boolean
  /** The method is to run: what runs then. Throws for a call that may not; that is what around filters see. */
  readonly begin: (call: CallMethod) => CallMethod
  /** Returns what a refused call gets for what `begin` threw; called when its filters are over. */
  readonly explain: (seen: unknown) => Promise<unknown>
  /** The method has not run, and will not: the call can come again. Never rejects. */
  readonly release: () => Promise<void>
}

/** An around filter may hold a transaction, and with it the write lock of SQLite or a connection of the pool: where there is one the store is
 *  asked before it, and otherwise when the parameters have been read. A refused caller hears it there in either case, behind filters
 *  and parameters, and whatever the filters make of it. */
export function beforeMethod(questions: readonly CallQuestion[]): readonly RouteWrapper[] {
  const calls = new WeakMap<RequestContext, CallClaims>()
  return [
    {
      name: 'claims',
      place: 'filters',
      wrap: (run) => async (context) => {
        const claims = new CallClaims(context)
        calls.set(context, claims)
        if (isEnclosed(context)) await claims.take(questions)
        try {
          await run(context)
        } finally {
          await claims.end()
        }
      },
    },
    {
      name: 'claims',
      place: 'method',
      wrap: (call) => async (context, args) => {
        const claims = calls.get(context)
        if (claims === undefined) throw new Error('the filters have not run')
        if (!isEnclosed(context)) await claims.take(questions)
        return claims.begin(call)(context, args)
      },
    },
  ]
}

const isEnclosed = ({ prepared: { filters } }: RequestContext): boolean => filters.around.length > 0

class CallClaims {
  readonly #context: RequestContext
  readonly #claims: CallClaim[] = []
  #state: 'waiting' | 'begun' | 'over' = 'waiting'
  #refusal: { readonly seen: unknown } | null = null

  constructor(context: RequestContext) {
    this.#context = context
  }

  /** One after the other, as long as the call has what it needs. Never rejects. */
  async take(questions: readonly CallQuestion[]): Promise<void> {
    try {
      for (const ask of questions) {
        const claim = await ask(this.#context)
        if (claim !== null) this.#claims.push(claim)
        this.#stopIfLate()
        if (claim?.isHeld === false) return
      }
    } catch (error) {
      this.#claims.push(failed(error))
    }
  }

  /** A filter may have answered without waiting for the method, and what the call had is free then. */
  begin(call: CallMethod): CallMethod {
    if (this.#state === 'over') throw new LateRun('the call has been answered')
    try {
      const next = this.#claims.reduceRight((inside, claim) => claim.begin(inside), call)
      this.#state = 'begun'
      return next
    } catch (seen) {
      this.#refusal = { seen }
      throw passingHandlers(seen)
    }
  }

  /** Its filters are over. Rejects with what a call is told that was refused. */
  async end(): Promise<void> {
    const wasBegun = this.#state === 'begun'
    this.#state = 'over'
    if (wasBegun) return
    for (const claim of this.#claims) await claim.release()
    if (this.#refusal === null) return
    const { seen } = this.#refusal
    throw passingHandlers(
      await this.#claims
        .at(-1)
        ?.explain(seen)
        .catch((error: unknown) => error),
    )
  }

  /** A call whose time is up loses neither its key nor its approval. */
  #stopIfLate(): void {
    const { time, prepared } = this.#context
    if (time?.isUp === true) throw new LateRun(`${prepared.route.id}: its time is up`)
  }
}

/** Of a claim whose refusal is known when it is made, and that is free by itself. */
export const asSeen: Pick<CallClaim, 'explain' | 'release'> = {
  explain: async (seen) => seen,
  release: async () => {},
}

const failed = (error: unknown): CallClaim => ({
  ...asSeen,
  isHeld: false,
  begin: () => {
    throw error
  },
})
