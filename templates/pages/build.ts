import { badge, card } from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** One mistake. Everything is shown as text. */
export interface MistakeView {
  readonly severity: string
  readonly code: string
  readonly message: string
  readonly hint: string
  /** null = not shown. */
  readonly place: string | null
  /** Lines of the source, with a mark under the place; null = not shown. */
  readonly frame: string | null
}

export interface BuildView {
  readonly title: string
  /** What is the matter, in a sentence each. */
  readonly texts: readonly string[]
  readonly mistakes: readonly MistakeView[]
}

/** The development page of what the last build said. Must never be sent in production. */
export function buildPage({ title, texts, mistakes }: BuildView): string {
  const content = html`<p>${badge('development')}</p>
${texts.map((text) => html`<p>${text}</p>\n`)}${mistakes.map(mistake)}`
  return page(title, content, { width: 'wide' })
}

const mistake = ({ severity, code, message, hint, place, frame }: MistakeView): Html =>
  card(
    message,
    html`<p>${badge(`${severity} ${code}`, severity === 'error' ? 'bad' : 'warn')}${place === null ? null : html` <code>${place}</code>`}</p>
${frame === null ? null : html`<pre tabindex="0">${frame}</pre>\n`}<p>${hint}</p>
`,
  )
