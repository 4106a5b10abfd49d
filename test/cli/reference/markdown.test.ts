/** The Markdown of the pages as HTML, held against a whole Markdown library, which reads more than we write. */
import { readdirSync, readFileSync } from 'node:fs'
import { Marked, type Tokens } from 'marked'
import t from 'tap'
import { html } from '../../../templates/html.ts'
import { markdown } from '../../../templates/pages/markdown.ts'

const escaped = (text: string): string => html`${text}`.markup

/** What is ours in `markdown` is done here too; how Markdown is read is the library's. */
function byLibrary(text: string): string {
  const taken = new Map<string, number>()
  const anchorOf = (title: string): string => {
    const name = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = taken.get(name) ?? 0
    taken.set(name, count + 1)
    return count === 0 ? name : `${name}-${count}`
  }
  const marked = new Marked({
    tokenizer: { url: () => undefined }, // a bare address is an example, not a link
    renderer: {
      html: ({ text }) => (text.trimStart().startsWith('<!--') ? '' : escaped(text)),
      image: ({ text }) => escaped(text),
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escaped(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
      table({ header, rows }) {
        const inline = ({ tokens }: Tokens.TableCell): string => this.parser.parseInline(tokens)
        const labels = header.map(({ text }) => escaped(text.replaceAll('`', '')))
        const head = header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')
        const row = (cells: readonly Tokens.TableCell[]): string =>
          `<tr>${cells.map((cell, index) => `<td data-label="${labels[index] ?? ''}">${inline(cell)}</td>`).join('')}</tr>\n`
        const body = rows.map(row).join('')
        return `<div class="scroll" tabindex="0"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}</tbody>\n</table></div>\n`
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens)
        const page = /^([\w-]+)\.md(#.*)?$/.exec(href)
        const target = page === null ? href : `/${page[1] === 'README' ? '' : page[1]}${page[2] ?? ''}`
        return /^(#|\/|https?:\/\/)/.test(target) ? `<a href="${escaped(target)}">${shown}</a>` : shown
      },
    },
  })
  return marked.parse(text, { async: false })
}

for (const file of readdirSync('templates/docs').filter((name) => name.endsWith('.md'))) {
  t.test(`${file} is shown as a Markdown library reads it`, async (t) => {
    const text = readFileSync(`templates/docs/${file}`, 'utf8')
    t.equal(markdown(text).markup, byLibrary(text), 'templates/pages/markdown.ts says what it knows')
  })
}

t.test('markup in a page is text, and links are to pages and the web alone', async (t) => {
  t.strictSame(
    markdown(
      [
        '## The `@get` tag, again',
        '## The `@get` tag, again',
        '<script>x</script> <b onclick="x">b</b>',
        '',
        '[bad](javascript:x) [page](types.md#dates) [first](README.md) [web](https://a.example/?a=1&b=2) ![i](x.png)',
        '',
        'kept <!-- needs: dev -->',
        '<!-- a line of its own -->',
        '| a | b |',
        '| --- | --- |',
        '| `x \\| y` | **b** and *e*, 2 * 3 * 4, `` `t` `` |',
        '1. one',
        '2. two',
        '   goes on',
        '',
        '```ts app/x.ts',
        '# <no> heading',
      ].join('\n'),
    ).markup,
    `<h2 id="the-get-tag-again">The <code>@get</code> tag, again</h2>
<h2 id="the-get-tag-again-1">The <code>@get</code> tag, again</h2>
<p>&lt;script&gt;x&lt;/script&gt; &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>
<p>bad <a href="/types#dates">page</a> <a href="/">first</a> <a href="https://a.example/?a=1&amp;b=2">web</a> i</p>
<p>kept </p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>
<tbody>
<tr><td data-label="a"><code>x | y</code></td><td data-label="b"><strong>b</strong> and <em>e</em>, 2 * 3 * 4, <code>\`t\`</code></td></tr>
</tbody>
</table></div>
<ol>
<li>one</li>
<li>two
goes on</li>
</ol>
<pre tabindex="0"><code># &lt;no&gt; heading
</code></pre>
`,
  )
})
