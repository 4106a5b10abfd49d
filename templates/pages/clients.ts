/** How MCP clients are told of a server: one entry a client, ready to be copied. */

/** The day on which the entries were last compared with what the clients' makers write of them. */
export const entriesCheckedOn = '2026-11-22'

/** The server to connect to: `name` is letters, digits and `-`. */
export interface ConnectTarget {
  readonly name: string
  readonly address: string
  /** Whether it takes requests without a token. */
  readonly isOpen: boolean
}

export interface ClientEntry {
  readonly client: string
  /** What to do, in the client's own words. */
  readonly steps: string
  /** What to copy, and what it is. */
  readonly copies: readonly { readonly label: string; readonly text: string }[]
  /** Where its maker describes it. */
  readonly source: string
}

/** Of a client that asks the server from its maker's machines. */
const fromOutside = 'It connects from the cloud: the address must be https and reachable from the internet.'

export function clientEntries({ name, address, isOpen }: ConnectTarget): readonly ClientEntry[] {
  const url = shellWord(address)
  const pasted = { label: 'Address', text: address }
  return [
    {
      client: 'Claude',
      steps: `On the web or in Claude Desktop: Customize, Connectors, +, Add custom connector; paste the address. ${fromOutside}`,
      copies: [pasted],
      source: 'https://support.claude.com/en/articles/11175166',
    },
    {
      client: 'Claude Code',
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp inside Claude Code.',
      copies: [{ label: 'Command', text: `claude mcp add --transport http ${name} ${url}` }],
      source: 'https://code.claude.com/docs/en/mcp',
    },
    {
      client: 'ChatGPT',
      steps: `On the web: Settings, Apps (on some plans Connectors), Advanced, turn on Developer mode; Create, paste the address. ${fromOutside}`,
      copies: [pasted],
      source: 'https://help.openai.com/en/articles/12584461',
    },
    {
      client: 'Cursor',
      steps: 'Into ~/.cursor/mcp.json, or .cursor/mcp.json of a project.',
      copies: [{ label: 'mcp.json', text: json({ mcpServers: { [name]: { url: address } } }) }],
      source: 'https://cursor.com/docs/mcp',
    },
    {
      client: 'VS Code',
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
    {
      client: 'Codex',
      steps: 'Run this; the ChatGPT desktop app and the IDE extension read the same settings.',
      copies: [{ label: 'Commands', text: codexCommands(name, url, isOpen) }],
      source: 'https://learn.chatgpt.com/docs/extend/mcp',
    },
    {
      client: 'Gemini CLI',
      steps: isOpen ? 'Run this.' : 'Run this, then sign in with /mcp auth inside Gemini CLI.',
      copies: [{ label: 'Command', text: `gemini mcp add --scope user --transport http ${name} ${url}` }],
      source: 'https://geminicli.com/docs/tools/mcp-server/',
    },
    {
      client: 'curl',
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
