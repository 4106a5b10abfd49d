import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'

/** The development page of an unhandled exception: message, stack and the chain of causes, all as text.
 *  Must never be sent in production. Source: specification, Unhandled exceptions. */
export function exceptionPage(error: unknown): string {
  return page('Unhandled exception', html`${causes(error).map(section)}`)
}

const section = (error: unknown): Html => {
  if (!(error instanceof Error)) return html`<p>${String(error)}</p>`
  return html`<h2>${error.constructor.name}: ${error.message}</h2>
<pre>${error.stack ?? ''}</pre>`
}

const causeLimit = 10

function causes(error: unknown): unknown[] {
  const chain = [error]
  let cause = error instanceof Error ? error.cause : undefined
  while (cause !== undefined && chain.length < causeLimit && !chain.includes(cause)) {
    chain.push(cause)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  return chain
}
