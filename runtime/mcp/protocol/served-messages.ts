/** By which way a message is served: our own, or the SDK's. */
import type { HttpResponse } from '../../contract/http.ts'
import type { CountCall } from '../limits/limits.ts'
import type { ListedClient, Served, ServeFast } from './fast-path.ts'
import type { MessageBody } from './fetch-adapter.ts'
import { fastMessage } from './message.ts'
import type { ServeBySdk } from './sdk-path.ts'

/** One POST whose message has been read, of a client that is to see `listed` in its list. */
export interface Posted extends ListedClient {
  readonly body: MessageBody
}

/** Serves one message. */
export type ServeMessage = (posted: Posted) => Promise<Served>

export interface MessagePaths {
  /** Null where everything goes through the SDK. */
  readonly serveFast: ServeFast | null
  readonly serveBySdk: ServeBySdk
  /** Counts what is no well-formed tool call: that counts where it runs. */
  readonly count: CountCall
}

/** What the fast path does not take is the SDK's. */
export function servedMessages({ serveFast, serveBySdk, count }: MessagePaths): ServeMessage {
  return async (posted) => {
    const { request, body, listed } = posted
    const isFast = serveFast !== null && body.kind === 'json' && isJson(request.headers['content-type'])
    const message = isFast ? fastMessage(body.value, request.headers) : null
    const overload = message?.method === 'tools/call' ? null : count(posted.caller)
    if (overload !== null) return { outcome: replaced, refusal: { kind: 'overload', overload } }
    const fast = isFast && message !== null ? await serveFast(message, posted) : null
    return fast ?? (await serveBySdk({ head: request, client: posted, body, listed }))
  }
}

/** Stands where the endpoint puts its own answer. */
const replaced: HttpResponse = { status: 500, headers: {}, body: null }

const isJson = (type: unknown): boolean =>
  type === 'application/json' || (typeof type === 'string' && /^application\/json *;/i.test(type))
