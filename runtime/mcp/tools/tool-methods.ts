/** The methods that every endpoint has: tools, and subscriptions to what changes. Source: MCP 2025-11-25, Tools; MCP 2026-07-28,
 *  Subscriptions. */
import type { RunCall } from '../calls/run-call.ts'
import { toolCallFrom } from '../calls/tool-answer.ts'
import type { McpMethod, McpMethods } from '../method.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import { hasNoRetry } from '../protocol/message.ts'
import type { Tools } from './tools.ts'

interface ToolMethodOptions {
  readonly tools: Pick<Tools, 'has' | 'runner'>
  readonly runCall: RunCall
}

export const toolMethods = (options: ToolMethodOptions): McpMethods =>
  new Map([
    ['tools/list', listTools],
    ['tools/call', callTool(options)],
    ['subscriptions/listen', listen],
  ])

const listTools: McpMethod = {
  isPlain: ({ cursor }) => cursor === undefined || typeof cursor === 'string',
  isKept: true,
  answer: ({ params: { cursor } }) => ({
    kind: 'tools',
    cursor: typeof cursor === 'string' ? cursor : undefined,
  }),
}

/** The SDK has a handler of its own, which judges what we do not know. */
const listen: McpMethod = {
  isPlain: ({ notifications }) => isObject(notifications) && isFilter(notifications),
  era: 'modern',
  isLarge: true,
  schema: null,
  answer: ({ params }) => ({ kind: 'subscription', filter: filterIn(params) }),
}

/** What a subscription asks for. */
export const filterIn = ({ notifications }: WireObject): WireObject =>
  isObject(notifications) ? notifications : noArguments

const isFilter = ({ resourceSubscriptions = [], ...kinds }: WireObject): boolean =>
  Object.values(kinds).every((setting) => typeof setting === 'boolean') &&
  Array.isArray(resourceSubscriptions) &&
  resourceSubscriptions.every((uri) => typeof uri === 'string')

function callTool({ tools, runCall }: ToolMethodOptions): McpMethod {
  return {
    isPlain: (params) => isNamed(params) && hasNoRetry(params) && !('task' in params),
    named: 'name',
    countsItself: true,
    isLarge: true,
    runsRoute: true,
    reports: ({ name }) => tools.has(String(name)),
    owner: ({ name, arguments: args }) => ({ name: String(name), args: argumentsIn(args) }),
    answer: ({ params: { name, arguments: args }, client, message }) => {
      const call = toolCallFrom({ name: String(name), args: argumentsIn(args) }, client, message)
      return runCall(call, tools.runner(call.name))
    },
  }
}

const isNamed = ({ name, arguments: args }: WireObject): boolean =>
  typeof name === 'string' && (args === undefined || isObject(args))

const argumentsIn = (args: unknown): WireObject => (isObject(args) ? args : noArguments)

const noArguments: WireObject = {}
