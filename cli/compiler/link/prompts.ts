/** What of a method MCP clients reach beside its tool: as a prompt, as a resource, as a completion. */

import { fullText } from '../ir/docs.ts'
import type { Action, Completion, Prompt, Resource, ToolArgument } from '../ir/model.ts'
import type { DeclaredMethod } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { type Forwarded, toolArguments, toolHeaders } from './arguments.ts'

/** What of an action is neither a route nor a tool. */
export type ActionOffers = Pick<Action, 'prompt' | 'resource' | 'completes'>

/** Of a route that is another address, or another route, of its method. */
export const nothingOffered: ActionOffers = { prompt: null, resource: null, completes: [] }

interface Described
  extends Pick<Action, 'verb' | 'path' | 'params' | 'filters' | 'inputs' | 'results' | 'produces'> {
  readonly forwarded: Forwarded
}

/** What the tags of `method` offer, under the name that its tool has or would have. */
export function offeredBy(name: string, method: DeclaredMethod, action: Described): ActionOffers {
  const { mcp } = method
  if (mcp.prompt === null && mcp.resource === null && method.completes.length === 0) return nothingOffered
  return {
    prompt: mcp.prompt === null ? null : { ...described(name, method, action), at: mcp.prompt },
    resource: action.verb === 'GET' ? resourceOf(name, method, action) : null,
    completes: method.completes.map((complete): Completion => ({ ...complete })),
  }
}

function described(name: string, { doc, mcp }: DeclaredMethod, action: Described): Omit<Prompt, 'at'> {
  return {
    name,
    title: mcp.title,
    description: mcp.describe ?? fullText(doc),
    arguments: toolArguments(action, action.forwarded).filter(({ param }) => !param.isElicited),
    ...toolHeaders(action, action.forwarded),
  }
}

function resourceOf(name: string, method: DeclaredMethod, action: Described): Resource | null {
  const { resource } = method.mcp
  if (resource === null) return null
  const own = described(name, method, action)
  return {
    ...own,
    uri: resource.uri ?? uriOfRoute(action.path, own.arguments),
    mimeType: mimeTypeOf(action),
    at: resource.at,
  }
}

/** The route's own address; what it needs beside its path stands in the query. Source: RFC 6570. */
function uriOfRoute(path: string, all: readonly ToolArgument[]): string {
  const named = (wireName: string, isHere: (param: Param) => boolean): string =>
    all.find(({ param }) => isHere(param) && param.wireName === wireName)?.argument ?? wireName
  const filled = path.replace(/(\*?):(\w+)/g, (_whole, rest: string, name: string) =>
    rest === ''
      ? `{${named(name, ({ from }) => from === 'path')}}`
      : `{+${named(name, ({ from }) => from === 'rest')}}`,
  )
  const query = all.filter(({ param }) => param.from === 'query' && param.required)
  return query.length === 0 ? filled : `${filled}{?${query.map(({ argument }) => argument).join()}}`
}

/** What is negotiated is JSON for MCP clients. */
function mimeTypeOf({ produces, results }: Described): string | null {
  if (produces !== null) return produces === '*/*' ? null : produces
  const [first] = results
  return first === undefined || first.schema === null ? null : 'application/json'
}
