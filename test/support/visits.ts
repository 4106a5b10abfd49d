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
    await page.evaluate('{ try { sessionStorage.clear(); localStorage.clear() } catch {} }')
    await page.goto('about:blank')
    await page.emulateMedia({ colorScheme: null })
    await context.clearCookies()
    await context.clearPermissions()
    const { viewport } = this.#options
    if (viewport) await page.setViewportSize(viewport)
    this.#left.push(page)
  }
}
