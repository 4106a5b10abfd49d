/** Calls with a key: the first one runs, a client that repeats it gets its answer. The insert of a row decides, over all instances. */
// Source: decisions/http.md, Idempotency; draft-ietf-httpapi-idempotency-key-header-07.
import { createHmac } from 'node:crypto'
import { tellsCallersApart } from '../../caller-headers.ts'
import { writeExactJson } from '../../canonical-json.ts'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { IdempotentCall } from '../../contract/idempotent-call.ts'
import type { Route, RouteCodec } from '../../contract/route.ts'
import type { Logger, RandomBytes } from '../../contract/store.ts'
import { passesHandlers } from '../../errors.ts'
import { callInputs, headerInputs, namesRead, withoutAnswers } from '../../http/input/call-inputs.ts'
import { asSeen, type CallClaim, type CallQuestion } from '../../http/pipeline/before-method.ts'
import { Rendered } from '../../http/pipeline/controller.ts'
import { keyedCalls, type RequestContext, type RouteWrapper } from '../../http/pipeline/request-context.ts'
import { type TextSeal, textSeal } from '../../sealed-text.ts'
import { ClaimedCall, type ClaimOptions, Claims, type KeyedEnd } from './claimed-call.ts'
import { IdempotencyRefused } from './errors.ts'
import { answerAgain, type KeptAnswer } from './kept-answers.ts'
import { type KeyOwner, keyOf, keyOwnerOf } from './key-of.ts'
import type {
  Claimed,
  IdempotencyKeyRule,
  IdempotencyStore,
  KeyObservation,
  KeyQuota,
  KeyRow,
  Lease,
  NewClaim,
  ObserveKey,
  StandingKey,
} from './types.ts'

export interface IdempotencyOptions extends Omit<ClaimOptions, 'store'> {
  readonly store: IdempotencyStore
  /** They rotate: keys that came with the one before count as long as that is there. */
  readonly secrets: readonly string[]
  /** Headers that tool calls carry, in lower case. */
  readonly forwardHeaders: readonly string[]
  readonly randomBytes: RandomBytes
  /** How long a key counts, in milliseconds. */
  readonly keepMs: number
  /** How many keys that count one user may have. */
  readonly perUser: number
  readonly production: boolean
  readonly observe: ObserveKey
  readonly log: Logger
  /** Whether an unhandled exception says that the store cannot be used now. */
  readonly isOutage: (error: unknown) => boolean
}

/** A route with what does not depend on a call. */
interface KeyedRoute {
  readonly route: Route
  /** Its addresses, with or without optional segments, have one. */
  readonly id: string
  readonly rule: IdempotencyKeyRule
  readonly names: ReturnType<typeof namesRead>
  /** Headers that it reads to tell callers with the same credentials apart. */
  readonly callerNames: readonly string[]
  readonly readsBody: boolean
  /** The public names of its questions. */
  readonly questions: readonly string[]
}

interface KeyedRequest extends KeyOwner {
  readonly route: KeyedRoute
  readonly key: string
  readonly rows: readonly KeyRow[]
  /** To what its answer is sealed, beside its claim. */
  readonly boundTo: readonly string[]
}

/** What controllers have of a call that came without a key, or has not got it yet. */
const withoutKey: IdempotentCall = { key: null, in: async () => {} }

const idLabel = 'acmcp idempotency key v1\n'
const answerLabel = 'acmcp idempotency answer v1'
/** Of an answer, sealed. */
const largest = 262_144

/** Of the sealed answers that came from one client, or one address. */
const maxSourceBytes = 64 * 1_048_576

/** A client leaves half to the others of its user; many users of a gateway share an address. */
const quotaOf = (kind: KeyOwner['source']['kind'], perUser: number): KeyQuota => ({
  owner: perUser,
  source: kind === 'client' ? Math.ceil(perUser / 2) : perUser * 5,
  sourceBytes: maxSourceBytes,
})

export class Idempotency {
  readonly #options: IdempotencyOptions
  readonly #hmacKeys: readonly Buffer[]
  readonly #seal: TextSeal
  readonly #claims: Claims
  readonly #calls = new WeakMap<HttpRequest, ClaimedCall>()

  constructor(options: IdempotencyOptions) {
    const { secrets, randomBytes } = options
    this.#options = options
    this.#hmacKeys = secrets.map((secret) => createHmac('sha256', secret).update(idLabel).digest())
    this.#seal = textSeal({ secrets, label: answerLabel, randomBytes })
    this.#claims = new Claims(options)
  }

  /** Of a route with `@idempotencyKey`. Without a key the call ends with `IdempotencyRefused`. */
  questionOf(route: Route, rule: IdempotencyKeyRule, codec: RouteCodec): CallQuestion {
    const decoders = [...codec.params, ...codec.filters.flat()]
    const keyed: KeyedRoute = {
      route,
      id: route.shortOf ?? route.id,
      rule,
      names: namesRead(decoders, this.#options.forwardHeaders),
      callerNames: decoders.flatMap(({ from, name }) =>
        from === 'header' && tellsCallersApart(name) ? name.toLowerCase() : [],
      ),
      readsBody: decoders.some(({ from }) => from === 'body' || from === 'field'),
      questions: Object.keys(route.questions ?? {}),
    }
    return async (context) => {
      const key = keyOf(context.request)
      if (key === null && rule.required === true) throw new IdempotencyRefused('required')
      return key === null ? null : this.#decide(await this.#find(keyed, key, context), context)
    }
  }

  /** What wraps each of these routes. */
  get wrappers(): readonly RouteWrapper[] {
    return [
      { name: 'idempotency', place: 'around', wrap: (run) => this.#keeping(run) },
      {
        name: 'kept-answer',
        place: 'method',
        wrap: (call) => (context, args) => {
          const run = (): unknown => call(context, args)
          return this.#calls.get(context.request)?.run(context, run) ?? run()
        },
      },
      {
        name: 'kept-answer',
        place: 'handler',
        wrap: (call) => async (context, handler, thrown) => {
          const made = await call(context, handler, thrown)
          return this.#calls.get(context.request)?.handled(made, context, handler) ?? made
        },
      },
    ]
  }

  /** What a stranger sends is not read. */
  async #find(route: KeyedRoute, key: string, context: RequestContext): Promise<KeyedRequest> {
    const [first] = this.#hmacKeys
    const owned = await keyOwnerOf(context, (credentials) => hmac(first, credentials))
    const sentBy = owned.caller[0] === 'user' ? {} : headerInputs(context.request, route.callerNames)
    const inputs = withoutAnswers(await callInputs(context, route.names, route.readsBody), route.questions)
    const rows = this.#hmacKeys
      .map((secret) => ({
        id: hmac(secret, [owned.caller, route.id, key]),
        digest: hmac(secret, [inputs, sentBy]),
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    return { ...owned, route, key, rows, boundTo: [route.id, key, JSON.stringify(owned.caller)] }
  }

  /** The call has its key, or is to get the answer of the first. The key is free again when its run ends (`#keeping`). */
  async #decide(keyed: KeyedRequest, context: RequestContext): Promise<CallClaim> {
    const { randomBytes, clock, keepMs, perUser } = this.#options
    const { route, rows, owner, source, grant } = keyed
    const claim = Buffer.from(randomBytes(16)).toString('base64url')
    const wanted = {
      ...{ rows, claim, owner, source: `${source.kind} ${source.name}`, grant, route: route.id },
      isTransactional: route.rule.transaction === true,
      leaseUntil: this.#claims.nextSign(),
      expiresAt: clock() + keepMs,
    }
    const claimed = await this.#claim(wanted, quotaOf(source.kind, perUser))
    if (claimed.kind === 'claimed') this.#begin(new ClaimedCall({ rows, claim }, keyed, route.rule), context)
    return {
      ...asSeen,
      isHeld: claimed.kind === 'claimed',
      begin: (call) => {
        if (claimed.kind === 'full') throw this.#refused(keyed, 'too_many')
        if (claimed.kind === 'claimed') return call
        const answer = this.#answerOf(keyed, claimed.key)
        return (replaying) => this.#replay(answer, replaying)
      },
    }
  }

  #begin(call: ClaimedCall, { request }: RequestContext): void {
    this.#calls.set(request, call)
    this.#claims.begin(call.held.claim)
    keyedCalls.set(request, this.#idempotentCall(call))
  }

  /** A key that runs no more is claimed again, of a transaction; else what it came to is unknown. */
  async #claim(claim: NewClaim, quota: KeyQuota): Promise<Claimed> {
    const over: Lease[] = []
    for (;;) {
      const claimed = await this.#tryClaim(claim, quota, over)
      if (claimed.kind !== 'standing') return claimed
      const { key } = claimed
      if (key.state !== 'running' || !this.#claims.isOver(key)) return claimed
      if (!key.isTransactional) return { kind: 'standing', key: { ...key, state: 'unknown' } }
      over.push(key)
    }
  }

  /** One whose connection broke may stand all the same: nothing runs by it, and it must not look like a call that died. */
  async #tryClaim(claim: NewClaim, quota: KeyQuota, over: readonly Lease[]): Promise<Claimed> {
    const { store } = this.#options
    try {
      return await store.claimKey(claim, quota, over)
    } catch (error) {
      void store.releaseKey(claim).catch(() => {})
      throw error
    }
  }

  /** That of the call that had the key first. Throws where there is none to give. */
  #answerOf(keyed: KeyedRequest, standing: StandingKey): KeptAnswer {
    const { state, sealed, status } = standing
    const own = keyed.rows.find(({ id }) => id === standing.id)
    if (own?.digest !== standing.digest) throw this.#refused(keyed, 'reused')
    if (state !== 'done') throw this.#refused(keyed, state)
    const text = sealed === null ? null : this.#seal.open(sealed, [standing.claim, ...keyed.boundTo])
    if (text === null) throw this.#refused(keyed, 'done', status)
    this.#tell('replayed', keyed)
    return JSON.parse(text)
  }

  #replay(answer: KeptAnswer, context: RequestContext): Rendered {
    if (answer.scopes.length > 0) context.requireScopes(answer.scopes)
    const again = answerAgain(answer, context)
    if (again === null) throw new IdempotencyRefused('done', answer.status)
    for (const [name, value] of Object.entries(answer.headers))
      for (const [place, line] of [value].flat().entries())
        if (place === 0) context.response.set(name, line)
        else context.response.append(name, line)
    context.response.set('idempotent-replayed', 'true')
    return new Rendered(answer.status, { kind: 'answer', make: () => again })
  }

  #refused(
    keyed: KeyedRequest,
    reason: Extract<IdempotencyRefused['reason'], KeyObservation>,
    status: number | null = null,
  ): IdempotencyRefused {
    this.#tell(reason, keyed)
    return new IdempotencyRefused(reason, status)
  }

  #tell(what: KeyObservation, { route, caller }: Pick<KeyedRequest, 'route' | 'caller'>): void {
    const [kind, user, client] = caller
    const isKnown = kind !== 'credentials'
    this.#options.observe(what, {
      route: route.id,
      user: isKnown && typeof user === 'string' ? user : null,
      client: isKnown && typeof client === 'string' ? client : null,
    })
  }

  /** When a run is over, what it came to is written before it is answered; a store that is away then leaves the outcome unknown. */
  #keeping(run: Parameters<Extract<RouteWrapper, { place: 'around' }>['wrap']>[0]): typeof run {
    return async (request, services, time) => {
      keyedCalls.set(request, withoutKey)
      let outcome: HttpResponse
      try {
        outcome = await run(request, services, time)
      } catch (error) {
        await this.#end(request, (call) => {
          const undoes = this.#options.isOutage(error)
          return call.failedWith(error, { status: statusOf(error) ?? (undoes ? 503 : 500), undoes })
        })
        throw error
      }
      await this.#end(request, (call) => call.endedWith(outcome))
      return outcome
    }
  }

  async #end(request: HttpRequest, endOf: (call: ClaimedCall) => KeyedEnd): Promise<void> {
    const call = this.#calls.get(request)
    if (call === undefined) return
    this.#calls.delete(request)
    this.#claims.end(call.held.claim)
    await this.#write(call, endOf(call))
  }

  async #write(call: ClaimedCall, end: KeyedEnd): Promise<void> {
    const { store, log, production } = this.#options
    let isUnknown = false
    try {
      if (end.kind === 'free') return await store.releaseKey(call.held)
      const { status, answer, isUnmarked } = end
      const outcome = isUnmarked
        ? ({ state: 'unknown', status: null, sealed: null } as const)
        : ({ state: 'done', status, sealed: this.#sealed(answer, call) } as const)
      isUnknown = (await store.settleKey(call.held, outcome)) && isUnmarked
    } catch (error) {
      log.error(
        { err: error },
        'what a call with an idempotency key came to could not be kept: its outcome is unknown',
      )
    }
    if (!isUnknown) return
    if (!production) throw new Error(unmarked)
    log.error({}, unmarked)
  }

  /** Null where there is nothing to keep, or too much. */
  #sealed(answer: KeptAnswer | null, { held: { claim }, boundTo }: ClaimedCall): string | null {
    const text = answer === null ? null : JSON.stringify(answer)
    return text === null || Buffer.byteLength(text) > largest
      ? null
      : this.#seal.seal(text, [claim, ...boundTo])
  }

  /** A call that has lost its key gets `running`, so that its client retries with that key: after a 5xx it would take a new one. */
  #idempotentCall(call: ClaimedCall): IdempotentCall {
    let hasMarked = false
    return {
      key: call.key,
      in: async (transaction, made) => {
        if (Reflect.get(transaction, 'isTransaction') === false) throw new TypeError(noTransaction)
        const answer = call.marked(made)
        const outcome = {
          state: 'done',
          status: answer?.status ?? null,
          sealed: this.#sealed(answer, call),
        } as const
        const isMarked = await this.#options.store.settleKeyIn(transaction, call.held, outcome)
        if (!isMarked) throw hasMarked ? new Error(markedTwice) : new IdempotencyRefused('running')
        hasMarked = true
      },
    }
  }
}

/** Of what is answered with its own, past every handler; null = of nothing else. */
const statusOf = (error: unknown): number | null =>
  passesHandlers(error) && error instanceof Error && 'status' in error ? Number(error.status) : null

const markedTwice =
  'this call has marked its idempotency key already, or another call has it by now: the transaction must not be committed'

const noTransaction =
  'this is a handle of the database, and no transaction: the key would be marked whatever becomes of what the method does'

const unmarked =
  'the method has @idempotencyKey transaction and returned without `await this.idempotency.in(transaction, answer)`: nobody can say what it did'

function hmac(key: Buffer | undefined, value: readonly unknown[]): string {
  if (key === undefined) throw new Error('an idempotency key needs a secret')
  const made = createHmac('sha256', key)
  writeExactJson(value, (text) => made.update(text))
  return made.digest('hex')
}
