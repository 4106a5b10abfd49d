/** The JSON of one tool as the model will see it: its name, texts, closed schemas, and where each argument goes. */
import type { PlacedArgument, ToolEntry } from '../../../../runtime/contract/mcp.ts'
import type { Action, Tool, ToolArgument } from '../../ir/model.ts'
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import type { ParamSource } from '../../ir/steps.ts'
import { keyArgument, keyHeader } from '../../schema/idempotency-key.ts'
import { definitionOf, jsonSchema, type SchemaText, schemaText, toDefs } from '../../schema/json-schema.ts'
import { reachable, resolved } from '../../schema/references.ts'
import type { ToolFacts } from '../../schema/tools.ts'
import type { SharedSchemas } from './shared-schemas.ts'
import { shownFields } from './tool-fields.ts'

type Named = readonly NamedSchema[]

interface PrintContext {
  readonly named: Named
  readonly toolbox: string
  readonly schemas: SharedSchemas
}

/** A `ToolEntry`, of which the schemas are numbers; they are added to those of the toolbox. */
export function printTool(facts: ToolFacts, { named, toolbox, schemas }: PrintContext): string {
  const { action, tool, input, renamed } = facts
  const output = outputSchema(named, tool)
  return JSON.stringify({
    name: tool.name,
    route: action.id,
    toolbox,
    ...shownFields(facts),
    inputSchema: schemas.add(input),
    outputSchema: output === null ? null : schemas.add(output),
    arguments: [...tool.arguments.map(placedArgument), ...keyPlaces(action)],
    ...(Object.keys(renamed).length === 0 ? {} : { renamed }),
  })
}

type Place = PlacedArgument

const keyPlaces = ({ options }: Pick<Action, 'options'>): ToolEntry['arguments'] =>
  options.idempotencyKey === null ? [] : [{ argument: keyArgument, from: 'header', name: keyHeader }]

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

/** Of a success answer; null = nobody says. */
export const outputSchema = (named: Named, { output }: Tool): SchemaText | null =>
  output === null ? null : sharedOutput(named, resolved(output, named))

/** Most routes of a controller return the same. */
const outputs = new WeakMap<Schema, { readonly named: Named; readonly schema: SchemaText }>()

function sharedOutput(named: Named, root: Schema): SchemaText {
  const known = outputs.get(root)
  if (known?.named === named) return known.schema
  const schema = schemaText(jsonSchema(root, toDefs), reachable([root], named).map(definitionOf))
  outputs.set(root, { named, schema })
  return schema
}
