/** What models and MCP clients take of a list of tools, as data: one row a rule, with the public source that says so. Imports nothing.
 *  Source: decisions/mcp.md, Clients' dialects. */

export type Client = 'Anthropic' | 'Claude Code' | 'Cursor' | 'Gemini' | 'OpenAI' | 'VS Code'

/** As `acmcp tools --for` takes it. */
export type ClientName = 'anthropic' | 'openai' | 'gemini' | 'vscode' | 'cursor' | 'claude-code'

export const clientsByName: Readonly<Record<ClientName, Client>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  vscode: 'VS Code',
  cursor: 'Cursor',
  'claude-code': 'Claude Code',
}

/** What a rule is about, and what it asks. */
export type Requirement =
  /** The name of a tool matches. */
  | { readonly of: 'tool name'; readonly pattern: RegExp }
  /** The keys of `properties` match: of the arguments, or of every object in them. */
  | { readonly of: 'property key'; readonly pattern: RegExp; readonly depth: 'arguments' | 'every object' }
  /** A schema of that type has the keyword, whose value is an object. */
  | { readonly of: 'schema'; readonly type: 'object' | 'array'; readonly needs: 'properties' | 'items' }
  /** The input schema has none of these beside its type. */
  | { readonly of: 'root'; readonly without: readonly string[] }
  /** No schema has such a keyword; `era`: for clients of those revisions alone. */
  | { readonly of: 'keyword'; readonly without: string; readonly era: 'initialize' | 'every' }
  /** `$ref` stands only where a type refers to itself, or is large and used several times; beside it nothing but these. */
  | { readonly of: 'reference'; readonly beside: readonly string[] }
  /** Not longer, in characters; `server name` is the name that a client has for the server, `joint` what stands between. */
  | { readonly of: 'length'; readonly what: 'description'; readonly max: number }
  | {
      readonly of: 'length'
      readonly what: 'server and tool name'
      readonly max: number
      readonly begins: string
      readonly joint: string
    }
  /** What answers a tool may give, in characters. */
  | { readonly of: 'answer'; readonly max: number }
  /** Not more tools in one list. */
  | { readonly of: 'count'; readonly max: number }

export interface ClientRule {
  readonly client: Client
  readonly asks: Requirement
  /** What becomes of what it does not take. */
  readonly otherwise:
    | 'the request is refused'
    | 'the tool is left out'
    | 'the text is cut'
    | 'the answer goes to a file'
  /** Where that is reported, or written. */
  readonly source: string
}

const refused = 'the request is refused'
const leftOut = 'the tool is left out'

/** The keys that every client takes: Anthropic has dots too, Gemini no dashes in its reference, though it takes them. */
export const propertyKeyPattern: RegExp = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** The longest name of a server and a tool together: Cursor's. */
export const maxServerAndToolName = 60

/** How many tools the smallest list holds: Cursor's. */
export const maxListedTools = 40

const combinations = ['oneOf', 'anyOf', 'allOf']

export const clientRules: readonly ClientRule[] = [
  // names
  {
    client: 'Anthropic',
    asks: { of: 'tool name', pattern: /^[a-zA-Z0-9_-]{1,64}$/ },
    otherwise: refused,
    source: 'github.com/mims-harvard/ToolUniverse/issues/3',
  },
  {
    client: 'OpenAI',
    asks: { of: 'tool name', pattern: /^[a-zA-Z0-9_-]{1,64}$/ },
    otherwise: refused,
    source: 'github.com/mastra-ai/mastra/issues/6302',
  },
  {
    client: 'Gemini',
    asks: { of: 'tool name', pattern: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/ },
    otherwise: refused,
    source: 'github.com/Finerestaurant/kicad-mcp-python/issues/2',
  },
  // keys
  {
    client: 'Anthropic', // below the arguments nothing is judged: aws-solutions-library-samples/…/issues/709
    asks: { of: 'property key', pattern: /^[a-zA-Z0-9_.-]{1,64}$/, depth: 'arguments' },
    otherwise: refused,
    source: 'github.com/freee/freee-mcp/issues/15',
  },
  {
    client: 'Gemini', // its reference leaves out the dash, which it takes
    asks: { of: 'property key', pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, depth: 'every object' },
    otherwise: refused,
    source: 'cloud.google.com/vertex-ai/generative-ai/docs/reference, FunctionDeclaration.parameters',
  },
  // objects and lists
  {
    client: 'OpenAI',
    asks: { of: 'schema', type: 'object', needs: 'properties' },
    otherwise: refused,
    source: 'github.com/openai/openai-agents-python/issues/449',
  },
  {
    client: 'OpenAI',
    asks: { of: 'schema', type: 'array', needs: 'items' },
    otherwise: refused,
    source: 'github.com/PrefectHQ/fastmcp/issues/2464',
  },
  {
    client: 'Gemini',
    asks: { of: 'schema', type: 'array', needs: 'items' },
    otherwise: refused,
    source: 'github.com/cline/cline/issues/7339',
  },
  {
    client: 'VS Code',
    asks: { of: 'schema', type: 'array', needs: 'items' },
    otherwise: leftOut,
    source: 'github.com/microsoft/vscode/issues/244467',
  },
  // the schema of the arguments itself
  {
    client: 'Anthropic',
    asks: { of: 'root', without: combinations },
    otherwise: refused,
    source: 'github.com/anthropics/claude-code/issues/56174',
  },
  {
    client: 'OpenAI',
    asks: { of: 'root', without: [...combinations, 'enum', 'not', '$ref'] },
    otherwise: refused,
    source: 'github.com/langchain-ai/langchainjs/issues/9804',
  },
  // keywords
  {
    client: 'Gemini',
    asks: { of: 'keyword', without: '$schema', era: 'every' },
    otherwise: refused,
    source: 'github.com/anomalyco/opencode/pull/14234',
  },
  {
    // any that it does not know is "Unknown name"; for a client of 2026-07-28 this one is the protocol's, and its own to take away
    client: 'Gemini',
    asks: { of: 'keyword', without: 'x-mcp-header', era: 'initialize' },
    otherwise: refused,
    source: 'github.com/mpfaffenberger/code_puppy/pull/923',
  },
  {
    client: 'OpenAI',
    asks: { of: 'keyword', without: 'allOf', era: 'every' },
    otherwise: refused,
    source: 'github.com/makenotion/notion-mcp-server/issues/102',
  },
  // references
  {
    client: 'Gemini',
    asks: { of: 'reference', beside: ['description', 'default'] },
    otherwise: refused,
    source: 'github.com/google-gemini/gemini-cli/issues/13326, github.com/anomalyco/opencode/issues/12295',
  },
  // lengths
  {
    client: 'OpenAI',
    asks: { of: 'length', what: 'description', max: 1024 },
    otherwise: refused,
    source: 'github.com/janwilmake/openapi-mcp-server/issues/23',
  },
  {
    client: 'Claude Code',
    asks: { of: 'length', what: 'description', max: 2048 },
    otherwise: 'the text is cut',
    source: 'github.com/anthropics/claude-code/issues/41593',
  },
  {
    client: 'Claude Code',
    asks: { of: 'length', what: 'server and tool name', max: 128, begins: 'mcp__', joint: '__' },
    otherwise: leftOut,
    source: 'claudetto wiki, MCP tool names (2026-10-19)',
  },
  {
    client: 'Cursor',
    asks: { of: 'length', what: 'server and tool name', max: maxServerAndToolName, begins: '', joint: ':' },
    otherwise: leftOut,
    source: 'github.com/awslabs/mcp/issues/1283',
  },
  {
    client: 'Claude Code',
    asks: { of: 'answer', max: 50_000 },
    otherwise: 'the answer goes to a file',
    source: 'qiita.com/akihidem (2026-10-05), of the page of Claude Code on MCP',
  },
  // counts
  {
    client: 'VS Code',
    asks: { of: 'count', max: 128 },
    otherwise: refused,
    source: 'github.com/microsoft/vscode-copilot-release/issues/11653',
  },
  {
    client: 'OpenAI',
    asks: { of: 'count', max: 128 },
    otherwise: refused,
    source: 'github.com/anomalyco/opencode/issues/4909',
  },
  {
    client: 'Cursor', // of all servers together; newer versions take 80 (github.com/Snowflake-Labs/mcp/issues/77)
    asks: { of: 'count', max: maxListedTools },
    otherwise: leftOut,
    source: 'github.com/anyproto/anytype-mcp/issues/5',
  },
]
