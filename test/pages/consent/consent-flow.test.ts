/** Consent with scopes in a real browser: by keyboard alone, with and without scripts. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser } from '../../support/chromium.ts'
import { Visits } from '../../support/visits.ts'
import { openScene, type Scene } from '../scene.ts'
import { callbackOf, openConsent, redeem } from './cases.ts'

t.setTimeout(300_000)

const skip = { skip: noBrowser }

let opened: Promise<Scene> | null = null

const scene = (): Promise<Scene> => {
  opened ??= openScene()
  return opened
}

t.teardown(async () => (await opened)?.close())

let kept: Visits | null = null

async function blankPage({ browser }: Scene, javaScriptEnabled = true): Promise<Page> {
  kept ??= new Visits(browser)
  const page = javaScriptEnabled ? await kept.open() : await browser.newPage({ javaScriptEnabled })
  page.setDefaultTimeout(60_000)
  return page
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** The fields that are ticked. */
const tickedOn = async (page: Page): Promise<readonly string[]> => {
  const boxes = await page.locator('input[type=checkbox]').all()
  const states = await Promise.all(
    boxes.map(async (box) => [await box.getAttribute('name'), await box.isChecked()]),
  )
  return states.filter(([, isTicked]) => isTicked).map(([name]) => String(name).replace('allow:', ''))
}

t.test(
  'the consent page, by keyboard: by Tab, Space and Enter alone, one of three scopes is refused',
  skip,
  async (t) => {
    const s = await scene()
    const page = await blankPage(s)
    const client = await openConsent(page, s, 'api notes:delete', '/health')
    t.strictSame(await tickedOn(page), ['notes:read', 'notes:write'])
    await press(page, 'Tab', 'Space')
    t.strictSame(
      await tickedOn(page),
      ['notes:read', 'notes:write'],
      'what a ticked one implies stays ticked',
    )
    await press(page, 'Tab', 'Space')
    t.strictSame(await tickedOn(page), ['notes:read'])
    await press(page, 'Tab', 'Space')
    t.strictSame(await tickedOn(page), ['notes:read', 'notes:delete'])
    const address = page.url()
    await press(page, 'Enter')
    t.strictSame(
      [page.url(), await tickedOn(page)],
      [address, ['notes:read', 'notes:delete']],
      'Enter in a tick answers nothing',
    )
    await press(page, 'Tab', 'Space', 'Enter')
    t.strictSame(
      [page.url(), await tickedOn(page)],
      [address, ['notes:read', 'notes:delete', 'read_only']],
      'read only is the last tick, and Enter in it answers nothing either',
    )
    await press(page, 'Space', 'Tab', 'Enter')
    const callback = await callbackOf(page, client)
    t.equal(callback.searchParams.get('state'), 'a state')
    t.equal(await redeem(client, callback), 'notes:read notes:delete', '/health')
    await kept?.leave(page)
  },
)

t.test('consent: a tick ticks what it implies, at once', skip, async (t) => {
  const s = await scene()
  const page = await blankPage(s)
  const client = await openConsent(page, s, 'api', '/health')
  for (const text of ['Add and change notes notes:write', 'See your notes'])
    await page.getByLabel(text).uncheck()
  t.strictSame(await tickedOn(page), [])
  await page.getByLabel('Add and change notes notes:write').check()
  t.strictSame(await tickedOn(page), ['notes:read', 'notes:write'])
  await page.click('button[value=allow]')
  t.equal(await redeem(client, await callbackOf(page, client)), 'api')
  await kept?.leave(page)
})

t.test('consent: without scripts the server resolves the same', skip, async (t) => {
  const s = await scene()
  const page = await blankPage(s, false)
  const client = await openConsent(page, s, 'notes:write notes:delete', '/health')
  await page.getByLabel('See your notes').uncheck()
  t.strictSame(await tickedOn(page), ['notes:write'])
  await page.getByLabel('Delete notes').focus()
  await press(page, 'Space', 'Enter')
  await page.waitForURL(`${client.baseUrl}/oauth/authorize`)
  t.strictSame(await tickedOn(page), ['notes:read', 'notes:write'], 'Enter in a tick decides nothing')
  await page.getByLabel('See your notes').uncheck()
  await page.click('button[value=allow]')
  t.equal(await redeem(client, await callbackOf(page, client)), 'notes:read notes:write')
  await page.context().close()
})
