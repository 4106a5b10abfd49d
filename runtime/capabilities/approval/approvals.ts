/** Calls that a person must approve first. The row in the store is the approval, the retry is the same call: no state travels. */
// Source: decisions/http.md, Approval.
import { createHmac } from 'node:crypto'
import { writeExactJson } from '../../canonical-json.ts'
import type { Route, RouteCodec } from '../../contract/route.ts'
import type { RouteFacts } from '../../contract/route-facts.ts'
import type { Clock, RandomBytes } from '../../contract/store.ts'
import { type CallInputs, callInputs, namesRead } from '../../http/input/call-inputs.ts'
import type { CallClaim, CallQuestion } from '../../http/pipeline/before-method.ts'
import { toolCallOf } from '../../http/pipeline/controller.ts'
import type { CallMethod, RequestContext } from '../../http/pipeline/request-context.ts'
import { DecisionWaits, type WaitOptions } from './decision-waits.ts'
import { ApprovalRefused, ApprovalRequired } from './errors.ts'
import { approvedFingerprint, type CallSeal, callSeal, deniedMs, withinBound } from './sealed-call.ts'
import { shownCall } from './shown-call.ts'
import type {
  ApprovalDesk,
  ApprovalRecord,
  ApprovalStore,
  NewApproval,
  ObserveApproval,
  RequiredApproval,
  ShownApproval,
  ShownCall,
} from './types.ts'

export interface ApprovalOptions extends WaitOptions {
  readonly store: ApprovalStore
  /** The name that pages show for a client; null = none is known. */
  /** By id; a client without a name is not in it. */
  readonly clientNames: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** They rotate; calls that waited when the first one changed are asked about anew. */
  readonly secrets: readonly string[]
  readonly baseUrl: string
  /** Headers that tool calls carry, in lower case. */
  readonly forwardHeaders: readonly string[]
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly observe: ObserveApproval
  /** Called once for each call that begins to wait; does not throw. */
  readonly onAsked: (call: ShownCall, row: ApprovalRecord, url: string) => void
}

const minute = 60_000
/** How long the user has to decide, and how long the call may then come again. */
const [decideMs, useMs] = [10 * minute, 5 * minute]
/** How long a use of it stands in the way of the same call. */
const spentMs = minute
const quota = { pending: 10, denied: 3 }
const maxShown = 100
const maxExpired = 500
const digestLabel = 'acmcp approval digest v1\n'

/** In place of the client that a token does not name (`verifyToken`): it is not the user's own browser. */
const unnamed = 'a program that has a token of yours'

/** The caller: an approval counts for the same one alone. */
type Caller = Pick<ApprovalRecord, 'user' | 'client' | 'grant'>

/** A route with what does not depend on a call. */
interface ApprovedRoute {
  readonly route: Route
  readonly approval: RequiredApproval
  readonly decoders: RouteCodec['params']
  readonly names: ReturnType<typeof namesRead>
  readonly readsBody: boolean
  readonly fingerprint: string
  /** For people. */
  readonly name: string
}

export class Approvals implements ApprovalDesk {
  readonly #options: ApprovalOptions
  readonly #seal: CallSeal
  readonly #digestKey: Buffer
  readonly #waits: DecisionWaits

  constructor(options: ApprovalOptions) {
    this.#options = options
    this.#seal = callSeal(options.secrets, options.randomBytes)
    this.#digestKey = createHmac('sha256', options.secrets[0] ?? '')
      .update(digestLabel)
      .digest()
    this.#waits = new DecisionWaits(options)
  }

  /** Of a route with `@approval`: nothing of its method runs unless this very call was approved. Others are told by `ApprovalRequired` or
   *  `ApprovalRefused`. */
  questionOf(
    route: Route,
    approval: RequiredApproval,
    { codec, tools }: Omit<RouteFacts, 'route'>,
  ): CallQuestion {
    const decoders = [...codec.params, ...codec.filters.flat()]
    const approved: ApprovedRoute = {
      route,
      approval,
      decoders,
      names: namesRead(decoders, this.#options.forwardHeaders),
      readsBody: decoders.some(({ from }) => from === 'body' || from === 'field'),
      fingerprint: approvedFingerprint(route, approval, codec, tools),
      name: tools[0]?.title ?? tools[0]?.name ?? `${route.verb} ${route.path}`,
    }
    return (context) => this.#claim(approved, context)
  }

  async find(id: string, user: string): Promise<ShownApproval | null> {
    const row = await this.#options.store.findApproval(id)
    if (row === null || row.user !== user) return null
    const [shown = null] = await this.#shown([row])
    return shown
  }

  async pending(user: string): Promise<readonly ShownApproval[]> {
    return this.#shown(await this.#options.store.listApprovals({ user }, maxShown))
  }

  readonly decide: ApprovalDesk['decide'] = async (decision) => {
    const { store, clock, observe } = this.#options
    const ms = decision.decision === 'approved' ? useMs : deniedMs
    const row = await store.decideApproval({ ...decision, expiresAt: clock() + ms })
    if (row === null) return null
    observe(decision.decision, row)
    this.#waits.tell(row.id)
    return row
  }

  readonly deny: ApprovalDesk['deny'] = async (id) => {
    const row = await this.#options.store.findApproval(id)
    if (row === null) return null
    const { user, digest } = row
    return this.decide({ id, user, digest, decision: 'denied', method: 'client', authTime: null })
  }

  decided(id: string, signal: AbortSignal): Promise<boolean> {
    return this.#waits.until(id, { signal, isDecided: () => this.#isDecided(id) })
  }

  /** Reports those that were not decided in time, and forgets them. */
  async expire(): Promise<void> {
    const { store, observe } = this.#options
    let ended: readonly ApprovalRecord[]
    do {
      ended = await store.expireApprovals(maxExpired)
      for (const row of ended) observe('expired', row)
    } while (ended.length === maxExpired)
  }

  /** One that has gone is waited for in vain. */
  async #isDecided(id: string): Promise<boolean> {
    const row = await this.#options.store.findApproval(id)
    return row === null || row.decision !== null
  }

  async #claim(approved: ApprovedRoute, context: RequestContext): Promise<CallClaim> {
    const { store, clock, observe } = this.#options
    const asking = await this.#askingCall(approved, context)
    const row = asking && (await store.spendApproval(asking.digest, clock() + spentMs))
    return {
      isHeld: asking === null || row !== null,
      begin: (call) => {
        if (row !== null) observe('spent', row)
        else if (asking !== null)
          throw new ApprovalRequired({ ...undecided, sentence: approved.approval.sentence })
        return uncached(call)
      },
      explain: async (seen) => (asking === null ? seen : this.#ask(asking)),
      release: async () => {
        if (row === null) return
        // where the store is away a person is asked once more
        await store.releaseApproval(row, (row.decidedAt ?? 0) + useMs).catch(() => {})
      },
    }
  }

  /** Null where no person is asked. The body of a caller without credentials is not read. */
  async #askingCall(approved: ApprovedRoute, context: RequestContext): Promise<AskingCall | null> {
    const { request, prepared } = context
    const found = (await prepared.access?.callerOf(request)) ?? null
    if (found === null || found.user === null) throw new ApprovalRefused('no_user')
    // as in `@scope`: what else a client says of itself is no browser's
    const isAlone = found.bySession && request.headers.authorization === undefined
    const isOfTool = toolCallOf(request) !== null
    const isBrowser = isAlone && !isOfTool
    if (isBrowser && approved.approval.unless === 'session') return null
    const { user, grant } = found
    const caller = { user, client: found.client ?? (found.bySession ? null : unnamed), grant }
    const inputs = await callInputs(context, approved.names, approved.readsBody)
    const { route, fingerprint } = approved
    return {
      approved,
      caller,
      inputs,
      isOfTool,
      digest: this.#digest([caller, route.id, fingerprint, inputs]),
    }
  }

  /** Where it was approved meanwhile the call is to come again all the same. */
  async #ask(call: AskingCall): Promise<ApprovalRequired | ApprovalRefused> {
    const { approved, caller, digest } = call
    const { store, clock } = this.#options
    withinBound(call.inputs)
    const shown = shownCall(call.inputs, {
      sentence: approved.approval.sentence,
      name: approved.name,
      decoders: approved.decoders,
      isOfTool: call.isOfTool,
    })
    const id = Buffer.from(this.#options.randomBytes(16)).toString('base64url')
    const route = approved.route.id
    const sealed = this.#seal.seal(shown, { id, user: caller.user, route, digest })
    const row: NewApproval = { id, ...caller, route, digest, sealed, expiresAt: clock() + decideMs }
    await this.expire() // a new question takes the place of one that has ended
    const result = await store.askApproval(row, quota)
    if (result.kind === 'full') return new ApprovalRefused('too_many')
    if (result.kind === 'refused') return new ApprovalRefused('denied_often')
    const { isNew, row: found } = result
    const url = `${this.#options.baseUrl}/auth/approvals/${found.id}`
    if (isNew) this.#tellAsked(shown, found, url)
    if (found.spentAt !== null) return new ApprovalRefused('spent')
    if (found.decision === 'denied') return new ApprovalRefused('denied')
    return new ApprovalRequired({
      id: found.id,
      url,
      expiresAt: found.expiresAt,
      sentence: shown.sentence,
      isNew,
      differsIn: isNew ? await this.#differsIn(shown, found) : null,
    })
  }

  #tellAsked(shown: ShownCall, row: ApprovalRecord, url: string): void {
    this.#options.observe('asked', row)
    this.#options.onAsked(shown, row, url)
  }

  /** The first argument that is not the same in a call of the route that has been approved for the same caller. */
  async #differsIn(shown: ShownCall, { user, client, grant, route }: ApprovalRecord): Promise<string | null> {
    const rows = await this.#options.store.listApprovals({ user, client, route, decision: 'approved' }, 1)
    const [row] = rows.filter((item) => item.grant === grant && item.spentAt === null)
    const approved = row === undefined ? null : this.#seal.open(row)
    if (approved === null) return null
    const texts = new Map(approved.arguments.map(({ name, text }) => [name, text]))
    const changed = shown.arguments.find(({ name, text }) => texts.get(name) !== text)
    if (changed !== undefined) return changed.name
    const names = new Set(shown.arguments.map(({ name }) => name))
    return approved.arguments.find(({ name }) => !names.has(name))?.name ?? null
  }

  #digest(of: readonly unknown[]): string {
    const hmac = createHmac('sha256', this.#digestKey)
    writeExactJson(of, (text) => hmac.update(text))
    return hmac.digest('hex')
  }

  /** With the names of their clients, which are looked up together; what cannot be opened any more is left out. */
  async #shown(rows: readonly ApprovalRecord[]): Promise<readonly ShownApproval[]> {
    const opened = rows.flatMap((row) => {
      const call = this.#seal.open(row)
      return call === null ? [] : [{ ...call, row }]
    })
    const names = await this.#options.clientNames(opened.flatMap(({ row: { client } }) => client ?? []))
    return opened.map((call) => {
      const { client } = call.row
      return { ...call, client: client === null ? null : (names.get(client) ?? client) }
    })
  }
}

/** What around filters see of a call that has not been decided about. */
const undecided = { id: '', url: '', expiresAt: 0, isNew: false, differsIn: null }

const uncached =
  (call: CallMethod): CallMethod =>
  (context, args) => {
    if (context.response.get('cache-control') === null) context.response.set('cache-control', 'no-store')
    return call(context, args)
  }

interface AskingCall {
  readonly approved: ApprovedRoute
  readonly caller: Caller
  readonly inputs: CallInputs
  /** Whether its values are the JSON that a client sent. */
  readonly isOfTool: boolean
  readonly digest: string
}
