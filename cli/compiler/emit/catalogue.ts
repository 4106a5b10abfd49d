/** The tools as the model will see them: names, texts, closed schemas, and where each argument goes. */
import type { Catalogue, JsonSchema, ToolEntry } from '../../../runtime/contract.ts'
import type { Action, Controller, Model, NamedSchema, Param, Schema, Tool } from '../model.ts'
import { definitions, described, jsonSchema, toDefs } from './json-schema.ts'
import { contextOf, keeper } from './kept.ts'
import { reachable, schemaNamed } from './type-text.ts'

/** Every visible tool, controllers by id and tools in source order. */
export function emitCatalogue(model: Model): Catalogue {
  const shown = model.controllers.filter(({ actions }) => actions.some(({ tool }) => tool !== null))
  const tools = shown.flatMap((controller) =>
    keepTools(controller, model.schemas, {
      context: contextOf(model),
      make: () =>
        controller.actions.flatMap((action) =>
          action.tool === null ? [] : [toEntry(model.schemas, controller, action, action.tool)],
        ),
    }),
  )
  const toolboxes = shown.map(({ id, doc }) => ({ name: id, description: fullText(doc) }))
  return { instructions: instructionsOf(shown), toolboxes, tools }
}

const keepTools = keeper<readonly ToolEntry[]>('catalogue.tools')

/** The text of a toolbox. */
export const fullText = ({ summary, description }: Controller['doc']): string =>
  description === '' ? summary : description

const texts = new WeakMap<ToolEntry, string>()

/** The JSON of the catalogue; that of a tool that was printed before is not made again. */
export function printCatalogue({ tools, ...rest }: Catalogue): string {
  const printed = tools.map((tool) => {
    const text = texts.get(tool) ?? JSON.stringify(tool)
    texts.set(tool, text)
    return text
  })
  return `${JSON.stringify(rest).slice(0, -1)},"tools":[${printed.join(',')}]}`
}

/** One line for each toolbox that has more than root tools. */
function instructionsOf(shown: readonly Controller[]): string {
  return shown
    .filter(({ actions }) => actions.some(({ tool }) => tool !== null && !tool.root))
    .map(({ id, doc }) => (doc.summary === '' ? id : `${id}: ${doc.summary}`))
    .join('\n')
}

export interface ToolArgument {
  readonly argument: string
  readonly param: Param
}

/** Headers that every tool call carries over from its own request, and therefore no arguments. */
const forwarded = new Set(['authorization', 'cookie', 'x-api-key'])

/** The arguments of a tool: the action's parameters, then those of every covering filter. */
export function toolArguments(action: Action): readonly ToolArgument[] {
  const params = [action, ...action.filters].flatMap((one) => one.params).filter(isArgument)
  const seen = new Map<string, ToolArgument>()
  const names = new Set<string>()
  for (const param of params) {
    const key = `${param.from} ${param.wireName.toLowerCase()}`
    if (seen.has(key)) continue
    const plain =
      param.from === 'header' ? param.wireName.toLowerCase().replace(/[^a-z0-9_]/g, '_') : param.wireName
    const argument = names.has(plain) ? `${param.from}_${plain}` : plain
    names.add(argument)
    seen.set(key, { argument, param })
  }
  return [...seen.values()]
}

function isArgument({ from, wireName, schema }: Param): boolean {
  if (from === 'absent' || isUpload(schema)) return false
  return from !== 'cookie' && !(from === 'header' && forwarded.has(wireName.toLowerCase()))
}

function toEntry(
  named: readonly NamedSchema[],
  controller: Controller,
  action: Action,
  tool: Tool,
): ToolEntry {
  const given = toolArguments(action)
  const whole = wholeSchema(named, given)
  return {
    name: tool.name,
    route: action.id,
    toolbox: controller.id,
    root: tool.root,
    title: tool.title,
    summary: action.doc.summary === '' ? tool.description : action.doc.summary,
    description: tool.description,
    hints: tool.hints,
    inputSchema: whole ?? inputSchema(named, given, tool),
    outputSchema: outputSchema(named, action),
    arguments:
      whole === null
        ? given.map(({ argument, param }) => ({ argument, ...placeInRequest(param) }))
        : Object.keys(whole.properties ?? {}).map((name) => ({ argument: name, from: 'field', name })),
    examples: tool.examples.map(({ value }) => value),
  }
}

/** A tool whose only argument is a body with a schema file of its own takes that file as its input schema, word for word. */
function wholeSchema(named: readonly NamedSchema[], given: readonly ToolArgument[]): JsonSchema | null {
  const [only] = given
  if (only === undefined || given.length > 1 || only.param.from !== 'body') return null
  const schema = resolved(only.param.schema, named)
  return schema.kind === 'verbatim' && schema.json.type === 'object' ? schema.json : null
}

/** The rest of a path is what the server calls `*`. */
function placeInRequest({ from, wireName }: Param): Pick<ToolEntry['arguments'][number], 'from' | 'name'> {
  if (from === 'rest') return { from: 'path', name: '*' }
  return { from: from === 'absent' ? 'path' : from, name: wireName }
}

/** Whether a parameter is an uploaded file, or a list of files. */
export function isUpload(schema: Schema): boolean {
  return schema.kind === 'file' || (schema.kind === 'array' && isUpload(schema.items))
}

function inputSchema(
  named: readonly NamedSchema[],
  given: readonly ToolArgument[],
  { mirrors }: Tool,
): JsonSchema {
  const required = given.filter(({ param }) => param.required).map(({ argument }) => argument)
  const used = reachable(
    given.map(({ param }) => param.schema),
    named,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(
      given.map(({ argument, param }) => [argument, mirrored(argumentSchema(param), argument, mirrors)]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...definitions(used),
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

/** None where a success may be something else: a client refuses an answer without the structured content that the schema
 *  promises. Source: MCP, Tools, output schema; decisions.md, results. */
function outputSchema(named: readonly NamedSchema[], { results, answersElse }: Action): JsonSchema | null {
  const [result, ...others] = results
  if (answersElse || others.length > 0) return null
  if (result?.schema === undefined || result.schema === null) return null
  const root = resolved(result.schema, named)
  if (root.kind === 'binary' || root.kind === 'events') return null
  if (root.kind === 'verbatim') return root.json
  return { ...jsonSchema(root, toDefs), ...definitions(reachable([root], named)) }
}

/** The schema behind a reference: clients refuse a whole list over a root `$ref` (reference/tool-texts, lint rule 7). */
function resolved(schema: Schema, named: readonly NamedSchema[]): Schema {
  if (schema.kind !== 'ref') return schema
  const target = schemaNamed(schema.name, named)
  return target === null ? schema : resolved(target.schema, named)
}
