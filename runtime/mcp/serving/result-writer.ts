/** The JSON text of answers that did not pass through the SDK, as the SDK would have written it. */
import { type CallToolResult, type Implementation, Server } from '@modelcontextprotocol/server'
import type { JsonSchema } from '../../contract/mcp.ts'
import { toToolResult } from '../answers/result.ts'
import type { ToolAnswer } from '../calls/tool-answer.ts'
import { type Era, isObject, metaKeys } from '../protocol/constants.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'

/** Writes answers; ids are JSON. */
export interface ResultWriter {
  /** A result of a tool call. */
  call(id: string, era: Era, answer: Exclude<ToolAnswer, { kind: 'refused' }>): string
  /** A result of another method. */
  result(id: string, era: Era, value: object): string
  /** The answer that is an error. Once a stream has begun its status stands; the next request is checked again. */
  error(id: string, code: number, message: string, data?: unknown): string
  /** The end of a subscription that the server ends. Source: MCP 2026-07-28, Subscriptions. */
  subscriptionEnd(id: string): string
}

/** Every result of the modern era names the server. */
export function resultWriter(serverInfo: Implementation): ResultWriter {
  const server = `${JSON.stringify(metaKeys.serverInfo)}:${wellFormedJson(JSON.stringify(serverInfo))}`
  const legacy = legacyShape(serverInfo)
  const result = (id: string, members: string): string => `{"jsonrpc":"2.0","id":${id},"result":{${members}}}`
  const modern = (id: string, members: string, type: string): string =>
    result(id, `${members}${members === '' ? '' : ','}"resultType":"${type}","_meta":{${server}}`)
  return {
    call(id, era, answer) {
      if (answer.kind === 'input') {
        const { inputRequests, requestState } = answer
        const carried = requestState === null ? {} : { requestState }
        return modern(id, membersOf({ inputRequests, ...carried }), 'input_required')
      }
      if (answer.kind === 'typed') return modern(id, membersOf(answer.result), answer.resultType)
      const members = era === 'legacy' ? legacy(answer) : modernMembers(answer)
      return era === 'legacy' ? result(id, members) : modern(id, members, 'complete')
    },
    result: (id, era, value) =>
      era === 'legacy' ? result(id, membersOf(value)) : modern(id, membersOf(value), 'complete'),
    error: errorText,
    subscriptionEnd: (id) =>
      result(
        id,
        `"resultType":"complete","_meta":{${JSON.stringify(metaKeys.subscriptionId)}:${id},${server}}`,
      ),
  }
}

const errorText: ResultWriter['error'] = (id, code, message, data) =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`

type Contents = Extract<ToolAnswer, { kind: 'contents' }>

const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1)

function modernMembers({ contents }: Contents): string {
  return contents.kind === 'json' ? embedJson(contents, contents.text) : membersOf(contents.result)
}

/** A route's JSON as it is, quoted once for the text block. */
function embedJson({ text, note, _meta }: Embedded, structured: string): string {
  const meta = _meta === undefined ? '' : `,"_meta":${JSON.stringify(_meta)}`
  const further = note === undefined ? '' : `,{"type":"text","text":${JSON.stringify(note)}}`
  return `"content":[{"type":"text","text":${JSON.stringify(text)}${meta}}${further}],"structuredContent":${structured}`
}

type Embedded = Extract<Contents['contents'], { kind: 'json' }>

/** In the legacy era structured content is an object: what is none is wrapped, and so is all that a tool returns whose
 *  output schema may be none. The SDK's own projection decides, asked once per schema. */
function legacyShape(serverInfo: Implementation): (answer: Contents) => string {
  const server = new Server(serverInfo, { capabilities: { tools: {} } })
  const project = (result: CallToolResult, schema: JsonSchema | null): CallToolResult =>
    server.projectCallToolResult(result, schema === null ? undefined : { ...schema })
  const wrapping = new WeakMap<JsonSchema, boolean>()
  const wraps = (schema: JsonSchema): boolean => {
    const known = wrapping.get(schema)
    if (known !== undefined) return known
    const { structuredContent } = project({ content: [], structuredContent: {} }, schema)
    const isWrapped = isObject(structuredContent) && 'result' in structuredContent
    wrapping.set(schema, isWrapped)
    return isWrapped
  }
  return ({ contents, outputSchema }) => {
    if (contents.kind === 'result') return membersOf(project(toToolResult(contents), outputSchema))
    const { text } = contents
    const isWrapped = !text.startsWith('{') || (outputSchema !== null && wraps(outputSchema))
    return embedJson(contents, isWrapped ? `{"result":${text}}` : text)
  }
}
