/** The streams on which clients wait for news: `subscriptions/listen` of revision 2026-07-28 and the GET stream of the
 *  revisions before it. One record each, no session. Source: decisions.md, notification stream. */
import type { Clock, HttpRequest, Outcome, PushSink } from '../contract.ts'
import type { AnswerTexts } from './answer-text.ts'
import type { Authentication } from './authenticate.ts'
import { rpcError } from './challenge.ts'
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
  /** Gives every stream away. */
  release(): ReleasedStreams
  /** Goes on with the streams of another: who knows another list is told, every credential is checked again. */
  adopt(released: ReleasedStreams): void
  /** Ends every stream in good order. */
  close(): void
}

/** Streams on their way from one application to its next build. */
export interface ReleasedStreams {
  /** Names the catalogue that their clients know. */
  readonly version: string
  readonly streams: readonly Stream[]
}

interface Stream {
  readonly sink: PushSink
  /** The id of the subscription as JSON, null for a GET stream. */
  readonly id: string | null
  /** Kept to check it again when its credential's time is up; null without authentication. */
  readonly request: HttpRequest | null
  checkAt: number
  home: Home
}

/** Where the open streams are. */
interface Home {
  enter(stream: Stream): void
  leave(stream: Stream): void
}

const tickMs = 1000
const ticksPerHeartbeat = 25
const capacity = 10_000

/** Streams end when their credential no longer passes, looked at once a second when its time is up; a comment every 25
 *  seconds keeps them open. At most 10,000 at once. */
export function createStreams(options: StreamOptions): Streams {
  const open = new Set<Stream>()
  const events = eventTexts(options.version, options.clock)
  const home = homeOf(open, options)
  const begin = opener(open, home, options)
  const { version } = options
  return {
    listen: (id, request) => begin(id, request, events.acknowledged(id)),
    get: (request) => begin(null, request, events.first(request)),
    toolsChanged: () => tellChange(open, events),
    release() {
      const streams = [...open]
      for (const stream of streams) home.leave(stream)
      return { version, streams }
    },
    adopt(released) {
      const adopted = released.streams.filter((stream) => isAdopted(stream, home, options))
      if (released.version !== version) tellChange(adopted, events)
    },
    close() {
      for (const stream of open) end(stream, options)
    },
  }
}

function homeOf(open: Set<Stream>, options: StreamOptions): Home {
  const ticker = tickWhileOpen(open, options)
  return {
    enter(stream) {
      open.add(stream)
      ticker.start()
    },
    leave(stream) {
      open.delete(stream)
      ticker.stopWhenIdle()
    },
  }
}

/** Of a stream whose client has left. */
const nowhere: Home = { enter: () => {}, leave: () => {} }

/** Whether the stream goes on at a new home. Of one that was opened without authentication nobody knows whose it is, and
 *  the session of one that came with a cookie is its old home's: their clients come again. */
function isAdopted(stream: Stream, home: Home, options: StreamOptions): boolean {
  const { isOn } = options.authentication
  if (stream.home === nowhere) return false
  if (isOn && (stream.request === null || stream.request.headers.cookie !== undefined)) {
    end(stream, options)
    return false
  }
  stream.home = home
  stream.checkAt = isOn ? 0 : Number.POSITIVE_INFINITY
  home.enter(stream)
  return true
}

function end({ sink, id }: Stream, { texts }: StreamOptions): void {
  if (id !== null) sink.write(eventOf(texts.subscriptionEnd(id)))
  sink.end()
}

function tellChange(streams: Iterable<Stream>, events: EventTexts): void {
  for (const { sink, id } of streams) sink.write(id === null ? events.changed() : events.changedFor(id))
}

type Begin = (id: string | null, request: HttpRequest, first: string) => Outcome

// A function of its own: what it returns lives as long as the stream and must hold on to nothing else.
const leaving = (stream: Stream) => (): void => {
  stream.home.leave(stream)
  stream.home = nowhere
}

function opener(open: ReadonlySet<Stream>, home: Home, { authentication }: StreamOptions): Begin {
  return (id, request, first) => {
    if (open.size >= capacity) return rpcError(503, 'Too many streams are open', null)
    const checkAt = authentication.isOn ? authentication.validUntil(request) : Number.POSITIVE_INFINITY
    const kept = authentication.isOn ? new KeptRequest(request) : null
    return eventStream({
      open: (sink) => {
        if (first !== '') sink.write(first)
        const stream = { sink, id, request: kept, checkAt, home }
        home.enter(stream)
        return leaving(stream)
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
  const { home } = stream
  stream.checkAt = Number.POSITIVE_INFINITY // not again while this one runs
  const passed = await passesAnew(request, authentication)
  if (stream.home !== home) return // it has left, or moved: its new home asks itself
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
    return await authentication.check(request)
  } catch {
    return null
  }
}
