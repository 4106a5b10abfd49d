/** Every page in a real browser: on a phone and on a desktop, in light and in dark. Skipped with a notice where there is no
 *  browser; in CI (`ACMCP_NOTHING_SKIPPED`) that fails. A page more is a line in `cases.ts`. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser } from '../support/chromium.ts'
import { Visits } from '../support/visits.ts'
import { blocksPage } from './blocks-page.ts'
import { cases } from './cases.ts'
import { colourViolations, expectedOutline, outline, overflow, unreachable, violations } from './checks.ts'
import { openScene, type Scene } from './scene.ts'
import { keptScreenshots, screenshot } from './screenshots.ts'

t.setTimeout(600_000)

const skip = { skip: noBrowser }

const viewports = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const
const schemes = ['light', 'dark'] as const

const looks = Object.entries(viewports).flatMap(([device, viewport]) =>
  schemes.map((colorScheme) => ({ device, viewport, colorScheme })),
)

let opened: Promise<Scene> | null = null

function scene(): Promise<Scene> {
  opened ??= openScene()
  return opened
}

t.teardown(async () => (await opened)?.close())

let kept: Visits | null = null

interface Heard {
  readonly visits: Visits
  readonly page: Page
  /** What the console said: a policy that is in the way, a script that fails. */
  readonly said: readonly string[]
}

/** The browser says of each page with such a status that it has it. */
const ownStatus = /^Failed to load resource: the server responded with a status of (401|500) /

async function heardPage({ browser }: Scene): Promise<Heard> {
  kept ??= new Visits(browser, { viewport: viewports.phone, reducedMotion: 'reduce' })
  const visits = kept
  const page = await visits.open()
  const said: string[] = []
  page.on('console', (message) => {
    if (!ownStatus.test(message.text())) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  return { visits, page, said }
}

for (const { name, open } of cases) {
  t.test(
    `pages, ${name}: readable and usable on phone and desktop, in light and in dark`,
    skip,
    async (t) => {
      const s = await scene()
      const { visits, page, said } = await heardPage(s)
      await open(page, s)
      t.strictSame(await outline(page), expectedOutline)
      for (const { device, viewport, colorScheme } of looks) {
        const look = `${name}.${device}.${colorScheme}`
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        t.equal(await screenshot(page, look), null, `${look}: the picture`)
        t.equal(await overflow(page), 0, `${look}: no horizontal scrolling`)
        const found = colorScheme === 'light' ? await violations(page) : await colourViolations(page)
        t.strictSame(found, [], `${look}: axe`)
      }
      for (const [device, viewport] of Object.entries(viewports)) {
        await page.setViewportSize(viewport)
        t.strictSame(await unreachable(page), [], `${name}.${device}: by keyboard`)
      }
      t.strictSame(said, [], 'the console is silent')
      await visits.leave(page)
    },
  )
}

t.test('pages: the checks see what is wrong', skip, async (t) => {
  const { visits, page } = await heardPage(await scene())
  await page.setContent(`<html><style>a:focus { outline: 3px solid } button { outline: none } p { color: #999; width: 50rem }</style>
<h1>One</h1><h1>Two</h1><p>pale</p><a href="/">first</a><button>second</button><a href="/" tabindex="-1">third</a>`)
  t.notSame(await outline(page), expectedOutline)
  t.equal(await overflow(page), 50 * 16 + 8 - viewports.phone.width)
  const rules = (await violations(page)).map((one) => one.split(':')[0])
  for (const rule of ['color-contrast', 'document-title', 'html-has-lang', 'landmark-one-main'])
    t.ok(rules.includes(rule), rule)
  const [hidden = '', skipped = '', ...more] = await unreachable(page)
  t.match(hidden, /^1: <button.*\(focus is at 1, seen: false\)$/)
  t.match(skipped, /^2: <a href="\/" tabindex="-1".*\(focus is at -?\d, seen: \w+\)$/)
  t.strictSame(more, [])
  await visits.leave(page)
})

t.test('pages, blocks: arrow keys choose a tab, and a copy button copies what is shown', skip, async (t) => {
  const s = await scene()
  const { visits, page, said } = await heardPage(s)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(await s.show(blocksPage()))
  const panels = (): Promise<readonly string[]> => page.locator('.panel:visible code').allTextContents()
  t.strictSame(await panels(), ['claude mcp add --transport http notes http://localhost:3000/mcp'])
  await page.keyboard.press('Tab')
  for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  t.strictSame(await panels(), ['curl http://localhost:3000/mcp'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copied command for curl' }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), 'curl http://localhost:3000/mcp')
  t.strictSame(said, [])
  await visits.leave(page)
})

t.test('pages: no picture is kept of a page that is not there', async (t) => {
  const names = cases.flatMap(({ name }) =>
    looks.map(({ device, colorScheme }) => `${name}.${device}.${colorScheme}`),
  )
  t.strictSame([...keptScreenshots()].sort(), names.sort())
})
