/** The pages as text: headers, policy and escaping. Source: rules.md, Authorize 7; rules.md, consent and sign-in pages.
 *  `test/flow/browser.test.ts` looks at them in a browser. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { html } from '../../../templates/html.ts'
import { consentPage } from '../../../templates/pages/consent.ts'
import { signInPage } from '../../../templates/pages/sign-in.ts'
import { authorizeParameters, query, register, signedInBrowser, world } from '../support/harness.ts'

const service = { name: 'Notes', host: 'app.example' }

const view = {
  service,
  userName: 'Ada',
  clientName: 'A client',
  clientHost: null,
  isSetUpHere: false,
  scopes: [{ name: 'api', text: 'do all' }],
  redirectUri: 'https://client.example/cb',
  redirectHost: 'client.example',
  isLoopback: false,
  nativeScheme: null,
  ticks: null,
  again: null,
  returnTo: '/oauth/authorize?a=1&b=2',
  fields: [['state', 'a"b']],
} as const

const mainOf = (page: string): string => /<main>\n(.*)<\/main>/s.exec(page)?.[1] ?? ''

t.test(
  'spec, Authorize 7: the consent page names user, client, scope, redirect URI and its host',
  async (t) => {
    t.equal(
      mainOf(consentPage(view)),
      `<h1>Allow access?</h1>
<p class="lead"><strong>A client</strong> asks to use <strong>Notes</strong> as you.</p>
<dl class="definitions">
<div><dt>Signed in as</dt><dd><strong>Ada</strong></dd></div>
<div><dt>Published by</dt><dd><span class="muted">Not known: the application gave its name itself.</span></dd></div>
<div><dt>It may</dt><dd><span class="permission">do all <code>api</code></span></dd></div>
<div><dt>Sends you to</dt><dd><strong>client.example</strong><span class="note"><code>https://client.example/cb</code></span></dd></div>
</dl>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="state" value="a&quot;b">
<div class="actions">
<button type="submit" name="decision" value="allow" class="primary">Allow</button>
<button type="submit" name="decision" value="deny" class="secondary">Deny</button>
</div>
</form>
<form method="post" action="/auth/sign-out" class="other">
<input type="hidden" name="return_to" value="/oauth/authorize?a=1&amp;b=2">
<span>Not Ada?</span> <button type="submit" class="quiet">Use another account</button>
</form>

`,
    )
    const more = mainOf(
      consentPage({ ...view, clientHost: 'pub.example', isLoopback: true, again: 'unusable' }),
    )
    t.match(more, '<div><dt>Published by</dt><dd><strong>pub.example</strong></dd></div>\n')
    t.match(
      more,
      '<div class="notice warning" role="note">\n<strong>This application runs on your own computer.</strong>',
    )
    t.match(
      more,
      '<h1>Allow access?</h1>\n<div class="notice error" role="note">\n<strong>Please answer again.',
    )
    t.match(
      mainOf(consentPage({ ...view, redirectUri: `https://client.example/${'x'.repeat(200)}` })),
      '<div class="address" tabindex="0" role="region" aria-label="Redirect address"><code>https://client.example/xx',
    )
  },
)

t.test('spec, Sign-in: the page lists the providers, or says that there is none', async (t) => {
  const acme = { service, providers: [{ name: 'a/b', label: 'Acme' }], devLogin: true, userName: 'Ada' }
  const links = (kind: string): string => `<nav aria-label="Ways to sign in">
<ul class="plain stack" role="list">
<li><a class="button ${kind}" href="/auth/a%2Fb">Sign in with Acme</a></li>
<li><a class="button ${kind}" href="/auth/dev">Sign in as Developer</a><span class="note">For development: asks for no password.</span></li>
</ul>
</nav>

`
  t.equal(
    mainOf(signInPage(acme)),
    `<h1>You are signed in</h1>
<p class="lead">You are signed in as <strong>Ada</strong>. You can close this page.</p>
<p><a href="/auth/connections">Connected apps</a></p>
<form method="post" action="/auth/sign-out"><button type="submit" class="secondary">Sign out</button></form>
<h2>Use another account</h2>
${links('secondary')}`,
  )
  const lead = (text: string): string =>
    `<h1>Sign in</h1>\n<p class="lead">${text} <strong>Notes</strong>.</p>\n`
  t.equal(
    mainOf(signInPage({ ...acme, userName: null })),
    lead('Choose how to sign in to') + links('secondary'),
  )
  const onlyDev = mainOf(signInPage({ ...acme, providers: [], userName: null }))
  t.equal(onlyDev, lead('Sign in to use') + links('primary').replace(/<li>.*a%2Fb.*\n/, ''))
  t.equal(
    mainOf(signInPage({ service, providers: [], devLogin: false, userName: null })),
    `<h1>Sign in</h1>
<div class="notice info" role="note">
<strong>Nobody can sign in here yet.</strong>
No way to sign in is configured. Whoever runs this service can add one.
</div>

`,
  )
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
