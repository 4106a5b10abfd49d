/** What an application serves, in texts that can be compared with those of the build before. Places in the sources do not
 *  count: a line above moves them. */
import { type Memos, memo } from '../../compiler/cache/memoize.ts'
import type { Action, Controller, Model } from '../../compiler/ir/model.ts'
import type { NamedSchema, Schema } from '../../compiler/ir/schema.ts'
import { reachable } from '../../compiler/schema/references.ts'
import { type ToolFacts, toolsOf } from '../../compiler/schema/tools.ts'
import type { Contents } from '../../terminal/changes.ts'

type Named = readonly NamedSchema[]

export function contentsOf({ controllers, schemas }: Model, memos: Memos): Contents {
  return {
    routes: new Map(controllers.flatMap((controller) => routesOf(controller, schemas, memos))),
    tools: new Map(controllers.flatMap((controller) => pricedTools(controller, schemas, memos))),
  }
}

const keepRoutes = memo<readonly (readonly [string, string])[]>()

function routesOf(
  controller: Controller,
  named: Named,
  memos: Memos,
): readonly (readonly [string, string])[] {
  const make = () =>
    controller.actions.map((action) => [`${action.verb} ${action.path}`, routeText(action, named)] as const)
  return keepRoutes(memos, controller, named, { context: '', make })
}

/** All that a caller can tell, with the types that it names; not what it is as a tool. */
function routeText({ tool: _tool, noTool: _noTool, ...action }: Action, named: Named): string {
  const { inputs, results, errors, handlers } = action
  const answered = [
    ...results,
    ...errors,
    ...handlers.flatMap(({ results, rendered }) => [...results, ...rendered]),
  ]
  const schemas: readonly Schema[] = [
    ...inputs.map(({ schema }) => schema),
    ...answered.flatMap(({ schema }) => schema ?? []),
  ]
  return withoutPlaces([action, reachable(schemas, named)])
}

type PricedTool = readonly [string, { readonly text: string; readonly tokens: number }]

const keepPriced = memo<readonly PricedTool[]>()

function pricedTools(controller: Controller, named: Named, memos: Memos): readonly PricedTool[] {
  const make = () =>
    toolsOf(memos, controller, named).map((facts): PricedTool => {
      return [facts.tool.name, { text: toolText(facts, named), tokens: facts.tokens }]
    })
  return keepPriced(memos, controller, named, { context: '', make })
}

/** All that is written of it. */
function toolText({ tool, input }: ToolFacts, named: Named): string {
  const { output } = tool
  const types = [...input.defined, ...(output === null ? [] : reachable([output], named))]
  return withoutPlaces([tool, input.json, types])
}

/** JSON without the places in the sources. */
const withoutPlaces = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (isPlace(inner) ? undefined : inner))

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 3 &&
  ['file', 'line', 'column'].every((name) => name in value)
