import type { Tool } from '@modelcontextprotocol/server'
import type { Catalogue, ToolEntry, ToolIcon } from '../../contract/mcp.ts'
import { pinnedTool, toAnnotations } from '../../tool-fingerprint.ts'
import { untrustedMeta } from '../answers/untrusted.ts'

/** Which tools an address lists. `toolboxes` has the flat list of every toolbox that has tools. */
export interface ToolLists {
  readonly root: readonly Tool[]
  readonly all: readonly Tool[]
  readonly toolboxes: ReadonlyMap<string, readonly Tool[]>
}

/** The names of the tools that are not routes. */
export const metaToolNames = {
  listToolboxes: 'list_toolboxes',
  openToolbox: 'open_toolbox',
  findTools: 'find_tools',
  closeToolbox: 'close_toolbox',
  callReadOnly: 'call_read_only',
  callTool: 'call_tool',
} as const

/** No list has output schemas, which cost as much as the rest: a client that opens a toolbox or finds a tool gets them. The lists in the order of the catalogue, the same for every request: root tools and the meta tools at the endpoint's
 *  path, one toolbox or everything flat elsewhere. Source: rules.md, what is listed. */
export function toolLists({ toolboxes, tools, isReadOnly }: Catalogue): ToolLists {
  const icons = new Map(toolboxes.map(({ name, icon }) => [name, icon]))
  const made = tools.map((entry) => ({ entry, tool: toTool(entry, icons.get(entry.toolbox)) }))
  const boxes = new Map<string, Tool[]>(toolboxes.map(({ name }) => [name, []]))
  for (const { entry, tool } of made) boxes.get(entry.toolbox)?.push(tool)
  return {
    root: [
      ...made.filter(({ entry }) => entry.root).map(({ tool }) => tool),
      ...metaTools(tools, isReadOnly),
    ],
    all: made.map(({ tool }) => tool),
    toolboxes: new Map([...boxes].filter(([, own]) => own.length > 0)),
  }
}

function toTool(entry: ToolEntry, shared: ToolIcon | undefined): Tool {
  const icon = entry.icon ?? shared
  return {
    ...pinnedTool(entry),
    inputSchema: entry.inputSchema as Tool['inputSchema'], // The compiler made it: always an object schema.
    ...(icon === undefined ? {} : { icons: [listedIcon(icon)] }),
    ...untrustedMeta(entry),
  }
}

/** The SDK wants a list of its own. */
const listedIcon = ({ sizes, ...icon }: ToolIcon): NonNullable<Tool['icons']>[number] =>
  sizes === undefined ? icon : { ...icon, sizes: [...sizes] }

/** The proxies promise no more than the tools behind them. That nothing writes is promised by the setting alone: what a caller may do
 *  grows while clients keep their lists. */
function metaTools(tools: readonly ToolEntry[], isReadOnly = false): readonly Tool[] {
  const openWorld = tools.some(({ hints }) => hints.openWorld)
  const destructive = tools.some(({ hints }) => hints.destructive)
  const pure = toAnnotations({ readOnly: true, destructive: false, idempotent: true, openWorld: false })
  const reading = { ...pure, openWorldHint: openWorld }
  return [
    { ...listToolboxes, annotations: pure },
    { ...openToolbox, annotations: pure },
    { ...findTools, annotations: pure },
    { ...callReadOnly, annotations: reading },
    isReadOnly
      ? { ...callTool, description: 'Calls any tool.', annotations: reading }
      : {
          ...callTool,
          annotations: toAnnotations({ readOnly: false, destructive, idempotent: false, openWorld }),
        },
  ]
}

const textSchema = (description: string) => ({ type: 'string', description }) as const

// These stand in every first list, so they are kept short.

const listToolboxes: Tool = {
  name: metaToolNames.listToolboxes,
  title: 'List toolboxes',
  description: 'Lists the toolboxes: groups of tools not listed here.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
}

const openToolbox: Tool = {
  name: metaToolNames.openToolbox,
  title: 'Open a toolbox',
  description: 'Describes the tools of a toolbox and what runs each: call_read_only or call_tool.',
  inputSchema: {
    type: 'object',
    properties: { name: textSchema('A toolbox, from list_toolboxes.') },
    required: ['name'],
    additionalProperties: false,
  },
}

const findTools: Tool = {
  name: metaToolNames.findTools,
  title: 'Find tools',
  description: 'Finds tools in all toolboxes by words; describes the five best.',
  inputSchema: {
    type: 'object',
    properties: { query: textSchema('What to do with what: create invoice.') },
    required: ['query'],
    additionalProperties: false,
  },
}

const proxyInput: Tool['inputSchema'] = {
  type: 'object',
  properties: {
    // Mirrored, so that gateways see the tool behind the proxy.
    name: { ...textSchema('A tool, from open_toolbox or find_tools.'), 'x-mcp-header': 'Tool' },
    arguments: { type: 'object', properties: {}, description: 'By its input schema.' },
  },
  required: ['name'],
  additionalProperties: false,
}

const callReadOnly: Tool = {
  name: metaToolNames.callReadOnly,
  title: 'Call a reading tool',
  description: 'Calls a tool that only reads.',
  inputSchema: proxyInput,
}

const callTool: Tool = {
  name: metaToolNames.callTool,
  title: 'Call a tool',
  description: 'Calls any tool, also one that writes.',
  inputSchema: proxyInput,
}

/** The input schemas of the meta tools by name. */
export const metaToolSchemas: ReadonlyMap<string, Tool['inputSchema']> = new Map(
  [listToolboxes, openToolbox, findTools, callReadOnly, callTool].map(({ name, inputSchema }) => [
    name,
    inputSchema,
  ]),
)
