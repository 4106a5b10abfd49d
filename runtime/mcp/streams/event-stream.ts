/** Answers that are sent as server-sent events. Source: MCP 2025-11-25, Streamable HTTP. */
import type { HttpResponse, StreamingBody, StreamWriter } from '../../contract/http.ts'
import type { SendProgress } from '../protocol/message.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'

/** One message as an event. A line break can only stand between the parts of JSON, and would end the event's data. */
export const eventOf = (json: string): string => `event: message\ndata: ${oneLine(wellFormedJson(json))}\n\n`

const oneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json)

/** An event stream that is not buffered on its way. */
export const streamResponse = (body: StreamingBody | Uint8Array): HttpResponse => ({
  status: 200,
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  },
  body,
})

/** What becomes of a call that may report progress: `plain` is the answer that opens a stream, `last` and `failed` write the
 *  message that ends it, and `failed` does not throw. */
export interface ProgressEnds<Answer> {
  readonly last: (answer: Answer) => string
  readonly failed: (error: unknown) => string
  readonly plain: (outcome: HttpResponse) => Answer
}

/** Runs a call that may report progress. Without a report its answer is plain; the first report turns the answer into a
 *  stream, which ends with a message whatever the call comes to. */
export function withProgress<Answer>(
  run: (send: SendProgress) => Promise<Answer>,
  { last, failed, plain }: ProgressEnds<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const events = queuedEvents()
    let isStream = false
    const send: SendProgress = (params) => {
      const message = { jsonrpc: '2.0', method: 'notifications/progress', params }
      events.offer(() => eventOf(JSON.stringify(message)))
      if (!isStream) resolve(plain(streamResponse(events.body)))
      isStream = true
    }
    const end = (message: string): void => events.end(eventOf(message))
    run(send)
      .then((answer) => (isStream ? end(last(answer)) : resolve(answer)))
      .catch((error: unknown) => (isStream ? end(failed(error)) : reject(error)))
  })
}

export interface QueuedEvents {
  readonly body: StreamingBody
  offer(event: () => string): void
  end(last: string): void
}

/** How much is kept of what the client has not read yet, beside the last event. */
const maxWaiting = 65_536

/** Keeps events until the client reads, and drops them when it has gone. What is offered is dropped too where the client is
 *  behind: the last event, the answer, comes through. */
export function queuedEvents(): QueuedEvents {
  let waiting = ''
  let sink: StreamWriter | null = null
  let isOver = false
  return {
    body: {
      open: (opened) => {
        if (isOver) opened.end(waiting)
        else if (waiting !== '') opened.write(waiting)
        sink = opened
        waiting = ''
        return () => {
          sink = null
          isOver = true
        }
      },
    },
    offer(event) {
      if (sink !== null) sink.offer(event)
      else if (!isOver && waiting.length < maxWaiting) waiting += event()
    },
    end(last) {
      if (sink !== null) sink.end(last)
      else if (!isOver) waiting += last
      isOver = true
    },
  }
}
