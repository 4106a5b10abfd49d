/** The page on which the user decides about one call, and what an inbox lists of it. */
import {
  actions,
  card,
  dataTable,
  definitionList,
  hiddenField,
  notice,
  type Publisher,
  publisher,
  submitButton,
} from '../../../templates/blocks.ts'
import { browserScript } from '../../../templates/browser-script.ts'
import { type Html, html } from '../../../templates/html.ts'
import { type PageOptions, page, pageScript, type Service } from '../../../templates/layout.ts'
import { styleSheet } from '../../../templates/style.ts'

export interface ApprovalView extends Publisher {
  readonly service: Service
  readonly userName: string
  /** The name of the calling client, or its id; null = the browser itself. */
  readonly client: string | null
  readonly sentence: string
  /** Of the tool, or verb and path. */
  readonly name: string
  readonly arguments: readonly { readonly name: string; readonly text: string }[]
  /** Times are ISO 8601. */
  readonly askedAt: string
  readonly until: string
  readonly minutesLeft: number
  readonly decision: 'approved' | 'denied' | null
  readonly decided: string | null
  /** Whether the approved call has run. */
  readonly hasRun: boolean
  /** Whether approving may ask to sign in again. */
  readonly asksSignIn: boolean
  /** Why it is shown again; null = it is not. */
  readonly notice: ApprovalNotice | null
  /** Of this page. */
  readonly address: string
  /** What the form sends back of the page. */
  readonly shown: string
}

/** A call in the inbox. */
export interface WaitingCall {
  readonly address: string
  readonly client: string | null
  readonly sentence: string
  readonly askedAt: string
}

/** The section of the Connections page: the calls that wait for its user. */
export const inbox = (waiting: readonly WaitingCall[]): Html =>
  card(
    'Waiting for you',
    waiting.length === 0
      ? html`<p class="muted">No call waits for your approval.</p>`
      : html`<ul class="plain" role="list">
${waiting.map(waitingCall)}</ul>`,
  )

const waitingCall = ({
  address,
  client,
  sentence,
  askedAt,
}: WaitingCall): Html => html`<li><p><a href="${address}">${sentence}</a>
<span class="note">${client === null ? 'The browser that you are signed in with' : html`<strong>${client}</strong>`}, since <time datetime="${askedAt}">${askedAt.slice(0, 10)} ${askedAt.slice(11, 16)} UTC</time></span></p></li>
`

const notices = {
  unusable: [
    'Please answer again.',
    'Your answer could not be used. It may have come from an old page. Nothing was decided by it.',
  ],
  late: ['It had been decided before.', 'Your answer came too late and changed nothing.'],
  'sign-in-failed': ['Nothing was approved.', 'Signing in again failed. You can try once more.'],
  'other-user': [
    'Nothing was approved.',
    'You signed in with another account. Approve with the one that you are signed in with here.',
  ],
  stale: [
    'Nothing was approved.',
    'You were not asked to sign in again, so nothing shows that it was you. Sign out where you signed in, and approve once more.',
  ],
  'no-auth-time': [
    'Nothing was approved.',
    'This service asks for a fresh sign-in before it approves, and the way in which you sign in does not say when that was. Whoever runs this service has to change that.',
  ],
} as const

export type ApprovalNotice = keyof typeof notices

export const isApprovalNotice = (value: unknown): value is ApprovalNotice =>
  typeof value === 'string' && Object.hasOwn(notices, value)

/** Source: decisions/oauth.md, Approval. */
export function approvalPage(view: ApprovalView): string {
  const { service, decision } = view
  const content = html`${view.notice === null ? null : noticeOf(view.notice)}${decision === null ? null : outcome(view)}<p class="lead sentence">${view.sentence}</p>
${facts(view)}${argumentTable(view)}${decision === null ? form(view) : null}<p class="other">Signed in as <strong>${view.userName}</strong>. <a href="/auth/connections">Connected apps</a></p>
`
  const title = decision === null ? 'Approve this call?' : titles[decision]
  return page(title, content, { service, ...(decision === null ? waitingOptions : options) })
}

const titles = { approved: 'Approved', denied: 'Denied' } as const

const noticeOf = (kind: ApprovalNotice): Html => notice('error', notices[kind][0], notices[kind][1])

const outcome = ({ decision, decided, hasRun }: ApprovalView): Html =>
  decision === 'approved'
    ? notice(
        'success',
        hasRun ? 'The call was approved and has run.' : 'You approved this call.',
        html`${hasRun ? 'It ran once.' : 'Go back to your application: it may make this very call once, within five minutes.'} ${at(decided)}`,
      )
    : notice(
        'info',
        'This call was denied.',
        html`It does not run. Go back to your application. ${at(decided)}`,
      )

const at = (time: string | null): Html | null => (time === null ? null : html`Decided at ${clockTime(time)}.`)

const facts = (view: ApprovalView): Html =>
  definitionList([
    ['Asked by', caller(view)],
    view.client === null ? null : ['Published by', publisher(view)],
    ['It calls', html`<code>${view.name}</code>`],
    ['Asked at', clockTime(view.askedAt)],
    view.decision === null
      ? [
          'Answer until',
          html`${clockTime(view.until)} <span class="muted">(${view.minutesLeft === 1 ? 'less than a minute' : `${view.minutesLeft} minutes`} left)</span>`,
        ]
      : null,
  ])

const caller = ({ client }: ApprovalView): Html =>
  client === null ? html`the browser that you are signed in with` : html`<strong>${client}</strong>`

const clockTime = (time: string): Html =>
  html`<time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 16)} UTC</time>`

const argumentTable = ({ arguments: shown }: ApprovalView): Html =>
  shown.length === 0
    ? html`<p class="muted">The call has no arguments.</p>\n`
    : dataTable(
        'What it sends',
        ['Name', 'Value'],
        shown.map(({ name, text }) => [html`<code>${name}</code>`, value(text)]),
      )

/** What is longer is folded: the buttons stay in reach, and all of it can be read. */
const longest = { characters: 240, lines: 6 }

function value(text: string): Html {
  if (text === '') return html`<span class="muted">empty</span>`
  const whole = html`<pre class="wrapped">${text}</pre>`
  const isLong = text.length > longest.characters || text.split('\n').length > longest.lines
  if (!isLong) return whole
  return html`<details><summary>${[...text.slice(0, 80)].slice(0, 60).join('')}… <span class="muted">(all ${text.length.toLocaleString('en')} characters)</span></summary>
${whole}</details>`
}

/** Denying comes first: nothing that is pressed by mistake approves. */
const form = ({
  address,
  shown,
  asksSignIn,
}: ApprovalView): Html => html`<form method="post" action="${address}">
${hiddenField(['shown', shown])}${asksSignIn ? html`<p class="muted">To approve, you may have to sign in again.</p>\n` : null}${actions(
  [
    submitButton('Deny', 'secondary', ['decision', 'deny']),
    submitButton('Approve', 'primary', ['decision', 'approve']),
  ],
)}</form>
`

const style = styleSheet(`
.sentence { font-weight: 600; white-space: pre-line; }
td pre.wrapped { margin: 0; padding: 0; background: none; }
td details pre.wrapped { max-height: 20rem; overflow-y: auto; padding: .5rem; background: var(--soft); }
td { vertical-align: baseline; }
td:first-child { width: 7.5rem; }
@media (max-width: 40rem) { td:first-child { width: auto; } .scroll td:not(:first-child)::before { content: none; } }
td summary { font-weight: 400; font-family: var(--mono); font-size: .875em; padding: 0; }
`)

const options: Partial<PageOptions> = { style }

const waitingOptions: Partial<PageOptions> = {
  style,
  script: pageScript(browserScript(['approval'], 'startApprovalPage')),
}

/** The answer to a user who asks for a call that is not theirs, has gone or never was. `address`: where another user may find it. */
export function approvalGonePage({
  service,
  userName,
  address,
}: Pick<ApprovalView, 'service'> & {
  readonly userName: string | null
  readonly address: string | null
}): string {
  const content = html`<p class="lead">There is no such call that you could decide about.</p>
<p>It may have run, or nobody answered in time. Go back to your application and call again.</p>
${userName === null || address === null ? null : otherAccount(userName, address)}`
  return page('Nothing waits here', content, { service })
}

const otherAccount = (
  userName: string,
  address: string,
): Html => html`<form method="post" action="/auth/sign-out" class="other">
${hiddenField(['return_to', address])}<span>Not ${userName}?</span> ${submitButton('Use another account', 'quiet')}
</form>
`
