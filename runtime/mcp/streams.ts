/** The streams on which clients wait for news: `subscriptions/listen` of revision 2026-07-28 and the GET stream of the
 *  revisions before it. One record each, no session. Source: decisions.md, notification stream. */
import type { Clock, HttpRequest, Outcome, PushSink } from '../contract.ts'
import type { AnswerTexts } from './answer-text.ts'
import type { Authentication } from './authenticate.ts'
import { rpcError } from './challenge.ts'
import { eventOf, eventStream } from './event-stream.ts'
import { KeptRequest } from './kept-request.ts'
import { metaKeys } from './wire-names.ts'

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
  const ticker = tickWhileOpen(open, options)
  const stream = (id: string | null, request: HttpRequest, first: string): Outcome => {
    if (open.size >= capacity) return rpcError(503, 'Too many streams are open', null)
    const { authentication } = options
    const checkAt = authentication.isOn ? authentication.validUntil(request) : Number.POSITIVE_INFINITY
    const kept = authentication.isOn ? new KeptRequest(request) : null
    return eventStream({
      open: (sink) => {
        const entry: Stream = { sink, id, request: kept, checkAt }
        open.add(entry)
        ticker.start()
        if (first !== '') sink.write(first)
        return () => {
          open.delete(entry)
          ticker.stopWhenIdle()
        }
      },
    })
  }
  return {
    listen: (id, request) => stream(id, request, events.acknowledged(id)),
    get: (request) => stream(null, request, events.first(request)),
    toolsChanged() {
      for (const { sink, id } of open) sink.write(id === null ? events.changed() : events.changedFor(id))
    },
    close() {
      for (const { sink, id } of open) {
        if (id !== null) sink.write(eventOf(options.texts.subscriptionEnd(id)))
        sink.end()
      }
    },
  }
}

function tickWhileOpen(
  open: ReadonlySet<Stream>,
  { authentication, clock, regularly }: StreamOptions,
): { start(): void; stopWhenIdle(): void } {
  let stop: (() => Promise<void>) | null = null
  let ticks = 0
  const check = async (stream: Stream, request: HttpRequest): Promise<void> => {
    stream.checkAt = Number.POSITIVE_INFINITY // not again while this one runs
    try {
      if (await authentication.check(request)) stream.checkAt = authentication.validUntil(request)
      else stream.sink.end()
    } catch {
      stream.checkAt = clock() // nobody could say: asked again
    }
  }
  const tick = async (): Promise<void> => {
    ticks += 1
    for (const stream of open) {
      if (stream.request !== null && stream.checkAt <= clock()) void check(stream, stream.request)
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

interface EventTexts {
  acknowledged(id: string): string
  changedFor(id: string): string
  changed(): string
  first(request: HttpRequest): string
}

/** The id of an event on a GET stream names the catalogue, so that a client that comes back, to any instance, hears at once
 *  when the list has changed meanwhile. Source: MCP 2025-11-25, Streamable HTTP, Resumability; SEP-1699. */
function eventTexts(version: string, clock: Clock): EventTexts {
  let count = 0
  const eventId = (): string => `id: ${version}.${clock().toString(36)}.${++count}\n`
  const changed = (): string =>
    `${eventId()}${eventOf('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')}`
  const tagged = (id: string): string => `"_meta":{${JSON.stringify(metaKeys.subscriptionId)}:${id}}`
  const notification = (method: string, params: string): string =>
    eventOf(`{"jsonrpc":"2.0","method":"notifications/${method}","params":{${params}}}`)
  return {
    changed,
    changedFor: (id) => notification('tools/list_changed', tagged(id)),
    acknowledged: (id) =>
      notification('subscriptions/acknowledged', `"notifications":{"toolsListChanged":true},${tagged(id)}`),
    first({ headers }) {
      const last = headers['last-event-id']
      if (typeof last === 'string' && !last.startsWith(`${version}.`)) return changed()
      // Only from this revision on clients understand an event without data.
      const understands = String(headers['mcp-protocol-version'] ?? '') >= '2025-11-25'
      return understands ? `${eventId()}data: \n\n` : ''
    },
  }
}
