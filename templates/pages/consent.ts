import { actions, badge, definitionList, hiddenField, notice, submitButton } from '../blocks.ts'
import { browserScript } from '../browser-script.ts'
import { type Html, html } from '../html.ts'
import { page, pageScript, type Service } from '../layout.ts'
import { styleSheet } from '../style.ts'

/** What the consent page shows and sends back. */
export interface ConsentView {
  readonly service: Service
  readonly userName: string
  /** The client's name, or its id. */
  readonly clientName: string
  /** The host that describes the client in a metadata document, or null for a registered one. */
  readonly clientHost: string | null
  /** What it may do, whatever is ticked: each scope with its meaning in words. */
  readonly scopes: readonly { readonly name: string; readonly text: string }[]
  /** What it may do as far as it is ticked. */
  readonly groups: readonly ConsentGroup[]
  readonly redirectUri: string
  readonly redirectHost: string
  readonly isLoopback: boolean
  /** An answer came that could not be used, or one without a tick: the page is shown again. */
  readonly again: 'unusable' | 'nothing' | null
  /** Hidden inputs of the form that decides, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** This very request, for the form that signs out: after signing in again the browser comes back to it. */
  readonly returnTo: string
}

/** Scopes that stand together. `mark`: whether the user has allowed them to the client before; null where it is all new. */
export interface ConsentGroup {
  readonly mark: 'new' | 'allowed' | null
  readonly isSensitive: boolean
  readonly choices: readonly ConsentChoice[]
}

/** A scope to tick. */
export interface ConsentChoice {
  /** Of the form. */
  readonly field: string
  readonly name: string
  readonly text: string
  readonly isTicked: boolean
  /** The fields that stay ticked while this one is. */
  readonly implies: readonly string[]
  /** The words of those that it comes with. */
  readonly comesWith: readonly string[]
}

/** The page that asks a signed-in user to allow a client. Source: specification, Authorize, rule 7. */
export function consentPage(view: ConsentView): string {
  const { service, clientName, userName } = view
  const content = html`${view.again === null ? null : notices[view.again]}<p class="lead"><strong>${clientName}</strong> asks to use <strong>${service.name}</strong> as you.</p>
${definitionList([
  ['Signed in as', html`<strong>${userName}</strong>`],
  ['Published by', publisher(view)],
  view.scopes.length === 0 ? null : ['It may', view.scopes.map(permission)],
  ['Sends you to', html`<strong>${view.redirectHost}</strong>${redirectAddress(view.redirectUri)}`],
])}${view.isLoopback ? loopbackWarning : null}<form method="post" action="/oauth/authorize">
${view.fields.map(hiddenField)}${view.groups.length === 0 ? null : noImplicitAnswer}${view.groups.map(choices)}${actions(
  [
    submitButton('Allow', 'primary', ['decision', 'allow']),
    submitButton('Deny', 'secondary', ['decision', 'deny']),
  ],
)}</form>
${otherAccount(view)}`
  return page('Allow access?', content, { service, ...(view.groups.length === 0 ? {} : withChoices) })
}

const notices: Readonly<Record<'unusable' | 'nothing', Html>> = {
  unusable: notice(
    'error',
    'Please answer again.',
    'Your answer could not be used. It may have come from an old page. Nothing was allowed.',
  ),
  nothing: notice(
    'error',
    'Nothing was ticked.',
    'Tick what you allow, or choose Deny. Nothing was allowed.',
  ),
}

const loopbackWarning: Html = notice(
  'warning',
  'This application runs on your own computer.',
  'Its name cannot be checked. Allow it only if you have just started signing in from it.',
)

/** What Enter in a tick presses where no script runs (HTML, implicit submission): it decides nothing, where the first visible
 *  button would allow. */
const noImplicitAnswer: Html = html`<button type="submit" hidden></button>\n`

/** Only a client that is described at an address of its own has a publisher that we know. */
const publisher = ({ clientHost }: ConsentView): Html =>
  clientHost === null
    ? html`<span class="muted">Not known: the application gave its name itself.</span>`
    : html`<strong>${clientHost}</strong>`

const permission = ({ name, text }: ConsentView['scopes'][number]): Html =>
  html`<span class="permission">${text} <code>${name}</code></span>`

const choices = ({ mark, isSensitive, choices: list }: ConsentGroup): Html => html`<fieldset class="choices">
<legend>${legendOf(mark, isSensitive)}</legend>
${list.map((one) => choice(one, mark))}</fieldset>
`

function legendOf(mark: ConsentGroup['mark'], isSensitive: boolean): string {
  if (mark === 'allowed') return isSensitive ? 'Already allowed, sensitive' : 'Already allowed'
  const it = mark === 'new' ? 'New: it may' : 'It may'
  return isSensitive ? `${it}, only if you tick it` : it
}

/** The script finds what is implied by the names of fields: no scope holds a space. */
const choice = (
  { field, name, text, isTicked, implies, comesWith }: ConsentChoice,
  mark: ConsentGroup['mark'],
): Html => html`<label class="choice"><input type="checkbox" name="${field}" value="on" data-implies="${implies.join(' ')}"${isTicked ? html` checked` : null}>
<span>${text} <code>${name}</code>${mark === null ? null : html` ${mark === 'new' ? badge('New', 'warn') : badge('Already allowed')}`}${comesWith.length === 0 ? null : html`<span class="note">Comes with: ${comesWith.join('; ')}</span>`}</span></label>
`

const withChoices = {
  style: styleSheet(`
.choices { margin: 0 0 1rem; padding: 0; border: 0; min-width: 0; }
.choices > legend { padding: 0; margin-bottom: .25rem; color: var(--muted); font-size: .9375rem; }
.choice { display: flex; gap: .75rem; align-items: flex-start; padding: .625rem 0; border-bottom: 1px solid var(--line); font-weight: 400; cursor: pointer; }
.choice > input { flex: none; width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent); cursor: pointer; }
.choice > span { min-width: 0; }
`),
  script: pageScript(browserScript(['consent'], 'startConsentPage')),
}

/** A very long one scrolls in its place, so that the buttons stay in sight. */
const redirectAddress = (uri: string): Html =>
  uri.length > 200
    ? html`<div class="address" tabindex="0" role="region" aria-label="Redirect address"><code>${uri}</code></div>`
    : html`<span class="note"><code>${uri}</code></span>`

const otherAccount = ({
  userName,
  returnTo,
}: ConsentView): Html => html`<form method="post" action="/auth/sign-out" class="other">
${hiddenField(['return_to', returnTo])}<span>Not ${userName}?</span> ${submitButton('Use another account', 'quiet')}
</form>
`
