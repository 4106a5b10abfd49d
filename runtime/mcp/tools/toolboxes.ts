import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Catalogue, JsonSchema, ToolboxEntry, ToolEntry } from '../../contract/mcp.ts'
import { unknownName } from '../../suggestions.ts'
import { toAnnotations } from '../../tool-fingerprint.ts'
import { type Lacking, lackingOf } from '../access/lacking.ts'
import { failure, wrongArguments } from '../answers/result.ts'
import { untrustedMeta } from '../answers/untrusted.ts'
import type { ToolArguments } from '../calls/json-arguments.ts'
import { nameCheck } from '../calls/unknown-arguments.ts'
import { createFind, type Find } from '../finding/find-tools.ts'
import type { Era } from '../protocol/constants.ts'
import { schemaFor } from '../protocol/param-headers.ts'
import { type Danger, type Dangers, dangerOf, unknownTool } from './near-tools.ts'
import { metaToolNames, metaToolSchemas } from './tool-list.ts'

/** What a call of a meta tool comes to: an answer, at whose end stands what more permission would give, or the tool to run with
 *  its arguments. */
export type MetaAnswer =
  | { readonly kind: 'answer'; readonly result: CallToolResult; readonly lacking: readonly Lacking[] }
  | { readonly kind: 'run'; readonly tool: ToolEntry; readonly args: ToolArguments }

/** Runs one meta tool for a client of that era; pure, no call changes what a later one sees. */
export type MetaTool = (args: ToolArguments, era: Era) => MetaAnswer

/** What is not in the catalogue because the caller may not call it: the proxies run it all the same, for its route to say what it
 *  asks for. */
export interface HiddenTools {
  readonly hidden: readonly ToolEntry[]
  readonly lacking: readonly Lacking[]
}

const nothingHidden: HiddenTools = { hidden: [], lacking: [] }

/** The stateless toolbox tools by name. Root tools belong to no toolbox here, and a toolbox with nothing else does not
 *  exist. Source: rules.md, What the service does 5; rules.md, MCP. */
export function createMetaTools(
  { toolboxes, tools }: Catalogue,
  { hidden, lacking }: HiddenTools = nothingHidden,
): ReadonlyMap<string, MetaTool> {
  const own = new Map<string, ToolEntry[]>(toolboxes.map(({ name }) => [name, []]))
  for (const tool of tools) if (!tool.root) own.get(tool.toolbox)?.push(tool)
  const filled = toolboxes.filter(({ name }) => own.get(name)?.length !== 0)
  const boxes = new Map(
    // without the icon: a model would pay for a picture that it cannot see
    filled.map(({ name, description }) => [name, { name, description, tools: own.get(name) ?? [] }]),
  )
  const listed = [...boxes.values()].map((box) => ({ ...box, tools: box.tools.length }))
  const find = createFind(tools, hidden)
  const byName = new Map([...tools, ...hidden].map((tool) => [tool.name, tool]))
  const known = { byName, hidden: new Set(hidden) }
  const dangers = new Map(tools.map(({ name, hints }) => [name, dangerOf(hints)]))
  const harmless = new Map([...dangers].filter(([, danger]) => danger === 0))
  const metaTools: readonly (readonly [string, MetaTool])[] = [
    [metaToolNames.listToolboxes, () => structured({ toolboxes: listed }, lacking)],
    [metaToolNames.openToolbox, (args, era) => openToolbox(boxes, args.name, { lacking, era })],
    [metaToolNames.findTools, (args, era) => findTools(find, args.query, { lacking, era })],
    [metaToolNames.closeToolbox, () => answer({ content: [{ type: 'text', text: 'nothing to close' }] })],
    [metaToolNames.callReadOnly, (args) => readOnly(callNamed(known, args, harmless))],
    [metaToolNames.callTool, (args) => callNamed(known, args, dangers)],
  ]
  return new Map(metaTools.map(([name, metaTool]) => [name, named(name, metaTool)]))
}

/** The same, but it takes no arguments that it does not have. */
function named(name: string, metaTool: MetaTool): MetaTool {
  const inputSchema = metaToolSchemas.get(name)
  const checkNames = inputSchema === undefined ? null : nameCheck(inputSchema)
  if (inputSchema === undefined || checkNames === null) return metaTool
  return (args, era) => {
    const unknown = checkNames(args)
    return unknown === null ? metaTool(args, era) : refusal(wrongArguments(unknown, { name, inputSchema }))
  }
}

/** How dangerous each tool is, the meta tools with them. */
export function dangersOf({ tools }: Catalogue): Dangers {
  const own = tools.map(({ name, hints }): [string, Danger] => [name, dangerOf(hints)])
  const meta = Object.values(metaToolNames).map((name): [string, Danger] => [
    name,
    name === metaToolNames.callTool ? 1 : 0,
  ])
  return new Map([...own, ...meta])
}

interface FilledToolbox extends ToolboxEntry {
  readonly tools: readonly ToolEntry[]
}

interface Asking {
  readonly lacking: readonly Lacking[]
  readonly era: Era
}

function openToolbox(
  boxes: ReadonlyMap<string, FilledToolbox>,
  name: unknown,
  { lacking, era }: Asking,
): MetaAnswer {
  if (typeof name !== 'string') return refusal("'name' must be the name of a toolbox")
  const box = boxes.get(name)
  const more = lackingOf(lacking, ({ toolbox, root }) => toolbox === name && !root)
  if (box !== undefined) {
    return structured({ ...box, tools: box.tools.map((tool) => describedTool(tool, era)) }, more)
  }
  if (more.length > 0) return structured({ name, tools: [] }, more) // a client that has its name can ask for more
  return refusal(unknownName('toolbox', name, boxes.keys()))
}

function findTools(find: Find, query: unknown, { lacking, era }: Asking): MetaAnswer {
  if (typeof query !== 'string' || query.trim() === '') {
    return refusal("'query' must say in words what the tool is for")
  }
  const { tools, hidden } = find(query)
  const found = tools.map((tool) => ({ toolbox: tool.toolbox, ...describedTool(tool, era) }))
  const none = found.length > 0 ? {} : { hint: nothingFound }
  return structured(
    { tools: found, ...none },
    lackingOf(lacking, (tool) => hidden.has(tool)),
  )
}

const nothingFound = `no tool has these words: try others, or see ${metaToolNames.listToolboxes}`

interface KnownTools {
  readonly byName: ReadonlyMap<string, ToolEntry>
  readonly hidden: ReadonlySet<ToolEntry>
}

/** `dangers` are the tools that may be named in place of one that does not exist. */
function callNamed({ byName, hidden }: KnownTools, args: ToolArguments, dangers: Dangers): MetaAnswer {
  if (typeof args.name !== 'string') return refusal("'name' must be the name of a tool")
  const tool = byName.get(args.name)
  if (tool === undefined) return refusal(unknownTool(args.name, dangers))
  const inner = args.arguments ?? {}
  if (typeof inner !== 'object' || Array.isArray(inner)) {
    const schema = `. Input schema of ${tool.name}: ${JSON.stringify(tool.inputSchema)}`
    return refusal(`'arguments' must be an object${hidden.has(tool) ? '' : schema}`)
  }
  return { kind: 'run', tool, args: { ...inner } }
}

function readOnly(called: MetaAnswer): MetaAnswer {
  if (called.kind === 'answer' || called.tool.hints.readOnly) return called
  return refusal(`${called.tool.name} is not read-only: use ${metaToolNames.callTool}`)
}

const answer = (result: CallToolResult, lacking: readonly Lacking[] = []): MetaAnswer => ({
  kind: 'answer',
  result,
  lacking,
})

const refusal = (text: string): MetaAnswer => answer(failure(text))

const structured = (value: object, lacking: readonly Lacking[]): MetaAnswer =>
  answer(
    { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } },
    lacking,
  )

/** A tool as `open_toolbox` and `find_tools` tell it: all that a call takes and gives, and what runs it. The output schema is that of
 *  the structured content as the era has it. */
function describedTool(tool: ToolEntry, era: Era): object {
  const { name, title, summary, hints, inputSchema, outputSchema } = tool
  return {
    name,
    ...(title === null ? {} : { title }),
    summary,
    proxy: hints.readOnly ? metaToolNames.callReadOnly : metaToolNames.callTool,
    inputSchema: schemaFor(era, inputSchema),
    ...(outputSchema === null ? {} : { outputSchema: schemaIn(era, outputSchema) }),
    annotations: toAnnotations(hints),
    ...untrustedMeta(tool),
  }
}

/** In the earlier revisions structured content is an object: what may be none is wrapped, as the SDK wraps the content. The types
 *  beside the schema stay at the root, where references look for them. */
function schemaIn(era: Era, schema: JsonSchema): JsonSchema {
  if (era === 'modern' || schema.type === 'object') return schema
  const { $defs, ...result } = schema
  const types = $defs === undefined ? {} : { $defs }
  return { type: 'object', properties: { result }, required: ['result'], ...types }
}
