/** The page at `/` of a server under development. */
import { badge, card, codeBlock, dataTable, definitionList } from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { page, type Service } from '../layout.ts'
import { styleSheet } from '../style.ts'

export interface RootView {
  readonly service: Service
  readonly baseUrl: string
  readonly mcpAddress: string
  /** Whether a browser gets a page at the MCP address. */
  readonly hasMcpPage: boolean
  /** What describes the API. */
  readonly documents: readonly { readonly path: string; readonly label: string }[]
  readonly canSignIn: boolean
  /** The user who is signed in to this browser, or null. */
  readonly userName: string | null
  readonly routes: readonly { readonly verb: string; readonly path: string; readonly id: string }[]
  readonly toolboxes: readonly { readonly name: string; readonly text: string; readonly tools: number }[]
}

/** The page, and its part of the policy. */
export function rootPageMarkup(view: RootView): { readonly markup: string; readonly policy: string } {
  const content = html`<p>${badge('development')} Only a server under development shows this page, and only where the application
has no route at <code>/</code>.</p>
${servedCard(view)}${nextCard(view)}${toolboxes(view)}${routes(view)}`
  return { markup: page('It is running', content, { service: view.service, width: 'wide', style }), policy }
}

function servedCard(view: RootView): Html {
  const { baseUrl, mcpAddress, hasMcpPage, documents, canSignIn, userName } = view
  const tools = view.toolboxes.reduce((sum, box) => sum + box.tools, 0)
  return card(
    'What is served',
    definitionList([
      ['Base URL', html`<code>${baseUrl}</code>`],
      ['Routes', html`<a href="#routes">${view.routes.length}</a>`],
      [
        'MCP endpoint',
        hasMcpPage ? html`<a href="${mcpAddress}">${mcpAddress}</a>` : html`<code>${mcpAddress}</code>`,
      ],
      ['Tools', html`<a href="#toolboxes">${tools} in ${view.toolboxes.length} toolboxes</a>`],
      ...documents.map(({ path, label }) => [label, html`<a href="${path}">${path}</a>`] as const),
      [
        'Sign-in page',
        canSignIn ? html`<a href="/auth">/auth</a>` : 'no way to sign in is configured: DEV_LOGIN=1 adds one',
      ],
      ['Signed in', userName === null ? 'nobody, in this browser' : html`<strong>${userName}</strong>`],
    ]),
  )
}

function nextCard({ hasMcpPage, mcpAddress }: RootView): Html {
  const connect = hasMcpPage
    ? html`<li><a href="${mcpAddress}">Connect an AI client</a>, and try the tools in the browser.</li>`
    : html`<li>Paste the address of the MCP endpoint into an AI client.</li>`
  return card(
    'Next',
    html`<ol>
${connect}
<li>Change a controller in <code>app/controllers</code>, a setting in <code>app/config.ts</code>; <code>npx acmcp dev</code> builds and serves each change.</li>
<li>Look up a tag, a setting or a message, see routes and tools, read the documentation:</li>
</ol>
${codeBlock('npx acmcp explain @get\nnpx acmcp routes\nnpx acmcp tools\nnpx acmcp docs', 'Commands')}`,
  )
}

const toolboxes = (view: RootView): Html => html`<div id="toolboxes">
${card(
  'Toolboxes',
  view.toolboxes.length === 0
    ? html`<p>No route is a tool.</p>`
    : dataTable(
        'What AI clients see',
        ['toolbox', 'tools', 'what models read of it'],
        view.toolboxes.map(({ name, tools, text }) => [toolboxLink(view, name), tools, text]),
      ),
)}</div>
`

const toolboxLink = ({ hasMcpPage, mcpAddress }: RootView, name: string): Html =>
  hasMcpPage
    ? html`<a href="${mcpAddress.replace(/\/$/, '')}/${encodeURIComponent(name)}">${name}</a>`
    : html`<code>${name}</code>`

const routes = ({ routes: all }: RootView): Html => html`<div id="routes">
${card(
  'Routes',
  all.length === 0
    ? html`<p>There is none.</p>`
    : dataTable(
        'What HTTP clients see',
        ['verb', 'path', 'name'],
        all.map(({ verb, path, id }) => [verb, routeLink(verb, path), html`<code>${id}</code>`]),
      ),
)}</div>
`

/** A link where an address is all that the route needs. */
const routeLink = (verb: string, path: string): Html =>
  verb === 'GET' && !/[:*?]/.test(path) ? html`<a href="${path}">${path}</a>` : html`<code>${path}</code>`

const style = styleSheet()

const policy = `default-src 'none'; style-src 'sha256-${style.hash}'; base-uri 'none'`
