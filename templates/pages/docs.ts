/** A page of the documentation, as `acmcp docs` shows it. */
import { type Html, html } from '../html.ts'
import { frame, styleSheet } from '../layout.ts'
import { markdown } from './markdown.ts'

const style = styleSheet(`
:root { color-scheme: light dark; font: 100%/1.55 system-ui, sans-serif; --mark: #1d4ed8; --line: #8884; --soft: #8881; }
@media (prefers-color-scheme: dark) { :root { --mark: #93c5fd; } }
body { margin: 0 auto; padding: 1rem; max-width: 74rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.3rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin-top: 1.8rem; }
a { color: var(--mark); }
:focus-visible { outline: .2rem solid var(--mark); outline-offset: .15rem; }
pre { overflow-x: auto; padding: .75rem; background: var(--soft); border: 1px solid var(--line); border-radius: .35rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
:not(pre) > code { background: var(--soft); border-radius: .25rem; padding: .1em .3em; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
td:last-child { min-width: 16rem; }
blockquote { margin: 0; border-left: .25rem solid var(--line); padding-left: .75rem; }
nav ul { list-style: none; padding: 0; margin: 0; }
nav a { display: inline-block; padding: .3rem 0; }
nav a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
main { min-width: 0; }
body { display: flex; flex-direction: column; }
nav { order: 2; border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 14rem 1fr; gap: 2.5rem; }
  nav { order: 0; border: 0; margin: 0; position: sticky; top: 1rem; align-self: start; max-height: 95vh; overflow-y: auto; }
  .jump { display: none; }
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
  const title = pages.find((one) => one.name === name)?.title ?? name
  const body = html`<p class="jump"><a href="#pages">All pages</a></p>
<nav id="pages" aria-label="Pages"><ul>${pages.map((one) => entry(one, name))}</ul></nav>
<main>
${markdown(text)}
</main>`
  return frame({ title, style, body })
}

const entry = ({ name, title }: DocsView['pages'][number], current: string): Html => {
  const path = name === 'README' ? '/' : `/${name}`
  return name === current
    ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
    : html`<li><a href="${path}">${title}</a></li>`
}
