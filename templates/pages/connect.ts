/** The page at the address of the MCP endpoint: how to connect a client, and the tools for users who may see them. */
import { card, codeBlock, copyScript, notice, tabs } from '../blocks.ts'
import { browserScript } from '../browser-script.ts'
import { type Html, html } from '../html.ts'
import { page, pageScript, type Service } from '../layout.ts'
import { styleSheet } from '../style.ts'
import {
  type Admission,
  type ClientEntry,
  clientEntries,
  documentsLine,
  entriesCheckedOn,
  entryName,
} from './clients.ts'

export interface ShownToolbox {
  readonly name: string
  readonly text: string
  /** How many. */
  readonly tools: number
}

export interface ConnectView {
  readonly service: Service
  /** Whether the endpoint needs no credential. */
  readonly isOpen: boolean
  /** Null where clients sign in with another server, or not at all. */
  readonly admits: Admission | null
  /** To be pasted into clients. */
  readonly address: string
  /** The path of the endpoint itself. */
  readonly mcpPath: string
  readonly isToolbox: boolean
  /** Whether this browser may use the endpoint as it is. */
  readonly isAllowed: boolean
  /** As the address lists them; none for a user who may not see them. */
  readonly tools: readonly { readonly name: string; readonly text: string }[]
  readonly toolboxes: readonly ShownToolbox[]
  /** The name of the tool that lists toolboxes. */
  readonly listToolboxes: string
  /** How the page signs in, by the names that `browser/sign-in.ts` reads; null where no user can. */
  readonly signIn: Readonly<Record<string, string>> | null
}

/** The page, and its part of the policy. */
export function connectPage(view: ConnectView): { readonly markup: string; readonly policy: string } {
  const content = html`${connectCard(view)}${toolsCard(view)}`
  const markup = page('Connect an AI client', content, {
    service: view.service,
    width: 'wide',
    style,
    script,
    footer,
  })
  return { markup, policy }
}

const footer = html`Checked against what the makers of the clients write on ${entriesCheckedOn}.`

function connectCard({ service, address, isOpen, admits }: ConnectView): Html {
  const target = { name: entryName(service.name), address, isOpen, admits }
  const entries = clientEntries(target)
  const documents = documentsLine(target)
  return card(
    'The address',
    html`<p>This is an MCP server: an AI client that is connected to it uses this service as you do, and no more.</p>
${codeBlock(address, 'Address of the MCP server')}
<details data-how open>
<summary>How to connect</summary>
${tabs(
  'client',
  'Your client',
  entries.map(({ client, ...entry }) => ({ label: client, content: entryPanel(entry) })),
)}
${documents === null ? null : html`<p class="muted">${documents}</p>\n`}</details>`,
  )
}

const entryPanel = ({
  steps,
  obstacle,
  copies,
  source,
}: Omit<ClientEntry, 'client'>): Html => html`<p>${steps}</p>
${obstacle === null ? null : html`<p><strong>${obstacle}</strong></p>\n`}${copies.map(({ label, text }) => html`${copies.length > 1 ? html`<p class="muted">${label}</p>` : null}${codeBlock(text, label)}`)}
<p class="muted"><a href="${source}" rel="noreferrer">The maker’s own description</a></p>`

function toolsCard(view: ConnectView): Html {
  const { signIn, isAllowed, mcpPath, isToolbox, listToolboxes } = view
  if (!isAllowed && signIn === null) return card('Tools', html`<p>Connect a client to see them.</p>`)
  const settings = JSON.stringify({ mcpPath, isToolbox, isAllowed, listToolboxes, signIn })
  const needs = isAllowed
    ? 'Trying the tools here needs JavaScript.'
    : 'Signing in here needs JavaScript; a client needs none.'
  const content = html`<div data-connect="${settings}">
<div data-no-script>${notice('info', 'No JavaScript.', needs)}</div>
<div data-status role="status"></div>
<div data-actions class="sign-in"></div>
<div data-tools>
${plainTools(view)}</div>
</div>`
  return card('Tools', content)
}

/** What the script replaces with forms. */
const plainTools = ({ tools, toolboxes }: ConnectView): Html => html`<ul class="plain stack">
${tools.map(({ name, text }) => html`<li><code>${name}</code><p class="text">${text}</p></li>\n`)}</ul>
${toolboxes.length === 0 ? null : html`<h3>Toolboxes</h3>\n<ul class="plain stack">\n${toolboxes.map(({ name, text, tools: count }) => html`<li><code>${name}</code> · ${count} tools<p class="text">${text}</p></li>\n`)}</ul>\n`}`

const style = styleSheet(`
.text { white-space: pre-line; }
.tool, .toolbox { border-top: 1px solid var(--line); padding: .25rem 0; }
.tool > :not(summary), .toolbox > :not(summary) { margin-inline-start: 1rem; }
.wrong { color: var(--bad); }
.hint { overflow-wrap: anywhere; }
.sign-in { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-bottom: 1rem; }
.sign-in p { margin: 0; }
.tool .actions { margin-top: 0; }
.tool .actions > * { flex: 0 1 auto; }
.outcome:not(:empty) { margin-top: 1rem; }
.outcome pre { white-space: pre-wrap; max-height: 30rem; overflow-y: auto; }
`)

const script = pageScript(
  browserScript(
    ['values', 'dom', 'mcp-client', 'sign-in', 'schema-form', 'tool-view', 'connect'],
    'startConnectPage',
  ) + copyScript,
)

const policy = [
  "default-src 'none'",
  `script-src 'sha256-${script.hash}'`,
  `style-src 'sha256-${style.hash}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
