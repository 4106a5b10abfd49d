import type { HttpRequest, Outcome } from '../contract.ts'

/** The request as the SDK wants it: the protocol's own headers and, for a POST, the body. Credentials stay outside.
 *  Rejects with `PayloadTooLarge`. */
export async function toWebRequest(request: HttpRequest, address: string): Promise<Request> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (isProtocolHeader(name) && value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  const body = request.method === 'POST' ? { body: await bodyText(request) } : {}
  return new Request(address, { method: request.method, headers, signal: request.signal, ...body })
}

/** The response as an outcome, without hop-by-hop headers and length. An event stream is handed on as a stream unless
 *  `isReadWhole`. A 405 names the one method that works (RFC 9110 15.5.6). */
export async function toOutcome(response: Response, isReadWhole: boolean): Promise<Outcome> {
  const { status } = response
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !connectionHeaders.has(name)))
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  const body = isStream && !isReadWhole ? response.body : await response.text()
  return {
    status,
    headers: status === 405 ? { ...headers, allow: 'POST' } : headers,
    body: body === '' ? null : body,
  }
}

const isProtocolHeader = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name === 'last-event-id' || name.startsWith('mcp-')

const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

async function bodyText({ body }: HttpRequest): Promise<string> {
  return body.kind === 'value' ? JSON.stringify(body.value) : new TextDecoder().decode(await body.read())
}
