import {
  actions,
  definitionList,
  hiddenField,
  notice,
  type Publisher,
  publisher,
  submitButton,
} from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { type PageOptions, page, type Service } from '../layout.ts'

/** What the consent page shows and sends back. */
export interface ConsentView extends Publisher {
  readonly service: Service
  readonly userName: string
  /** The client's name, or its id. */
  readonly clientName: string
  /** What it may do, whatever is ticked: each scope with its meaning in words. */
  readonly scopes: readonly { readonly name: string; readonly text: string }[]
  /** What it may do as far as it is ticked; null where there is nothing to tick. */
  readonly ticks: ConsentTicks | null
  readonly redirectUri: string
  readonly redirectHost: string
  readonly isLoopback: boolean
  /** Of a redirect URI that an app of the device opens; null = it has none. */
  readonly nativeScheme: string | null
  /** An answer came that could not be used, or one without a tick: the page is shown again. */
  readonly again: 'unusable' | 'nothing' | null
  /** Hidden inputs of the form that decides, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** This very request, for the form that signs out: after signing in again the browser comes back to it. */
  readonly returnTo: string
}

/** The part of the form for scopes to tick, and what the page needs for it. Made by `consent-ticks.ts`, which is loaded for it. */
export interface ConsentTicks {
  readonly fields: Html
  readonly options: Pick<PageOptions, 'style' | 'script'>
}

/** The page that asks a signed-in user to allow a client. Source: rules.md, Authorize 7. */
export function consentPage(view: ConsentView): string {
  const { service, clientName, userName } = view
  const content = html`${view.again === null ? null : notices[view.again]}<p class="lead"><strong>${clientName}</strong> asks to use <strong>${service.name}</strong> as you.</p>
${definitionList([
  ['Signed in as', html`<strong>${userName}</strong>`],
  ['Published by', publisher(view)],
  view.scopes.length === 0 ? null : ['It may', view.scopes.map(permission)],
  ['Sends you to', html`${destination(view)}${redirectAddress(view.redirectUri)}`],
])}${view.isLoopback || view.nativeScheme !== null ? ownComputerWarning : null}<form method="post" action="/oauth/authorize">
${view.fields.map(hiddenField)}${view.ticks?.fields ?? null}${actions([
  submitButton('Allow', 'primary', ['decision', 'allow']),
  submitButton('Deny', 'secondary', ['decision', 'deny']),
])}</form>
${otherAccount(view)}`
  return page('Allow access?', content, { service, ...view.ticks?.options })
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

const ownComputerWarning: Html = notice(
  'warning',
  'This application runs on your own computer.',
  'Its name cannot be checked. Allow it only if you have just started signing in from it.',
)

const destination = ({ nativeScheme, redirectHost }: ConsentView): Html =>
  nativeScheme === null
    ? html`<strong>${redirectHost}</strong>`
    : html`<span>opens the app <strong>${nativeScheme}</strong></span>`

const permission = ({ name, text }: ConsentView['scopes'][number]): Html =>
  html`<span class="permission">${text} <code>${name}</code></span>`

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
