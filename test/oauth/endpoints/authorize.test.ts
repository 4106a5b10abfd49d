import { sql } from 'kysely'
import t from 'tap'
import { html } from '../../../templates/html.ts'
import {
  authorizeParameters,
  baseUrl,
  challenge,
  decide,
  location,
  newBrowser,
  oauthError,
  payloadOf,
  query,
  redirectUri,
  register,
  seen,
  signedInBrowser,
  start,
  world,
} from '../support/harness.ts'

const unknown = oauthError('invalid_request', 'unknown client or redirect_uri')
const pkce = oauthError('invalid_request', 'PKCE with S256 is required')

t.test('spec, Authorize 1 to 5: each error, as JSON, in order', async (t) => {
  const w = await world(t)
  const good = authorizeParameters(await register(w))
  const evil = 'https://evil.example/'
  const everythingWrong = { response_type: 'x', code_challenge: '', scope: 'x', resource: evil }
  const cases: readonly [string, Record<string, string>, readonly [number, unknown]][] = [
    ['1 unknown client', { client_id: 'nobody', ...everythingWrong }, unknown],
    ['1 absent client', { client_id: '' }, unknown],
    ['1 foreign redirect_uri', { redirect_uri: evil, ...everythingWrong }, unknown],
    ['1 absent redirect_uri', { redirect_uri: '' }, unknown],
    ['2 response_type', everythingWrong, oauthError('unsupported_response_type')],
    ['2 empty response_type', { response_type: '' }, oauthError('unsupported_response_type')],
    ['3 no challenge', { ...everythingWrong, response_type: 'code' }, pkce],
    ['3 plain', { code_challenge_method: 'plain' }, pkce],
    ['3 no method', { code_challenge_method: '' }, pkce],
    ['4 resource', { resource: evil, scope: 'x' }, oauthError('invalid_target')],
    [
      '4 resource that only starts alike',
      { resource: `${baseUrl}.evil.example` },
      oauthError('invalid_target'),
    ],
    ['5 scope', { scope: 'api admin' }, oauthError('invalid_scope')],
  ]
  for (const [name, change, expected] of cases) {
    for (const browser of [newBrowser(), await signedInBrowser(w)]) {
      const outcome = await w.call('GET', query({ ...good, ...change }), { browser })
      t.strictSame([seen(outcome), outcome.headers.location], [expected, undefined], name)
    }
  }
})

t.test(
  'authorize: a parameter given twice, in query or across query and body, is invalid_request',
  async (t) => {
    const w = await world(t)
    const good = authorizeParameters(await register(w))
    const twice = oauthError('invalid_request', 'a parameter is given more than once')
    t.strictSame(seen(await w.call('GET', `${query(good)}&state=a&state=b`)), twice)
    t.strictSame(seen(await w.call('POST', query(good), { form: { client_id: 'x' } })), twice)
  },
)

t.test(
  'spec, Authorize 2; decisions, missing required OAuth parameter: absent is invalid_request, empty is a value',
  async (t) => {
    const w = await world(t)
    const { response_type: _, ...rest } = authorizeParameters(await register(w))
    t.strictSame(
      seen(await w.call('GET', query(rest))),
      oauthError('invalid_request', 'response_type is required'),
    )
    t.strictSame(
      seen(await w.call('GET', query({ ...rest, response_type: '' }))),
      oauthError('unsupported_response_type'),
    )
  },
)

t.test('spec, Authorize 6: return_to is path and query as they were sent', async (t) => {
  const w = await world(t)
  const provided = query(authorizeParameters(await register(w)))
  const sent = `${provided}&state=a%20b+c%2B~'%7E&x=%zz&&=&unknown=${'x'.repeat(3000)}`
  for (const url of [sent, sent.replace('/authorize?', '/authorize/?')]) {
    const browser = newBrowser()
    t.equal((await w.call('GET', url, { browser })).status, 303)
    t.equal(browser.get('return_to'), url)
    t.equal(location(await w.call('GET', '/auth/dev', { browser })), url, 'and there the browser goes')
  }
  const browser = newBrowser()
  await w.call('GET', `${provided}&state=\u00e9`, { browser })
  t.equal(browser.get('return_to'), `${provided}&state=%E9`, 'a byte that no header carries is escaped')
})

t.test('unauthenticated POST: only the eight parameters are kept', async (t) => {
  const w = await world(t)
  const known = { ...authorizeParameters(await register(w)), scope: 'api', state: 's', resource: baseUrl }
  const browser = newBrowser()
  const junk = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, 'x'.repeat(90)]))
  const form = { ...junk, ...known, decision: 'allow', csrf_token: 'x' }
  t.equal((await w.call('POST', '/oauth/authorize', { browser, form })).status, 303)
  const kept = new URL(String(browser.get('return_to')), baseUrl)
  t.strictSame([kept.pathname, Object.fromEntries(kept.searchParams)], ['/oauth/authorize', known])
})

t.test('spec, Authorize 6: without a user, return_to is stored and the answer is 303 to /auth', async (t) => {
  const w = await world(t)
  const good = { ...authorizeParameters(await register(w)), state: 'a b' }
  const browser = newBrowser()
  const outcome = await w.call('GET', query(good), { browser })
  t.strictSame([outcome.status, location(outcome), browser.get('return_to')], [303, '/auth', query(good)])
  const form = { ...good, resource: '', decision: 'allow', csrf_token: 'x' }
  t.equal((await w.call('POST', '/oauth/authorize', { browser, form })).status, 303)
  t.equal(browser.get('return_to'), query(good), 'a form comes back as a query without the decision')
  browser.set('user_id', 'gone:1')
  t.equal(
    (await w.call('GET', query(good), { browser })).status,
    303,
    'a user who no longer exists is not signed in',
  )
})

t.test('spec, Authorize 7: the consent page, its headers, fields and escaping', async (t) => {
  const w = await world(t)
  const clientId = await register(w)
  const browser = await signedInBrowser(w)
  const hostile = '"><script>alert(1)</script>'
  const outcome = await w.call('GET', query({ ...authorizeParameters(clientId), state: hostile }), {
    browser,
  })
  const body = String(outcome.body)
  t.strictSame(
    [outcome.status, outcome.headers['content-security-policy'], outcome.headers['cache-control']],
    [200, "frame-ancestors 'none'", 'no-store'],
  )
  t.notMatch(body, '<script')
  const csrf = String(browser.get('csrf_token'))
  t.match(csrf, /^[A-Za-z0-9_-]{43}$/)
  const [form = ''] = /<form [^>]*action="\/oauth\/authorize".*?<\/form>/s.exec(body) ?? []
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map((m) => [
    m[1],
    m[2],
  ])
  t.strictSame(fields, [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['code_challenge', challenge],
    ['code_challenge_method', 'S256'],
    ['scope', 'api'],
    ['state', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['resource', ''],
    ['csrf_token', csrf],
  ])
  t.match(body, '<dt>Signed in as</dt><dd><strong>Developer</strong></dd>')
  t.match(body, '<strong>Client &lt;&amp;&quot;&#39;&gt;</strong> asks to use <strong>Notes</strong> as you.')
  t.match(body, 'use everything that you may use here, as you <code>api</code>')
  t.match(body, '<dt>Sends you to</dt><dd><strong>client.example</strong>')
  t.match(body, `<code>${redirectUri}</code>`)
  t.match(body, '<form method="post" action="/oauth/authorize">')
  t.match(form, '<button type="submit" name="decision" value="allow" class="primary">')
  t.match(form, '<button type="submit" name="decision" value="deny" class="secondary">')
  t.notMatch(body, 'class="notice')
  t.notMatch(body, 'form-action')
})

t.test('spec, Authorize 7: client id without a name, a warning on loopback, any loopback port', async (t) => {
  const w = await world(t)
  const clientId = await register(w, { client_name: '', redirect_uris: ['http://127.0.0.1/cb'] })
  const browser = await signedInBrowser(w)
  const parameters = { ...authorizeParameters(clientId), redirect_uri: 'http://127.0.0.1:4711/cb' }
  const body = String((await w.call('GET', query(parameters), { browser })).body)
  t.match(body, `<strong>${clientId}</strong> asks to use`)
  t.match(body, '<dd><strong>127.0.0.1:4711</strong>')
  t.match(body, 'class="notice warning"')
})

t.test(
  'spec, Authorize 7; decisions, easy to miss: without a genuine decision the page is shown again, with 200',
  async (t) => {
    const w = await world(t)
    const parameters = authorizeParameters(await register(w))
    const browser = await signedInBrowser(w)
    const cases: readonly Record<string, string>[] = [
      { decision: 'allow', csrf_token: '' },
      { decision: 'allow', csrf_token: 'x'.repeat(43) },
      { decision: 'Allow' },
      { decision: 'allow ' },
      {},
    ]
    for (const changes of cases) {
      const outcome = await decide(w, browser, parameters, changes)
      t.strictSame([outcome.status, outcome.headers.location], [200, undefined], JSON.stringify(changes))
      t.match(outcome.body, 'name="csrf_token"')
      t.equal(String(outcome.body).includes('Please answer again.'), 'decision' in changes)
    }
    const csrf_token = String(browser.get('csrf_token'))
    const get = await w.call('GET', query({ ...parameters, decision: 'allow', csrf_token }), { browser })
    t.equal(get.status, 200, 'a GET never decides')
    t.notMatch(get.body, 'Please answer again.', 'and nobody has answered')
    const stranger = await signedInBrowser(w)
    const other = await w.call('POST', '/oauth/authorize', {
      browser: stranger,
      form: { ...parameters, decision: 'allow', csrf_token },
    })
    t.equal(other.status, 200, 'the token of another session does not count')
    t.equal(browser.get('csrf_token'), csrf_token, 'once per session')
  },
)

t.test(
  'spec, Authorize 8; decisions, redirect status and iss: deny redirects with 303, access_denied, state and iss; empty state is omitted',
  async (t) => {
    const w = await world(t)
    const redirect_uri = 'https://client.example/cb?keep=%20me'
    const parameters = {
      ...authorizeParameters(await register(w, { redirect_uris: [redirect_uri] })),
      redirect_uri,
    }
    const browser = await signedInBrowser(w)
    const deny = { decision: 'deny' }
    const outcome = await decide(w, browser, { ...parameters, state: 's t' }, deny)
    const iss = encodeURIComponent(baseUrl)
    t.strictSame(
      [outcome.status, location(outcome)],
      [303, `${redirect_uri}&error=access_denied&iss=${iss}&state=s+t`],
    )
    t.equal(
      location(await decide(w, browser, parameters, deny)),
      `${redirect_uri}&error=access_denied&iss=${iss}`,
    )
  },
)

t.test(
  'spec, Authorize 9 and Token claims; decisions, redirect status and iss: allow redirects with 303, code, state and iss; the code carries the listed claims',
  async (t) => {
    const w = await world(t)
    const clientId = await register(w)
    const parameters = {
      ...authorizeParameters(clientId),
      state: 'xyz',
      scope: 'api api',
      resource: `${baseUrl}/mcp`,
    }
    const outcome = await decide(w, await signedInBrowser(w), parameters)
    const url = new URL(location(outcome))
    t.equal(outcome.status, 303)
    const { rows } = await sql`select scope, resource from acmcp_grants`.execute(w.store.database)
    t.strictSame(
      rows,
      [{ scope: 'api', resource: `${baseUrl}/mcp` }],
      'the resource is recorded with the grant',
    )
    t.equal(`${url.origin}${url.pathname}`, redirectUri)
    t.strictSame([...url.searchParams.keys()], ['code', 'iss', 'state'])
    t.strictSame([url.searchParams.get('state'), url.searchParams.get('iss')], ['xyz', baseUrl])
    const { jti, code, ...claims } = payloadOf(url.searchParams.get('code'))
    t.match(jti, /^[0-9a-f]{64}$/)
    t.match(code, /^[0-9a-f]{32}$/)
    t.strictSame(claims, {
      client_id: clientId,
      challenge,
      method: 'S256',
      scope: 'api',
      user_id: 'dev:developer',
      redirect_uri: redirectUri,
      iss: baseUrl,
      iat: start / 1000,
      exp: start / 1000 + 300,
    })
  },
)

t.test('html: values are escaped, markup and lists pass, look-alikes do not', async (t) => {
  const list = ['a', '<'].map((text) => html`<li>${text}</li>`)
  t.equal(
    html`<p title="${`"'&`}">${null}${1}${list}</p>`.markup,
    '<p title="&quot;&#39;&amp;">1<li>a</li><li>&lt;</li></p>',
  )
  t.throws(() => html`${JSON.parse('{"markup":"<script>"}')}`)
})
