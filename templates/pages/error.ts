import { html } from '../html.ts'
import { page } from '../layout.ts'

/** A plain error page: a title and one message, both as text. */
export function errorPage(title: string, message: string): string {
  return page(title, html`<p>${message}</p>`)
}
