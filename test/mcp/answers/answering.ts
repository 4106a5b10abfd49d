/** One reading tool whose route answers what a test says, called in both eras, by the endpoint's own path and by the SDK alone. */
import { isDeepStrictEqual } from 'node:util'
import type { Paging } from '../../../cli/compiler/ir/paging.ts'
import { pagingOf } from '../../../cli/compiler/schema/paging.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import type { McpEndpointOptions } from '../../../runtime/mcp/server.ts'
import { call, catalogue, serve } from '../support/support.ts'

export interface Answering {
  readonly tool?: Partial<ToolEntry>
  /** The schemas of its arguments by name; all are read from the query. */
  readonly takes?: Readonly<Record<string, object>>
  /** `@mcp paging`. */
  readonly says?: Paging['names'] | 'none'
  readonly args?: Readonly<Record<string, unknown>>
  /** Call it by `call_read_only`. */
  readonly isProxied?: boolean
  readonly options?: Partial<McpEndpointOptions>
  readonly resources?: (typeof catalogue)['resources']
}

/** Whole numbers, as most paging arguments are. */
export const integer = { type: 'integer' }

/** As the build writes it. */
function from({ tool, takes = {}, says }: Answering): ToolEntry {
  const [known] = catalogue.tools.filter(({ name }) => name === 'files_answer')
  if (known === undefined) throw new Error('no such tool')
  const inputSchema = { type: 'object', properties: takes, additionalProperties: false }
  const outputSchema = tool?.outputSchema ?? known.outputSchema
  const at = { file: 'app/files.ts', line: 1, column: 1 }
  const said = says === undefined ? null : { names: says === 'none' ? {} : says, isNone: says === 'none', at }
  const definitions = new Map(Object.entries(Object(outputSchema?.$defs)))
  const definition = (name: string): Readonly<Record<string, unknown>> | null => Object(definitions.get(name))
  const paging = pagingOf(said, { input: takes, output: outputSchema, definition })
  return {
    ...known,
    inputSchema,
    arguments: Object.keys(takes).map((argument) => ({ argument, from: 'query', name: argument })),
    ...(paging === null ? {} : { paging }),
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
