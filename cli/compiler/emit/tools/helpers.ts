/** The part of `generated/tools.ts` that is the same for every application. */

export const helpers = `export type ToolName = keyof Tools

/** What the server has beside them, to find tools and to call those that are not listed. */
export interface ToolboxTools {
  list_toolboxes: {
    arguments: Record<string, never>
    /** \`tools\`: how many it has. */
    result: {
      toolboxes: { name: ListedToolboxName; description: string; tools: number }[]
      morePermission?: MorePermission[]
    }
    readOnly: true
    wrapped: false
  }
  open_toolbox: {
    arguments: { name: ListedToolboxName }
    result: {
      name: ListedToolboxName
      description?: string
      tools: DescribedTool[]
      morePermission?: MorePermission[]
    }
    readOnly: true
    wrapped: false
  }
  find_tools: {
    arguments: { query: string }
    /** The five best at most, the best first; root tools too. \`hint\`: nothing was found. */
    result: {
      tools: (DescribedTool & { toolbox: ToolboxName })[]
      hint?: string
      morePermission?: MorePermission[]
    }
    readOnly: true
    wrapped: false
  }
  /** Is not listed, and does nothing. */
  close_toolbox: { arguments: { name?: ListedToolboxName }; result: unknown; readOnly: true; wrapped: boolean }
  /** Answers as the tool that it calls. */
  call_read_only: {
    arguments: ToolCall<ReadOnlyToolName>
    result: unknown
    readOnly: true
    wrapped: boolean
  }
  /** Answers as the tool that it calls. */
  call_tool: { arguments: ToolCall; result: unknown; readOnly: false; wrapped: boolean }
}

export interface DescribedTool {
  name: ToolName
  title?: string
  summary: string
  /** What runs it where a client may call only what is listed. */
  proxy: 'call_read_only' | 'call_tool'
  /** A JSON Schema. */
  inputSchema: Record<string, unknown>
  /** A JSON Schema of the structured content, as the client's revision has it; absent where nothing promises it. */
  outputSchema?: Record<string, unknown>
  annotations: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>
}

/** Tools that are called once the user allows the client more: the scopes to ask for, and their words. */
export interface MorePermission {
  scope: string
  text: string
  tools: ToolName[]
}

export interface AllTools extends Tools, ToolboxTools {}

type NamesWith<Facts> = { [Name in ToolName]: Tools[Name] extends Facts ? Name : never }[ToolName]

/** The tools that are listed at the MCP address itself. */
export type RootToolName = NamesWith<{ root: true }>

/** The tools that \`call_read_only\` runs too. */
export type ReadOnlyToolName = NamesWith<{ readOnly: true }>

/** The toolboxes that have other tools than root tools: those that \`open_toolbox\` knows. */
export type ListedToolboxName = {
  [Name in ToolName]: Tools[Name] extends { root: false; toolbox: infer Toolbox extends ToolboxName }
    ? Toolbox
    : never
}[ToolName]

/** The tools of a toolbox, its root tools too. */
export type ToolNameIn<Toolbox extends ToolboxName> = NamesWith<{ toolbox: Toolbox }>

export type ToolArguments<Name extends keyof AllTools> = AllTools[Name]['arguments']

/** What the route answers. It is \`structuredContent\` for clients of MCP 2026-07-28. */
export type ToolResult<Name extends keyof AllTools> = AllTools[Name]['result']

/** What \`structuredContent\` is for clients of earlier revisions, which allow an object only. The clients of the SDK speak them
 *  unless they negotiate another. */
export type StructuredContent<Name extends keyof AllTools> = AllTools[Name]['wrapped'] extends true
  ? { result: AllTools[Name]['result'] }
  : AllTools[Name]['wrapped'] extends false
    ? AllTools[Name]['result']
    : Record<string, unknown>

/** What \`callTool\` of a client takes, and the \`params\` of \`tools/call\`. */
export type ToolCall<Name extends keyof AllTools = ToolName> = {
  [One in Name]: Record<never, never> extends AllTools[One]['arguments']
    ? { name: One; arguments?: AllTools[One]['arguments'] | undefined }
    : { name: One; arguments: AllTools[One]['arguments'] }
}[Name]

/** The same call of a tool that is not listed. The answer is that of the tool. */
export type ProxyCall<Name extends ToolName = ToolName> = {
  [One in Name]: {
    name: AllTools[One]['readOnly'] extends true ? 'call_read_only' | 'call_tool' : 'call_tool'
    arguments: ToolCall<One>
  }
}[Name]
`

/** The names that it declares and uses. */
export const ownNames: ReadonlySet<string> = new Set(
  helpers.replace(/\/\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w*/g),
)
