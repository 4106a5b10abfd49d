/** `prompts/list`, `prompts/get` and `completion/complete`, as far as an application has prompts and arguments to complete. Source: MCP
 *  2025-11-25, Prompts and Completion. */
import type { CompleteRequest } from '@modelcontextprotocol/server'
import type { Catalogue } from '../../contract/mcp.ts'
import type { ToolCall } from '../calls/tool-answer.ts'
import type { McpMethod } from '../method.ts'
import type { EndpointPart, McpRoom } from '../part.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import { isPlainOffer } from '../protocol/message.ts'
import { createCompletions } from './completions.ts'
import { listMethod } from './list-method.ts'
import { createGetPrompt, toPrompt } from './prompts.ts'
import { createTextCalls, type TextCall } from './text-calls.ts'

export function promptPart(room: McpRoom): EndpointPart {
  const { prompts = [] } = room.options.catalogue
  if (prompts.length === 0) return {}
  const { listPageSize: pageSize, log } = room.options
  const getPrompt = createGetPrompt(prompts, createTextCalls(room), log)
  const list = listMethod({ member: 'prompts', list: 'prompts', pageSize }, (seen) =>
    (seen.prompts ?? []).map(toPrompt),
  )
  const get: McpMethod = {
    isPlain: (params) => isPlainOffer(params) && isPrompt(params),
    named: 'name',
    isLarge: true,
    runsRoute: true,
    owner: (params) => ({ name: 'prompts/get', args: sentOf(params) }),
    answer: ({ params, client, message }) => {
      const args = textsOf(params.arguments)
      return getPrompt(String(params.name), {
        ...{ name: 'prompts/get', args, sent: sentOf(params), client, message },
      })
    },
  }
  return {
    capabilities: () => ({ prompts: { listChanged: true } }),
    methods: new Map([
      ['prompts/list', list],
      ['prompts/get', get],
    ]),
  }
}

/** The parameters that name what is asked for. */
const sentOf = ({ name, arguments: args = {} }: WireObject): ToolCall['sent'] => ({ name, arguments: args })

const textsOf = (args: unknown): TextCall['args'] => ({ ...(args as TextCall['args'] | undefined) }) // as `isPrompt` or the SDK has seen

const isPrompt = (params: WireObject): boolean => {
  const { name, arguments: args = {} } = params
  const areTexts = isObject(args) && Object.values(args).every((value) => typeof value === 'string')
  return areTexts && typeof name === 'string' && !('task' in params)
}

/** Of prompts and of resources. */
export function completionPart(room: McpRoom): EndpointPart {
  const { catalogue, baseUrl } = room.options
  if (!isCompleted(catalogue)) return {}
  const complete = createCompletions(catalogue, { prepare: createTextCalls(room), baseUrl })
  const sent = ({ ref, argument }: WireObject): ToolCall['sent'] => ({ ref, argument })
  const method: McpMethod = {
    isLarge: true,
    runsRoute: true,
    owner: (params) => ({ name: 'completion/complete', args: sent(params) }),
    answer: ({ params, client, message }) =>
      complete(params as CompleteRequest['params'], {
        ...{ name: 'completion/complete', sent: sent(params), client, message },
      }), // the SDK has read them
  }
  return { capabilities: () => ({ completions: {} }), methods: new Map([['completion/complete', method]]) }
}

const isCompleted = ({ prompts = [], resources = [] }: Catalogue): boolean =>
  [...prompts, ...resources].some((entry) =>
    entry.arguments.some(({ values, completion }) => values !== null || completion !== null),
  )
