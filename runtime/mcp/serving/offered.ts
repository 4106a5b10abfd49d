/** What the endpoint offers beside tools: prompts, resources and completions, as far as the application has them. */
import type {
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
  Server,
  ServerCapabilities,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Catalogue, ResourceEntry } from '../../contract/mcp.ts'
import type { PermittedClient } from '../access/permission.ts'
import type { ToolAnswer, ToolCall } from '../calls/tool-answer.ts'
import { type CompleteArgument, createCompletions } from '../prompts/completions.ts'
import { createGetPrompt, type GetPrompt, toPrompt } from '../prompts/prompts.ts'
import { createTextCalls, type OtherAnswer, type TextCall } from '../prompts/text-calls.ts'
import type { Era, WireObject } from '../protocol/constants.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import { cutPage } from '../protocol/list-cache.ts'
import type { CallMessage, FastMessage } from '../protocol/message.ts'
import {
  createReadResource,
  type ReadResource,
  type ResourceLists,
  resourceLists,
} from '../resources/resources.ts'
import {
  readSkillFile,
  registerSkills,
  type SkillCache,
  type SkillExchange,
  skillCapabilities,
} from '../skills/skills.ts'
import type { ToolDependencies, ToolOptions } from '../tools/route-tool.ts'

/** One HTTP request on its way through the SDK, as these handlers see it. */
export interface OfferExchange {
  readonly client: PermittedClient | null
  readonly era: Era
  /** The call as it came off the wire; the state of a retry is that of these parameters. */
  readonly messageOf: (context: ServerContext, owner: Pick<ToolCall, 'name' | 'args'>) => CallMessage
  /** The result that asks the user. */
  readonly ask: (answer: Extract<ToolAnswer, { kind: 'input' }>) => InputRequiredResult
  /** Notes that the answer is one of HTTP, and throws. */
  readonly refuse: (refusal: Refusal) => never
}

export interface Offered {
  /** Empty where nothing is offered. */
  readonly capabilities: (era: Era) => ServerCapabilities
  readonly hasResources: boolean
  /** Adds the handlers. */
  register(server: Server, exchange: OfferExchange): void
  /** Answers `prompts/get` or `resources/read` without the SDK; null where there are none. Rejects with what the client is told
   *  instead. */
  answer(message: FastMessage, client: PermittedClient): Promise<object | OtherAnswer> | null
}

export interface OfferOptions extends ToolOptions {
  readonly listPageSize: number
}

interface OfferDependencies extends ToolDependencies {
  /** Of what is the same until the next build. */
  readonly cache: SkillCache
}

interface Parts {
  readonly catalogue: Catalogue
  readonly baseUrl: string
  readonly pageSize: number
  readonly cache: SkillCache
  readonly getPrompt: GetPrompt
  readonly readResource: ReadResource
  readonly complete: CompleteArgument
}

/** Nothing is made where the application has neither prompts nor resources. */
export function createOffered(options: OfferOptions, deps: OfferDependencies): Offered {
  const { catalogue, baseUrl, forwardHeaders, listPageSize: pageSize, log } = options
  const { cache } = deps
  const { prompts = [], resources = [], skills = [] } = catalogue
  const prepare = createTextCalls(options, deps)
  const readResource = createReadResource(resources, { prepare, baseUrl, forwardHeaders })
  const parts: Parts = {
    ...{ catalogue, baseUrl, pageSize, cache },
    getPrompt: createGetPrompt(prompts, prepare, log),
    readResource: async (uri, call) => {
      const { client, message } = call
      const { catalogue } = client.permission.view
      return readSkillFile(uri, { catalogue, era: message.era }, { cache }) ?? readResource(uri, call)
    },
    complete: createCompletions(catalogue, { prepare, baseUrl }),
  }
  const hasResources = resources.length > 0 || skills.length > 0
  const isCompleted = [...prompts, ...resources].some((entry) =>
    entry.arguments.some(({ values, completion }) => values !== null || completion !== null),
  )
  return {
    hasResources,
    capabilities: (era) => ({
      ...(prompts.length > 0 ? { prompts: { listChanged: true } } : {}),
      ...(hasResources ? { resources: { ...subscribable(era, resources), listChanged: true } } : {}),
      ...(isCompleted ? { completions: {} } : {}),
      ...skillCapabilities(catalogue),
    }),
    answer: (message, client) => {
      const { method, params } = message
      const call = { name: method, sent: sentOf(method, params), client, message }
      if (method === 'prompts/get' && prompts.length > 0)
        return parts.getPrompt(String(params.name), { ...call, args: textsOf(params.arguments) })
      const isRead = method === 'resources/read' && hasResources
      return isRead ? parts.readResource(String(params.uri), call) : null
    },
    register(server, exchange) {
      if (prompts.length > 0) registerPrompts(server, exchange, parts)
      if (hasResources) registerResources(server, exchange, parts)
      if (isCompleted) registerCompletions(server, exchange, parts)
      if (skills.length > 0) registerSkills(server, skillExchange(exchange, parts), parts)
    },
  }
}

/** `resources/subscribe` of the `initialize` revisions needs a session; the files of skills change with a build alone. */
const subscribable = (era: Era, { length }: readonly ResourceEntry[]): { readonly subscribe?: true } =>
  era === 'modern' && length > 0 ? { subscribe: true } : {}

/** The parameters that name what is asked for. */
const sentOf = (method: string, { name, uri, arguments: args = {} }: WireObject): ToolCall['sent'] =>
  method === 'resources/read' ? { uri } : { name, arguments: args }

/** `message.ts` has seen that all are texts. */
const textsOf = (args: unknown): TextCall['args'] => ({ ...(args as TextCall['args'] | undefined) })

/** What this caller sees. */
const seen = ({ client }: OfferExchange, { catalogue }: Parts): Catalogue =>
  client?.permission.view.catalogue ?? catalogue

const skillExchange = (exchange: OfferExchange, parts: Parts): SkillExchange => ({
  era: exchange.era,
  catalogue: seen(exchange, parts),
  version: versionOf(exchange, ''),
})

const versionOf = ({ client }: OfferExchange, list: string): string =>
  `${client?.permission.view.version ?? ''} ${list}`

function registerPrompts(server: Server, exchange: OfferExchange, parts: Parts): void {
  const { pageSize, getPrompt } = parts
  server.setRequestHandler('prompts/list', ({ params }) => {
    const paging = { pageSize, version: versionOf(exchange, 'prompts') }
    const { items, ...more } = cutPage(seen(exchange, parts).prompts ?? [], params?.cursor, paging)
    return { prompts: items.map(toPrompt), ...more }
  })
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { name, arguments: args = {} } = params
    const call = {
      ...receivedCall('prompts/get', sentOf('prompts/get', params), { exchange, context }),
      args,
    }
    return settled<GetPromptResult>(await getPrompt(name, call), exchange)
  })
}

function registerResources(server: Server, exchange: OfferExchange, parts: Parts): void {
  const { baseUrl, pageSize, readResource } = parts
  const lists = (): ResourceLists => resourceLists(seen(exchange, parts), baseUrl)
  const paging = (list: string) => ({ pageSize, version: versionOf(exchange, list) })
  server.setRequestHandler('resources/list', ({ params }) => {
    const { items, ...more } = cutPage(lists().resources, params?.cursor, paging('resources'))
    return { resources: items, ...more }
  })
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const { items, ...more } = cutPage(lists().templates, params?.cursor, paging('templates'))
    return { resourceTemplates: items, ...more }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const call = receivedCall('resources/read', { uri }, { exchange, context })
    return settled<ReadResourceResult>(await readResource(uri, call), exchange)
  })
}

function registerCompletions(server: Server, exchange: OfferExchange, { complete }: Parts): void {
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const sent = { ref: params.ref, argument: params.argument }
    const call = receivedCall('completion/complete', sent, { exchange, context })
    return settled(await complete(params, call), exchange) as CompleteResult // none asks
  })
}

interface Received {
  readonly exchange: OfferExchange
  readonly context: ServerContext
}

function receivedCall(
  name: string,
  sent: ToolCall['sent'],
  { exchange, context }: Received,
): Omit<TextCall, 'args'> {
  const { client } = exchange
  if (client === null) throw new Error(`${name} without a client`)
  return { name, sent, client, message: exchange.messageOf(context, { name, args: sent }) }
}

function settled<Result extends object>(
  answer: Result | OtherAnswer,
  { ask, refuse }: OfferExchange,
): Result | InputRequiredResult {
  if (!isOther(answer)) return answer
  return answer.kind === 'refused' ? refuse(answer.refusal) : ask(answer)
}

/** Whether it is no result of the method. */
export const isOther = (answer: object): answer is OtherAnswer =>
  'kind' in answer && (answer.kind === 'refused' || answer.kind === 'input')
