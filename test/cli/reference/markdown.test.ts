/** The Markdown of the pages as HTML: what of it is ours. */
import t from 'tap'
import { markdown } from '../../../templates/pages/markdown.ts'

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
&lt;script&gt;x&lt;/script&gt; &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;<p>bad <a href="/types#dates">page</a> <a href="/">first</a> <a href="https://a.example/?a=1&amp;b=2">web</a> i</p>
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
