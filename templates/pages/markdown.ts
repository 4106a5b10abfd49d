/** Markdown of our own pages as HTML: `marked` reads it. Markup in it is shown as text, and only links that we know how to follow
 *  are links. */
import { Marked, type MarkedExtension, type Tokens } from 'marked'
import { type Html, html, trusted } from '../html.ts'

const escaped = (text: string): string => html`${text}`.markup

/** The HTML of a page. Headings have the anchors that they have on GitHub; `page.md#part` leads to `/page#part`. */
export const markdown = (text: string): Html =>
  trusted(new Marked(pages(new Map())).parse(text, { async: false }))

/** `taken`: how many headings of the page have an anchor already. */
const pages = (taken: Map<string, number>): MarkedExtension => ({
  tokenizer: { url: () => undefined }, // a bare address is an example, no link
  renderer: {
    html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : escaped(text)),
    image: ({ text }) => escaped(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${escaped(anchorOf(text, taken))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    // what may be wider than the page scrolls in its place, by keyboard too
    code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
    table({ header, rows }) {
      return table({ header, rows }, ({ tokens }) => this.parser.parseInline(tokens))
    },
    link({ href, tokens }) {
      const shown = this.parser.parseInline(tokens)
      const target = targetOf(href)
      return target === null ? shown : `<a href="${escaped(target)}">${shown}</a>`
    },
  },
})

/** As GitHub makes it: letters, digits, `-` and `_` of the text; the second of a name ends in `-1`. */
function anchorOf(text: string, taken: Map<string, number>): string {
  const name = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const count = taken.get(name) ?? 0
  taken.set(name, count + 1)
  return count === 0 ? name : `${name}-${count}`
}

/** On a phone each row is a paragraph, in which a cell says whose it is. */
function table(
  { header, rows }: Pick<Tokens.Table, 'header' | 'rows'>,
  inline: (cell: Tokens.TableCell) => string,
): string {
  const labels = header.map(({ text }) => escaped(text.replaceAll('`', '')))
  const titles = header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')
  const cells = (row: readonly Tokens.TableCell[]): string =>
    row.map((cell, index) => `<td data-label="${labels[index] ?? ''}">${inline(cell)}</td>`).join('')
  const body = rows.map((row) => `<tr>${cells(row)}</tr>\n`).join('')
  return `<div class="scroll" tabindex="0"><table>\n<thead><tr>${titles}</tr></thead>\n<tbody>\n${body}</tbody>\n</table></div>\n`
}

/** Other pages, parts of this one, and the web. */
function targetOf(href: string): string | null {
  const [, page, part = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (page !== undefined) return `/${page === 'README' ? '' : page}${part}`
  return href.startsWith('#') || /^https?:\/\//.test(href) ? href : null
}
