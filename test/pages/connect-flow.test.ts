/** The page at the MCP address in a real browser: signing in, reading and calling tools, signing out, and what an attacker
 *  tries. On a stranger's application with filters, several users and a plugin. */
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import type { User } from '../../runtime/contract/store.ts'
import { leaveChromium, noBrowser, sharedChromium } from '../support/chromium.ts'
import { Visits } from '../support/visits.ts'
import { signInThere } from './connect-cases.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

t.setTimeout(400_000)

const skip = { skip: noBrowser }
const ada: User = { id: 'acme:ada', name: 'Ada', email: null }
const bob: User = { id: 'acme:bob', name: 'Bob', email: null }

interface World extends Workshop {
  readonly browser: Browser
  readonly visits: Visits
}

let opened: Promise<World> | null = null

const world = (): Promise<World> => {
  opened ??= Promise.all([openWorkshop(), sharedChromium()]).then(([workshop, browser]) => ({
    ...workshop,
    browser,
    visits: new Visits(browser),
  }))
  return opened
}

t.teardown(async () => {
  const w = await opened
  await leaveChromium()
  await w?.app.close()
})

interface Visit {
  readonly page: Page
  readonly leave: () => Promise<void>
  /** What the console said, but for the status of the page itself. */
  readonly said: readonly string[]
  /** Every address that was asked. */
  readonly requested: readonly string[]
}

/** A context of its own, in which that user is signed in to the service. */
async function visit(w: World, user: User | null): Promise<Visit> {
  const page = await w.visits.open()
  if (user !== null) {
    const client = w.app.client()
    await client.signIn(user)
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: w.baseUrl }))
    await page.context().addCookies(cookies)
  }
  page.setDefaultTimeout(60_000)
  const said: string[] = []
  const requested: string[] = []
  page.on('console', (message) => {
    if (!/status of 401/.test(message.text())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  page.on('request', (request) => requested.push(request.url()))
  return { page, leave: () => w.visits.leave(page), said, requested }
}

/** Signs in by the button of the page; who has a session only allows. */
async function signIn(page: Page): Promise<void> {
  await page.click('[data-actions] button')
  await page.click('button[value=allow]')
  await page.waitForSelector('.toolbox')
}

const openTool = async (page: Page, name: string): Promise<void> => {
  await page.click(`.tool > summary:has-text("${name}")`)
  await page.waitForSelector(`form[aria-label="Call ${name}"]`)
}

const form = (name: string): string => `form[aria-label="Call ${name}"]`
const submit = (page: Page, name: string): Promise<void> => page.click(`${form(name)} [type=submit]`)
const stored = 'JSON.stringify(Object.keys(sessionStorage)) + JSON.stringify(Object.keys(localStorage))'

/** The pieces of an outcome, as texts. */
const outcome = async (page: Page, name: string): Promise<readonly string[]> => {
  await page.waitForSelector(`${form(name)} .outcome .notice`)
  return page.locator(`${form(name)} .outcome > :is(.notice, pre)`).allTextContents()
}

t.test(
  'a 401 page says how to connect, and its button signs in, lists, calls and signs out',
  skip,
  async (t) => {
    const w = await world()
    const { page, said, requested, leave } = await visit(w, null)
    const first = await page.goto(w.address)
    t.equal(first?.status(), 401)
    t.equal(await page.locator('.tool').count(), 0)
    t.notMatch(await page.textContent('main'), 'jobs_')
    await signInThere(page)
    t.equal(page.url(), w.address, 'the address holds no code any more')
    t.equal(await page.textContent('[data-user]'), 'dev:developer')
    t.equal(
      await page.evaluate(stored),
      '["acmcp.token"][]',
      'no refresh token, no verifier, nothing that outlives the tab',
    )

    await page.click('.toolbox > summary')
    await openTool(page, 'jobs_create')
    const [token] = [await page.evaluate(`sessionStorage.getItem('acmcp.token')`)]
    await page.reload()
    await page.waitForSelector('.toolbox')
    t.equal(
      await page.evaluate(`sessionStorage.getItem('acmcp.token')`),
      token,
      'a reload needs no new sign-in',
    )
    await page.click('[data-actions] button')
    await page.waitForSelector('text=The token is revoked.')
    t.equal(await page.evaluate(stored), '[][]')
    t.equal(await page.locator('.tool').count(), 0)
    const after = await fetch(`${w.baseUrl}/jobs/me`, { headers: { authorization: `Bearer ${token}` } })
    t.equal(after.status, 401, 'the token is no good any more')
    t.strictSame(said, [])
    t.strictSame(
      requested.filter((url) => !url.startsWith(w.baseUrl)),
      [],
      'nothing is asked of anybody else',
    )
    await leave()
  },
)

t.test(
  'every kind of argument has its control; what is wrong is told next to it; the call is a real one',
  skip,
  async (t) => {
    const w = await world()
    const { page, said, leave } = await visit(w, ada)
    await page.goto(w.address)
    await signIn(page)
    await page.click('.toolbox > summary')
    const name = 'jobs_create'
    await openTool(page, name)
    const controls = await page.locator(`${form(name)} :is(input, select, textarea)`).evaluateAll((all) =>
      // the browser's element type is not known here
      all.map((item) => (item as unknown as { type: string }).type),
    )
    const labels = await page.locator(`${form(name)} label`).allTextContents()
    t.strictSame(
      labels.map((label, index) => [label.trim(), controls[index]]),
      [
        ['title required', 'text'],
        ['count required', 'number'],
        ['isUrgent required', 'select-one'],
        ['kind required', 'select-one'],
        ['options required', 'textarea'],
        ['weight', 'number'],
        ['day', 'text'],
      ],
    )
    await submit(page, name)
    const wrongs = () => page.locator(`${form(name)} .wrong`).allTextContents()
    const needed = 'This argument is required.'
    t.strictSame(await wrongs(), [needed, needed, needed, needed, needed, '', ''])
    const fields = page.locator(`${form(name)} :is(input, select, textarea)`)
    await fields.nth(0).fill('<b>saw</b>')
    await fields.nth(1).fill('1.5')
    await fields.nth(2).selectOption('true')
    await fields.nth(3).selectOption('"file"')
    await fields.nth(4).fill('{ not JSON')
    await submit(page, name)
    t.strictSame(await wrongs(), ['', 'This is no whole number.', '', '', 'This is not JSON.', '', ''])
    await fields.nth(1).fill('2')
    await fields.nth(4).fill('{ "level": 3, "tags": [] }')
    await submit(page, name)
    await page.click('text=Call it now')
    const expected = {
      title: '<b>saw</b>',
      count: 2,
      isUrgent: true,
      kind: 'file',
      level: 3,
      weight: null,
      day: 'some day',
    }
    t.strictSame(await outcome(page, name), ['The tool answered. ', JSON.stringify(expected)])
    await page.click(`${form(name)} >> text=structuredContent`)
    const structured = await page.textContent(`${form(name)} pre[aria-label="structuredContent"]`)
    t.strictSame(JSON.parse(structured ?? ''), expected)

    await fields.nth(4).fill('{ "level": "loud", "tags": [] }')
    await submit(page, name)
    await page.click('text=Call it now')
    await page.waitForSelector(`${form(name)} .notice.error`)
    const [heading, text] = await outcome(page, name)
    t.equal(heading, 'isError: true A model reads this as a failed call.')
    t.match(text, /^400 Bad Request\n.*options\.level/)
    t.strictSame(said, [])
    await leave()
  },
)

t.test('what changes something asks once more; cancelling calls nothing', skip, async (t) => {
  const w = await world()
  const { page, requested, leave } = await visit(w, bob)
  await page.goto(w.address)
  await signIn(page)
  await page.click('.toolbox > summary')
  await openTool(page, 'jobs_clear')
  const calls = () => requested.filter((url) => url === w.address).length
  const before = calls()
  await submit(page, 'jobs_clear')
  t.match(await page.textContent(`${form('jobs_clear')} .notice`), 'It may delete or overwrite')
  t.equal(
    await page.evaluate('document.activeElement.textContent'),
    'Cancel',
    'the harmless choice has the focus',
  )
  await page.keyboard.press('Enter')
  t.equal(await page.textContent(`${form('jobs_clear')} .outcome`), '')
  t.equal(calls(), before)
  await submit(page, 'jobs_clear')
  await page.click('text=Call it now')
  t.match((await outcome(page, 'jobs_clear'))[1], /"key":"[0-9a-f-]{36}"/)
  await openTool(page, 'jobs_index')
  await submit(page, 'jobs_index')
  t.strictSame(
    (await outcome(page, 'jobs_index'))[1],
    '{"user":"acme:bob","jobs":[]}',
    'reading asks nothing',
  )
  await leave()
})

t.test('each browser calls as its own user, whatever cookie it has beside the token', skip, async (t) => {
  const w = await world()
  const visits = await Promise.all([ada, bob].map((user) => visit(w, user)))
  for (const { page } of visits) {
    await page.goto(w.address)
    await signIn(page)
    await openTool(page, 'jobs_index')
    await submit(page, 'jobs_index')
  }
  const users = await Promise.all(
    visits.map(async ({ page }) => JSON.parse((await outcome(page, 'jobs_index'))[1] ?? '{}').user),
  )
  t.strictSame(users, ['acme:ada', 'acme:bob'])
  for (const { leave } of visits) await leave()
})

t.test(
  'a token that is revoked elsewhere ends the sign-in, and the refusal is shown as a client gets it',
  skip,
  async (t) => {
    const w = await world()
    const { page, leave } = await visit(w, ada)
    await page.goto(w.address)
    await signIn(page)
    await openTool(page, 'jobs_index')
    const token = String(await page.evaluate(`sessionStorage.getItem('acmcp.token')`))
    const body = new URLSearchParams({ client_id: 'acmcp-pages', token })
    await fetch(`${w.baseUrl}/oauth/revoke`, { method: 'POST', body })
    await submit(page, 'jobs_index')
    await page.waitForSelector('text=Your sign-in has ended.')
    t.equal(await page.evaluate(stored), '[][]')
    t.equal(await page.textContent('[data-actions] button'), 'Sign in')
    await leave()
  },
)

t.test('denying comes back without a token, and says so', skip, async (t) => {
  const w = await world()
  const { page, leave } = await visit(w, ada)
  await page.goto(w.address)
  await page.click('[data-actions] button')
  await page.click('button[value=deny]')
  await page.waitForSelector('text=You did not allow it.')
  t.equal(page.url(), w.address)
  t.equal(await page.evaluate(stored), '[][]')
  await leave()
})

/** A code of Bob's for the page, as he could make one and send it to somebody: with the verifier he cannot send along. */
async function codeOf(w: World, user: User): Promise<URL> {
  const { page, leave } = await visit(w, user)
  const target = new Promise<URL>((found) => {
    page.on('request', (request) => {
      if (request.url().startsWith(`${w.address}?`)) found(new URL(request.url()))
    })
  })
  await page.goto(w.address)
  await page.route(`${w.address}?**`, (route) => route.abort())
  await page.click('[data-actions] button')
  await page.click('button[value=allow]', { noWaitAfter: true })
  const url = await target
  await leave()
  return url
}

t.test(
  'login CSRF: a code that was begun elsewhere signs nobody in, and leaves the address',
  skip,
  async (t) => {
    const w = await world()
    const evil = await codeOf(w, bob)
    t.ok(evil.searchParams.has('code'))
    const { page, requested, leave } = await visit(w, ada)
    const refused = async (url: string, label: string): Promise<void> => {
      await page.goto(url)
      await page.waitForSelector('text=This sign-in was not begun in this tab.')
      t.equal(page.url(), w.address, label)
      t.strictSame(
        requested.filter((text) => text.endsWith('/oauth/token')),
        [],
        'the code is not even sent',
      )
    }
    await refused(evil.href, 'in a tab that began none')
    const pending = `sessionStorage.setItem('acmcp.sign-in', JSON.stringify({ state: 'mine', verifier: 'v' }))`
    await page.evaluate(pending)
    await refused(evil.href, 'in a tab that began another')
    await page.evaluate(pending)
    evil.searchParams.set('state', 'mine')
    evil.searchParams.set('iss', 'https://evil.example')
    await refused(evil.href, 'from another issuer (RFC 9207)')
    t.equal(await page.evaluate(stored), '[][]', 'what was pending is gone, whatever came of it')
    await page.goto(`${w.address}?error=access_denied&error_description=<img src=x onerror=alert(1)>&state=x`)
    await page.waitForSelector('text=This sign-in was not begun in this tab.')
    await leave()
  },
)

t.test('the code stays in no address: neither history nor Referer has it', skip, async (t) => {
  const w = await world()
  const { page, leave } = await visit(w, ada)
  const referers: string[] = []
  page.on('request', (request) => {
    const { referer } = request.headers()
    if (referer !== undefined) referers.push(referer)
  })
  await page.goto(w.address)
  await signIn(page)
  await page.goBack()
  await page.goForward()
  t.equal(page.url(), w.address)
  t.strictSame(
    referers.filter((referer) => referer.includes('code=')),
    [],
  )
  await leave()
})

t.test(
  'texts of tools, arguments and answers are text: nothing of them runs, and a script that got in would not',
  skip,
  async (t) => {
    const w = await world()
    const { page, said, leave } = await visit(w, ada)
    await page.goto(w.address)
    await signIn(page)
    await page.click('.toolbox > summary')
    await openTool(page, 'jobs_create')
    await openTool(page, 'jobs_index')
    await submit(page, 'jobs_index')
    await outcome(page, 'jobs_index')
    t.match(await page.title(), /^Connect an AI client/)
    const main = await page.textContent('main')
    for (const shown of ['<b>workshop</b>', '<img src=x onerror=', '</textarea><script>'])
      t.ok(main?.includes(shown), shown)
    t.equal(await page.locator('main img, main script, main b').count(), 0)
    t.strictSame(said, [])
    const blocked = await page.evaluate(`(() => {
    const script = document.createElement('script')
    script.append("document.title = 'run'")
    document.body.append(script)
    let thrown = ''
    try { document.body.innerHTML = '<p>markup</p>' } catch (error) { thrown = error.name }
    return [document.title === 'run', thrown]
  })()`)
    t.strictSame(blocked, [false, 'TypeError'], 'no inline script, no markup from a string')
    await leave()
  },
)

t.test('nobody frames the page', skip, async (t) => {
  const w = await world()
  const { page, said, leave } = await visit(w, ada)
  await page.goto(`${w.baseUrl}/nowhere`)
  await page.setContent(`<iframe src="${w.address}"></iframe>`)
  await page.waitForFunction('document.querySelector("iframe").contentDocument === null')
  t.notMatch(await page.frames()[1]?.content(), 'Connect an AI client')
  t.match(said.join(), /frame-ancestors|X-Frame-Options/)
  await leave()
})

t.test(
  'under another name of this machine the page sends people to where signing in works',
  skip,
  async (t) => {
    const w = await world()
    const { page, leave } = await visit(w, null)
    await page.route('http://127.0.0.1:*/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      await route.fulfill({ response: await route.fetch({ url: w.baseUrl + pathname }) })
    })
    await page.goto(w.address.replace('localhost', '127.0.0.1'))
    t.equal(await page.getAttribute('[data-actions] a', 'href'), w.address)
    t.equal(await page.locator('[data-actions] button').count(), 0)
    await leave()
  },
)

t.test('without JavaScript the entries are there, each under its client', skip, async (t) => {
  const w = await world()
  const context = await w.browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(w.address)
  await page.click('label:has-text("Claude Code")')
  t.ok(await page.isVisible(`text=claude mcp add --transport http the-b-workshop-b ${w.address}`))
  t.equal(await page.locator('[data-copy]:visible').count(), 0, 'no button that does nothing')
  t.ok(await page.isVisible('text=Signing in here needs JavaScript'))
  await context.close()
})
