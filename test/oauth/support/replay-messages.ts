/** Messages of MCP as a known client sends them: in its revision, and in that before 2026-07-28 where none is published. */
import type { KnownFact } from '../../../cli/capabilities/doctor/hosts/host.ts'

export interface McpCaller {
  readonly endpoint: string
  readonly revision: KnownFact<string>
  /** With those of the access token. */
  readonly headers: Readonly<Record<string, string>>
}

interface Tool {
  readonly name: string
  readonly annotations?: { readonly readOnlyHint?: boolean }
}

/** The name of a tool that only reads; empty without one. */
export async function listTools(caller: McpCaller): Promise<string> {
  if (caller.revision !== newest) await initialize(caller)
  const { tools = [] } = Object(await send(caller, 'tools/list', {}))
  return tools.find(({ annotations }: Tool) => annotations?.readOnlyHint === true)?.name ?? ''
}

/** Whether the tool answers. */
export async function readTool(caller: McpCaller, name: string): Promise<boolean> {
  const result = await send(caller, 'tools/call', { name, arguments: {} })
  return result !== undefined && Object(result).isError !== true
}

const newest = '2026-07-28'
const clientInfo = { name: 'replay', version: '1.0.0' }

async function initialize(caller: McpCaller): Promise<void> {
  const protocolVersion = versionOf(caller)
  await send(caller, 'initialize', { protocolVersion, capabilities: {}, clientInfo })
}

const versionOf = ({ revision }: McpCaller): string =>
  revision === 'not published' ? '2025-11-25' : revision

/** The result; undefined where there is none. */
async function send(caller: McpCaller, method: string, params: Readonly<Record<string, unknown>>) {
  const isNewest = caller.revision === newest
  const name = isNewest && typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const answer = await fetch(caller.endpoint, {
    method: 'POST',
    headers: {
      ...caller.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': versionOf(caller),
      ...(isNewest ? { 'mcp-method': method } : {}),
      ...name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: isNewest ? { ...params, _meta: metaOf } : params,
    }),
  })
  const text = await answer.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return JSON.parse(json).result as unknown
}

const metaOf = {
  'io.modelcontextprotocol/protocolVersion': newest,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
