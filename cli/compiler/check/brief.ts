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
import type { Model, Tool } from '../ir/model.ts'
import type { Brief } from '../ir/paging.ts'
import { itemProperties, moreArgument, pathOf } from '../schema/brief.ts'
import type { ToolView } from '../schema/tools.ts'
import type { Subject } from './controller-rules.ts'

type Named = Model['schemas']

/** Everything that is wrong with it. */
export const briefFits = ({ tools, app: { schemas } }: Subject): readonly Diagnostic[] =>
  tools.flatMap((view) => {
    const { brief } = view.tool
    return brief === null
      ? []
      : [...argumentIsFree(view.tool, brief), ...propertiesExist(view, brief, schemas)]
  })

function argumentIsFree(tool: Tool, brief: Brief): readonly Diagnostic[] {
  const taken = tool.arguments.find(({ argument }) => argument === moreArgument)
  return taken === undefined ? [] : [fieldsTaken(brief.at, tool.name, place(taken.param.at))]
}

function propertiesExist(view: ToolView, brief: Brief, named: Named): readonly Diagnostic[] {
  const { action, tool } = view
  const properties = itemProperties(action, pathOf(view.brief?.items), named)
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
