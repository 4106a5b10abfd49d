/** The page at the MCP address and the one at `/`, each as somebody sees it on the way. */
import type { Page } from 'playwright-core'
import type { PageCase } from './cases.ts'
import type { Scene } from './scene.ts'

export const connectCases: readonly PageCase[] = [
  { name: 'connect', open: async (page, scene) => page.goto(`${await scene.serve('example')}/mcp`) },
  { name: 'connect-open', open: openWithoutSignIn },
  { name: 'connect-tools', open: openTools },
  { name: 'connect-result', open: openResult },
  { name: 'root', open: async (page, scene) => page.goto(`${await scene.serve('example')}/`) },
]

/** An endpoint that everybody may use: each route asks for itself. */
async function openWithoutSignIn(page: Page, scene: Scene): Promise<void> {
  const variant = { config: { mcp: { path: '/mcp', serverName: 'Notes' } } }
  await page.goto(`${await scene.serve('open', variant)}/mcp`)
  await page.waitForSelector('.toolbox')
}

/** Signs in by the page's own button, and waits for the tools. */
export async function signInThere(page: Page): Promise<void> {
  await page.click('[data-actions] button')
  await page.click('a[href="/auth/dev"]')
  await page.click('button[value=allow]')
  await page.waitForSelector('.toolbox')
}

async function openTools(page: Page, scene: Scene): Promise<void> {
  await page.goto(`${await scene.serve('example')}/mcp`)
  await signInThere(page)
  await page.click('.toolbox > summary')
  await page.click('.toolbox .tool:nth-child(2) > summary')
  await page.fill('.toolbox input', 'a note')
  await page.click('.toolbox [type=submit]')
  await page.waitForSelector('text=Call it now')
}

async function openResult(page: Page, scene: Scene): Promise<void> {
  await page.goto(`${await scene.serve('example')}/mcp`)
  await signInThere(page)
  await page.click('.tool > summary')
  await page.click('.tool [type=submit]')
  await page.click('text=structuredContent')
}
