import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** The page that lists the ways to sign in: a link `/auth/<provider>` for each, and a button that signs out. `userName` is
 *  the signed-in user's or null. Source: specification, Sign-in routes. */
export function signInPage(providers: readonly string[], userName: string | null): string {
  return page(
    'Sign in',
    html`${userName === null ? null : signedIn(userName)}${providers.length === 0 ? noProviders : providerList(providers)}`,
  )
}

const signedIn = (userName: string): Html => html`<p>You are signed in as <strong>${userName}</strong>.</p>
<form method="post" action="/auth/sign-out"><button type="submit">Sign out</button></form>
`

const noProviders: Html = html`<p>No way to sign in is configured.</p>`

function providerList(providers: readonly string[]): Html {
  return html`<nav aria-label="Sign-in providers">
<ul class="providers" role="list">
${providers.map((name) => html`<li><a href="/auth/${encodeURIComponent(name)}">Sign in with ${name}</a></li>\n`)}</ul>
</nav>`
}
