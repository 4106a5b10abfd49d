/** The tools of each controller, as the catalogue prints them. */
import type { Controller, Model } from '../../ir/model.ts'
import { withAnswered } from '../../schema/answered.ts'
import { memo } from '../../schema/memo.ts'
import { type ToolView, toolsOf, typesOf } from '../../schema/tools.ts'
import { SharedSchemas } from './shared-schemas.ts'
import { printTool } from './tool-entry.ts'

/** A controller that has tools. */
export interface Toolbox {
  readonly controller: Controller
  readonly tools: readonly ToolView[]
  /** The names of the types that they take and return. */
  readonly types: readonly string[]
  /** Their JSON and that of their schemas, as it stands between single quotes. */
  readonly text: string
}

/** The toolboxes, by id. */
export const toolboxesOf = ({ controllers, schemas }: Model): readonly Toolbox[] =>
  controllers.flatMap((controller) => toolboxOf(controller, schemas) ?? [])

const toolboxOf = memo((controller: Controller, named): Toolbox | null => {
  const tools = toolsOf(controller, named)
  if (tools.length === 0) return null
  const shared = new SharedSchemas()
  const entries = tools.map((view) => printTool(view, controller.id, shared)).join(',')
  const { definitions, schemas } = shared.json
  const types = tools.flatMap(({ tool }) => typesOf(withAnswered(named), tool, tool.output))
  return {
    controller,
    tools,
    types: [...new Set(types.map(({ name }) => name))].sort(),
    text: escaped(`{"definitions":${definitions},"schemas":${schemas},"tools":[${entries}]}`),
  }
})

/** The text escaped, to stand between single quotes. */
export const escaped = (json: string): string => json.replace(/[\\']/g, '\\$&')
