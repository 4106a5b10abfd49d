/** The answer in a form that its client takes, where that is only one of the two. Source: rules.md, Accept of a message. */
import type { HttpResponse, StreamingBody } from '../../contract/http.ts'
import { isStreamingBody } from '../../http/server/streaming-body.ts'
import { rpcError } from '../auth/challenge.ts'
import type { AcceptedForms } from '../protocol/accepted-forms.ts'
import { isObject } from '../protocol/constants.ts'
import { eventOf, streamResponse } from '../streams/event-stream.ts'
import { withoutProgress } from './batch.ts'
import type { MessageBody } from './fetch-adapter.ts'

/** Who takes no stream is told nothing on the way. */
export function askedInForm(body: MessageBody, { stream }: AcceptedForms): MessageBody {
  if (stream || body.kind === 'text' || !isObject(body.value)) return body
  return { kind: 'json', value: withoutProgress(body.value) }
}

/** A subscription has no other form than a stream. */
export async function inForm(
  outcome: HttpResponse,
  { json, stream }: AcceptedForms,
  isBatch: boolean,
): Promise<HttpResponse> {
  const isStream = String(outcome.headers['content-type']).startsWith('text/event-stream')
  if (json === stream || outcome.body === null || isStream === stream) return outcome
  if (stream) return outcome.status === 200 ? asStream(outcome) : outcome
  const { body } = outcome
  if (isStreamingBody(body)) return rpcError(406, 'Not Acceptable: the answer is an event stream', null)
  const messages = messagesIn(await textOf(body))
  const text = isBatch ? `[${messages.join()}]` : (messages.at(-1) ?? '')
  return { ...outcome, headers: { 'content-type': 'application/json; charset=utf-8' }, body: text }
}

async function asStream({ body }: HttpResponse): Promise<HttpResponse> {
  if (isStreamingBody(body)) return streamResponse(body)
  return streamResponse(Buffer.from(eventOf(await textOf(body))))
}

type WholeBody = Exclude<HttpResponse['body'], StreamingBody>

async function textOf(body: WholeBody): Promise<string> {
  if (body instanceof ReadableStream) return new Response(body).text()
  return body === null ? '' : Buffer.from(body).toString()
}

/** The data of each event. */
const messagesIn = (events: string): readonly string[] =>
  events.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
