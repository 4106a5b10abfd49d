/** Answers that are sent as server-sent events. Source: MCP, Streamable HTTP. */
import type { Outcome, PushBody, PushSink } from '../contract.ts'
import type { SendProgress } from './mcp-call.ts'

/** One message as an event. */
export const eventOf = (json: string): string => `event: message\ndata: ${json}\n\n`

/** An event stream that is not buffered on its way. */
export const eventStream = (body: PushBody): Outcome => ({
  status: 200,
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  },
  body,
})

/** Runs a call that may report progress. Without a report its answer is plain; the first report turns the answer into a
 *  stream, which `last` ends with the message for what the call came to. */
export function withProgress<Answer extends { readonly outcome: Outcome }>(
  run: (send: SendProgress) => Promise<Answer>,
  last: (answer: Answer) => string,
  plain: (outcome: Outcome) => Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const events = queuedEvents()
    let isStream = false
    const send: SendProgress = (params) => {
      const message = { jsonrpc: '2.0', method: 'notifications/progress', params }
      events.write(eventOf(JSON.stringify(message)))
      if (!isStream) resolve(plain(eventStream(events.body)))
      isStream = true
    }
    run(send)
      .then((answer) => {
        if (!isStream) return resolve(answer)
        events.write(eventOf(last(answer)))
        events.end()
      })
      .catch((error: unknown) => {
        events.end() // a stream that has begun must not stay open
        reject(error)
      })
  })
}

interface QueuedEvents {
  readonly body: PushBody
  write(event: string): void
  end(): void
}

/** Keeps events until somebody reads, and drops them when nobody does any more. */
function queuedEvents(): QueuedEvents {
  let waiting = ''
  let sink: PushSink | null = null
  let isOver = false
  return {
    body: {
      open: (opened) => {
        if (waiting !== '') opened.write(waiting)
        if (isOver) opened.end()
        sink = opened
        waiting = ''
        return () => {
          sink = null
          isOver = true
        }
      },
    },
    write(event) {
      if (sink !== null) sink.write(event)
      else if (!isOver) waiting += event
    },
    end() {
      isOver = true
      sink?.end()
    },
  }
}
