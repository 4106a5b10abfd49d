/** The rules of `@mcp brief`: it names properties of the answer's item, and gives the tool an argument that it has not. */
import {
  briefOfAll,
  briefOfNothing,
  briefSecret,
  briefUnknown,
  fieldsTaken,
} from '../diagnostics/answer-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import { type Diagnostic, place } from '../diagnostics/source-diagnostics.ts'
import type { Action, Controller, Model, Tool } from '../ir/model.ts'
import type { Brief } from '../ir/paging.ts'
import { itemProperties, moreArgument, pathOf } from '../schema/brief.ts'
import { pagingOf } from '../schema/paging.ts'

type Named = Model['schemas']

/** Everything that is wrong with it. */
export function checkBrief(controllers: readonly Controller[], named: Named): readonly Diagnostic[] {
  return controllers.flatMap(({ actions }) =>
    actions.flatMap((action) => {
      const { tool } = action
      const brief = tool?.brief ?? null
      if (tool === null || brief === null) return []
      return [...argumentIsFree(tool, brief), ...propertiesExist(action, tool, brief, named)]
    }),
  )
}

function argumentIsFree(tool: Tool, brief: Brief): readonly Diagnostic[] {
  const taken = tool.arguments.find(({ argument }) => argument === moreArgument)
  return taken === undefined ? [] : [fieldsTaken(brief.at, tool.name, place(taken.param.at))]
}

function propertiesExist(action: Action, tool: Tool, brief: Brief, named: Named): readonly Diagnostic[] {
  const properties = itemProperties(action, pathOf(pagingOf(tool, named)?.items), named)
  if (properties === null) return [briefOfNothing(brief.at, tool.name)]
  const known = new Map(properties.map((property) => [property.name, property]))
  const shown = properties.filter(({ isSecret }) => !isSecret).map(({ name }) => name)
  const wrong = brief.names.flatMap(({ name, at }) => {
    const property = known.get(name)
    if (property === undefined) return [briefUnknown(at, tool.name, name, didYouMean(name, shown))]
    return property.isSecret ? [briefSecret(at, name)] : []
  })
  const isAll = brief.names.length === shown.length
  return wrong.length === 0 && isAll ? [briefOfAll(brief.at, tool.name)] : wrong
}
