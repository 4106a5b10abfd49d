/** Sign-in and consent in a real browser, under the pages' own policy. Skipped with a notice where there is none; in CI
 *  (`ACMCP_NOTHING_SKIPPED`) a missing browser fails. Source: rules.md, Authorize 6 to 9. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import helmet from '@fastify/helmet'
import type { BrowserContextOptions, Browser as Chromium, Page } from 'playwright-core'
import t from 'tap'
import { leaveChromium, noBrowser, sharedChromium } from '../support/chromium.ts'
import { Visits } from '../support/visits.ts'
import { checkRefusals, checkSignIn, pageClientScript } from './page/elsewhere.ts'
import { type ServedApplication, serveExample } from './support.ts'

t.setTimeout(240_000)

const skip = { skip: noBrowser }

interface ListeningClient {
  readonly origin: string
  /** The same server as another origin. */
  readonly elsewhere: string
  readonly redirectUri: string
  readonly calls: URL[]
  /** By path, what else it answers. */
  readonly pages: Map<string, string>
  readonly close: () => void
}

/** The client's own address: it answers a page, remembers where it was called, and frames what `/frame?` names. */
async function listeningClient(): Promise<ListeningClient> {
  const calls: URL[] = []
  const pages = new Map<string, string>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/callback') calls.push(url)
    if (url.pathname === '/onward') {
      response.writeHead(302, { location: `${elsewhere}/callback${url.search}` }).end()
      return
    }
    const source = decodeURIComponent(url.search.slice(1)).replaceAll('&', '&amp;')
    const frame = url.pathname === '/frame' ? `<iframe id="frame" src="${source}"></iframe>` : ''
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(pages.get(url.pathname) ?? `back at the client${frame}`)
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  const origin = `http://127.0.0.1:${port}`
  const elsewhere = `http://localhost:${port}`
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { origin, elsewhere, redirectUri: `${origin}/callback`, calls, pages, close }
}

interface World extends ServedApplication {
  readonly client: ListeningClient
  readonly chromium: Chromium
  /** A page of a browser profile without cookies, and what its console said. */
  page(options?: BrowserContextOptions): Promise<HeardPage>
  /** A page of the one profile that is signed in already. */
  signedIn(): Promise<HeardPage>
  readonly leave: (page: Page) => Promise<void>
}

type HeardPage = Page & { readonly said: string[] }

let opened: Promise<World> | null = null

/** One application, one client and one browser for the whole file. */
function world(): Promise<World> {
  opened ??= openWorld()
  return opened
}

async function openWorld(): Promise<World> {
  const [served, client, browser] = await Promise.all([serveExample(), listeningClient(), sharedChromium()])
  t.teardown(async () => {
    await leaveChromium()
    client.close()
    await served.application.close()
  })
  const visits = new Visits(browser)
  return {
    ...served,
    client,
    chromium: browser,
    page: async (options) =>
      heard(options === undefined ? await visits.open() : await browser.newPage(options)),
    signedIn: async () => {
      const page = await visits.open()
      await page.goto(`${served.baseUrl}/auth/dev`)
      return heard(page)
    },
    leave: (page) => visits.leave(page),
  }
}

function heard(page: Page): HeardPage {
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(String(error)))
  return Object.assign(page, { said })
}

interface Requested {
  readonly name?: string
  readonly redirectUri?: string
  readonly state?: string
}

async function authorizeUrl(w: World, requested: Requested = {}): Promise<string> {
  const redirectUri = requested.redirectUri ?? w.client.redirectUri
  const registered = await fetch(`${w.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: requested.name ?? 'A client', redirect_uris: [redirectUri] }),
  })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: String((await registered.json()).client_id),
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    state: requested.state ?? 'from the browser',
  })
  return `${w.baseUrl}/oauth/authorize?${query}`
}

async function openConsent(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.click('a[href="/auth/dev"]')
  await page.waitForSelector('button[value="allow"]')
}

/** For a page that is signed in. */
async function consent(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForSelector('button[value="allow"]')
}

const back = async (page: Page, w: World): Promise<void> => {
  await page.waitForURL(`${w.client.redirectUri}**`)
}

t.test(
  'spec, Authorize 6 to 9: a person signs in, reads the consent page, allows or denies',
  skip,
  async (t) => {
    const w = await world()
    const { client, baseUrl } = w
    for (const decision of ['allow', 'deny']) {
      client.calls.length = 0
      const page = await w.page()
      await openConsent(page, await authorizeUrl(w, { name: 'The <client>' }))
      const text = await page.textContent('main')
      const host = new URL(client.redirectUri).host
      for (const shown of ['Developer', 'The <client>', 'api', client.redirectUri, `Sends you to${host}`]) {
        t.ok(text?.includes(shown), shown)
      }
      t.match(await page.textContent('.warning'), 'runs on your own computer', 'loopback is warned about')
      await page.click(`button[value="${decision}"]`)
      await back(page, w)
      t.equal(await page.textContent('body'), 'back at the client')
      t.strictSame(page.said, [], 'the page’s own policy was not in the way')
      const { code, ...answer } = Object.fromEntries(client.calls[0]?.searchParams ?? [])
      const common = { state: 'from the browser', iss: baseUrl }
      t.strictSame(answer, decision === 'allow' ? common : { error: 'access_denied', ...common })
      t.match(String(code), decision === 'allow' ? /^[\w-]+\.[\w-]+\.[\w-]+$/ : 'undefined')
      await w.leave(page)
    }
  },
)

t.test(
  'spec, OAuth sign-in flow 1 to 6: a page of another origin connects with the SDK, and reads refusals',
  skip,
  async (t) => {
    const w = await world()
    const script = (await pageClientScript()).replaceAll('</script', '<\\/script')
    w.client.pages.set('/app', `<!doctype html><title>A client</title><script>${script}</script>`)
    const address = `${w.client.origin}/app`
    for (const version of ['v2', 'v1'] as const) {
      const page = await w.page()
      await checkSignIn(t, version, { ...w, page, address })
      if (version === 'v1') await checkRefusals(t, { ...w, page, address })
      await w.leave(page)
    }
  },
)

/** A page of a client that opens what its query names in a popup, and notes what comes back from there; and what comes back. */
const popupPages = {
  '/opens': `<!doctype html><title>A client</title><button>Connect</button><script>
    window.said = []
    window.onmessage = ({ origin, data }) => said.push(origin === location.origin ? data : origin)
    document.querySelector('button').onclick = () => {
      window.popup = open(decodeURIComponent(location.search.slice(1)), 'sign-in', 'width=500,height=600')
    }
  </script>`,
  '/popped': `<!doctype html><title>Back</title><script>
    if (window.opener !== null) opener.postMessage(location.search, location.origin)
    close()
  </script>`,
}

/** Signs in there, in a popup that a page of the client opens; resolves to what the page heard. */
async function signInByPopup(w: World): Promise<unknown> {
  const page = await w.page()
  const url = await authorizeUrl(w, { redirectUri: `${w.client.origin}/popped` })
  await page.goto(`${w.client.origin}/opens?${encodeURIComponent(url)}`)
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('button')])
  await popup.click('a[href="/auth/dev"]')
  t.equal(await page.evaluate('popup.closed'), false, 'the page sees that somebody is at it')
  await popup.click('button[value="allow"]')
  if (!popup.isClosed()) await popup.waitForEvent('close')
  const said = await page.evaluate('said')
  await w.leave(page)
  return said
}

t.test(
  'pages: a popup signs in, and its opener on another origin gets the code, with helmet too',
  skip,
  async (t) => {
    const w = await world()
    for (const [path, markup] of Object.entries(popupPages)) w.client.pages.set(path, markup)
    const withHelmet = await serveExample((bundle) => ({
      ...bundle,
      config: { ...(bundle.config as object), plugins: [helmet] }, // a plain object
    }))
    t.teardown(withHelmet.application.close)
    for (const served of [w, { ...w, ...withHelmet }]) {
      const said = (await signInByPopup(served)) as readonly string[] // the page keeps texts
      const answers = said.map((query) => Object.fromEntries(new URLSearchParams(query)))
      const codes = answers.map(({ code }) => code)
      t.match(codes, [/^[\w-]+\.[\w-]+\.[\w-]+$/])
      t.strictSame(answers, [{ code: codes[0], state: 'from the browser', iss: served.baseUrl }])
    }
  },
)

t.test(
  'pages: the form’s redirect may go on to another address (why form-action is left out)',
  skip,
  async (t) => {
    const w = await world()
    const page = await w.signedIn()
    await consent(page, await authorizeUrl(w, { redirectUri: `${w.client.origin}/onward` }))
    await page.click('button[value="allow"]')
    await page.waitForURL(`${w.client.elsewhere}/callback**`)
    t.strictSame(page.said, [])
    await w.leave(page)
  },
)

t.test(
  'pages: back after allowing shows consent again, and allowing again gives another code',
  skip,
  async (t) => {
    const w = await world()
    w.client.calls.length = 0
    const page = await w.signedIn()
    await consent(page, await authorizeUrl(w))
    await page.click('button[value="allow"]')
    await back(page, w)
    await page.goBack()
    await page.waitForSelector('button[value="allow"]')
    t.equal(await page.title(), 'Allow access? · Notes')
    await page.click('button[value="allow"]')
    await back(page, w)
    const codes = w.client.calls.map((url) => url.searchParams.get('code'))
    t.strictSame([codes.length, new Set(codes).size], [2, 2])
    await w.leave(page)
  },
)

t.test('pages: a double click on Allow comes back with a code, without an error', skip, async (t) => {
  const w = await world()
  w.client.calls.length = 0
  const page = await w.signedIn()
  await consent(page, await authorizeUrl(w))
  await page.dblclick('button[value="allow"]')
  await back(page, w).catch(() => back(page, w)) // the second post may end the first on its way
  t.equal(await page.textContent('body'), 'back at the client')
  t.ok(w.client.calls.length >= 1)
  for (const url of w.client.calls) {
    t.match(url.searchParams.get('code'), /^[\w-]+\.[\w-]+\.[\w-]+$/)
    t.equal(url.searchParams.get('error'), null)
  }
  await w.leave(page)
})

t.test('sign-out: the button signs out, a page elsewhere does not', skip, async (t) => {
  const w = await world()
  const { client, baseUrl } = w
  const page = await w.page()
  await page.goto(`${baseUrl}/auth/dev`)
  t.match(await page.textContent('main'), /signed in as Developer/)
  const elsewhere = await page.context().newPage()
  await elsewhere.goto(client.origin)
  const action = `${baseUrl}/auth/sign-out`
  await elsewhere.setContent(`<form method="post" action="${action}"><button>x</button></form>`)
  await elsewhere.click('button')
  await elsewhere.waitForURL(action)
  t.match(await elsewhere.textContent('body'), /only a page of this service signs out/)
  await page.reload()
  await page.click('text=Sign out')
  await page.waitForURL(`${baseUrl}/auth`)
  t.notMatch(await page.textContent('main'), /signed in as/)
  t.strictSame([page.said, await page.context().cookies()], [[], []])
  await elsewhere.close()
  await w.leave(page)
})

t.test('spec, Authorize 7: no page can be framed, signed in or not', skip, async (t) => {
  const w = await world()
  const page = await w.signedIn()
  const url = await authorizeUrl(w)
  await consent(page, url)
  for (const target of [url, `${w.baseUrl}/auth`]) {
    for (const origin of [w.client.origin, w.client.elsewhere]) {
      await page.goto(`${origin}/frame?${encodeURIComponent(target)}`)
      const frame = await (await page.waitForSelector('#frame')).contentFrame()
      t.equal(frame?.url(), 'chrome-error://chromewebdata/', `${target} in ${origin}`)
      t.equal(await frame?.locator('button[value], a[href="/auth/dev"]').count(), 0)
    }
  }
  t.match(page.said.join(), /frame-ancestors|X-Frame-Options/)
  await w.leave(page)
})

const markup = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>'&amp;`

t.test('spec, Authorize 7: markup in every field stays text, and comes back as it was', skip, async (t) => {
  const w = await world()
  w.client.calls.length = 0
  const page = await w.signedIn()
  const redirectUri = `${w.client.redirectUri}?q=${markup.replaceAll(' ', '+').replaceAll('&', '%26')}`
  await consent(page, await authorizeUrl(w, { name: markup, redirectUri, state: markup }))
  await w.application.store.saveUser({ id: 'dev:developer', name: markup, email: null })
  const query = new URL(page.url()).searchParams
  query.set('resource', `${w.baseUrl}/${markup}`)
  await page.goto(`${w.baseUrl}/oauth/authorize?${query}`)
  t.equal(await page.locator('img, script').count(), 0)
  t.equal(await page.textContent('.lead strong'), markup)
  const shown = await page.locator('dd').allTextContents()
  t.strictSame(shown, [
    markup,
    'Not known: the application gave its name itself.',
    'use everything that you may use here, as you api',
    `${new URL(redirectUri).host}${redirectUri}`,
  ])
  const fields = await page.locator('form[action="/oauth/authorize"] input').evaluateAll((inputs) =>
    // the elements are inputs by the selector
    inputs.map((input) => [
      (input as unknown as { name: string }).name,
      (input as unknown as { value: string }).value,
    ]),
  )
  const { csrf_token: csrfToken, ...rest } = Object.fromEntries(fields)
  t.match(csrfToken, /^[A-Za-z0-9_-]{43}$/)
  t.strictSame(rest, {
    client_id: query.get('client_id'),
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: query.get('code_challenge'),
    code_challenge_method: 'S256',
    scope: 'api',
    state: markup,
    resource: `${w.baseUrl}/${markup}`,
  })
  await page.goto(`${w.baseUrl}/auth`)
  t.match(await page.textContent('main strong'), markup)
  await page.goBack()
  t.equal(await page.title(), 'Allow access? · Notes')
  await page.click('button[value="allow"]')
  await back(page, w)
  t.equal(w.client.calls.at(-1)?.searchParams.get('state'), markup)
  t.strictSame(page.said, [])
  await w.leave(page)
})

t.test('pages: a script that gets in all the same does not run', skip, async (t) => {
  const w = await world()
  const page = await w.signedIn()
  await consent(page, await authorizeUrl(w))
  await page.evaluate(`{
    const script = document.createElement('script')
    script.textContent = "document.title = 'run'"
    document.body.append(script)
    const image = document.createElement('img')
    image.setAttribute('onerror', "document.title = 'run'")
    image.src = 'data:,'
    document.body.append(image)
  }`)
  t.equal(await page.title(), 'Allow access? · Notes')
  t.match(page.said.join(), 'Content Security Policy')
  await w.leave(page)
})

/** What has the focus, and how its outline looks. */
const focused = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  const element = document.activeElement
  return [element.tagName, element.textContent.trim(), outlineStyle, parseFloat(outlineWidth) >= 2].join(' ')
})()`

t.test('pages: sign-in and consent by keyboard alone, with a focus that shows', skip, async (t) => {
  const w = await world()
  for (const [tabs, label, key, query] of [
    [1, 'Allow', 'Enter', 'code'],
    [2, 'Deny', 'Space', 'error'],
  ] as const) {
    w.client.calls.length = 0
    const page = await w.page()
    await page.goto(await authorizeUrl(w))
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate(focused), 'A Sign in as Developer solid true')
    await page.keyboard.press('Enter')
    await page.waitForSelector('button[value="allow"]')
    for (let i = 0; i < tabs; i += 1) await page.keyboard.press('Tab')
    t.equal(await page.evaluate(focused), `BUTTON ${label} solid true`)
    await page.keyboard.press(key)
    await back(page, w)
    t.ok(w.client.calls[0]?.searchParams.has(query), label)
    await w.leave(page)
  }
})

t.test('pages: another account by keyboard alone, and back at the same request', skip, async (t) => {
  const w = await world()
  w.client.calls.length = 0
  const page = await w.page()
  const url = await authorizeUrl(w, { state: markup })
  await openConsent(page, url)
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Tab')
  t.equal(await page.evaluate(focused), 'BUTTON Use another account solid true')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${w.baseUrl}/auth`)
  t.equal(await page.title(), 'Sign in · Notes')
  t.notMatch(await page.textContent('main'), /signed in as/)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('button[value="allow"]')
  t.strictSame([...new URL(page.url()).searchParams], [...new URL(url).searchParams])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await back(page, w)
  t.equal(w.client.calls[0]?.searchParams.get('state'), markup)
  t.strictSame(page.said, [])
  await w.leave(page)
})

t.test('pages: readable on a phone, without horizontal scrolling, whatever the names', skip, async (t) => {
  const w = await world()
  const page = await w.page({
    viewport: { width: 320, height: 568 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  })
  const long = `${w.client.redirectUri}?${'x'.repeat(1900)}`
  const fits = `[document.documentElement.scrollWidth <= innerWidth, innerWidth]`
  await page.goto(await authorizeUrl(w, { name: 'W'.repeat(200), redirectUri: long }))
  t.strictSame(await page.evaluate(fits), [true, 320])
  await page.tap('a[href="/auth/dev"]')
  await page.waitForSelector('button[value="allow"]')
  t.strictSame(await page.evaluate(fits), [true, 320])
  const heights = await page.locator('button').evaluateAll((buttons) =>
    // the browser's element type is not known here
    buttons.map((button) => (button as unknown as { offsetHeight: number }).offsetHeight),
  )
  t.ok(
    heights.every((height) => height >= 44),
    String(heights),
  )
  await page.tap('button[value="deny"]')
  await back(page, w)
  await page.context().close()
})
