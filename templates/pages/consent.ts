import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** What the consent page shows and sends back. `fields` become hidden inputs, in order. */
export interface ConsentView {
  readonly userName: string
  /** The client's name, or its id. */
  readonly clientName: string
  /** The host that describes the client in a metadata document, or null for a registered one. */
  readonly clientHost: string | null
  readonly scope: string
  readonly redirectUri: string
  readonly redirectHost: string
  readonly isLoopback: boolean
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The page that asks a signed-in user to allow a client. Source: specification, Authorize, rule 7. */
export function consentPage(view: ConsentView): string {
  return page(
    'Allow access?',
    html`<p><strong>${view.clientName}</strong> asks to use this service as you.</p>
<dl>
<dt>Signed in as</dt><dd>${view.userName}</dd>
<dt>Application</dt><dd>${view.clientName}</dd>
${view.clientHost === null ? null : html`<dt>Published by</dt><dd>${view.clientHost}</dd>\n`}<dt>Scope</dt><dd>${view.scope}</dd>
<dt>Sends you to</dt><dd>${view.redirectHost}</dd>
<dt>Redirect address</dt><dd><code>${view.redirectUri}</code></dd>
</dl>
${view.isLoopback ? loopbackWarning : null}
<form method="post" action="/oauth/authorize">
${view.fields.map(hiddenField)}
<div class="actions">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</div>
</form>`,
  )
}

const loopbackWarning: Html = html`<p class="warning" role="note">This application runs on your own computer, and its name
cannot be checked. Allow it only if you have just started signing in from it.</p>`

function hiddenField([name, value]: readonly [string, string]): Html {
  return html`<input type="hidden" name="${name}" value="${value}">
`
}
