/** The page of an approval in a real browser: by keyboard alone, with and without scripts, in two tabs. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ada, type Opened, openOrders } from '../approval/orders.ts'
import { noBrowser } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { lookAtPages, shownTo } from './looks.ts'

t.setTimeout(600_000)

const skip = { skip: noBrowser }
const shown = shownTo(t)

lookAtPages(t, shown, { ...skip, isMeant: (name) => /^approval/.test(name) })

interface Served extends Opened {
  readonly baseUrl: string
  /** Calls; resolves with the status and the address of the page. */
  readonly call: () => Promise<readonly [number, string]>
}

/** The developer of the development login calls. */
async function serve(t: Test): Promise<Served> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const opened = await openOrders({ environment: { baseUrl, devLogin: true } })
  t.teardown(() => opened.app.close())
  await opened.app.application.server.listen({ port, host: 'localhost' })
  const token = await opened.app.accessToken({ ...ada, id: 'dev:developer', name: 'Developer' })
  const client = opened.app.client().withBearer(token)
  const call: Served['call'] = async () => {
    const answer = await client.request({ method: 'DELETE', url: '/orders/5?amount=300' })
    return [answer.statusCode, String(answer.json().approval?.url ?? '')]
  }
  return { ...opened, baseUrl, call }
}

async function pageOf({ baseUrl }: Served, javaScriptEnabled = true): Promise<Page> {
  const { scene } = await shown()
  const context = await scene.browser.newContext({ javaScriptEnabled })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${baseUrl}/auth/dev`)
  return page
}

const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.textContent.trim()'))

for (const javaScriptEnabled of [true, false])
  t.test(`by Tab and Enter alone, ${javaScriptEnabled ? 'with' : 'without'} scripts`, skip, async (t) => {
    const served = await serve(t)
    const [, address] = await served.call()
    const page = await pageOf(served, javaScriptEnabled)
    await page.goto(address)
    t.equal(await page.evaluate('document.activeElement === document.body'), true, 'no button has the focus')
    const reached: string[] = []
    do {
      await page.keyboard.press('Tab')
      reached.push(await focused(page))
    } while (reached.length < 9 && !reached.includes('Approve'))
    t.strictSame(reached.slice(-2), ['Deny', 'Approve'])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    t.strictSame(await served.call(), [200, ''])
    await page.context().close()
  })

t.test('what is denied in one tab is shown in the other by itself', skip, async (t) => {
  const served = await serve(t)
  const [, address] = await served.call()
  const page = await pageOf(served)
  await page.goto(address)
  const other = await page.context().newPage()
  await other.goto(address)
  await other.getByRole('button', { name: 'Deny' }).click()
  await other.getByRole('heading', { name: 'Denied' }).waitFor()
  await page.bringToFront()
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
  t.strictSame((await served.call())[0], 403)
  await page.context().close()
})
