/** By which way a message is served, our own or the SDK's; and its watcher is told. */
import type { ProtocolFailure, WatchedMessage, WatchMessage } from '../../contract/calls.ts'
import type { HttpResponse } from '../../contract/http.ts'
import type { CancellableCalls } from '../limits/cancellable-calls.ts'
import type { CountCall } from '../limits/limits.ts'
import type { McpMethods } from '../method.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import { frameMistake } from '../protocol/frame-mistake.ts'
import { failureOf, type Refusal, type Served, servedAs, servedRefusal } from '../protocol/http-refusal.ts'
import { extensionMessage, fastMessage, type MethodMessage } from '../protocol/message.ts'
import type { Posted, ServeFast } from './fast-path.ts'
import type { ServeBySdk } from './sdk-path.ts'

/** Serves one message. */
export type ServeMessage = (posted: Posted) => Promise<Served>

export interface MessagePaths {
  /** Null without a watcher. */
  readonly watch: WatchMessage | null
  readonly methods: McpMethods
  /** Why optional parts do not let it pass, null = they do. */
  readonly refusals: readonly ((posted: Posted) => Refusal | null)[]
  readonly serveFast: ServeFast
  /** Whether the SDK serves all that it knows. */
  readonly isSdkOnly: boolean
  readonly serveBySdk: ServeBySdk
  readonly cancellable: Pick<CancellableCalls, 'cancel'>
  /** Counts what is no well-formed tool call: that counts where it runs. */
  readonly count: CountCall
}

export function servedMessages(paths: MessagePaths): ServeMessage {
  const { watch } = paths
  return (posted) => {
    const message = watch && messageIn(posted)
    const isWatched = typeof message?.method === 'string' // what has no method is the answer to something
    const watched = isWatched ? (watch?.({ request: posted.request, message }) ?? null) : null
    if (watched === null) return serve(posted, paths)
    return observedServing(
      watched,
      watched.run(async () => serve({ ...posted, watched }, paths)), // what it throws is told, too
    )
  }
}

/** What the fast path does not take is the SDK's. */
function serve(posted: Posted, paths: MessagePaths): Promise<Served> {
  const { methods, refusals, serveFast, serveBySdk, cancellable, count } = paths
  const { request, body, listed } = posted
  for (const refusalOf of refusals) {
    const refusal = refusalOf(posted)
    if (refusal !== null) return Promise.resolve(servedRefusal(refusal))
  }
  const message = messageOf(posted, paths)
  const overload = message !== null && isCounted(message, methods) ? null : count(posted.caller)
  if (overload !== null) return Promise.resolve(servedRefusal({ kind: 'overload', overload }))
  const mistaken = message === null && body.kind === 'json' ? frameMistake(body.value, request.headers) : null
  if (mistaken !== null) return Promise.resolve(servedAs(mistaken))
  if (message === null) cancelIn(posted, cancellable)
  const bySdk = (): Promise<Served> => serveBySdk({ head: request, client: posted, body, listed })
  return message === null ? bySdk() : serveFast(message, posted, bySdk)
}

/** The message that is served by our own way, else null. */
function messageOf({ request, body }: Posted, { methods, isSdkOnly }: MessagePaths): MethodMessage | null {
  if (body.kind !== 'json') return null
  const { headers } = request
  const ofExtension = extensionMessage(body.value, headers, methods)
  if (ofExtension !== null || isSdkOnly || !isJson(headers['content-type'])) return ofExtension
  return fastMessage(body.value, headers, methods)
}

const isCounted = ({ method }: MethodMessage, methods: McpMethods): boolean =>
  methods.get(method)?.countsItself === true

/** The SDK says that it was received. */
function cancelIn(posted: Posted, cancellable: MessagePaths['cancellable']): void {
  const value = messageIn(posted)
  if (value?.method === 'notifications/cancelled' && value.id === undefined && isObject(value.params))
    cancellable.cancel(posted, value.params.requestId)
}

const isJson = (type: unknown): boolean =>
  type === 'application/json' || (typeof type === 'string' && /^application\/json *;/i.test(type))

const messageIn = ({ body }: Posted): WireObject | null =>
  body.kind === 'json' && isObject(body.value) ? body.value : null

/** The same answer, once its watcher has been told of it. */
async function observedServing(watched: WatchedMessage, serving: Promise<Served>): Promise<Served> {
  try {
    const served = await serving
    watched.answered(endOf(served))
    return served
  } catch (error) {
    watched.answered({ status: 500, error: null })
    throw error
  }
}

function endOf({ outcome, refusal }: Served): Parameters<WatchedMessage['answered']>[0] {
  if (refusal === null) return { status: outcome.status, error: failureIn(outcome) }
  const status = refusal.kind === 'insufficientScope' ? 403 : 401 // the others are errors of the protocol
  return { status, error: failureOf(refusal) }
}

/** The error that an answer consists of, as JSON or as the one event of a stream. */
function failureIn({ body }: HttpResponse): ProtocolFailure | null {
  if (typeof body !== 'string' || !body.includes('"error"')) return null
  try {
    const { error } = JSON.parse(/^data: ([^\r\n]*)/m.exec(body)?.[1] ?? body)
    return typeof error?.code === 'number' ? { code: error.code, message: String(error.message) } : null
  } catch {
    return null
  }
}
