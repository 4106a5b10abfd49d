/** Attacks on the browser session and on consent. Source: rules.md, Authorize 6 and 7, Sign-in; rules.md, Easy to miss. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import t from 'tap'
import type { TestClient } from '../../../runtime/testing.ts'
import {
  answerOf,
  authorizeUrl,
  breaches,
  consentForm,
  csrfIn,
  openScene,
  redirectUri,
  refused,
  registerClient,
  type Scene,
  send,
} from '../support/scene.ts'

type Form = Readonly<Record<string, string>>

const cookieName = 'acmcp_session'
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends the consent form under one cookie, outside of any browser. */
async function consent(s: Scene, form: Form, cookie: string | null): Promise<LightMyRequestResponse> {
  const request: InjectOptions = {
    method: 'POST',
    url: '/oauth/authorize',
    headers: formType,
    payload: new URLSearchParams(form).toString(),
    cookies: cookie === null ? {} : { [cookieName]: cookie },
  }
  const answer = await send(s, request)
  return answer
}

const cookieOf = (answer: LightMyRequestResponse): string =>
  answer.cookies.find(({ name }) => name === cookieName)?.value ?? ''

/** The consent page, shown again: status 200, no redirect, a token for the next attempt. */
const isPage = (answer: LightMyRequestResponse): boolean =>
  answer.statusCode === 200 && answer.headers.location === undefined && csrfIn(answer) !== ''

/** To the sign-in, without anything else. */
const toSignIn = [303, '', '/auth']

t.test('attacks on consent: without the genuine token and decision the page is shown again', async (t) => {
  const s = await openScene(t)
  const form = await consentForm(s)
  const stranger = await consentForm(s, s.app.client())
  const cases: readonly (readonly [string, Form])[] = [
    ['no CSRF token', { ...form, csrf_token: '', decision: 'allow' }],
    ['a guessed CSRF token', { ...form, csrf_token: 'x'.repeat(43), decision: 'allow' }],
    [
      'the CSRF token of another session',
      { ...form, csrf_token: stranger.csrf_token ?? '', decision: 'allow' },
    ],
    [
      'a CSRF token cut short',
      { ...form, csrf_token: form.csrf_token?.slice(0, -1) ?? '', decision: 'allow' },
    ],
    ['a CSRF token followed by a space', { ...form, csrf_token: `${form.csrf_token} `, decision: 'allow' }],
    ['no decision', form],
    ['the decision ALLOW', { ...form, decision: 'ALLOW' }],
    ['the decision yes', { ...form, decision: 'yes' }],
    ['the decision allow,deny', { ...form, decision: 'allow,deny' }],
    ['the decision __proto__', { ...form, decision: '__proto__' }],
    ['a list of decisions', { ...form, 'decision[]': 'allow' }],
  ]
  for (const [name, sent] of cases) {
    const answer = await s.client.submit('/oauth/authorize', sent)
    t.ok(isPage(answer), name)
    t.equal(csrfIn(answer), form.csrf_token, `${name}: once per session`)
    t.strictSame(breaches({ url: '/oauth/authorize' }, answer), [], name)
  }
  const link = await s.client.get(authorizeUrl({ ...form, decision: 'allow' }))
  t.ok(isPage(link), 'a link never decides')
  const both = await s.client.request({
    method: 'POST',
    url: '/oauth/authorize',
    headers: formType,
    payload: `${new URLSearchParams({ ...form })}&decision=allow&decision=deny`,
  })
  t.strictSame(
    answerOf(both),
    refused('invalid_request', 'a parameter is given more than once'),
    'both decisions',
  )
})

t.test('attacks on consent: a form changed on its way is judged anew', async (t) => {
  const s = await openScene(t)
  const form = { ...(await consentForm(s)), decision: 'allow' }
  const other = await registerClient(s.client, { redirect_uris: ['https://other.example/cb'] })
  const unknown = refused('invalid_request', 'unknown client or redirect_uri')
  const changes: readonly (readonly [Form, readonly unknown[]])[] = [
    [{ redirect_uri: 'https://evil.example/' }, unknown],
    [{ client_id: other }, unknown],
    [{ client_id: 'nobody' }, unknown],
    [{ response_type: 'token' }, refused('unsupported_response_type')],
    [{ code_challenge: '' }, refused('invalid_request', 'PKCE with S256 is required')],
    [{ resource: 'https://evil.example' }, refused('invalid_target')],
    [{ scope: 'api admin' }, refused('invalid_scope')],
  ]
  for (const [change, expected] of changes) {
    const answer = await s.client.submit('/oauth/authorize', { ...form, ...change })
    t.strictSame(answerOf(answer), expected, JSON.stringify(change))
  }
})

t.test(
  'attacks on the session: a decision without the session that was asked goes to the sign-in',
  async (t) => {
    const s = await openScene(t)
    const signedIn = await s.client.get('/auth/dev')
    const cookie = cookieOf(signedIn)
    const form = { ...(await consentForm(s, s.client)), decision: 'allow' }
    const [id = '', signature = ''] = cookie.split('.')
    const cookies: readonly (readonly [string, string | null])[] = [
      ['no cookie', null],
      ['an empty cookie', ''],
      ['a made-up cookie', 'made-up'],
      ['an unsigned id', id],
      ['an id with another signature', `${id}.${'A'.repeat(43)}`],
      ['a signature cut short', `${id}.${signature.slice(0, -2)}`],
      ['another id under the signature', `${'B'.repeat(id.length)}.${signature}`],
      ['a cookie of 4 KB', 'c'.repeat(4000)],
      ['a cookie that is JSON', encodeURIComponent('{"user_id":"dev:developer"}')],
    ]
    for (const [name, value] of cookies) {
      const answer = await consent(s, form, value)
      t.strictSame(answerOf(answer), toSignIn, name)
      t.strictSame(breaches({ url: '/oauth/authorize' }, answer), [], name)
    }
  },
)

t.test('attacks on the session: fixation: signing in gives a new id, the old one stays nobody', async (t) => {
  const s = await openScene(t)
  const attacker = await send(s, { url: authorizeUrl(s.request) })
  const fixed = cookieOf(attacker)
  t.not(fixed, '')
  const victim = await send(s, { url: '/auth/dev', cookies: { [cookieName]: fixed } })
  const fresh = cookieOf(victim)
  t.not(fresh, '')
  t.not(fresh.split('.')[0], fixed.split('.')[0])
  const asAttacker = await send(s, { url: authorizeUrl(s.request), cookies: { [cookieName]: fixed } })
  t.strictSame(answerOf(asAttacker), toSignIn)
  t.ok(isPage(await send(s, { url: authorizeUrl(s.request), cookies: { [cookieName]: fresh } })))
})

t.test('attacks on the session: a second sign-in ends the first id', async (t) => {
  const s = await openScene(t)
  const first = cookieOf(await send(s, { url: '/auth/dev' }))
  const second = cookieOf(await send(s, { url: '/auth/dev', cookies: { [cookieName]: first } }))
  t.strictSame(
    answerOf(await send(s, { url: authorizeUrl(s.request), cookies: { [cookieName]: first } })),
    toSignIn,
  )
  t.ok(isPage(await send(s, { url: authorizeUrl(s.request), cookies: { [cookieName]: second } })))
})

t.test('attacks on the session: return_to never leaves this host', async (t) => {
  const s = await openScene(t)
  const browser: TestClient = s.app.client()
  const urls = [
    `//evil.example/oauth/authorize?${new URLSearchParams({ ...s.request })}`,
    `/oauth/authorize/..//evil.example?${new URLSearchParams({ ...s.request })}`,
    '/\\evil.example',
  ]
  for (const url of urls) t.not((await browser.get(url)).statusCode, 303, url)
  t.equal((await browser.get('/auth/dev?return_to=https://evil.example')).headers.location, '/auth')
  const hostile = { ...s.request, state: 'https://evil.example/\r\nSet-Cookie: a=b' }
  const other = s.app.client()
  t.equal((await other.get(authorizeUrl(hostile))).headers.location, '/auth')
  const back = await other.get('/auth/dev')
  t.equal(back.headers.location, authorizeUrl(hostile), 'a path of ours, escaped')
})

t.test(
  'attacks on the session: the cookie is HttpOnly, SameSite=Lax, and Secure with __Host- on https',
  async (t) => {
    const attributes = async (baseUrl: string): Promise<readonly unknown[]> => {
      const s = await openScene(t, { environment: { baseUrl, devLogin: true } })
      const [cookie] = (await send(s, { url: '/auth/dev' })).cookies
      return [cookie?.name, cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.secure, cookie?.domain]
    }
    t.strictSame(await attributes('http://localhost:3000'), [
      cookieName,
      true,
      'Lax',
      '/',
      undefined,
      undefined,
    ])
    t.strictSame(await attributes('https://notes.example'), [
      `__Host-${cookieName}`,
      true,
      'Lax',
      '/',
      true,
      undefined,
    ])
  },
)

t.test('attacks on consent: deny tells the client nothing but access_denied', async (t) => {
  const s = await openScene(t)
  const answer = await s.client.submit('/oauth/authorize', { ...(await consentForm(s)), decision: 'deny' })
  const expected = `${redirectUri}&${new URLSearchParams({ error: 'access_denied', iss: s.app.baseUrl, state: 'a state' })}`
  t.strictSame(answerOf(answer), [303, '', expected])
})
