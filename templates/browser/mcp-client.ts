/** Sends messages to the MCP endpoint as any client does, and keeps what came back as it came. */
import { arrayOf, isJsonObject, type JsonObject, parsedJson, textOr } from './values.ts'

/** One HTTP answer. */
export interface HttpAnswer {
  /** 0 when there was no answer. */
  readonly status: number
  readonly statusText: string
  /** Of a refusal: those that say what to do. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** The JSON-RPC message in it, or null. */
  readonly message: JsonObject | null
}

/** The credential of a call; null = what the browser has, which may be a cookie. */
export type Token = string | null

const telling = ['www-authenticate', 'retry-after']

/** The revision that needs neither a handshake nor headers that repeat the body. */
const protocolVersion = '2025-11-25'

/** Sends one request to the endpoint at this path of the page's own origin. Never rejects. */
export async function ask(
  path: string,
  token: Token,
  method: string,
  params: JsonObject,
): Promise<HttpAnswer> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
  }
  if (token !== null) headers.authorization = `Bearer ${token}`
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      credentials: token === null ? 'same-origin' : 'omit',
      cache: 'no-store',
      redirect: 'error',
    })
    return await answerOf(response)
  } catch {
    return { status: 0, statusText: 'no answer', headers: [], body: '', message: null }
  }
}

/** The result of an answer that has one, else null. */
export function resultOf({ status, message }: HttpAnswer): JsonObject | null {
  return status === 200 && isJsonObject(message?.result) ? message.result : null
}

/** A tool as a client gets it. */
export interface ToolListing {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject
}

/** Every tool that the address lists, page by page, or the answer that is none. */
export async function listTools(path: string, token: Token): Promise<readonly ToolListing[] | HttpAnswer> {
  const tools: ToolListing[] = []
  let params: JsonObject = {}
  for (;;) {
    const answer = await ask(path, token, 'tools/list', params)
    const result = resultOf(answer)
    if (result === null) return answer
    tools.push(...arrayOf(result.tools).filter(isJsonObject).map(toolListing))
    if (typeof result.nextCursor !== 'string') return tools
    params = { cursor: result.nextCursor }
  }
}

async function answerOf(response: Response): Promise<HttpAnswer> {
  const body = await response.text()
  const { status, statusText } = response
  const headers = telling.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const message = parsedJson(body)
  return { status, statusText, headers, body, message: isJsonObject(message) ? message : null }
}

function toolListing(tool: JsonObject): ToolListing {
  const { inputSchema, annotations, title } = tool
  return {
    name: textOr(tool.name, ''),
    title: typeof title === 'string' ? title : null,
    description: textOr(tool.description, ''),
    inputSchema: isJsonObject(inputSchema) ? inputSchema : {},
    annotations: isJsonObject(annotations) ? annotations : {},
  }
}
