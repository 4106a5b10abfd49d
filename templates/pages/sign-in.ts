import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** The page that lists the ways to sign in: a link `/auth/<provider>` for each. `userName` is the signed-in user's or
 *  null. Source: specification, Sign-in routes. */
export function signInPage(providers: readonly string[], userName: string | null): string {
  const current = userName === null ? null : html`<p>You are signed in as <strong>${userName}</strong>.</p>\n`
  return page('Sign in', html`${current}${providers.length === 0 ? noProviders : providerList(providers)}`)
}

const noProviders: Html = html`<p>No way to sign in is configured.</p>`

function providerList(providers: readonly string[]): Html {
  return html`<nav aria-label="Sign-in providers">
<ul class="providers" role="list">
${providers.map((name) => html`<li><a href="/auth/${encodeURIComponent(name)}">Sign in with ${name}</a></li>\n`)}</ul>
</nav>`
}
