/** The pages as text: headers, policy and escaping. Source: specification, Authorize 7; decisions.md, OAuth (pages).
 *  `test/flow/browser.test.ts` looks at them in a browser. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { html } from '../../../templates/html.ts'
import { consentPage } from '../../../templates/pages/consent.ts'
import { signInPage } from '../../../templates/pages/sign-in.ts'
import { authorizeParameters, query, register, signedInBrowser, world } from '../support/harness.ts'

const view = {
  userName: 'Ada',
  clientName: 'A client',
  clientHost: null,
  scope: 'api',
  redirectUri: 'https://client.example/cb',
  redirectHost: 'client.example',
  isLoopback: false,
  fields: [['state', 'a"b']],
} as const

const mainOf = (page: string): string => /<main>\n(.*)<\/main>/s.exec(page)?.[1] ?? ''

t.test(
  'spec, Authorize 7: the consent page names user, client, scope, redirect URI and its host',
  async (t) => {
    t.equal(
      mainOf(consentPage(view)),
      `<h1>Allow access?</h1>
<p><strong>A client</strong> asks to use this service as you.</p>
<dl>
<dt>Signed in as</dt><dd>Ada</dd>
<dt>Application</dt><dd>A client</dd>
<dt>Scope</dt><dd>api</dd>
<dt>Sends you to</dt><dd>client.example</dd>
<dt>Redirect address</dt><dd><code>https://client.example/cb</code></dd>
</dl>

<form method="post" action="/oauth/authorize">
<input type="hidden" name="state" value="a&quot;b">

<div class="actions">
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</div>
</form>
`,
    )
    const more = mainOf(consentPage({ ...view, clientHost: 'pub.example', isLoopback: true }))
    t.match(
      more,
      '<dt>Application</dt><dd>A client</dd>\n<dt>Published by</dt><dd>pub.example</dd>\n<dt>Scope</dt>',
    )
    t.match(more, '<p class="warning" role="note">This application runs on your own computer')
  },
)

t.test('spec, Sign-in: the page lists the providers, or says that there is none', async (t) => {
  t.equal(
    mainOf(signInPage(['acme', 'dev'], 'Ada')),
    `<h1>Sign in</h1>
<p>You are signed in as <strong>Ada</strong>.</p>
<form method="post" action="/auth/sign-out"><button type="submit">Sign out</button></form>
<nav aria-label="Sign-in providers">
<ul class="providers" role="list">
<li><a href="/auth/acme">Sign in with acme</a></li>
<li><a href="/auth/dev">Sign in with dev</a></li>
</ul>
</nav>
`,
  )
  t.equal(mainOf(signInPage([], null)), '<h1>Sign in</h1>\n<p>No way to sign in is configured.</p>\n')
})

t.test(
  'decisions, consent and sign-in pages: the headers, and the stricter policy in the page',
  async (t) => {
    const w = await world(t)
    const browser = await signedInBrowser(w)
    const consent = await w.call('GET', query(authorizeParameters(await register(w))), { browser })
    for (const page of [consent, await w.call('GET', '/auth/')]) {
      t.strictSame(
        [page.status, page.headers],
        [
          200,
          {
            'cache-control': 'no-store',
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': "frame-ancestors 'none'",
            'x-frame-options': 'DENY',
            'x-content-type-options': 'nosniff',
            'referrer-policy': 'same-origin',
          },
        ],
      )
      const body = String(page.body)
      const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      t.equal(
        /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(body)?.[1],
        `default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;; base-uri &#39;none&#39;`,
      )
      t.notMatch(body, /<script|\son\w+=|javascript:/i)
    }
  },
)

const textOf = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

t.test('style, 10: whatever the value, the html tag prints it as text', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const { markup } = html`<a title="${value}">${[value, [value]]}</a>`
      const [, title = '', content = ''] = /^<a title="([^"<>']*)">([^"<>']*)<\/a>$/.exec(markup) ?? []
      return textOf(title) === value && textOf(content) === value + value
    }),
    { numRuns: 5_000, seed: 1 },
  )
  const forged = JSON.parse('{"markup":"<script>"}')
  t.throws(() => html`${forged}`, new TypeError('not printable as HTML'))
  t.equal(html`${null}${7}${html`<b>`}`.markup, '7<b>')
})
