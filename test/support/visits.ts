/** Pages of a browser that tests use one after the other: a new one costs half a second of CPU. Each is left as if it were new, but
 *  for its history. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export class Visits {
  readonly #browser: Browser
  readonly #options: BrowserContextOptions
  readonly #left: Page[] = []

  /** All of them have these options. */
  constructor(browser: Browser, options: BrowserContextOptions = {}) {
    this.#browser = browser
    this.#options = options
  }

  /** A page in a context of its own. */
  async open(): Promise<Page> {
    return this.#left.pop() ?? (await this.#browser.newContext(this.#options)).newPage()
  }

  /** Without cookies, permissions, what its last origin has stored, and listeners. */
  async leave(page: Page): Promise<void> {
    const context = page.context()
    for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const { origin } = new URL(page.url())
    await page.goto('about:blank') // whose scripts have ended: none stores something after it was cleared
    if (origin !== 'null') await clearStorage(page, origin)
    await page.emulateMedia({ colorScheme: null })
    await context.clearCookies()
    await context.clearPermissions()
    const { viewport } = this.#options
    if (viewport) await page.setViewportSize(viewport)
    this.#left.push(page)
  }
}

/** By an empty page of that origin. */
async function clearStorage(page: Page, origin: string): Promise<void> {
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(`${origin}/`)
  await page.evaluate('sessionStorage.clear(); localStorage.clear()')
  await page.unrouteAll()
  await page.goto('about:blank')
}
