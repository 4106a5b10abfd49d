/** "Use another account" on the consent page: signing out of this service, and back to the same authorization request.
 *  Source: rules.md, Authorize 6 and 7. */
import t from 'tap'
import { openFakeGithub } from '../support/fake-github.ts'
import {
  authorizeParameters,
  type Browser,
  baseUrl,
  location,
  newBrowser,
  query,
  register,
  signedInBrowser,
  type World,
  world,
} from '../support/harness.ts'

const text = (markup: string): string =>
  markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The hidden fields of the page's form with that action. */
function fieldsOf(page: unknown, action: string): Readonly<Record<string, string>> {
  const forms = String(page).match(/<form .*?<\/form>/gs) ?? []
  const form = forms.find((word) => word.includes(`action="${action}"`)) ?? ''
  const inputs = [...form.matchAll(/name="(\w+)" value="([^"]*)">/g)]
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, text(value)]))
}

const signOut = (w: World, browser: Browser, form: Readonly<Record<string, string>> | string) =>
  w.call('POST', '/auth/sign-out', { browser, form })

const hostile = `"><b>&amp;' ä€ +%26`

t.test('pages, use another account: every parameter of the request survives', async (t) => {
  const w = await world(t)
  const browser = await signedInBrowser(w)
  const request = {
    ...authorizeParameters(await register(w)),
    scope: 'api api',
    state: hostile,
    resource: `${baseUrl}/mcp?a=1&b=${hostile}`,
  }
  const first = await w.call('GET', query(request), { browser })
  const requested = fieldsOf(first.body, '/oauth/authorize')
  const { return_to: returnTo = '', ...others } = fieldsOf(first.body, '/auth/sign-out')
  t.strictSame(others, {})
  t.strictSame(Object.fromEntries(new URL(returnTo, baseUrl).searchParams), request)

  const left = await signOut(w, browser, { return_to: returnTo })
  t.strictSame([left.status, location(left)], [303, returnTo])
  t.equal(browser.get('user_id'), undefined, 'nobody is signed in')
  t.equal(browser.get('csrf_token'), undefined, 'nothing of the old session is left')
  const back = await w.call('GET', returnTo, { browser })
  t.strictSame([back.status, location(back)], [303, '/auth'])
  const signedIn = await w.call('GET', '/auth/dev', { browser })
  t.equal(location(signedIn), returnTo)
  const again = await w.call('GET', returnTo, { browser })
  const { csrf_token: csrfToken, ...rest } = fieldsOf(again.body, '/oauth/authorize')
  t.not(csrfToken, requested.csrf_token)
  t.strictSame({ ...rest, csrf_token: requested.csrf_token }, requested)
  t.strictSame(
    [...browser.values.keys()],
    ['user_id', 'csrf_token'],
    'the wish for another account is used up',
  )
})

t.test('pages, use another account: a request that came as a form comes back as a query', async (t) => {
  const w = await world(t)
  const browser = await signedInBrowser(w)
  const request = authorizeParameters(await register(w))
  const form = { ...request, decision: 'perhaps', csrf_token: 'no', unknown: 'x' }
  const page = await w.call('POST', '/oauth/authorize', { browser, form })
  t.equal(fieldsOf(page.body, '/auth/sign-out').return_to, query(request))
})

const elsewhere = [
  '//evil.example/oauth/authorize?x',
  '/\\evil.example/oauth/authorize?x',
  'https://evil.example/oauth/authorize?x',
  ' /oauth/authorize?x',
  '/oauth/authorize',
  '/oauth/authorized?x',
  '/oauth/authorize/../../evil?x',
  '/oauth/authorize?x\r\nset-cookie: a=b',
  '/oauth/authorize?ä',
  '/auth',
  '/notes',
  '',
]

t.test(
  'pages, use another account: no other address is gone to, and the session ends all the same',
  async (t) => {
    const w = await world(t)
    const forms = [
      ...elsewhere.map((returnTo) => ({ return_to: returnTo })),
      'return_to=%2Foauth%2Fauthorize%3Fx&return_to=%2Foauth%2Fauthorize%3Fx',
      { return_to: `/oauth/authorize?${'x'.repeat(8193 - '/oauth/authorize?'.length)}` },
      { return_to: `/oauth/authorize?${'x'.repeat(30_000)}` },
      { return_to: `/oauth/authorize?${'x'.repeat(40_000)}` },
    ]
    for (const form of forms) {
      const browser = await signedInBrowser(w)
      const outcome = await signOut(w, browser, form)
      const what = JSON.stringify(form).slice(0, 80)
      t.strictSame([outcome.status, location(outcome), [...browser.values]], [303, '/auth', []], what)
    }
    const browser = await signedInBrowser(w)
    const outcome = await w.call('POST', '/auth/sign-out', {
      browser,
      raw: '{"return_to":"/oauth/authorize?x"}',
      contentType: 'application/json',
    })
    t.strictSame([outcome.status, location(outcome), [...browser.values]], [303, '/auth', []], 'a JSON body')
  },
)

t.test(
  'pages, use another account: the provider is told to ask which account, until one is signed in',
  async (t) => {
    const github = await openFakeGithub()
    t.teardown(github.close)
    const own = { clientId: 'c', clientSecret: 's' }
    const w = await world(t, { providers: { github: { ...own, addresses: github.addresses } } })
    const promptOf = async (browser: Browser): Promise<string | null> =>
      new URL(location(await w.call('GET', '/auth/github', { browser }))).searchParams.get('prompt')
    const browser = newBrowser()
    t.equal(await promptOf(browser), null, 'a stranger')
    await w.call('GET', '/auth/dev', { browser })
    t.equal(await promptOf(browser), 'select_account', 'somebody who is signed in')
    await signOut(w, browser, {})
    t.equal(await promptOf(browser), null, 'signed out')
    await w.call('GET', '/auth/dev', { browser })
    await signOut(w, browser, { return_to: query(authorizeParameters(await register(w))) })
    t.equal(await promptOf(browser), 'select_account', 'signed out for another account')
    t.equal(await promptOf(browser), 'select_account', 'also after going back')
  },
)

t.test(
  'pages, use another account: a stranger is sent back and leaves no session, so that nobody fills the store',
  async (t) => {
    const w = await world(t)
    const returnTo = query(authorizeParameters(await register(w)))
    const longest = `/oauth/authorize?${'x'.repeat(8192 - '/oauth/authorize?'.length)}`
    for (const to of [returnTo, longest]) {
      const browser = newBrowser()
      const outcome = await signOut(w, browser, { return_to: to })
      t.strictSame([outcome.status, location(outcome), [...browser.values]], [303, to, []])
    }
    const browser = await signedInBrowser(w)
    for (const _ of ['once', 'and by a double click']) await signOut(w, browser, { return_to: returnTo })
    t.strictSame([...browser.values], [['other_account', true]], 'who was signed in is asked which account')
  },
)
