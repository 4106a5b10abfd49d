/** The tools of each controller, as the catalogue prints them. */
import { createMemos, type Memos, memo } from '../../cache/memoize.ts'
import type { Controller, Model } from '../../ir/model.ts'
import { withAnswered } from '../../schema/answered.ts'
import { type ToolFacts, toolsOf, typesOf } from '../../schema/tools.ts'
import { SharedSchemas } from './shared-schemas.ts'
import { printTool } from './tool-entry.ts'

/** A controller that has tools. */
export interface Toolbox {
  readonly controller: Controller
  readonly tools: readonly ToolFacts[]
  /** The names of the types that they take and return. */
  readonly types: readonly string[]
  /** Their JSON and that of their schemas, as it stands between single quotes. */
  readonly text: string
}

const keepText = memo<Pick<Toolbox, 'types' | 'text'>>()

/** The toolboxes, by id. */
export function toolboxesOf(
  { controllers, schemas }: Model,
  memos: Memos = createMemos(),
): readonly Toolbox[] {
  return controllers.flatMap((controller) => {
    const tools = toolsOf(memos, controller, schemas)
    if (tools.length === 0) return []
    const make = (): Pick<Toolbox, 'types' | 'text'> => printTools(controller, tools, withAnswered(schemas))
    return [{ controller, tools, ...keepText(memos, controller, schemas, { context: '', make }) }]
  })
}

function printTools(
  { id }: Controller,
  all: readonly ToolFacts[],
  named: Model['schemas'],
): Pick<Toolbox, 'types' | 'text'> {
  const shared = new SharedSchemas()
  const tools = all.map((facts) => printTool(facts, { named, toolbox: id, schemas: shared })).join(',')
  const { definitions, schemas } = shared.json
  const types = all.flatMap(({ tool }) => typesOf(named, tool, tool.output))
  return {
    types: [...new Set(types.map(({ name }) => name))].sort(),
    text: escaped(`{"definitions":${definitions},"schemas":${schemas},"tools":[${tools}]}`),
  }
}

/** The text escaped, to stand between single quotes. */
export const escaped = (json: string): string => json.replace(/[\\']/g, '\\$&')
