import type { Tool } from '@modelcontextprotocol/server'
import type { Catalogue, ToolEntry, ToolHints } from '../contract.ts'

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
  closeToolbox: 'close_toolbox',
  callReadOnly: 'call_read_only',
  callTool: 'call_tool',
} as const

/** The lists in the order of the catalogue, the same for every request: root tools and the meta tools at the endpoint's
 *  path, one toolbox or everything flat elsewhere. Source: decisions.md, what is listed. */
export function toolLists({ toolboxes, tools }: Catalogue): ToolLists {
  const made = tools.map((entry) => ({ entry, tool: toTool(entry) }))
  const boxes = new Map<string, Tool[]>(toolboxes.map(({ name }) => [name, []]))
  for (const { entry, tool } of made) boxes.get(entry.toolbox)?.push(tool)
  return {
    root: [...made.filter(({ entry }) => entry.root).map(({ tool }) => tool), ...metaTools(tools)],
    all: made.map(({ tool }) => tool),
    toolboxes: new Map([...boxes].filter(([, own]) => own.length > 0)),
  }
}

/** The four hints as MCP spells them. Source: MCP, Tools, ToolAnnotations. */
export function toAnnotations(hints: ToolHints): NonNullable<Tool['annotations']> {
  return {
    readOnlyHint: hints.readOnly,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: hints.openWorld,
  }
}

function toTool(entry: ToolEntry): Tool {
  return {
    name: entry.name,
    ...(entry.title === null ? {} : { title: entry.title }),
    description: entry.description || entry.summary || entry.name,
    inputSchema: entry.inputSchema as Tool['inputSchema'], // The compiler made it: always an object schema.
    ...(entry.outputSchema === null ? {} : { outputSchema: entry.outputSchema as Tool['outputSchema'] }), // Same.
    annotations: toAnnotations(entry.hints),
  }
}

/** The proxies promise no more than the tools behind them. */
function metaTools(tools: readonly ToolEntry[]): readonly Tool[] {
  const openWorld = tools.some(({ hints }) => hints.openWorld)
  const destructive = tools.some(({ hints }) => hints.destructive)
  const pure = toAnnotations({ readOnly: true, destructive: false, idempotent: true, openWorld: false })
  return [
    { ...listToolboxes, annotations: pure },
    { ...openToolbox, annotations: pure },
    { ...callReadOnly, annotations: { ...pure, openWorldHint: openWorld } },
    {
      ...callTool,
      annotations: toAnnotations({ readOnly: false, destructive, idempotent: false, openWorld }),
    },
  ]
}

const nameSchema = (description: string) => ({ type: 'string', description }) as const

const listToolboxes: Tool = {
  name: metaToolNames.listToolboxes,
  title: 'List toolboxes',
  description: 'Lists the toolboxes: groups of tools that are not listed one by one.',
  inputSchema: { type: 'object', additionalProperties: false },
  outputSchema: {
    type: 'object',
    properties: {
      toolboxes: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            description: { type: 'string' },
            tools: { type: 'integer' },
          },
          required: ['name', 'description', 'tools'],
        },
      },
    },
    required: ['toolboxes'],
  },
}

const openToolbox: Tool = {
  name: metaToolNames.openToolbox,
  title: 'Open a toolbox',
  description:
    'Describes the tools of a toolbox: name, summary, input schema and which of call_read_only and call_tool runs it. ' +
    'Changes nothing; tools can be called without opening their toolbox.',
  inputSchema: {
    type: 'object',
    properties: { name: nameSchema('The name of a toolbox, from list_toolboxes.') },
    required: ['name'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      description: { type: 'string' },
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            summary: { type: 'string' },
            proxy: { type: 'string', enum: [metaToolNames.callReadOnly, metaToolNames.callTool] },
            inputSchema: { type: 'object' },
            annotations: { type: 'object' },
          },
          required: ['name', 'summary', 'proxy', 'inputSchema', 'annotations'],
        },
      },
    },
    required: ['name', 'description', 'tools'],
  },
}

const proxyInput: Tool['inputSchema'] = {
  type: 'object',
  properties: {
    name: nameSchema('The name of a tool, from open_toolbox.'),
    arguments: { type: 'object', description: 'The arguments of that tool, as its input schema says.' },
  },
  required: ['name'],
  additionalProperties: false,
}

const callReadOnly: Tool = {
  name: metaToolNames.callReadOnly,
  title: 'Call a read-only tool',
  description: 'Calls a tool of a toolbox that only reads. Refuses every other tool.',
  inputSchema: proxyInput,
}

const callTool: Tool = {
  name: metaToolNames.callTool,
  title: 'Call a tool',
  description: 'Calls any tool of a toolbox, also one that writes or deletes.',
  inputSchema: proxyInput,
}
