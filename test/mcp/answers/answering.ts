/** One reading tool whose route answers what a test says, called in both eras, by the endpoint's own path and by the SDK alone. */
import { isDeepStrictEqual } from 'node:util'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { ToolEntry, ToolPaging } from '../../../runtime/contract/mcp.ts'
import type { McpEndpointOptions } from '../../../runtime/mcp/server.ts'
import { call, catalogue, serve } from '../support/support.ts'

export interface Answering {
  readonly tool?: Partial<ToolEntry>
  /** The schemas of its arguments by name; all are read from the query. */
  readonly takes?: Readonly<Record<string, object>>
  readonly paging?: ToolPaging
  readonly args?: Readonly<Record<string, unknown>>
  /** Call it by `call_read_only`. */
  readonly isProxied?: boolean
  readonly options?: Partial<McpEndpointOptions>
  readonly resources?: (typeof catalogue)['resources']
}

/** Whole numbers, as most paging arguments are. */
export const integer = { type: 'integer' }

/** As the build writes it. */
function from({ tool, takes = {}, paging }: Answering): ToolEntry {
  const [known] = catalogue.tools.filter(({ name }) => name === 'files_answer')
  if (known === undefined) throw new Error('no such tool')
  return {
    ...known,
    inputSchema: { type: 'object', properties: takes, additionalProperties: false },
    arguments: Object.keys(takes).map((argument) => ({ argument, from: 'query', name: argument })),
    ...(paging === undefined ? {} : { paging }),
    ...tool,
  }
}

/** The result for a client of 2026-07-28. Throws where the SDK's path says something else, and where a client of an earlier revision
 *  reads other content. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function answered(outcome: HttpResponse, answering: Answering = {}): Promise<any> {
  const { args = {}, isProxied = false, options = {}, resources = [] } = answering
  const tools = [...catalogue.tools.filter(({ name }) => name !== 'files_answer'), from(answering)]
  const invoke = async (): Promise<HttpResponse> => outcome
  const made = async (isSdkOnly: boolean, era: 'legacy' | 'modern') => {
    const app = serve({ invoke, catalogue: { ...catalogue, tools, resources }, isSdkOnly, ...options })
    return isProxied
      ? call(app, era, 'call_read_only', { name: 'files_answer', arguments: args })
      : call(app, era, 'files_answer', args)
  }
  const result = await made(false, 'modern')
  if (!isDeepStrictEqual(await made(true, 'modern'), result)) throw new Error('the SDK answers otherwise')
  const [legacy, bySdk] = [await made(false, 'legacy'), await made(true, 'legacy')]
  if (!isDeepStrictEqual(legacy, bySdk)) throw new Error('the SDK answers otherwise in the legacy era')
  if (!isDeepStrictEqual(legacy.content, result.content)) throw new Error('eras differ in content')
  return result
}

/** What stands below the answer. */
export async function noteOf(outcome: HttpResponse, answering: Answering = {}): Promise<string | null> {
  const { content } = await answered(outcome, answering)
  return content.length === 1 ? null : content[1].text
}
