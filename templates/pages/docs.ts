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
code { font: .9em/1.45 ui-monospace, monospace; }
:not(pre) > code { background: var(--soft); border-radius: .25rem; padding: .1em .3em; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
blockquote { margin: 0; border-left: .25rem solid var(--line); padding-left: .75rem; }
nav ul { list-style: none; padding: 0; margin: 0; }
nav a { display: inline-block; padding: .3rem 0; }
summary { padding: .5rem 0; cursor: pointer; font-weight: 600; }
main { min-width: 0; }
@media (min-width: 60rem) { body { display: grid; grid-template-columns: 14rem 1fr; gap: 2.5rem; } nav { position: sticky; top: 1rem; align-self: start; max-height: 95vh; overflow-y: auto; } }
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
  const body = html`<nav aria-label="Pages"><details open><summary>acmcp</summary><ul>${pages.map((one) => entry(one, name))}</ul></details></nav>
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
