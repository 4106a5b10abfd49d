/** Answers that take long become event streams, on which a comment every 15 seconds tells balancers and clients that the server is
 *  there: they cut a connection on which nothing is sent for a minute. Source: MCP 2025-11-25 and 2026-07-28, Streamable HTTP, Sending
 *  messages; rules.md, slow answers. */
import type { StreamingBody, StreamWriter } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import { type DeadlineOptions, Deadlines } from '../../http/limits/call-time.ts'
import { isStreamingBody } from '../../http/server/streaming-body.ts'
import type { McpMethod, McpMethods } from '../method.ts'
import { errorCodes, isObject, type WireObject } from '../protocol/constants.ts'
import { failureOf, type Refusal, type Served, servedAs } from '../protocol/http-refusal.ts'
import type { MessageBody } from '../serving/fetch-adapter.ts'
import type { ResultWriter } from '../serving/result-writer.ts'
import { eventOf, type QueuedEvents, queuedEvents, streamResponse } from './event-stream.ts'

/** What is served in time is served as it is; `id` is that of the message, as JSON. */
export type StreamWhenSlow = (serving: Promise<Served>, id: string) => Promise<Served>

const seconds = 15
const comment = (): string => ': keepalive\n\n'

interface SlowAnswerOptions extends Omit<DeadlineOptions, 'seconds'> {
  readonly log: Logger
}

export function createSlowAnswers(
  { monotonic, every, log }: SlowAnswerOptions,
  texts: Pick<ResultWriter, 'error'>,
): StreamWhenSlow {
  const deadlines = new Deadlines({ monotonic, every, seconds })
  /** Beats until that is ended. */
  const every15Seconds = (beat: () => void): (() => void) => {
    let deadline = deadlines.set(next)
    function next(): void {
      deadline = deadlines.set(next)
      beat()
    }
    return () => deadline.leave()
  }
  return (serving, id) =>
    new Promise((resolve, reject) => {
      let events: QueuedEvents | null = null
      const stop = every15Seconds(() => {
        if (events === null) {
          events = queuedEvents()
          resolve(servedAs(streamResponse(events.body)))
        }
        events.offer(comment)
      })
      const failed = (error: unknown): void => {
        stop()
        if (events === null) return void reject(error)
        log.error({ error: errorName(error) }, 'a message failed after its stream had begun')
        events.end(eventOf(texts.error(id, errorCodes.internalError, 'Internal error')))
      }
      const refused = (refusal: Refusal): string => {
        const { code, message } = failureOf(refusal) ?? refusedByHttp
        return eventOf(texts.error(id, code, message))
      }
      serving.then((served) => {
        if (events !== null) return void writeInto(events, served, refused).then(stop, failed)
        stop()
        resolve(beating(served, every15Seconds))
      }, failed)
    })
}

/** Once a stream has begun its status stands: a client that must sign in learns it by the next request. */
const refusedByHttp = { code: errorCodes.invalidRequest, message: 'Refused' }

type Beats = (beat: () => void) => () => void

/** A stream on which progress is told may be silent for long, too. */
function beating(served: Served, beats: Beats): Served {
  const { body } = served.outcome
  return isStreamingBody(body)
    ? { ...served, outcome: { ...served.outcome, body: beatingBody(body, beats) } }
    : served
}

const beatingBody = (body: StreamingBody, beats: Beats): StreamingBody => ({
  open: (sink) => {
    const stop = beats(() => sink.offer(comment))
    const leave = body.open({
      write: (text) => sink.write(text),
      offer: (text) => sink.offer(text),
      end: (last) => {
        stop()
        sink.end(last)
      },
    })
    return () => {
      stop()
      leave()
    }
  },
})

/** The answer as the last of a stream that has begun. */
async function writeInto(
  events: QueuedEvents,
  { outcome, refusal }: Served,
  refused: (refusal: Refusal) => string,
): Promise<void> {
  if (refusal !== null) return events.end(refused(refusal))
  const { body, headers } = outcome
  if (isStreamingBody(body)) return new Promise((resolve) => void body.open(passingOn(events, resolve)))
  if (body instanceof ReadableStream) return passChunks(body, events)
  const text = body === null ? '' : Buffer.from(body).toString()
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  events.end(isStream || text === '' ? text : eventOf(text))
}

const passingOn = (events: QueuedEvents, ended: () => void): StreamWriter => ({
  write: (text) => {
    events.offer(() => text)
    return true
  },
  offer: (text) => events.offer(text),
  end: (last = '') => {
    events.end(last)
    ended()
  },
})

/** The last chunk comes through however slowly the client reads. */
async function passChunks(body: ReadableStream<Uint8Array>, events: QueuedEvents): Promise<void> {
  let waiting = ''
  for await (const chunk of body) {
    const passed = waiting
    if (passed !== '') events.offer(() => passed)
    waiting = Buffer.from(chunk).toString()
  }
  events.end(waiting)
}

/** Whether a message, or one of a batch, may run a route. */
export const runsRoute = (body: MessageBody, methods: McpMethods): boolean =>
  body.kind === 'json' &&
  (Array.isArray(body.value) || (isObject(body.value) && methodOf(body.value, methods)?.runsRoute === true))

const methodOf = ({ method }: WireObject, methods: McpMethods): McpMethod | undefined =>
  typeof method === 'string' ? methods.get(method) : undefined
