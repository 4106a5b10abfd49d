import { linkButton, notice, submitButton } from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { page, type Service } from '../layout.ts'

export interface SignInView {
  readonly service: Service
  /** The ways to sign in: the last part of the address, and the name for people. */
  readonly providers: readonly { readonly name: string; readonly label: string }[]
  /** The development login is offered too: it asks for nothing. */
  readonly devLogin: boolean
  /** The signed-in user's, or null. */
  readonly userName: string | null
  /** Why the last sign-in of this browser failed, by the provider that people know under that name; null = it did not. */
  readonly failure?: { readonly problem: SignInProblem; readonly label: string } | null
}

/** `{provider}` is the name that people know it by. */
const problems = {
  refused: [
    'You were not let in.',
    'This service knows who you are, and does not let you in. Ask whoever runs it, or use another account.',
  ],
  denied: [
    'You were not signed in.',
    'The sign-in at {provider} was stopped there. Begin again, and allow what it asks.',
  ],
  away: [
    'You could not be signed in now.',
    '{provider} cannot be reached, or does not work. Try again in a few minutes.',
  ],
  misconfigured: [
    'You cannot be signed in.',
    'This service and {provider} do not agree. Trying again does not help: whoever runs this service finds the cause in its log.',
  ],
  expired: [
    'That sign-in was no longer good.',
    'It took longer than ten minutes, was used before, or began in another browser. Begin again here, and let this site keep cookies.',
  ],
  failed: [
    'You were not signed in.',
    'Something went wrong. Try again; if it stays so, ask whoever runs this service.',
  ],
} as const

export type SignInProblem = keyof typeof problems

export const isSignInProblem = (value: unknown): value is SignInProblem =>
  typeof value === 'string' && Object.hasOwn(problems, value)

function failureNotice({ failure = null }: SignInView): Html | null {
  if (failure === null) return null
  const [heading, text] = problems[failure.problem]
  return notice(
    'error',
    heading,
    text.replace('{provider}', () => failure.label),
  )
}

/** The page that lists the ways to sign in: a link `/auth/<provider>` for each, and a button that signs out. Source:
 *  rules.md, Sign-in. */
export function signInPage(view: SignInView): string {
  const { service, userName } = view
  if (userName !== null)
    return page('You are signed in', html`${failureNotice(view)}${signedIn(userName)}${providerList(view)}`, {
      service,
    })
  const invitation = waysOf(view) === 1 ? 'Sign in to use' : 'Choose how to sign in to'
  const lead = html`<p class="lead">${invitation} <strong>${service.name}</strong>.</p>\n`
  const content = waysOf(view) === 0 ? noProviders : html`${failureNotice(view)}${lead}${providerList(view)}`
  return page('Sign in', content, { service })
}

const waysOf = ({ providers, devLogin }: SignInView): number => providers.length + (devLogin ? 1 : 0)

const signedIn = (
  userName: string,
): Html => html`<p class="lead">You are signed in as <strong>${userName}</strong>. You can close this page.</p>
<p><a href="/auth/connections">Connected apps</a></p>
<form method="post" action="/auth/sign-out">${submitButton('Sign out', 'secondary')}</form>
`

const noProviders: Html = notice(
  'info',
  'Nobody can sign in here yet.',
  'No way to sign in is configured. Whoever runs this service can add one.',
)

function providerList(view: SignInView): Html | null {
  const { providers, devLogin, userName } = view
  if (waysOf(view) === 0) return null
  const kind = userName === null && waysOf(view) === 1 ? 'primary' : 'secondary'
  const links = providers.map(({ name, label }) =>
    linkButton(`Sign in with ${label}`, `/auth/${encodeURIComponent(name)}`, kind),
  )
  const developer = html`${linkButton('Sign in as Developer', '/auth/dev', kind)}${developerNote}`
  return html`${userName === null ? null : html`<h2>Use another account</h2>\n`}<nav aria-label="Ways to sign in">
<ul class="plain stack" role="list">
${(devLogin ? [...links, developer] : links).map((link) => html`<li>${link}</li>\n`)}</ul>
</nav>
`
}

const developerNote: Html = html`<span class="note">For development: asks for no password.</span>`
