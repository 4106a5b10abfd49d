/** A page of the documentation, as `acmcp docs` shows it. */
import { type Html, html } from '../html.ts'
import { frame } from '../layout.ts'
import { styleSheet } from '../style.ts'
import { markdown } from './markdown.ts'

/** Two columns on a desktop: the list of pages stays beside the text. */
const style = styleSheet(`
.docs { display: flex; flex-direction: column; padding: 1.25rem 1rem 3rem; max-width: 72rem; margin: 0 auto; }
.docs main { min-width: 0; max-width: 52rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 1.5rem 1.25rem; }
.docs h1 { font-size: 1.75rem; }
.docs h2 { font-size: 1.3rem; margin-top: 2.25rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
.docs h3 { font-size: 1.08rem; margin-top: 1.75rem; }
.docs blockquote { margin: 0 0 1rem; border-left: .25rem solid var(--line); padding-left: 1rem; color: var(--muted); }
.docs nav { order: 2; margin-top: 2rem; }
.docs nav a { display: block; padding: .375rem .75rem; border-radius: var(--radius-small); text-decoration: none; }
.docs nav a:hover { background: var(--soft); }
.docs nav a[aria-current] { background: var(--soft); font-weight: 600; color: var(--text); }
@media (min-width: 40.01rem) {
  .docs th, .docs td { padding-right: 1rem; overflow-wrap: normal; }
  .docs td:last-child { min-width: 16rem; }
}
@media (min-width: 60rem) {
  .docs { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 2rem; }
  .docs main { padding: 2rem 2.5rem; }
  .docs nav { order: 0; margin: 0; position: sticky; top: 1.25rem; align-self: start; max-height: calc(100vh - 2.5rem); overflow-y: auto; }
  .docs .jump { display: none; }
}
`)

export interface DocsView {
  /** The name of this page, `README` for the first. */
  readonly name: string
  /** Its Markdown. */
  readonly text: string
  /** All pages, in order. */
  readonly pages: readonly { readonly name: string; readonly title: string }[]
}

export function docsPage({ name, text, pages }: DocsView): string {
  const title = pages.find((page) => page.name === name)?.title ?? name
  const body = html`<p class="jump"><a href="#pages">All pages</a></p>
<nav id="pages" aria-label="Pages"><ul class="plain">${pages.map((page) => entry(page, name))}</ul></nav>
<main>
${markdown(text)}
</main>`
  return frame({ title, style, body, bodyClass: 'docs' })
}

const entry = ({ name, title }: DocsView['pages'][number], current: string): Html => {
  const path = name === 'README' ? '/' : `/${name}`
  return name === current
    ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
    : html`<li><a href="${path}">${title}</a></li>`
}
