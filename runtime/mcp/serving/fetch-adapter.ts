import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import { JsonParseError } from '../../errors.ts'
import { decodeUtf8 } from '../../utf8.ts'
import { checkMessageSize } from '../limits/message-size.ts'
import { withoutNulls } from '../protocol/absent-members.ts'
import { acceptForSdk } from '../protocol/accepted-forms.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'

/** What a POST carried: JSON, or a text that is none. */
export type MessageBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }

/** Whether the body is in a content coding that nobody has decoded. */
export const isEncoded = ({ body }: HttpRequest): boolean =>
  body.kind === 'bytes' && typeof body.coding === 'string'

/** Reads the body of a POST, once; at once when it came with its headers. Rejects with `PayloadTooLarge`. */
export function readMessage({ body }: HttpRequest): MaybePromise<MessageBody> {
  if (body.kind === 'value') return { kind: 'json', value: withoutNulls(body.value) }
  const bytes = body.readSync?.() ?? null
  return bytes === null ? body.read().then(messageOf) : messageOf(bytes)
}

/** What is not UTF-8 is no text either: an empty one stands for it, which is no message. Source: RFC 8259, 8.1. */
function messageOf(bytes: Uint8Array): MessageBody {
  const body = parsed(bytes)
  if (body.kind === 'json') checkMessageSize(body.value, bytes.length)
  return body
}

function parsed(bytes: Uint8Array): MessageBody {
  let text = ''
  try {
    text = decodeUtf8(bytes, () => new JsonParseError())
    const value = JSON.parse(text)
    return { kind: 'json', value: text.includes('null') ? withoutNulls(value) : value }
  } catch {
    return { kind: 'text', text }
  }
}

/** The request as the SDK wants it: the protocol's own headers and, where it is no JSON, the body. Credentials stay
 *  outside. */
export function toWebRequest(
  { method, headers: sent, signal }: Pick<HttpRequest, 'method' | 'headers' | 'signal'>,
  body: MessageBody,
  address: string,
): Request {
  const headers = new Headers()
  const accept = acceptForSdk(sent)
  for (const [name, value] of Object.entries(sent)) {
    if (isProtocolHeader(name) && value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  if (accept !== undefined) headers.set('accept', [accept].flat().join(', '))
  const text = method === 'POST' && body.kind === 'text' ? { body: body.text } : {}
  return new Request(address, { method, headers, signal, ...text })
}

/** The response as an outcome, without hop-by-hop headers and length. An event stream is handed on as a stream unless
 *  `isReadWhole`. */
export async function toResponse(response: Response, isReadWhole: boolean): Promise<HttpResponse> {
  const { status } = response
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !connectionHeaders.has(name)))
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  const body =
    isStream && !isReadWhole ? (response.body?.pipeThrough(inUnicode()) ?? null) : await response.text()
  return { status, headers, body: body === '' ? null : body }
}

/** The SDK writes one event at a time. */
const inUnicode = (): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform: (chunk, events) => {
      const text = Buffer.from(chunk).toString()
      const formed = wellFormedJson(text)
      events.enqueue(formed === text ? chunk : Buffer.from(formed))
    },
  })

const isProtocolHeader = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name === 'last-event-id' || name.startsWith('mcp-')

const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])
