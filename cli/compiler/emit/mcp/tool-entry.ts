/** The JSON of one tool as the model will see it: its name, texts, closed schemas, and where each argument goes. */
import type { PlacedArgument } from '../../../../runtime/contract/mcp.ts'
import { addedBy, type FeatureArgument } from '../../ir/features.ts'
import type { ToolArgument } from '../../ir/model.ts'
import type { ParamSource } from '../../ir/steps.ts'
import type { ToolView } from '../../schema/tools.ts'
import type { SharedSchemas } from './shared-schemas.ts'
import { shownFields } from './tool-fields.ts'

/** A `ToolEntry`, of which the schemas are numbers; they are added to those of the toolbox. */
export function printTool(view: ToolView, toolbox: string, schemas: SharedSchemas): string {
  const { action, tool, input, output, renamed } = view
  return JSON.stringify({
    name: tool.name,
    route: action.id,
    toolbox,
    ...shownFields(view),
    inputSchema: schemas.add(input),
    outputSchema: output === null ? null : schemas.add(output),
    arguments: [
      ...tool.arguments.map(placedArgument),
      ...addedBy(action, (use) => use.tool.arguments).map(placeOf),
    ],
    ...(Object.keys(renamed).length === 0 ? {} : { renamed }),
  })
}

type Place = PlacedArgument

const placeOf = ({ argument, from, name }: FeatureArgument): Place => ({ argument, from, name })

const places: Readonly<Record<ParamSource, Place['from']>> = {
  path: 'path',
  rest: 'path',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  body: 'body',
  field: 'field',
  absent: 'path',
}

/** The rest of a path is what the server calls `*`. */
export function placedArgument({ argument, param }: ToolArgument): Place {
  const { from, wireName } = param
  return { argument, from: places[from], name: from === 'rest' ? '*' : wireName }
}
