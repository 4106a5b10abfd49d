/** The tool of a route: what the model reads about it. */

import type { Action, NoTool, Tool } from '../ir/model.ts'
import { hasEvents, isFile } from '../ir/schema-walk.ts'
import type { DeclaredController, DeclaredMethod } from '../ir/source-model.ts'
import { type Forwarded, toolArguments, toolHeaders } from './arguments.ts'
import { promisedOutput } from './responses.ts'

/** Why a method that these filters cover can be no tool; null = it can. */
export function noToolBecause(method: DeclaredMethod, filters: readonly DeclaredMethod[]): NoTool | null {
  const { routes } = method
  if (routes.some(({ websocket }) => websocket)) return 'socket'
  const params = [method, ...filters].flatMap((filter) => filter.params)
  if (params.some(({ required, schema }) => required && isFile(schema))) return 'file'
  return answersEvents(method) ? 'events' : null
}

/** Whether an answer of the method is a stream of events. */
export function answersEvents({ result, returns }: Pick<DeclaredMethod, 'result' | 'returns'>): boolean {
  return hasEvents([result, ...returns.map(({ schema }) => schema)])
}

/** The tool of `method` at its longest address. */
export function toTool(
  name: string,
  { method, controller }: { readonly method: DeclaredMethod; readonly controller: OfToolbox },
  action: Pick<
    Action,
    'verb' | 'path' | 'params' | 'filters' | 'inputs' | 'results' | 'answersElse' | 'features'
  >,
): Tool {
  const { verb, path } = action
  const { doc, mcp } = method
  const summary = mcp.describe ?? (doc.summary === '' ? `${verb} ${path}` : doc.summary)
  return {
    name,
    root: mcp.root === true,
    isShown: mcp.visible === true,
    title: mcp.title,
    summary,
    description: mcp.describe ?? (doc.description || summary),
    keywords: [...new Set([...mcp.keywords, ...controller.keywords])],
    arguments: toolArguments(action, controller.forwarded),
    ...toolHeaders(action, controller.forwarded),
    output: promisedOutput(action),
    argumentHeaders: mcp.argumentHeaders,
    hints: hintsOf(action, mcp.hints),
    isRepeatable: action.features.some((use) => use.tool.runsAgain) && mcp.hints.idempotent === true,
    examples: mcp.examples,
    paging: mcp.paging,
    brief: mcp.brief,
  }
}

/** What a class, and the configuration, say of each of its tools. */
interface OfToolbox extends Pick<DeclaredController, 'keywords'> {
  readonly forwarded: Forwarded
}

/** What replaces or changes may overwrite: `destructiveHint: false` says that a tool only adds. What optional tags say comes before what the verb does. */
function hintsOf(
  { verb, features }: Pick<Action, 'verb' | 'features'>,
  said: DeclaredMethod['mcp']['hints'],
): Tool['hints'] {
  const byTags: Partial<Tool['hints']> = Object.assign({}, ...features.map(({ tool }) => tool.hints))
  return {
    readOnly: said.readOnly ?? byTags.readOnly ?? (verb === 'GET' || verb === 'OPTIONS'),
    destructive:
      said.destructive ??
      byTags.destructive ??
      (['PUT', 'PATCH', 'DELETE'].includes(verb) && said.readOnly !== true),
    idempotent: said.idempotent ?? byTags.idempotent ?? (verb === 'PUT' || verb === 'DELETE'),
    openWorld: said.openWorld ?? byTags.openWorld ?? false,
  }
}
