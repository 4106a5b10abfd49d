/** Messages to an MCP endpoint, as clients of both eras send them. Source: MCP 2025-11-25 and 2026-07-28, Streamable HTTP. */
import {
  dataOf,
  isJsonRecord,
  type JsonRecord,
  jsonObject,
  postJson,
  type ReadAnswer,
  type Sent,
} from './request.ts'
import type { Known, Visit } from './step.ts'
import { type Trouble, trouble } from './troubles.ts'
import { troubleOf } from './unexpected-answer.ts'

export const newestVersion = '2026-07-28'

export type McpEra = 'legacy' | 'modern'

export interface McpMessage {
  readonly method: string
  readonly params: JsonRecord
  readonly era: McpEra
}

/** The headers that a client sends with each request to the endpoint; before `initialize` there is no revision to name. */
export function headersOf({ token, session, revision }: Known): Readonly<Record<string, string>> {
  return {
    accept: 'application/json, text/event-stream',
    ...(revision === null ? {} : { 'mcp-protocol-version': revision }),
    ...(token === null ? {} : { authorization: `Bearer ${token.text}` }),
    ...(session === null ? {} : { 'mcp-session-id': session }),
  }
}

/** What a message is sent as; a notification has no id. */
export function requestOf(known: Known, { method, params, era }: McpMessage): Sent {
  const id = method.startsWith('notifications/') ? {} : { id: 'doctor' }
  if (era === 'legacy')
    return postJson(known.endpoint, { jsonrpc: '2.0', ...id, method, params }, headersOf(known))
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const modern = headersOf({ ...known, session: null, revision: newestVersion })
  const headers = { ...modern, 'mcp-method': method, ...name }
  const message = { jsonrpc: '2.0', ...id, method, params: { ...params, _meta: modernMeta } }
  return postJson(known.endpoint, message, headers)
}

const clientInfo: JsonRecord = { name: 'acmcp doctor', version: '1.0.0' }

const modernMeta: JsonRecord = {
  'io.modelcontextprotocol/protocolVersion': newestVersion,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The first message of clients before 2026-07-28. */
export const initialize: McpMessage = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  era: 'legacy',
}

/** What came back: `result` is null when it is none. */
export interface Reply {
  readonly answer: ReadAnswer
  readonly result: JsonRecord | null
  readonly error: { readonly code: number; readonly message: string } | null
}

export async function send({ ask, known }: Visit, message: McpMessage): Promise<Reply> {
  return replyOf(await ask(requestOf(known, message)))
}

export function replyOf(answer: ReadAnswer): Reply {
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true
  const texts = isStream ? dataOf(answer.body) : [answer.body]
  const message = texts.map(jsonObject).find((item) => item !== null && ('result' in item || 'error' in item))
  const { result, error } = message?.jsonrpc === '2.0' ? message : {}
  return {
    answer,
    result: isJsonRecord(result) ? result : null,
    error: isJsonRecord(error) ? { code: Number(error.code), message: String(error.message) } : null,
  }
}

/** HeaderMismatch of 2026-07-28. */
export const mismatchCode = -32_020

/** Why there is no result. */
export function replyTrouble(what: string, { answer, error }: Reply): Trouble {
  if (error === null || answer.status === 403 || answer.status === 429 || answer.status === 503)
    return troubleOf(answer)
  if (error.code === mismatchCode) return trouble('headersTaken')
  return protocolRefused(what, error)
}

export const protocolRefused = (what: string, { message }: NonNullable<Reply['error']>): Trouble =>
  trouble('protocolRefused', { what, says: message.slice(0, 120) })
