/** Runs a route for a prompt, a resource or a completion: as a tool runs, with the caller's credentials, its filters, guards and
 *  handlers, within the same limits and with a line in the same log. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { WatchedMessage } from '../../contract/calls.ts'
import type { PlacedArgument, PromptEntry, ToolEntry } from '../../contract/mcp.ts'
import { isTextType } from '../../http/input/media-type.ts'
import { contentType, type ToolContents, toContents, tooLargeToSend, wholeBody } from '../answers/result.ts'
import { type ToolAnswer, type ToolCall, toolCallFrom } from '../calls/tool-answer.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'
import { routeTool, type ToolDependencies, type ToolOptions } from '../tools/route-tool.ts'

/** What runs: a route, and where its arguments go. */
export interface TextEntry extends Pick<PromptEntry, 'name' | 'route' | 'toolbox'> {
  readonly arguments: readonly (PlacedArgument & { readonly required: boolean })[]
}

/** One request of a client: its name is `prompts/get` or its like, and `sent` are the parameters. */
export interface TextCall extends Omit<ToolCall, 'time'> {
  readonly args: Readonly<Record<string, string>>
}

/** What it came to, and the HTTP status of the route's answer; null = no route answered. */
export interface TextAnswer {
  readonly answer: Exclude<ToolAnswer, { kind: 'typed' }>
  readonly status: number | null
}

/** Runs the route of one entry. */
export type RunText = (call: TextCall) => Promise<TextAnswer>

interface TextRoom {
  readonly options: ToolOptions
  readonly deps: ToolDependencies
}

/** What runs the route of an entry; `make` makes contents of its answer. Throws when the route is not served. */
export type PrepareText = (entry: TextEntry, make: typeof toContents) => RunText

export function createTextCalls({ options, deps }: TextRoom): PrepareText {
  return (entry, make) => {
    const route = options.routes.get(entry.route)
    if (route === undefined)
      throw new Error(`'${entry.name}' runs the route '${entry.route}', which is not served`)
    const unlimited = { answerChars: Number.POSITIVE_INFINITY, resources: [], areTexts: true } as const
    const settings = { ...options, ...deps, ...unlimited, toContents: make }
    const runner = {
      ...routeTool(toolOf(entry, Object.keys(route.questions ?? {})), route, settings),
      checkHeaders: null,
    }
    const optional = new Set(
      entry.arguments.filter(({ required }) => !required).map((argument) => argument.argument),
    )
    return async ({ name, args: written, sent, client: asking, message }) => {
      const args = filledIn(written, optional)
      const client = asking.watched ? { ...asking, watched: onlyNamed(asking.watched) } : asking
      const { answer, status } = await deps.runCall(
        toolCallFrom({ name, args, sent }, client, message),
        runner,
      )
      if (answer.kind === 'typed') throw new Error('what is no tool has no such result')
      return { answer, status }
    }
  }
}

/** What is no tool call ends as any other message. */
const onlyNamed = ({ traceId, spanId, run }: WatchedMessage): WatchedMessage => ({
  ...{ traceId, spanId, run, calls: () => {}, answered: () => {}, called: () => {} },
})

/** A field travels in the query, where it is read from a text; so does what the user is asked for, which is JSON. */
function toolOf({ name, route, toolbox, arguments: own }: TextEntry, names: readonly string[]): ToolEntry {
  const answers = names.map((text) => ({
    argument: text,
    from: 'query' as const,
    name: text,
    required: false,
  }))
  const all = [...own, ...answers]
  const required = all.filter((item) => item.required).map(({ argument }) => argument)
  return {
    ...{ name, route, toolbox, root: false, title: null, summary: '', description: '', outputSchema: null },
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(all.map(({ argument }) => [argument, { type: 'string' }])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    arguments: all.map((item) => (item.from === 'field' ? { ...item, from: 'query' } : item)),
  }
}

/** What a user left empty is absent, unless it is needed. */
const filledIn = (args: TextCall['args'], optional: ReadonlySet<string>): TextCall['args'] =>
  optional.size > 0 && Object.values(args).includes('')
    ? Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== '' || !optional.has(name)))
    : args

/** The JSON of what a method returned, however the answer came; what is no success is told as of a tool. */
export const returnedValue: typeof toContents = async (outcome, call): Promise<ToolContents> => {
  const type = contentType(outcome)
  if (outcome.status >= 300 || !isTextType(type)) return toContents(outcome, call)
  const bytes = await wholeBody(outcome, call)
  if (bytes === null) return tooLargeToSend(call)
  const text = bytes.toString()
  return { kind: 'json', text: type === 'application/json' ? wellFormedJson(text) : JSON.stringify(text) }
}

/** The error that a failed run is answered with, for there is no other result. Codes of statuses lie outside those that JSON-RPC
 *  reserves. Source: MCP 2025-11-25, Prompts and Resources, error handling; JSON-RPC 2.0, 5.1. */
export function failedRun(text: string, status: number | null): ProtocolError {
  if (status === 400 || status === 422) return new ProtocolError(ProtocolErrorCode.InvalidParams, text)
  if (status === null || status >= 500) return new ProtocolError(ProtocolErrorCode.InternalError, text)
  return new ProtocolError(status < 300 ? 413 : status, text) // a success is refused for its size alone
}
