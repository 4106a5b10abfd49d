/** What an application serves, in texts that can be compared with those of the build before. Places in the sources do not
 *  count: a line above moves them. */
import type { Action, Controller, Model } from '../../compiler/ir/model.ts'
import type { NamedSchema, Schema } from '../../compiler/ir/schema.ts'
import { memo } from '../../compiler/schema/memo.ts'
import { reachable } from '../../compiler/schema/references.ts'
import { type ToolView, toolsOf } from '../../compiler/schema/tools.ts'
import type { Contents } from './changes.ts'

type Named = readonly NamedSchema[]

export const contentsOf = ({ controllers, schemas }: Model): Contents => ({
  routes: new Map(controllers.flatMap((controller) => routesOf(controller, schemas))),
  tools: new Map(controllers.flatMap((controller) => pricedTools(controller, schemas))),
})

const routesOf = memo(({ actions }: Controller, named) =>
  actions.map((action) => [`${action.verb} ${action.path}`, routeText(action, named)] as const),
)

/** All that a caller can tell, with the types that it names; not what it is as a tool. */
function routeText({ tool: _tool, noTool: _noTool, features, ...action }: Action, named: Named): string {
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
  const tags = features.map(({ row, isShared, bodyTypes, call, operation }) => [
    ...[row, isShared, bodyTypes, call, operation],
  ])
  return withoutPlaces([action, tags, reachable(schemas, named)])
}

const pricedTools = memo((controller: Controller, named) =>
  toolsOf(controller, named).map(
    (view) => [view.tool.name, { text: toolText(view), tokens: view.tokens }] as const,
  ),
)

/** All that is written of it. */
function toolText({ tool, action, input, output }: ToolView): string {
  const schemas = [input, output].map((schema) => [schema?.json, schema?.defined.map(({ text }) => text)])
  const tags = action.features.map(({ lines, tool }) => [lines, tool])
  return withoutPlaces([tool, tags, schemas])
}

/** JSON without the places in the sources. */
const withoutPlaces = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (isPlace(inner) ? undefined : inner))

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 3 &&
  ['file', 'line', 'column'].every((name) => name in value)
