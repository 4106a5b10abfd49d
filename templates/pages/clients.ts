/** How MCP clients are told of a server: one entry a client, ready to be copied. */

/** The day on which the entries were last compared with what the clients' makers write of them. */
export const entriesCheckedOn = '2026-11-22'

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
  /** What stands in the way here, and who changes it; null = nothing. */
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
  [makersEntries, editorEntries, terminalEntries, otherEntries].flatMap((entries) => entries(target))

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
      steps: `On the web or in Claude Desktop: Customize, Connectors, +, Add custom connector; paste the address. ${fromOutside}`,
      copies: [pasted],
      source: 'https://support.claude.com/en/articles/11175166',
    },
    {
      client: 'Claude Code',
      obstacle: null,
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp inside Claude Code.',
      copies: [{ label: 'Command', text: `claude mcp add --transport http ${name} ${url}` }],
      source: 'https://code.claude.com/docs/en/mcp',
    },
    {
      client: 'ChatGPT',
      obstacle: null,
      steps: `On the web: Settings, Apps (on some plans Connectors), Advanced, turn on Developer mode; Create, paste the address. ${fromOutside}`,
      copies: [pasted],
      source: 'https://help.openai.com/en/articles/12584461',
    },
  ]
}

function editorEntries({ name, address, admits }: ConnectTarget): readonly ClientEntry[] {
  return [
    {
      client: 'Cursor',
      obstacle: unless(
        admits,
        'nativeRedirects',
        `Versions to 3.23 cannot sign in here: they register an address of their own app (cursor://…). That takes ${compatible}.`,
      ),
      steps: 'Into ~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
      copies: [{ label: 'mcp.json', text: json({ mcpServers: { [name]: { url: address } } }) }],
      source: 'https://cursor.com/docs/mcp',
    },
    {
      client: 'VS Code',
      obstacle: null,
      steps: 'Into .vscode/mcp.json of a project, or by a command.',
      copies: [
        { label: 'mcp.json', text: json({ servers: { [name]: { type: 'http', url: address } } }) },
        {
          label: 'Command',
          text: `code --add-mcp ${shellWord(JSON.stringify({ name, type: 'http', url: address }))}`,
        },
      ],
      source: 'https://code.visualstudio.com/docs/copilot/customization/mcp-servers',
    },
  ]
}

function terminalEntries({ name, address, isOpen }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
  return [
    {
      client: 'Codex',
      obstacle: null,
      steps: 'Run this; the ChatGPT desktop app and the IDE extension read the same settings.',
      copies: [{ label: 'Commands', text: codexCommands(name, url, isOpen) }],
      source: 'https://learn.chatgpt.com/docs/extend/mcp',
    },
    {
      client: 'Gemini CLI',
      obstacle: null,
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp auth inside Gemini CLI.',
      copies: [{ label: 'Command', text: `gemini mcp add --scope user --transport http ${name} ${url}` }],
      source: 'https://geminicli.com/docs/tools/mcp-server/',
    },
  ]
}

function otherEntries({ address, isOpen, admits }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
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
      steps: `Account settings, Connectors, + Custom connector, Remote; paste the address, and choose Streamable HTTP. ${admits === null ? '' : 'Its client id and secret come from the owner of this service. '}${fromOutside}`,
      copies: [pasted],
      source: 'https://www.perplexity.ai/help-center/en/articles/13915507-adding-custom-remote-connectors',
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
