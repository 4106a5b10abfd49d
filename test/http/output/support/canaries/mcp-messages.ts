/** Messages to the MCP endpoint in both eras, and the results in what it sends. */
import type { TestClient } from '../../../../../runtime/testing.ts'

interface ContentBlock {
  readonly text?: string
}

/** Of a tool call, a task, a prompt or the reading of a resource. */
export interface McpResult {
  readonly content?: readonly ContentBlock[]
  readonly contents?: readonly ContentBlock[]
  readonly messages?: readonly { readonly content: { readonly note?: unknown } }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly taskId?: string
  readonly status?: string
  /** Of a task. */
  readonly result?: McpResult
}

export type Params = Readonly<Record<string, unknown>>

export const message = (method: string, params: Params, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** Of a call: all that the endpoint sends. */
export type Ask = (client: TestClient, method: string, params: Params) => Promise<string>

export const legacy: Ask = (client, method, params) => post(client, '2025-11-25', message(method, params))

/** A request of revision 2026-07-28, of a client that knows tasks where `extensions` say so. */
const modernWith =
  (extensions: object): Ask =>
  (client, method, params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    }
    const { name, uri, taskId } = params
    const { name: behind } = Object(params.arguments)
    const headers = {
      'mcp-method': method,
      'mcp-name': String(taskId ?? uri ?? name),
      ...(behind === undefined ? {} : { 'mcp-param-tool': behind }),
    }
    return post(client, '2026-07-28', message(method, { ...params, _meta }), headers)
  }

export const modern: Ask = modernWith({})
export const withTasks: Ask = modernWith({ 'io.modelcontextprotocol/tasks': {} })

export async function post(
  client: TestClient,
  version: string,
  payload: object,
  headers: object = {},
): Promise<string> {
  const { body } = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': version, ...headers },
    payload,
  })
  return body
}

/** Null where it is an error. */
export function resultOf(body: string): McpResult | null {
  return firstOf(body).result ?? null
}

/** The message of an error; throws where there is none. */
export function errorOf(body: string): string {
  const { error } = firstOf(body)
  if (error === undefined) throw new Error(`no error: ${body}`)
  return error.message
}

function firstOf(body: string): {
  readonly result?: McpResult
  readonly error?: { readonly message: string }
} {
  const data = /^data: (.*)$/m.exec(body)?.[1] ?? body
  const answer = JSON.parse(data)
  return Array.isArray(answer) ? answer[0] : answer
}
