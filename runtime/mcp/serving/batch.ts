/** Batches of revision 2025-03-26. Their messages are answered one after the other, each as if it had come by itself, so that a
 *  batch gets nothing that its messages would not get. Source: rules.md, batches of 2025-03-26; JSON-RPC 2.0, 6. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import { rpcError } from '../auth/challenge.ts'
import { errorCodes, isObject, metaKeys, type WireObject } from '../protocol/constants.ts'
import {
  type Overload,
  type Refusal,
  refusedCall,
  type Served,
  servedAs,
  servedRefusal,
} from '../protocol/http-refusal.ts'
import { eventOf, streamResponse } from '../streams/event-stream.ts'

export interface BatchHandlers {
  /** Why no message may be served, or null. */
  readonly guard: ((messages: readonly WireObject[]) => Promise<Refusal | null>) | null
  /** Serves one message. */
  readonly serve: (message: unknown) => Promise<Served>
  /** Counts a message that runs no route. */
  readonly count: () => Overload | null
}

/** Methods whose calls are counted where they run. */
const ownCount: ReadonlySet<unknown> = new Set([
  ...['tools/call', 'prompts/get', 'resources/read', 'completion/complete'],
])

const maxMessages = 10

/** Above this no further message is answered. */
const answerBytes = 1024 * 1024

/** Answers as an event stream, as the SDK does; what is wrong with the batch as a whole is one error. A route's 401, and its 403
 *  for a scope, is the answer to the whole. */
export async function serveBatch(messages: readonly unknown[], handlers: BatchHandlers): Promise<Served> {
  const mistake = mistakeIn(messages)
  if (mistake !== null) return servedAs(rpcError(400, mistake, null))
  const objects = messages.filter(isObject)
  const refusal = (await handlers.guard?.(objects)) ?? null
  if (refusal !== null) return servedRefusal(refusal)
  const events: Uint8Array[] = []
  let bytes = 0
  for (const message of objects) {
    const served = bytes > answerBytes ? servedAs(leftOut(message.id)) : await serveOne(message, handlers)
    const answer = answerOf(served, message.id)
    if (answer === null) return served
    if (message.id === undefined || answer.body === null) continue
    for (const part of eventParts(answer)) {
      events.push(part)
      bytes += part.length
    }
  }
  return servedAs(events.length === 0 ? accepted : streamResponse(Buffer.concat(events)))
}

const accepted: HttpResponse = { status: 202, headers: {}, body: null }

/** The words are the SDK's. */
function mistakeIn(messages: readonly unknown[]): string | null {
  if (messages.length === 0) return 'Bad Request: empty JSON-RPC batch'
  if (messages.length > maxMessages) return `Invalid Request: Batch must not exceed ${maxMessages} messages`
  if (messages.some(isModern)) {
    return 'Bad Request: JSON-RPC batches may not contain requests for protocol revision 2026-07-28 or later'
  }
  if (!messages.every(isMessage)) return 'Bad Request: JSON-RPC batch contains an invalid message'
  const isInitializing = messages.some((message) => isObject(message) && message.method === 'initialize')
  return isInitializing && messages.length > 1
    ? 'Invalid Request: Only one initialization request is allowed'
    : null
}

const isModern = (message: unknown): boolean =>
  isObject(message) &&
  isObject(message.params) &&
  isObject(message.params._meta) &&
  metaKeys.version in message.params._meta

const isMessage = (message: unknown): boolean =>
  isJSONRPCRequest(message) ||
  isJSONRPCNotification(message) ||
  isJSONRPCResultResponse(message) ||
  isJSONRPCErrorResponse(message)

async function serveOne(message: WireObject, { serve, count }: BatchHandlers): Promise<Served> {
  const overload = ownCount.has(message.method) ? null : count()
  if (overload !== null) return servedRefusal({ kind: 'overload', overload })
  return serve(withoutProgress(message))
}

/** Reports of progress would come between the answers of others; no client has a right to them. */
export function withoutProgress(message: WireObject): WireObject {
  const { params } = message
  if (!isObject(params) || !isObject(params._meta)) return message
  const { progressToken, ...meta } = params._meta
  return { ...message, params: { ...params, _meta: meta } }
}

/** The answer to one message; null when what was served is the answer to all: a refusal that speaks to the client about its
 *  credential, or a header that fits none. */
function answerOf({ outcome, refusal }: Served, id: unknown): HttpResponse | null {
  if (refusal === null) return outcome.status > 202 ? null : outcome
  if (refusal.kind === 'unauthorized' || refusal.kind === 'insufficientScope') return null
  return refusedCall(refusal, JSON.stringify(id))
}

/** The answer as an event. What the SDK wrote is one already, and the bytes of a list are on one line. */
function eventParts({ body, headers }: HttpResponse): readonly Uint8Array[] {
  if (body instanceof Uint8Array) return [eventHead, body, eventTail]
  const isEvent = headers['content-type'] === 'text/event-stream'
  return [Buffer.from(isEvent ? String(body) : eventOf(String(body)))]
}

const eventHead = Buffer.from('event: message\ndata: ')
const eventTail = Buffer.from('\n\n')

function leftOut(id: unknown): HttpResponse {
  const message = `The answers to this batch are larger than ${answerBytes} bytes: send this message by itself`
  const error = { code: errorCodes.tooLarge, message }
  return { status: 200, headers: {}, body: JSON.stringify({ jsonrpc: '2.0', error, id }) }
}
