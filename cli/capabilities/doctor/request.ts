/** Requests as a client sends them, each on a connection of its own; redirects are not followed. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { rootCertificates } from 'node:tls'

export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface ConnectOptions {
  /** Authorities (PEM) that are trusted besides the public ones; null = none. */
  readonly ca: string | null
  readonly signal: AbortSignal
}

/** An answer that has been read. */
export interface ReadAnswer {
  readonly method: string
  readonly url: URL
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export const get = (url: URL, headers: Sent['headers'] = {}): Sent => ({
  method: 'GET',
  url,
  headers: { accept: 'application/json', ...headers },
  body: null,
})

export const postForm = (url: URL, fields: Readonly<Record<string, string>>): Sent => ({
  method: 'POST',
  url,
  headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})

export const postJson = (url: URL, value: unknown, headers: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  url,
  headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

/** For TLS connections. */
export const trustedAuthorities = (ca: string | null): { ca?: string[] } =>
  ca === null ? {} : { ca: [...rootCertificates, ca] }

/** Resolves with the head of the answer; rejects when there is none. */
export function openResponse(sent: Sent, { ca, signal }: ConnectOptions): Promise<IncomingMessage> {
  const { method, url, body } = sent
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const headers = { 'user-agent': 'acmcp-doctor', ...sent.headers }
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false, signal, ...trustedAuthorities(ca) }, resolve)
      .on('error', reject)
      .end(body ?? undefined)
  })
}

/** More is not read of any answer. */
const maxCharacters = 4 * 1024 * 1024

/** Nor is anything looked for behind it in a page. */
export const maxOfPage: number = 64 * 1024

/** Reads the answer to its end; an event stream as far as the first message that answers. */
export async function fetchAnswer(sent: Sent, network: ConnectOptions): Promise<ReadAnswer> {
  const response = await openResponse(sent, network)
  const { headers, statusCode: status = 0 } = response
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  let body = ''
  response.setEncoding('utf8')
  for await (const text of response) {
    body += String(text)
    if (body.length > maxCharacters || (isStream && hasReply(body))) break // leaves the loop, and the connection
  }
  return { method: sent.method, url: sent.url, status, headers, body }
}

const hasReply = (events: string): boolean => dataOf(events).some((data) => /"(result|error)"\s*:/.test(data))

/** Where a redirect leads; null = it is none. */
export function redirectTarget({ status, headers: { location }, url }: ReadAnswer): URL | null {
  const isRedirect = status >= 300 && status < 400 && location !== undefined && URL.canParse(location, url)
  return isRedirect ? new URL(location, url) : null
}

/** The data of each whole event. Source: HTML, server-sent events. */
export function dataOf(events: string): readonly string[] {
  const whole = events.replace(/\r\n?/g, '\n').split('\n\n').slice(0, -1)
  return whole.map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line = '']) => line).join('\n'))
}

export type JsonRecord = Readonly<Record<string, unknown>>

/** The JSON object that a text is, else null. */
export function jsonObject(text: string): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonRecord(value) ? value : null
  } catch {
    return null
  }
}

export const isJsonRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member that is a text, else null. */
export function textIn(object: JsonRecord | null, name: string): string | null {
  const value = object?.[name]
  return typeof value === 'string' ? value : null
}

/** Members of a list that are texts; null where there is no list. */
export function textsIn(object: JsonRecord | null, name: string): readonly string[] | null {
  const value = object?.[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null
}
