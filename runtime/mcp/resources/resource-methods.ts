/** The methods of resources: those of the application, and those that optional parts have. Source: MCP 2025-11-25, Resources. */
import type { ToolCall } from '../calls/tool-answer.ts'
import type { McpMethod } from '../method.ts'
import type { EndpointPart, McpRoom, ResourceSource } from '../part.ts'
import { listMethod } from '../prompts/list-method.ts'
import { createTextCalls } from '../prompts/text-calls.ts'
import type { WireObject } from '../protocol/constants.ts'
import { isPlainOffer } from '../protocol/message.ts'
import { createReadResource, resourceLists } from './resources.ts'

export function resourcePart(room: McpRoom, sources: readonly ResourceSource[]): EndpointPart {
  const { catalogue, baseUrl, forwardHeaders, listPageSize: pageSize } = room.options
  const { resources = [] } = catalogue
  if (resources.length === 0 && sources.length === 0) return {}
  const readOwn = createReadResource(resources, { prepare: createTextCalls(room), baseUrl, forwardHeaders })
  const sent = ({ uri }: WireObject): ToolCall['sent'] => ({ uri })
  const read: McpMethod = {
    isPlain: (params) => isPlainOffer(params) && typeof params.uri === 'string',
    named: 'uri',
    runsRoute: true,
    owner: (params) => ({ name: 'resources/read', args: sent(params) }),
    answer: async ({ params, client, message }) => {
      const uri = String(params.uri)
      for (const source of sources) {
        const result = source.read(uri, { client, message })
        if (result !== null) return { kind: 'result', result }
      }
      return readOwn(uri, { name: 'resources/read', sent: sent(params), client, message }) // a spread costs 2 µs
    },
  }
  /** `resources/subscribe` of the `initialize` revisions needs a session; what optional parts have changes with a build alone. */
  const subscribable = resources.length > 0 ? { subscribe: true } : {}
  return {
    capabilities: (era) => ({
      resources: { ...(era === 'modern' ? subscribable : {}), listChanged: true },
    }),
    methods: new Map([
      [
        'resources/list',
        listMethod({ member: 'resources', list: 'resources', pageSize }, (seen) => [
          ...resourceLists(seen, baseUrl).resources,
          ...sources.flatMap((source) => source.listed(seen)),
        ]),
      ],
      [
        'resources/templates/list',
        listMethod(
          { member: 'resourceTemplates', list: 'templates', pageSize },
          (seen) => resourceLists(seen, baseUrl).templates,
        ),
      ],
      ['resources/read', read],
    ]),
  }
}
