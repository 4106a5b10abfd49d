import { definitionList, notice } from '../blocks.ts'
import { html } from '../html.ts'
import { page, type Service } from '../layout.ts'

/** What failed, as the JSON of the error says it. */
export interface OAuthErrorView {
  readonly service: Service
  /** The code, as `invalid_request`. */
  readonly error: string
  readonly description: string
  readonly status: number
}

/** What the person in front of the browser can do. */
const advice: Readonly<Record<string, string>> = {
  invalid_request:
    'Go back to your application, remove its connection to this service and add it again: it then registers anew. If that does not help, tell its makers the lines below.',
  invalid_client:
    'Go back to your application, remove its connection to this service and add it again: it then registers anew.',
  access_denied: 'Go back, or use another account. Who may come in is decided by those who run this service.',
  temporarily_unavailable: 'Wait a little, then open this address again.',
  server_error: 'Try again. If it stays so, tell those who run this service.',
}

const otherwise =
  'Go back to your application and begin again. If that does not help, tell its makers the lines below.'

/** The page of an OAuth error that is not sent to a client. */
export function oauthErrorPage({ service, error, description, status }: OAuthErrorView): string {
  const content = html`${notice('error', 'The request cannot be answered.', advice[error] ?? otherwise)}${definitionList(
    [
      ['Error', html`<code>${error}</code>`],
      ['What was wrong', description],
      ['Status', String(status)],
    ],
  )}`
  return page('This did not work', content, { service })
}
