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
 *  Source: specification, Unhandled exceptions. */
export function exceptionPage({ request, sections }: ExceptionView): string {
  return page('Unhandled exception', html`<p><code>${request}</code></p>${sections.map(section)}`)
}

const section = ({ title, frame, stack }: ExceptionSection, index: number): Html => html`
<h2>${index === 0 ? '' : 'Caused by '}${title}</h2>
${frame === null ? null : codeFrame(frame)}
<pre>${stack}</pre>`

function codeFrame({ place, lines }: NonNullable<ExceptionSection['frame']>): Html {
  const width = String(lines.at(-1)?.number ?? 0).length
  const text = lines.map(
    ({ number, text, isHere }) => `${isHere ? '>' : ' '} ${String(number).padStart(width)} | ${text}`,
  )
  return html`<p><code>${place}</code></p>
<pre>${text.join('\n')}</pre>`
}
