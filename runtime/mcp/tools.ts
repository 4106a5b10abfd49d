import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Catalogue, HttpRequest, JsonSchema, Logger, Outcome, Route, ToolEntry } from '../contract.ts'
import { type ToolArguments, toolCallRequest } from './call.ts'
import { unknownName } from './near-matches.ts'
import { failure, toToolResult } from './result.ts'
import { createMetaTools } from './toolboxes.ts'

/** What running tools needs; `invoke` runs a route through the pipeline that HTTP requests go through. */
export interface ToolOptions {
  readonly baseUrl: string
  readonly catalogue: Catalogue
  readonly invoke: (routeId: string, request: HttpRequest) => Outcome | Promise<Outcome>
  readonly routes: ReadonlyMap<string, Pick<Route, 'verb' | 'path'>>
  readonly log: Logger
  readonly production: boolean
}

/** A tool result, with the status of the route (null when none ran) and the output schema that the tool declares. */
export interface ToolAnswer {
  readonly result: CallToolResult
  readonly status: number | null
  readonly outputSchema: JsonSchema | null
}

/** Calls the tool of that name for a client; rejects with -32602 (and near matches) when there is none. */
export type CallByName = (name: string, args: ToolArguments, client: HttpRequest) => Promise<ToolAnswer>

/** Every tool by name, listed or not, and the meta tools. Throws when the catalogue names a route that is not served or
 *  a tool after a meta tool. Source: specification, What the service does, rule 1; MCP, Tools, error handling. */
export function createTools(options: ToolOptions): CallByName {
  const metaTools = createMetaTools(options.catalogue)
  const runners = new Map(options.catalogue.tools.map((tool) => [tool.name, runnerOf(tool, options)]))
  for (const name of metaTools.keys()) {
    if (runners.has(name)) throw new Error(`the tool name '${name}' is taken by the MCP endpoint itself`)
  }
  const find = async (name: string): Promise<Runner> => {
    const runner = runners.get(name)
    if (runner !== undefined) return runner
    const known = [...runners.keys(), ...metaTools.keys()]
    const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownName('tool', name, known))
  }
  return async (name, args, client) => {
    const meta = metaTools.get(name)?.(args)
    if (meta === undefined) return (await find(name))(args, client)
    if (meta.kind === 'run') return (await find(meta.tool.name))(meta.args, client)
    return { result: meta.result, status: null, outputSchema: null }
  }
}

type Runner = (args: ToolArguments, client: HttpRequest) => Promise<ToolAnswer>

function runnerOf(tool: ToolEntry, { routes, invoke, baseUrl, log, production }: ToolOptions): Runner {
  const route = routes.get(tool.route)
  if (route === undefined)
    throw new Error(`the tool '${tool.name}' runs the route '${tool.route}', which is not served`)
  const { outputSchema } = tool
  return async (args, client) => {
    try {
      const request = toolCallRequest(client, tool, route, args)
      const outcome = await invoke(tool.route, request)
      const result = await toToolResult(outcome, { tool, address: `${baseUrl}${request.path}`, production })
      return { result, status: outcome.status, outputSchema }
    } catch (error) {
      log.error(
        { tool: tool.name, error: error instanceof Error ? error.name : typeof error },
        'a tool call threw',
      )
      return { result: failure('500 Internal Server Error\ninternal error'), status: 500, outputSchema }
    }
  }
}
