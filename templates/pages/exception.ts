import { badge, card } from '../blocks.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** One exception of a chain of causes. Everything is shown as text. */
export interface ExceptionSection {
  readonly title: string
  readonly frame: {
    readonly place: string
    readonly lines: readonly { readonly number: number; readonly text: string; readonly isHere: boolean }[]
  } | null
  readonly stack: string
}

export interface ExceptionView {
  /** Method and address. */
  readonly request: string
  /** The exception first, then its causes. */
  readonly sections: readonly ExceptionSection[]
}

/** The development page of an unhandled exception. Must never be sent in production.
 *  Source: rules.md, Unhandled exceptions. */
export function exceptionPage({ request, sections }: ExceptionView): string {
  const content = html`<p><code>${request}</code> ${badge('500', 'bad')} ${badge('development')}</p>
${sections.map(section)}`
  return page('Unhandled exception', content, { width: 'wide' })
}

const section = ({ title, frame, stack }: ExceptionSection, index: number): Html =>
  card(
    `${index === 0 ? '' : 'Caused by '}${title}`,
    html`${frame === null ? null : codeFrame(frame)}<pre class="wrapped">${stack}</pre>`,
  )

function codeFrame({ place, lines }: NonNullable<ExceptionSection['frame']>): Html {
  const width = String(lines.at(-1)?.number ?? 0).length
  const printed = lines.map(({ number, text, isHere }) => {
    const line = `${isHere ? '>' : ' '} ${String(number).padStart(width)} | ${text}`
    return isHere ? html`<mark>${line}</mark>\n` : html`${line}\n`
  })
  return html`<p><code>${place}</code></p>
<pre tabindex="0">${printed}</pre>
`
}
