import { card, definitionList, hiddenField, notice, submitButton } from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { page, type Service } from '../layout.ts'

export interface ConnectionsView {
  readonly service: Service
  readonly userName: string
  /** What was just disconnected; null = nothing. */
  readonly ended: string | null
  readonly clients: readonly ConnectedClient[]
  /** What optional parts of the server tell the user, above the clients. */
  readonly sections: readonly Html[]
  /** Whether it is the first of the pages. */
  readonly isFirst: boolean
  /** The address of the page with the further ones; null = there are none. */
  readonly next: string | null
}

/** A client that works with the user's account, whatever number of times it was connected. */
export interface ConnectedClient {
  /** What its form sends. */
  readonly id: string
  /** Its name, or its id. */
  readonly name: string
  /** The host that describes the client in a metadata document, or null for a registered one. */
  readonly host: string | null
  /** Whether it is of this service: its owner set it up, name and all. */
  readonly isSetUpHere: boolean
  /** What it may do, in words. */
  readonly permissions: readonly string[]
  /** Each of its connections may look, and change nothing. */
  readonly isReadOnly: boolean
  /** The organization that allowed it in the user's place, as people know it; null = the user. */
  readonly allowedBy: string | null
  /** ISO 8601, of the first connection that works. */
  readonly since: string
  /** ISO 8601; null = not known. */
  readonly lastUsed: string | null
  /** Lately, the most often called first. */
  readonly called: readonly { readonly tool: string; readonly count: number }[]
}

/** The page on which a user sees which clients use the service as them, and disconnects them. Source: decisions/oauth.md, Own
 *  pages. */
export function connectionsPage({
  service,
  userName,
  ended,
  clients,
  sections,
  isFirst,
  next,
}: ConnectionsView): string {
  const lead = html`<p class="lead">These apps use <strong>${service.name}</strong> as you, <strong>${userName}</strong>.</p>\n`
  const emptyText = html`<p class="lead">No ${isFirst ? '' : 'further '}app uses <strong>${service.name}</strong> as you, <strong>${userName}</strong>.</p>\n`
  const content = html`${ended === null ? null : disconnected(ended)}${sections}${clients.length === 0 ? emptyText : lead}${clients.map(clientCard)}${next === null ? null : html`<p><a href="${next}">Further apps</a></p>\n`}<p><a href="/auth">Your account</a></p>
`
  return page('Connected apps', content, { service, width: 'wide' })
}

const disconnected = (name: string): Html =>
  notice('success', 'Disconnected.', html`<strong>${name}</strong> can no longer use your account.`)

const clientCard = ({
  id,
  name,
  host,
  isSetUpHere,
  permissions,
  isReadOnly,
  allowedBy,
  since,
  lastUsed,
  called,
}: ConnectedClient): Html =>
  card(
    name,
    html`${definitionList([
      ['Published by', host ?? (isSetUpHere ? ownName : unknownName)],
      ['It may', permissions.map((text) => html`${text}<br>`)],
      isReadOnly ? ['Read only', 'it may look, and change nothing'] : null,
      allowedBy === null ? null : ['Allowed by', allowedBy],
      ['Connected since', day(since)],
      lastUsed === null ? null : ['Last used', day(lastUsed)],
      called.length === 0 ? null : ['Called lately', calls(called)],
    ])}<form method="post" action="/auth/connections">
${hiddenField(['client_id', id])}${submitButton(`Disconnect ${name}`, 'secondary')}</form>`,
  )

const ownName = 'set up by the owner of this service'
const unknownName = 'not known: the app gave this name itself'

const day = (time: string): Html => html`<time datetime="${time}">${time.slice(0, 10)}</time>`

/** Tools that are named; the others are counted. */
const maxNamed = 5

function calls(called: ConnectedClient['called']): readonly Html[] {
  const named = called
    .slice(0, maxNamed)
    .map(({ tool, count }) => html`<code>${tool}</code> ${count === 1 ? 'once' : `${count} times`}<br>`)
  const others = called.length - maxNamed
  if (others <= 0) return named
  return [...named, html`and ${String(others)} ${others === 1 ? 'other tool' : 'other tools'}`]
}
