/** How MCP clients are told of a server: one entry a client, ready to be copied. */

/** The day on which the entries were last compared with what the clients' makers write of them, as far as that is stored in public: each
 *  entry says of what day its source was. */
export const entriesCheckedOn = '2026-11-29'

/** The server to connect to: `name` is letters, digits and `-`. */
export interface ConnectTarget {
  readonly name: string
  readonly address: string
  /** Whether it takes requests without a token. */
  readonly isOpen: boolean
  /** Null where clients sign in with another server, or not at all. */
  readonly admits: Admission | null
}

/** What of clients that people have the server's own sign-in takes. */
export interface Admission {
  /** Redirect addresses of an app's own scheme. */
  readonly nativeRedirects: boolean
  /** Requests for the scope `offline_access`. */
  readonly offlineAccess: boolean
  /** Some client with a secret. */
  readonly secrets: boolean
  /** Metadata documents of clients. */
  readonly documents: boolean
}

export interface ClientEntry {
  readonly client: string
  /** What to do, in the client's own words. */
  readonly steps: string
  /** What stands in the way here, and the person who can change it; null = nothing. */
  readonly obstacle: string | null
  /** What to copy, and what it is. */
  readonly copies: readonly { readonly label: string; readonly text: string }[]
  /** Where its maker describes it. */
  readonly source: string
}

const compatible = "oauth.profile: 'compatible', which the owner of this service sets"

/** The obstacle, where sign-in here does not take what the client needs. */
const unless = (admits: Admission | null, needed: keyof Admission, obstacle: string): string | null =>
  admits === null || admits[needed] ? null : obstacle

/** Of a client that asks the server from its maker's machines. */
const fromCloud = (address: string): string =>
  /^https:\/\/(?!(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$))/.test(address)
    ? 'It connects from the cloud: the address must be reachable from the internet.'
    : 'It connects from the cloud and does not reach this address: that takes https and a host that the internet knows.'

/** Of addresses at which clients are known otherwise than they prefer; null where there is nothing to say. */
export const documentsLine = ({ address, admits }: ConnectTarget): string | null =>
  address.startsWith('http:')
    ? unless(
        admits,
        'documents',
        'At an address without https each client registers itself: metadata documents of clients are for https.',
      )
    : null

export const clientEntries = (target: ConnectTarget): readonly ClientEntry[] =>
  [makersEntries, editorEntries, terminalEntries, companyEntries, otherEntries].flatMap((entries) =>
    entries(target),
  )

function makersEntries({ name, address, isOpen, admits }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
  const pasted = { label: 'Address', text: address }
  const fromOutside = fromCloud(address)
  return [
    {
      client: 'Claude',
      obstacle: unless(
        admits,
        'offlineAccess',
        `It cannot sign in here: it asks for the scope offline_access. That takes ${compatible}.`,
      ),
      // As quoted by developer.salesforce.com and help.boomi.com in autumn 2026.
      steps: `On the web or in Claude Desktop: Customize, Connectors, +, Add custom connector; paste the address. ${fromOutside}`,
      copies: [pasted],
      source: 'https://support.claude.com/en/articles/11175166',
    },
    {
      client: 'Claude Code',
      obstacle: null,
      // Its page as fetched on 2026-02-06 and quoted since, last in October 2026: options stand before the name.
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp inside Claude Code.',
      copies: [{ label: 'Command', text: `claude mcp add --transport http ${name} ${url}` }],
      source: 'https://code.claude.com/docs/en/mcp',
    },
    {
      client: 'ChatGPT',
      obstacle: null,
      // That page and developers.openai.com/plugins/quickstart, stored after 2026-09-29: what was an app or connector is a plugin now.
      steps: `On the web: Settings, Security and login, turn on Developer mode; then Plugins, +, Add custom MCP server; paste the address as Server URL${isOpen ? '' : ', choose OAuth'}, Create as a plugin. ${fromOutside}`,
      copies: [pasted],
      source: 'https://developers.openai.com/api/docs/guides/custom-mcp-server',
    },
  ]
}

function editorEntries({ name, address, isOpen, admits }: ConnectTarget): readonly ClientEntry[] {
  return [
    {
      client: 'Cursor',
      obstacle: unless(
        admits,
        'nativeRedirects',
        `Versions to 3.23 cannot sign in here: they register an address of their own app (cursor://…). That takes ${compatible}.`,
      ),
      // Its page as read by dev.to/skryvo on 2026-10-22.
      steps: `Into ~/.cursor/mcp.json, or .cursor/mcp.json of a project; then in the sidebar: Customize, MCPs, turn it on${isOpen ? '' : ' and sign in'}.`,
      copies: [{ label: 'mcp.json', text: json({ mcpServers: { [name]: { url: address } } }) }],
      source: 'https://cursor.com/docs/mcp',
    },
    {
      client: 'VS Code',
      obstacle: null,
      // The reference beside it, docs/agents/reference/mcp-configuration, in autumn 2026: `servers`, not `mcpServers`.
      steps: 'Into .vscode/mcp.json of a project, or by a command.',
      copies: [
        { label: 'mcp.json', text: json({ servers: { [name]: { type: 'http', url: address } } }) },
        {
          label: 'Command',
          text: `code --add-mcp ${shellWord(JSON.stringify({ name, type: 'http', url: address }))}`,
        },
      ],
      source: 'https://code.visualstudio.com/docs/agent-customization/mcp-servers',
    },
  ]
}

function terminalEntries({ name, address, isOpen }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
  return [
    {
      client: 'Codex',
      obstacle: null,
      // Its page as read by dev.to/vibeidedev in November 2026.
      steps: 'Run this; the ChatGPT desktop app and the IDE extension read the same settings.',
      copies: [{ label: 'Commands', text: codexCommands(name, url, isOpen) }],
      source: 'https://learn.chatgpt.com/docs/extend/mcp',
    },
    {
      client: 'Gemini CLI',
      obstacle: null,
      // Its page in autumn 2026; a server of the user instead of the project, as in developers.make.com.
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp auth inside Gemini CLI.',
      copies: [{ label: 'Command', text: `gemini mcp add --scope user --transport http ${name} ${url}` }],
      source: 'https://geminicli.com/docs/tools/mcp-server/',
    },
  ]
}

/** What Copilot Studio's wizard asks for. Its manual settings send no PKCE, which every server of MCP asks for. */
function copilotAuthentication({ isOpen, admits }: Pick<ConnectTarget, 'isOpen' | 'admits'>): string {
  if (isOpen) return ' Authentication is None.'
  return admits === null ? '' : ' Authentication is OAuth 2.0, of the type Dynamic discovery.'
}

function companyEntries({ address, isOpen, admits }: ConnectTarget): readonly ClientEntry[] {
  const pasted = { label: 'Address', text: address }
  const fromOutside = fromCloud(address)
  return [
    {
      client: 'Perplexity',
      obstacle: unless(
        admits,
        'secrets',
        `It cannot sign in here: it needs a client id and a secret. The owner of this service enters them in oauth.confidentialClients, with oauth.profile: 'compatible'.`,
      ),
      // That page, updated in 2026; the transport and OAuth are choices in it.
      steps: `Account settings, Connectors, + Custom connector, Remote; paste the address as MCP Server URL, and choose Streamable HTTP. ${admits === null || isOpen ? '' : 'Choose OAuth: its client id and secret come from the owner of this service. '}${fromOutside}`,
      copies: [pasted],
      source: 'https://www.perplexity.ai/help-center/en/articles/13915507-adding-custom-remote-connectors',
    },
    {
      client: 'Copilot Studio',
      obstacle: null,
      // That page, stored in autumn 2026.
      steps: `On the page Tools of your agent: Add a tool, New tool, Model Context Protocol; fill in a name and a description, and paste the address as Server URL.${copilotAuthentication({ isOpen, admits })} ${fromOutside}`,
      copies: [pasted],
      source: 'https://learn.microsoft.com/microsoft-copilot-studio/mcp-add-existing-server-to-agent',
    },
  ]
}

function otherEntries({ address, isOpen }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
  return [
    {
      client: 'MCP Inspector',
      obstacle: null,
      // Its launcher's own page of version 2, August 2026.
      steps: `Run this with Node.js 22.19 or newer, then connect in the page that opens${isOpen ? '' : ', and sign in'}.`,
      copies: [
        {
          label: 'Command',
          text: `npx @modelcontextprotocol/inspector --server-url ${url} --transport http`,
        },
      ],
      source: 'https://github.com/modelcontextprotocol/inspector',
    },
    {
      client: 'curl',
      obstacle: null,
      steps: isOpen ? 'Lists the tools.' : 'Lists the tools. TOKEN holds an access token of this service.',
      copies: [{ label: 'Command', text: curlCommand(url, isOpen) }],
      source: 'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports',
    },
  ]
}

/** A name that every client takes, from what the server calls itself. */
export function entryName(serverName: string): string {
  const name = serverName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return /^[a-z]/.test(name) ? name : `mcp-${name}`.replace(/-$/, '')
}

/** One word for a POSIX shell, whatever it holds. */
export const shellWord = (text: string): string =>
  /^[\w:/.~%@+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const codexCommands = (name: string, url: string, isOpen: boolean): string =>
  `codex mcp add ${name} --url ${url}${isOpen ? '' : `\ncodex mcp login ${name}`}`

function curlCommand(url: string, isOpen: boolean): string {
  const lines = [
    `curl ${url}`,
    ...(isOpen ? [] : [`-H "authorization: Bearer $TOKEN"`]),
    `-H 'content-type: application/json'`,
    `-H 'accept: application/json, text/event-stream'`,
    `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  ]
  return lines.join(' \\\n  ')
}
