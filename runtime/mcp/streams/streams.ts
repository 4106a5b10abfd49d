/** The streams on which clients wait for news: `subscriptions/listen` of revision 2026-07-28 and the GET stream of the
 *  revisions before it. One record each, no session. Source: rules.md, notification stream. */
import type { HttpRequest, HttpResponse, StreamWriter } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { OpenAnswers } from '../../open-answers.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Holder } from '../../scopes.ts'
import type { FindPermission, PermittedClient } from '../access/permission.ts'
import type { Authentication } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { rpcError } from '../auth/challenge.ts'
import { createShares, type Shares } from '../limits/shares.ts'
import { errorCodes, type WireObject } from '../protocol/constants.ts'
import type { ResultWriter } from '../serving/result-writer.ts'
import { DetachedRequest } from '../tools/detached-request.ts'
import { eventOf, streamResponse } from './event-stream.ts'
import {
  type EventTexts,
  eventTexts,
  isGuarded,
  type ListName,
  permitted,
  type SubscribedTopics,
  type Subscriptions,
  Watchers,
} from './subscriptions.ts'

export interface StreamOptions {
  readonly authentication: Pick<Authentication, 'isOn' | 'recheck' | 'checkAnew' | 'validUntil'>
  /** The permission of a client that passes anew. */
  readonly permissionOf: FindPermission
  readonly subscriptions: Subscriptions
  readonly texts: Pick<ResultWriter, 'subscriptionEnd' | 'error'>
  /** How many one user, accepted credentials, or an address without accepted credentials may have open; null = no limit. */
  readonly streamsPerUser: number | null
  readonly clock: Clock
  /** Milliseconds that never go back, of when credentials are checked again. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

interface ChangedAccess {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

interface Stream {
  readonly sink: StreamWriter
  /** The id of the subscription as JSON, null for a GET stream. */
  readonly id: string | null
  topics: SubscribedTopics
  /** Kept to check it again when its credential's time is up; null where nothing depends on it. */
  readonly request: HttpRequest | null
  /** Ends the checks. */
  forget: () => void
  readonly caller: Caller
  /** Names what its client saw listed. */
  readonly version: string
  /** What its token granted, or the client's later one, of which it was told; null without a token. */
  scopes: readonly string[] | null
  /** It has not been looked at since it was opened. */
  isNew: boolean
}

const ticksPerHeartbeat = 25
const capacity = 10_000

/** Streams end when their credential no longer passes, looked at once a second when its time is up; a comment every 25
 *  seconds keeps them open, and finds out whose client has gone. At most 10,000 at once, and a share of those for each. */
export class Streams {
  readonly #options: StreamOptions
  readonly #events: EventTexts
  readonly #shares: Shares
  readonly #open = new Set<Stream>()
  readonly #watchers = new Watchers<Stream>()
  readonly #checked: OpenAnswers
  #isClosed = false
  #ticks = 0

  constructor(options: StreamOptions) {
    this.#options = options
    this.#checked = new OpenAnswers({ ...options, ticked: () => this.#tick() })
    this.#events = eventTexts(options.clock)
    this.#shares = createShares(options.streamsPerUser)
  }

  /** A subscription to what a right filter names; `id` is JSON. One to nothing that there is ends at once. */
  listen(id: string, client: PermittedClient, filter: WireObject): HttpResponse {
    const { subscriptions, texts } = this.#options
    const topics = subscriptions.topicsOf(filter, client.permission.holder)
    if (typeof topics === 'string') return invalid(texts.error(id, errorCodes.invalidParams, topics))
    const first = this.#events.acknowledged(id, topics)
    if (topics.lists.length + topics.resources.length > 0)
      return this.#openStream({ id, client, topics, first })
    return streamResponse(Buffer.from(first + eventOf(texts.subscriptionEnd(id))))
  }

  /** The GET stream. */
  get(client: PermittedClient): HttpResponse {
    const { lists: topics } = this.#options.subscriptions
    const first = this.#events.first(client.request, client.permission.view.version, topics)
    return this.#openStream({ id: null, client, topics, first })
  }

  toolsChanged(): void {
    for (const stream of this.#open) this.#notifyList(stream, 'tools')
  }

  /** Another build may have other lists. */
  listsChanged(): void {
    for (const stream of this.#open) this.#notifyLists(stream)
  }

  /** Tells the streams that hear of the resource at that address, however it is written. */
  resourceChanged(uri: string): void {
    const key = this.#options.subscriptions.keyOf(uri)
    if (key === null) return
    for (const stream of this.#watchers.of(key)) this.#notifyUpdated(stream, key)
  }

  /** Lists and resources may all have changed. */
  anythingChanged(): void {
    for (const stream of this.#open) {
      this.#notifyLists(stream)
      this.#notifyUpdated(stream, null)
    }
  }

  #notifyLists(stream: Stream): void {
    for (const list of stream.topics.lists) this.#notifyList(stream, list)
  }

  #notifyList(stream: Stream, list: ListName): void {
    const { id, topics, version } = stream
    if (!topics.lists.includes(list)) return
    const events = this.#events
    this.#write(stream, id === null ? events.changed(version, list) : events.changedFor(id, list))
  }

  /** `only` is a key; null = all. */
  #notifyUpdated(stream: Stream, only: string | null): void {
    const { id, topics } = stream
    if (id === null) return
    for (const { uri, key } of topics.resources)
      if (only === null || only === key) this.#write(stream, this.#events.updatedFor(id, uri))
  }

  /** Tells the streams of that user and client whose token may do something else, each once. */
  accessChanged({ userId, clientId, scopes }: ChangedAccess): void {
    const isSame = (had: readonly string[] | null): boolean =>
      had?.length === scopes.length && had.every((name) => scopes.includes(name))
    for (const stream of this.#open) {
      const { auth } = stream.caller
      if (auth?.subject !== userId || auth.clientId !== clientId || isSame(stream.scopes)) continue
      stream.scopes = scopes
      this.#notifyLists(stream)
    }
  }

  /** Checks the credentials of that user's streams now, and of those that may be by a session; null = of all. */
  recheck(userId: string | null): void {
    this.#checked.recheck(userId)
  }

  /** How many are open. */
  count(): number {
    return this.#open.size
  }

  /** Ends every stream in good order. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#open) this.#end(stream)
  }

  #end({ id, sink }: Stream): void {
    if (id !== null) sink.write(eventOf(this.#options.texts.subscriptionEnd(id)))
    sink.end()
  }

  #openStream({ id, client, topics, first }: Opening): HttpResponse {
    const { request, caller, permission } = client
    const refusal = this.#refusal(caller)
    if (refusal !== null) return refusal
    const { authentication } = this.#options
    const isChecked = authentication.isOn || isGuarded(topics)
    const kept = isChecked ? new DetachedRequest(request) : null
    const { version } = permission.view
    const scopes = caller.auth?.scopes ?? null
    const { headers, ...response } = streamResponse({
      open: (sink) => {
        if (first !== '') sink.write(first)
        const stream = { sink, id, topics, request: kept, caller, version, scopes }
        return this.#register({ ...stream, forget: () => {}, isNew: true })
      },
    })
    // its client must not ask on it for the list of which a server that is replaced has just told it
    return { ...response, headers: { ...headers, connection: 'close' } }
  }

  /** Why no further stream of that client may open, or null. */
  #refusal(caller: Caller): HttpResponse | null {
    if (this.#open.size >= capacity) return rpcError(503, 'Too many streams are open', null)
    return this.#shares.isSpent(caller) ? rpcError(429, 'Too many of your streams are open', null) : null
  }

  /** Returns what ends it: that lives as long as the stream and must hold on to nothing else. A server that closes ends it
   *  at once: its client comes back, to a successor where there is one. */
  #register(stream: Stream): () => void {
    if (this.#isClosed) {
      this.#end(stream)
      return () => {}
    }
    this.#open.add(stream)
    this.#watchers.add(stream)
    this.#shares.take(stream.caller)
    const { request, caller, sink } = stream
    const users = caller.auth === null ? [] : [caller.auth.subject]
    const answer = {
      users: request?.headers.cookie === undefined ? users : null, // a session may be any user's
      check: async () => (request === null ? Number.POSITIVE_INFINITY : this.#check(stream, request)),
      end: () => sink.end(),
    }
    // it may have been revoked since its success was remembered
    stream.forget = this.#checked.add(answer, { isDoubtful: request !== null })
    return () => this.#unregister(stream)
  }

  #unregister(stream: Stream): void {
    if (!this.#open.delete(stream)) return
    stream.forget()
    this.#watchers.remove(stream)
    this.#shares.giveBack(stream.caller)
  }

  /** A stream that cannot be written to is left, whether or not an event says that its client has gone. */
  #write(stream: Stream, text: string): void {
    if (!stream.sink.write(text)) this.#unregister(stream)
  }

  #tick(): void {
    this.#ticks += 1
    if (this.#ticks % ticksPerHeartbeat !== 0) return
    for (const stream of this.#open) this.#write(stream, ': keepalive\n\n')
  }

  /** Null where the credential passes no more. */
  async #check(stream: Stream, request: HttpRequest): Promise<number | null> {
    const { authentication, permissionOf } = this.#options
    await request.session.read?.()
    const caller = await (stream.isNew ? authentication.checkAnew(request) : authentication.recheck(request))
    if (caller === null) return null
    const { holder } = await permissionOf({ request, caller })
    stream.isNew = false
    if (this.#open.has(stream)) this.#hearOnly(stream, holder)
    return authentication.validUntil(request)
  }

  /** A client that may do less hears of less. */
  #hearOnly(stream: Stream, holder: Holder): void {
    const { lists, resources } = stream.topics
    const left = permitted(resources, holder)
    if (left.length === resources.length) return
    this.#watchers.remove(stream)
    stream.topics = { lists, resources: left }
    this.#watchers.add(stream)
  }
}

interface Opening {
  readonly id: string | null
  readonly client: PermittedClient
  readonly topics: SubscribedTopics
  readonly first: string
}

const invalid = (body: string): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
})
