/** What pages are built of. Each block is markup that the one style sheet knows; values are escaped as everywhere. */
import { type Html, html, type Printable } from './html.ts'

/** A region with a heading, for wide pages. */
export const card = (heading: string, content: Html): Html => html`<section class="card">
<h2>${heading}</h2>
${content}
</section>
`

/** Terms and what they are; null leaves a row out. */
export const definitionList = (
  rows: readonly (readonly [term: string, value: Printable] | null)[],
): Html => html`<dl class="definitions">
${rows.map((row) => (row === null ? null : html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>\n`))}</dl>
`

/** Buttons side by side, the primary one first; on a phone below each other where they do not fit. */
/** The publisher of a client. */
export interface Publisher {
  /** The host that describes the client in a metadata document, or null for another. */
  readonly clientHost: string | null
  /** Whether the owner of the service set the client up, name and all. */
  readonly isSetUpHere: boolean
}

/** Only a client that is described at an address of its own has a publisher that we know. */
export const publisher = ({ clientHost, isSetUpHere }: Publisher): Html => {
  if (clientHost !== null) return html`<strong>${clientHost}</strong>`
  return isSetUpHere
    ? html`<span class="muted">Set up by the owner of this service, who gave it its name.</span>`
    : html`<span class="muted">Not known: the application gave its name itself.</span>`
}

export const actions = (buttons: readonly Html[]): Html => html`<div class="actions">
${buttons.map((button) => html`${button}\n`)}</div>
`

/** `primary`: what one came for, once a page; `secondary`: the other choice; `quiet`: looks like a link. */
export type ButtonKind = 'primary' | 'secondary' | 'quiet'

/** A button that sends its form, with a value where the form has several. */
export const submitButton = (
  label: string,
  kind: ButtonKind,
  field: readonly [name: string, value: string] | null = null,
): Html =>
  field === null
    ? html`<button type="submit" class="${kind}">${label}</button>`
    : html`<button type="submit" name="${field[0]}" value="${field[1]}" class="${kind}">${label}</button>`

/** A link that looks like a button. */
export const linkButton = (label: string, href: string, kind: ButtonKind): Html =>
  html`<a class="button ${kind}" href="${href}">${label}</a>`

export const hiddenField = ([name, value]: readonly [name: string, value: string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">\n`

/** Something to heed. `heading` says in words what the colour says. */
export const notice = (
  kind: 'info' | 'warning' | 'error' | 'success',
  heading: string,
  content: Printable,
): Html => html`<div class="notice ${kind}" role="note">
<strong>${heading}</strong>
${content}
</div>
`

/** Text to read or to copy. `label` says to assistive technology what it is. The copy button shows itself where the page has
 *  a script that contains `copyScript`. */
export const codeBlock = (text: string, label: string): Html => html`<div class="code">
<button type="button" class="copy" data-copy hidden><span aria-live="polite">Copy</span><span class="unseen"> ${label}</span></button>
<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>
</div>
`

/** For `pageScript`: makes the copy buttons of `codeBlock` work, also of blocks that come later; says when it has copied. */
export const copyScript = `
for (const button of document.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  if (button === null) return
  const text = button.nextElementSibling.textContent
  const done = await navigator.clipboard.writeText(text).then(() => 'Copied', () => 'Not copied')
  button.firstElementChild.textContent = done
  setTimeout(() => { button.firstElementChild.textContent = 'Copy' }, 2000)
})
`

/** Rows under headings, `caption` above them. Scrolls by itself where it is too wide; on a phone each row is a paragraph. */
export const dataTable = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Printable[])[],
): Html => html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
<table>
<caption>${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, index) => html`<td data-label="${head[index] ?? ''}">${cell}</td>`)}</tr>\n`)}</tbody>
</table>
</div>
`

/** One of several contents at a time, without a script: a group of radio buttons. `name` is unique in the page. */
export const tabs = (
  name: string,
  legend: string,
  panels: readonly { readonly label: string; readonly content: Html }[],
): Html => html`<fieldset class="tabs">
<legend>${legend}</legend>
${panels.map(
  (
    { label, content },
    index,
  ) => html`<input type="radio" name="${name}" id="${name}-${index}"${index === 0 ? html` checked` : null}>
<label for="${name}-${index}">${label}</label>
<div class="panel">
${content}
</div>
`,
)}</fieldset>
`

/** A short word about a thing: its kind or its state. */
export const badge = (text: string, kind: 'neutral' | 'good' | 'warn' | 'bad' = 'neutral'): Html =>
  html`<span class="badge ${kind}">${text}</span>`

/** A label over the control with that id. */
export const field = (id: string, label: string, control: Html, hint: string | null = null): Html =>
  html`<div class="field">
<label for="${id}">${label}</label>
${hint === null ? null : html`<span class="muted" id="${id}-hint">${hint}</span>\n`}${control}
</div>
`
