/** Markdown of our own pages as HTML: headings, paragraphs, flat lists, tables, fenced code; code, links, strong and emphasis in
 *  a line. What is markup in it is shown as text, and only links that we know how to follow are links. The tests hold it
 *  against a whole Markdown library, page by page. */
import { type Html, html, trusted } from '../html.ts'

const escaped = (text: string): string => html`${text}`.markup

/** The HTML of a page. Headings have the anchors that they have on GitHub; `page.md#part` leads to `/page#part`. */
export function markdown(text: string): Html {
  const lines = text.split('\n')
  const taken = new Map<string, number>()
  let markup = ''
  for (let at = 0; at < lines.length; ) {
    const block = blocks.find(({ begins }) => begins.test(lines[at] ?? '')) ?? paragraph
    const end = endOf(block, lines, at)
    markup += block.print(lines.slice(at, end), taken)
    at = end
  }
  return trusted(markup)
}

interface Block {
  readonly begins: RegExp
  /** Whether the line is still of a block that has begun above it. */
  readonly holds: (line: string) => boolean
  /** Whether the line that does not belong to it is its last one all the same. */
  readonly isClosed?: true
  readonly print: (lines: readonly string[], taken: Map<string, number>) => string
}

function endOf({ holds, isClosed }: Block, lines: readonly string[], at: number): number {
  let end = at + 1
  while (end < lines.length && holds(lines[end] ?? '')) end += 1
  return isClosed === true ? Math.min(end + 1, lines.length) : end
}

const isBlank = (line: string): boolean => line.trim() === ''

const paragraph: Block = {
  begins: /./,
  holds: (line) => !isBlank(line) && !blocks.some(({ begins }) => begins.test(line)),
  print: (lines) => `<p>${inline(lines.map((line) => line.trim()).join('\n'))}</p>\n`,
}

const blocks: readonly Block[] = [
  { begins: /^\s*$/, holds: isBlank, print: () => '' },
  { begins: /^<!--.*-->$/, holds: () => false, print: () => '' },
  {
    begins: /^```/,
    holds: (line) => line !== '```',
    isClosed: true,
    print: ([, ...lines]) => code(lines.at(-1) === '```' ? lines.slice(0, -1) : lines),
  },
  { begins: /^#{1,6} /, holds: () => false, print: ([line = ''], taken) => heading(line, taken) },
  { begins: /^\|/, holds: (line) => line.startsWith('|'), print: (rows) => table(rows) },
  { begins: /^- /, holds: isOfItem(/^- /), print: (lines) => `<ul>\n${items(lines, /^- /)}</ul>\n` },
  {
    begins: /^\d+\. /,
    holds: isOfItem(/^\d+\. /),
    print: (lines) => `<ol>\n${items(lines, /^\d+\. /)}</ol>\n`,
  },
]

function isOfItem(marker: RegExp): (line: string) => boolean {
  return (line) => marker.test(line) || /^ +\S/.test(line)
}

/** What may be wider than the page scrolls in its place, by keyboard too. */
const code = (lines: readonly string[]): string =>
  `<pre tabindex="0"><code>${escaped(lines.join('\n'))}\n</code></pre>\n`

function heading(line: string, taken: Map<string, number>): string {
  const [, marks = '', text = ''] = /^(#+) +(.*?) *$/.exec(line) ?? []
  return `<h${marks.length} id="${escaped(anchorOf(text, taken))}">${inline(text)}</h${marks.length}>\n`
}

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
function table([head = '', , ...rows]: readonly string[]): string {
  const titles = cellsOf(head)
  const labels = titles.map((title) => escaped(title.replaceAll('`', '')))
  const header = titles.map((title) => `<th scope="col">${inline(title)}</th>`).join('')
  const body = rows.map((row) => tableRow(cellsOf(row), labels)).join('')
  return `<div class="scroll" tabindex="0"><table>\n<thead><tr>${header}</tr></thead>\n<tbody>\n${body}</tbody>\n</table></div>\n`
}

const tableRow = (cells: readonly string[], labels: readonly string[]): string =>
  `<tr>${cells.map((cell, index) => `<td data-label="${labels[index] ?? ''}">${inline(cell)}</td>`).join('')}</tr>\n`

/** A `\|` is part of a cell, in code too. */
const cellsOf = (row: string): readonly string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

/** An item goes on in lines that are indented. */
function items(lines: readonly string[], marker: RegExp): string {
  const texts: string[] = []
  for (const line of lines) {
    if (marker.test(line)) texts.push(line.replace(marker, ''))
    else texts.push(`${texts.pop() ?? ''}\n${line.trim()}`)
  }
  return texts.map((text) => `<li>${inline(text)}</li>\n`).join('')
}

/** In the order in which they are looked for at one place; an image is its text. */
const spans: readonly (readonly [pattern: RegExp, print: (text: string, target: string) => string])[] = [
  [/\\([!-/:-@[-`{-~])/, (text) => escaped(text)],
  [/(?<!`)`` ?(.+?) ?``(?!`)/, (text) => `<code>${escaped(text)}</code>`],
  [/(?<!`)`([^`]+)`(?!`)/, (text) => `<code>${escaped(text.replaceAll('\n', ' '))}</code>`],
  [/<!--[\s\S]*?-->()/, () => ''],
  [/!\[([^\]]*)\]\([^)\s]*\)/, (text) => escaped(text)],
  [/\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]*)\)/, link],
  [/\*\*(?=\S)([\s\S]*?\S)\*\*/, (text) => `<strong>${inline(text)}</strong>`],
  [/\*(?=[^\s*])([^*]*[^\s*])\*/, (text) => `<em>${inline(text)}</em>`],
]

const anySpan = new RegExp(spans.map(([pattern]) => pattern.source).join('|'), 'g')

function inline(text: string): string {
  let markup = ''
  let at = 0
  for (const { 0: whole, index } of text.matchAll(anySpan)) {
    markup += escaped(text.slice(at, index)) + span(whole)
    at = index + whole.length
  }
  return markup + escaped(text.slice(at))
}

function span(text: string): string {
  for (const [pattern, print] of spans) {
    const [whole, inner = '', target = ''] = pattern.exec(text) ?? []
    if (whole === text) return print(inner, target)
  }
  return escaped(text)
}

function link(text: string, href: string): string {
  const target = targetOf(href)
  return target === null ? inline(text) : `<a href="${escaped(target)}">${inline(text)}</a>`
}

/** Other pages, parts of this one, and the web. */
function targetOf(href: string): string | null {
  const [, page, part = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (page !== undefined) return `/${page === 'README' ? '' : page}${part}`
  return href.startsWith('#') || /^https?:\/\//.test(href) ? href : null
}
