/** Tells those who watch of every message that the endpoint serves, those of a batch one by one. */
import type { ProtocolFailure, WatchedMessage, WatchMessage } from '../../contract/calls.ts'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { isObject } from '../protocol/constants.ts'
import { failureOf, type Served } from '../protocol/http-refusal.ts'
import type { MessageBody } from './fetch-adapter.ts'

interface Received {
  readonly request: HttpRequest
  readonly body: MessageBody
}

/** Who watches this message; null = nobody does. What has no method is the answer to something. */
export function watchedIn({ request, body }: Received, watch: WatchMessage): WatchedMessage | null {
  const message = body.kind === 'json' && isObject(body.value) ? body.value : null
  return typeof message?.method === 'string' ? watch({ request, message }) : null
}

/** The same answer, once who watches has been told of it. */
export async function observedServing(watched: WatchedMessage, serving: Promise<Served>): Promise<Served> {
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
