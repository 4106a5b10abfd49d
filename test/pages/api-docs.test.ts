/** `/docs` in a real browser that reaches nothing but this machine: whatever the page needs comes from the package. Its looks
 *  and its keys are those of the reference UI. */
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { openTestApp } from '../../runtime/testing.ts'
import { scopedNotesIn } from '../cli/support/scoped-notes.ts'
import { serveExample } from '../flow/support.ts'
import { leaveChromium, noBrowser, sharedChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'

t.setTimeout(240_000)

const skip = { skip: noBrowser, timeout: 200_000 }

interface Seen {
  readonly page: Page
  /** What was asked of others, in words of the browser. */
  readonly elsewhere: string[]
  /** What the console warned of: a policy that is in the way, a script that fails. */
  readonly said: string[]
}

t.teardown(leaveChromium)

async function opened(t: Test, baseUrl: string): Promise<Seen> {
  const context = await (await sharedChromium()).newContext({ viewport: { width: 1280, height: 900 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(90_000)
  const [elsewhere, said]: [string[], string[]] = [[], []]
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== baseUrl && url.protocol !== 'data:') elsewhere.push(`${request.resourceType()} ${url}`)
  })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  return { page, elsewhere, said }
}

async function served(t: Test): Promise<string> {
  const { application, baseUrl } = await serveExample()
  t.teardown(() => application.close())
  return baseUrl
}

/** Loads it, also where only the fragment differs, and closes what was open. */
async function load(page: Page, url: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(url)
}

/** On the page of `operation`: opens its form, sends it, and resolves with the answer. */
async function tried(page: Page, baseUrl: string, operation: string, path = '/api/'): Promise<string> {
  const test = page.locator(`[id$="${operation}"] button:has-text("Test Request")`).first()
  const send = page.locator('button:has-text("Send"):visible').last()
  // a press that comes before the page has its script does nothing
  for (let isOpen = false; !isOpen; ) {
    await test.click({ timeout: 5000 }).catch(() => {})
    isOpen = await send.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    )
  }
  const answer = page.waitForResponse((response) => response.url().startsWith(baseUrl + path))
  await send.click()
  const response = await answer
  return `${response.status()} ${await response.text()}`
}

/** What the browser says of an answer that is none of 200 (there is no icon, and nobody is signed in). */
const ofAnswer = /Failed to load resource: the server responded with a status of (401|404)/

/** On the page of the API, whose console has said nothing yet. */
async function checkPolicy(t: Test, page: Page, said: readonly string[]): Promise<void> {
  await page.evaluate(`{
    const script = document.createElement('script')
    script.textContent = 'window.gotIn = true'
    document.body.append(script)
  }`)
  t.equal(await page.evaluate('window.gotIn'), undefined)
  t.equal(
    await page.evaluate('fetch("https://other.example/").then(() => "sent", () => "refused")'),
    'refused',
  )
  const refusals = said.filter((text) => !ofAnswer.test(text))
  t.ok(
    refusals.length >= 2 && refusals.every((text) => text.includes('Content Security Policy')),
    said.join('\n'),
  )
}

const currentUser = 'tag/users/GET/api/users/current'

t.test(
  'the page of the API at /docs: somebody signs in and tries a route, with no network but this machine',
  skip,
  async (t) => {
    const baseUrl = await served(t)
    const { page, elsewhere, said } = await opened(t, baseUrl)
    const ofCurrentUser = `${baseUrl}/docs#${currentUser}`
    await load(page, ofCurrentUser)
    await page.getByText('Short notes of the signed-in user').first().waitFor()
    t.match(await tried(page, baseUrl, currentUser), /^401 /, 'as nobody')
    await page.waitForSelector('main[role=group]', { state: 'attached' }) // of the dialog
    t.equal(await page.locator('main:not([role]), [role=main]').count(), 1, 'one main landmark')

    await load(page, `${baseUrl}/docs`)
    await page.click('header button:has-text("Sign in")')
    await page.waitForURL(`${baseUrl}/auth**`)
    await page.click('a[href="/auth/dev"]')
    await page.click('button[value=allow]')
    await page.waitForURL(`${baseUrl}/docs`)
    await page.click('header button:has-text("Sign out")', { trial: true })
    await load(page, ofCurrentUser)
    t.match(
      await tried(page, baseUrl, currentUser),
      /^200 .*dev:developer/,
      'as whom the development login signs in',
    )

    await load(page, `${baseUrl}/docs`)
    await page.click('header button:has-text("Sign out")')
    await page.waitForSelector('header button:has-text("Sign in")')
    await load(page, ofCurrentUser)
    t.match(await tried(page, baseUrl, currentUser), /^401 /, 'as nobody again')

    t.strictSame(elsewhere, [], 'nothing was asked of others: no font, no script, no picture')
    t.strictSame(
      said.filter((text) => !ofAnswer.test(text)),
      [],
      'the policy is in nobody’s way',
    )
    said.length = 0
    await t.test('/docs: its policy lets no script in but the two', (t) => checkPolicy(t, page, said))
  },
)

t.test(
  'OpenAPI and its scopes: /docs sends the token to routes that ask for scopes, and to others',
  skip,
  async (t) => {
    const cwd = await scopedNotesIn(t)
    symlinkSync(resolve('node_modules/@scalar'), join(cwd, 'node_modules/@scalar'))
    const port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const { application, close } = await openTestApp({ cwd, environment: { baseUrl } })
    t.teardown(close)
    await application.server.listen({ port, host: 'localhost' })
    const { page } = await opened(t, baseUrl)
    await page.goto(`${baseUrl}/auth/dev`)
    await load(page, `${baseUrl}/docs`)
    await page.click('header button:has-text("Sign in")')
    await page.click('button[value=allow]')
    await page.waitForURL(`${baseUrl}/docs`)
    await page.click('header button:has-text("Sign out")', { trial: true })
    await load(page, `${baseUrl}/docs#tag/notes/GET/notes`)
    t.match(await tried(page, baseUrl, 'tag/notes/GET/notes', '/notes'), /^200 .*notes:read.*notes:write/)
    await load(page, `${baseUrl}/docs#tag/staff/GET/staff`)
    t.match(await tried(page, baseUrl, 'tag/staff/GET/staff', '/staff'), /^403 /, 'as who signed in')
  },
)
