/** The JSON of one tool as the model will see it: its name, texts, closed schemas, and where each argument goes. */
import type { JsonSchema, PlacedArgument, ToolEntry } from '../../../../runtime/contract/mcp.ts'
import type { Action, Tool, ToolArgument } from '../../ir/model.ts'
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import type { ParamSource } from '../../ir/steps.ts'
import { keyArgument, keyHeader } from '../../schema/idempotency-key.ts'
import { jsonSchema, type SchemaText, schemaWithDefs, toDefs } from '../../schema/json-schema.ts'
import { reachable, resolved } from '../../schema/references.ts'
import { type ToolFacts, verbatimInput } from '../../schema/tools.ts'
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
  const { action, tool, input } = facts
  const output = outputSchema(named, tool)
  return JSON.stringify({
    name: tool.name,
    route: action.id,
    toolbox,
    ...shownFields(facts),
    inputSchema: schemas.add(input),
    outputSchema: output === null ? null : schemas.add(output),
    arguments: [...placesOf(tool, verbatimInput(named, tool)), ...keyPlaces(action)],
  })
}

function placesOf(tool: Tool, verbatim: JsonSchema | null): ToolEntry['arguments'] {
  return verbatim === null
    ? tool.arguments.map(placedArgument)
    : Object.keys(verbatim.properties ?? {}).map((name) => ({ argument: name, from: 'field', name }))
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
export function outputSchema(named: Named, { output }: Tool): SchemaText | null {
  if (output === null) return null
  const root = resolved(output, named)
  return root.kind === 'verbatim' ? schemaWithDefs(root.json, [], false) : sharedOutput(named, root)
}

/** Most routes of a controller return the same. */
const outputs = new WeakMap<Schema, { readonly named: Named; readonly schema: SchemaText }>()

function sharedOutput(named: Named, root: Schema): SchemaText {
  const known = outputs.get(root)
  if (known?.named === named) return known.schema
  const schema = schemaWithDefs(jsonSchema(root, toDefs), reachable([root], named), false)
  outputs.set(root, { named, schema })
  return schema
}
