/** The streams on which clients wait for news: `subscriptions/listen` of revision 2026-07-28 and the GET stream of the
 *  revisions before it. One record each, no session. Source: decisions.md, notification stream. */
import type { Clock, HttpRequest, Outcome, PushSink } from '../contract.ts'
import type { AnswerTexts } from './answer-text.ts'
import type { Authentication } from './authenticate.ts'
import { rpcError } from './challenge.ts'
import { forgetKey } from './credentials.ts'
import { eventOf, eventStream } from './event-stream.ts'
import { KeptRequest } from './kept-request.ts'
import { type EventTexts, eventTexts } from './stream-events.ts'

export interface StreamOptions {
  readonly authentication: Pick<Authentication, 'isOn' | 'check' | 'validUntil'>
  readonly texts: Pick<AnswerTexts, 'subscriptionEnd'>
  /** Names the catalogue. */
  readonly version: string
  readonly clock: Clock
  /** Does some work every so many milliseconds; answers how to stop it. */
  readonly regularly: (everyMs: number, work: () => Promise<void>) => () => Promise<void>
}

export interface Streams {
  /** A subscription to changes of the tool list; `id` is JSON. */
  listen(id: string, request: HttpRequest): Outcome
  /** The GET stream. */
  get(request: HttpRequest): Outcome
  toolsChanged(): void
  /** Ends every stream in good order. */
  close(): void
}

interface Stream {
  readonly sink: PushSink
  /** The id of the subscription as JSON, null for a GET stream. */
  readonly id: string | null
  /** Kept to check it again when its credential's time is up; null without authentication. */
  readonly request: HttpRequest | null
  checkAt: number
}

const tickMs = 1000
const ticksPerHeartbeat = 25
const capacity = 10_000

/** Streams end when their credential no longer passes, looked at once a second when its time is up; a comment every 25
 *  seconds keeps them open. At most 10,000 at once. */
export function createStreams(options: StreamOptions): Streams {
  const open = new Set<Stream>()
  const events = eventTexts(options.version, options.clock)
  const begin = opener(open, options)
  return {
    listen: (id, request) => begin(id, request, events.acknowledged(id)),
    get: (request) => begin(null, request, events.first(request)),
    toolsChanged: () => tellChange(open, events),
    close() {
      for (const { sink, id } of open) {
        if (id !== null) sink.write(eventOf(options.texts.subscriptionEnd(id)))
        sink.end()
      }
    },
  }
}

function tellChange(open: ReadonlySet<Stream>, events: EventTexts): void {
  for (const { sink, id } of open) sink.write(id === null ? events.changed() : events.changedFor(id))
}

type Begin = (id: string | null, request: HttpRequest, first: string) => Outcome

function opener(open: Set<Stream>, options: StreamOptions): Begin {
  const { authentication } = options
  const ticker = tickWhileOpen(open, options)
  // A function of its own: what it returns lives as long as the stream and must hold on to nothing else.
  const enter = (stream: Stream): (() => void) => {
    open.add(stream)
    ticker.start()
    return () => {
      open.delete(stream)
      ticker.stopWhenIdle()
    }
  }
  return (id, request, first) => {
    if (open.size >= capacity) return rpcError(503, 'Too many streams are open', null)
    const checkAt = authentication.isOn ? authentication.validUntil(request) : Number.POSITIVE_INFINITY
    const kept = authentication.isOn ? new KeptRequest(request) : null
    forgetKey(request.headers)
    return eventStream({
      open: (sink) => {
        if (first !== '') sink.write(first)
        return enter({ sink, id, request: kept, checkAt })
      },
    })
  }
}

interface Ticker {
  start(): void
  stopWhenIdle(): void
}

function tickWhileOpen(open: ReadonlySet<Stream>, options: StreamOptions): Ticker {
  const { clock, regularly } = options
  let stop: (() => Promise<void>) | null = null
  let ticks = 0
  const tick = async (): Promise<void> => {
    ticks += 1
    for (const stream of open) {
      if (stream.request !== null && stream.checkAt <= clock()) void check(stream, stream.request, options)
      if (ticks % ticksPerHeartbeat === 0) stream.sink.write(': keepalive\n\n')
    }
  }
  return {
    start() {
      stop ??= regularly(tickMs, tick)
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
  request: HttpRequest,
  { authentication, clock }: StreamOptions,
): Promise<void> {
  stream.checkAt = Number.POSITIVE_INFINITY // not again while this one runs
  try {
    if (await authentication.check(request)) stream.checkAt = authentication.validUntil(request)
    else stream.sink.end()
  } catch {
    stream.checkAt = clock() // nobody could say: asked again
  }
}
