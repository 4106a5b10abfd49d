/** Every page in a real browser: on a phone and on a desktop, in light and in dark. Skipped with a notice where there is no
 *  browser; in CI (`ACMCP_NOTHING_SKIPPED`) that fails. A page more is a line in `cases.ts`; those of approval, consent and connecting are
 *  looked at in suites of their own. */
import t from 'tap'
import { noBrowser } from '../support/chromium.ts'
import { blocksPage } from './blocks-page.ts'
import { cases } from './cases.ts'
import { expectedOutline, outline, overflow, unreachable, violations } from './checks.ts'
import { lookAtPages, looks, shownTo, viewports } from './looks.ts'
import { keptScreenshots } from './screenshots.ts'

t.setTimeout(600_000)

const skip = { skip: noBrowser }
const shown = shownTo(t)

lookAtPages(t, shown, { ...skip, isMeant: (name) => !/^(approval|consent|connect|root|docs)/.test(name) })

t.test('pages: the checks see what is wrong', skip, async (t) => {
  const { visits, page } = await (await shown()).heardPage()
  await page.setContent(`<html><style>a:focus { outline: 3px solid } button { outline: none } p { color: #999; width: 50rem }</style>
<h1>One</h1><h1>Two</h1><p>pale</p><a href="/">first</a><button>second</button><a href="/" tabindex="-1">third</a>`)
  t.notSame(await outline(page), expectedOutline)
  t.equal(await overflow(page), 50 * 16 + 8 - viewports.phone.width)
  const rules = (await violations(page)).map((violation) => violation.split(':')[0])
  for (const rule of ['color-contrast', 'document-title', 'html-has-lang', 'landmark-one-main'])
    t.ok(rules.includes(rule), rule)
  const [hidden = '', skipped = '', ...more] = await unreachable(page)
  t.match(hidden, /^1: <button.*\(focus is at 1, seen: false\)$/)
  t.match(skipped, /^2: <a href="\/" tabindex="-1".*\(focus is at -?\d, seen: \w+\)$/)
  t.strictSame(more, [])
  await visits.leave(page)
})

t.test('pages, blocks: arrow keys choose a tab, and a copy button copies what is shown', skip, async (t) => {
  const { scene, heardPage } = await shown()
  const { visits, page, said } = await heardPage()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(await scene.show(blocksPage()))
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
