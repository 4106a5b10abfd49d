/** The JSON of one tool as the model will see it: its name, texts, closed schemas, and where each argument goes. */
import type { JsonSchema, ToolEntry } from '../../../runtime/contract/mcp.ts'
import type { Action, Param, ParamSource, Tool, ToolArgument } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { definitions, described, jsonSchema, toDefs } from './json-schema.ts'
import { reachable, schemaNamed } from './references.ts'
import { type SchemaText, type SharedSchemas, schemaWithDefs, verbatimText } from './shared-schemas.ts'

interface PrintedTool {
  /** A `ToolEntry`, of which the schemas are numbers. */
  readonly json: string
  /** Of its description and input schema. */
  readonly characters: number
}

interface PrintContext {
  readonly tool: Tool
  readonly toolbox: string
  readonly schemas: SharedSchemas
}

type Named = readonly NamedSchema[]
type Head = Omit<ToolEntry, 'inputSchema' | 'outputSchema' | 'arguments' | 'examples'>

/** Prints the tool of `action`; its schemas are added to those of the toolbox. */
export function printTool(
  named: Named,
  action: Action,
  { tool, toolbox, schemas }: PrintContext,
): PrintedTool {
  const { name, root, title, description, hints, examples } = tool
  const summary = action.doc.summary === '' ? description : action.doc.summary
  const head: Head = { name, route: action.id, toolbox, root, title, summary, description, hints }
  const verbatim = verbatimInput(named, tool)
  const input =
    verbatim === null ? schemaWithDefs(openInput(tool), typesOf(named, tool, null)) : verbatimText(verbatim)
  const output = outputSchema(named, tool)
  const tail: Pick<ToolEntry, 'arguments' | 'examples'> = {
    arguments: placesOf(tool, verbatim),
    examples: examples.map(({ value }) => value),
  }
  const numbers = {
    inputSchema: schemas.add(input),
    outputSchema: output === null ? null : schemas.add(output),
  }
  return {
    json: JSON.stringify({ ...head, ...numbers, ...tail }),
    characters: description.length + input.length,
  }
}

/** The schema of a tool's arguments. */
export function inputSchema(named: Named, tool: Tool): JsonSchema {
  return verbatimInput(named, tool) ?? { ...openInput(tool), ...definitions(typesOf(named, tool, null)) }
}

/** A tool whose only argument is a body with a schema file of its own takes that file as its input schema, word for word. */
export function verbatimInput(named: Named, tool: Tool): JsonSchema | null {
  const [only, second] = tool.arguments
  if (only === undefined || second !== undefined || only.param.from !== 'body') return null
  const schema = resolved(only.param.schema, named)
  return schema.kind === 'verbatim' && schema.json.type === 'object' ? schema.json : null
}

/** The named types that its arguments reach, and those that `output` reaches. */
export function typesOf(named: Named, tool: Tool, output: Schema | null): Named {
  const given = verbatimInput(named, tool) === null ? tool.arguments.map(({ param }) => param.schema) : []
  return reachable(output === null ? given : [...given, output], named)
}

/** Without its definitions. */
export function openInput({ arguments: given, mirrors }: Tool): JsonSchema {
  const required = given.filter(({ param }) => param.required).map(({ argument }) => argument)
  return {
    type: 'object',
    properties: Object.fromEntries(
      given.map(({ argument, param }) => [argument, mirrored(argumentSchema(param), argument, mirrors)]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** Clients repeat the value of such an argument in the header `Mcp-Param-{name}`. Source: MCP 2026-07-28. */
function mirrored(schema: JsonSchema, argument: string, mirrors: Tool['mirrors']): JsonSchema {
  const header = mirrors.find((one) => one.argument === argument)?.header
  return header === undefined ? schema : { ...schema, 'x-mcp-header': header }
}

/** The schema of a parameter with its text and default. */
function argumentSchema({ schema, doc, fallback }: Param): JsonSchema {
  const written = described(jsonSchema(schema, toDefs), doc)
  return fallback === null ? written : { ...written, default: fallback }
}

function placesOf(tool: Tool, verbatim: JsonSchema | null): ToolEntry['arguments'] {
  return verbatim === null
    ? tool.arguments.map(placeOf)
    : Object.keys(verbatim.properties ?? {}).map((name) => ({ argument: name, from: 'field', name }))
}

type Place = ToolEntry['arguments'][number]

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
function placeOf({ argument, param }: ToolArgument): Place {
  const { from, wireName } = param
  return { argument, from: places[from], name: from === 'rest' ? '*' : wireName }
}

function outputSchema(named: Named, { output }: Tool): SchemaText | null {
  if (output === null) return null
  const root = resolved(output, named)
  return root.kind === 'verbatim' ? verbatimText(root.json) : sharedOutput(named, root)
}

/** Most routes of a controller return the same. */
const outputs = new WeakMap<Schema, { readonly named: Named; readonly schema: SchemaText }>()

function sharedOutput(named: Named, root: Schema): SchemaText {
  const known = outputs.get(root)
  if (known?.named === named) return known.schema
  const schema = schemaWithDefs(jsonSchema(root, toDefs), reachable([root], named))
  outputs.set(root, { named, schema })
  return schema
}

/** The schema behind a reference: clients refuse a whole list over a root `$ref` (reference/tool-texts, lint rule 7). */
function resolved(schema: Schema, named: Named): Schema {
  if (schema.kind !== 'ref') return schema
  const target = schemaNamed(schema.name, named)
  return target === null ? schema : resolved(target.schema, named)
}
