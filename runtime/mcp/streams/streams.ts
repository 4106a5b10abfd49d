/** The streams on which clients wait for news: `subscriptions/listen` of revision 2026-07-28 and the GET stream of the
 *  revisions before it. One record each, no session. Source: decisions.md, notification stream. */
import type { HttpRequest, HttpResponse, StreamWriter } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Authentication } from '../auth/authenticate.ts'
import type { Caller, Client } from '../auth/caller.ts'
import { rpcError } from '../auth/challenge.ts'
import { createShares } from '../limits/shares.ts'
import type { ResultWriter } from '../protocol/result-writer.ts'
import { DetachedRequest } from '../tools/detached-request.ts'
import { eventOf, streamResponse } from './event-stream.ts'
import { eventTexts } from './stream-events.ts'

export interface StreamOptions {
  readonly authentication: Pick<Authentication, 'isOn' | 'recheck' | 'validUntil'>
  readonly texts: Pick<ResultWriter, 'subscriptionEnd'>
  /** Names the catalogue. */
  readonly version: string
  /** How many one user, accepted credentials, or an address where nobody was accepted may have open; null = no limit. */
  readonly streamsPerUser: number | null
  readonly clock: Clock
  readonly every: Scheduler
}

export interface Streams {
  /** A subscription to changes of the tool list; `id` is JSON. */
  listen(id: string, client: Client): HttpResponse
  /** The GET stream. */
  get(client: Client): HttpResponse
  toolsChanged(): void
  /** Checks the credentials of that user's streams now. */
  recheck(userId: string): void
  /** Ends every stream in good order. */
  close(): void
}

interface Stream {
  readonly sink: StreamWriter
  /** The id of the subscription as JSON, null for a GET stream. */
  readonly id: string | null
  /** Kept to check it again when its credential's time is up; null without authentication. */
  readonly request: HttpRequest | null
  readonly caller: Caller
  checkAt: number
}

/** The open streams. */
interface StreamRegistry {
  register(stream: Stream): void
  unregister(stream: Stream): void
  isOpen(stream: Stream): boolean
  /** Why no further stream of that client may open, or null. */
  refusal(caller: Caller): HttpResponse | null
  close(): void
}

const tickMs = 1000
const ticksPerHeartbeat = 25
const capacity = 10_000

/** Streams end when their credential no longer passes, looked at once a second when its time is up; a comment every 25
 *  seconds keeps them open, and finds out whose client has gone. At most 10,000 at once, and a share of those for each. */
export function createStreams(options: StreamOptions): Streams {
  const open = new Set<Stream>()
  const events = eventTexts(options.version, options.clock)
  const registry = createRegistry(open, options)
  const openStream = streamOpener(registry, options)
  return {
    listen: (id, client) => openStream(id, client, events.acknowledged(id)),
    get: (client) => openStream(null, client, events.first(client.request)),
    toolsChanged() {
      for (const stream of open) {
        write(stream, stream.id === null ? events.changed() : events.changedFor(stream.id), registry)
      }
    },
    recheck(userId) {
      for (const stream of open)
        if (stream.caller.auth?.user.id === userId) void check(stream, registry, options)
    },
    close() {
      registry.close()
      for (const stream of open) end(stream, options)
    },
  }
}

function createRegistry(open: Set<Stream>, options: StreamOptions): StreamRegistry {
  const shares = createShares(options.streamsPerUser)
  let isClosed = false
  const registry: StreamRegistry = {
    register(stream) {
      open.add(stream)
      shares.take(stream.caller)
      ticker.start()
    },
    unregister(stream) {
      if (!open.delete(stream)) return
      shares.giveBack(stream.caller)
      ticker.stopWhenIdle()
    },
    isOpen: (stream) => open.has(stream),
    refusal(caller) {
      if (isClosed) return rpcError(503, 'The server is closing', null)
      if (open.size >= capacity) return rpcError(503, 'Too many streams are open', null)
      return shares.isSpent(caller) ? rpcError(429, 'Too many of your streams are open', null) : null
    },
    close() {
      isClosed = true
    },
  }
  const ticker = tickWhileOpen(open, registry, options)
  return registry
}

function end({ sink, id }: Stream, { texts }: StreamOptions): void {
  if (id !== null) sink.write(eventOf(texts.subscriptionEnd(id)))
  sink.end()
}

/** A stream that cannot be written to is left, whether or not anybody says that its client has gone. */
function write(stream: Stream, text: string, registry: StreamRegistry): void {
  if (!stream.sink.write(text)) registry.unregister(stream)
}

type OpenStream = (id: string | null, client: Client, first: string) => HttpResponse

// A function of its own: what it returns lives as long as the stream and must hold on to nothing else.
const unregistering = (stream: Stream, registry: StreamRegistry) => (): void => registry.unregister(stream)

function streamOpener(registry: StreamRegistry, { authentication }: StreamOptions): OpenStream {
  return (id, { request, caller }, first) => {
    const refusal = registry.refusal(caller)
    if (refusal !== null) return refusal
    const checkAt = authentication.isOn ? authentication.validUntil(request) : Number.POSITIVE_INFINITY
    const kept = authentication.isOn ? new DetachedRequest(request) : null
    return streamResponse({
      open: (sink) => {
        if (first !== '') sink.write(first)
        const stream = { sink, id, request: kept, caller, checkAt }
        registry.register(stream)
        return unregistering(stream, registry)
      },
    })
  }
}

interface Ticker {
  start(): void
  stopWhenIdle(): void
}

function tickWhileOpen(open: ReadonlySet<Stream>, registry: StreamRegistry, options: StreamOptions): Ticker {
  const { clock, every } = options
  let stop: (() => Promise<void>) | null = null
  let ticks = 0
  const tick = async (): Promise<void> => {
    ticks += 1
    for (const stream of open) {
      if (stream.checkAt <= clock()) void check(stream, registry, options)
      if (ticks % ticksPerHeartbeat === 0) write(stream, ': keepalive\n\n', registry)
    }
  }
  return {
    start() {
      stop ??= every(tickMs, tick)
    },
    stopWhenIdle() {
      if (open.size > 0) return
      void stop?.()
      stop = null
    },
  }
}

async function check(
  stream: Stream,
  registry: StreamRegistry,
  { authentication, clock }: StreamOptions,
): Promise<void> {
  const { request } = stream
  if (request === null) return
  stream.checkAt = Number.POSITIVE_INFINITY // not again while this one runs
  const passed = await passesAnew(request, authentication)
  if (!registry.isOpen(stream)) return
  if (passed === false) stream.sink.end()
  else stream.checkAt = passed === null ? clock() : authentication.validUntil(request)
}

/** Whether the credential still passes; null when nobody could say, so that it is asked again. */
async function passesAnew(
  request: HttpRequest,
  authentication: StreamOptions['authentication'],
): Promise<boolean | null> {
  try {
    await request.session.read?.()
    return (await authentication.recheck(request)) !== null
  } catch {
    return null
  }
}
