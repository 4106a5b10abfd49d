/** The typed client in a real browser: with tokens, and with the session of somebody who signed in there. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import { inPage } from './by-client.ts'
import { byHand } from './by-hand.ts'
import type { Served, Tokens } from './served.ts'
import type { Step, Wire } from './walked.ts'

/** A page of the application's own origin that has loaded `script`, the client as esbuild bundles it for browsers. */
export async function openPage(context: BrowserContext, baseUrl: string, script: string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(90_000)
  const address = `${baseUrl}/a-page-of-the-application`
  const body = `<!doctype html><title>A page</title><script>${script.replaceAll('</script', '<\\/script')}</script>`
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(address)
  return page
}

export interface InChromium {
  readonly browser: Browser
  readonly script: string
  readonly server: Served
}

/** The way of calling with tokens, and what the page complains of. */
export async function withTokens(
  t: Test,
  { browser, script, server }: InChromium,
): Promise<{ readonly wire: Wire; readonly said: readonly string[] }> {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await openPage(context, server.baseUrl, script)
  const said: string[] = []
  page.on('pageerror', (error) => said.push(String(error)))
  return { wire: inPage(t, page, server.tokens), said }
}

const step = (route: string, provided: Step['provided'], status: number, take = 0): Step => ({
  who: 'nobody', // without a token
  route,
  provided,
  status,
  take,
})

/** The developer is an admin. What asks for a scope, and does not say `unless=session`, is for tokens alone. */
const sessionSteps: readonly Step[] = [
  step('health.show', {}, 200),
  step('users.current', {}, 200),
  step('attachments.index', { number: 1 }, 200),
  step('events.log', {}, 200),
  step('events.index', { after: 0n }, 200, 1),
  step('events.show', { id: 1n }, 200),
  step('reports.summary', { from: new Date(0), to: new Date(86_400_000) }, 200),
  step('reports.workload', {}, 200),
  step('reports.tickets', {}, 200),
  step('reports.workload', { team: 'lost' }, 404),
  step('tickets.show', { number: 1 }, 401),
  step('tickets.destroy', { number: 1 }, 401),
  step('attachments.create', { number: 1, files: [new Blob(['a'])] }, 401),
  step('administration.purge', {}, 401),
]

const noTokens: Tokens = { ada: null, eve: null, ben: null, root: null, nobody: null }

/** On a desk with one ticket: nothing is normalized, both ask the same server for the same. */
export async function checkSession(t: Test, { browser, script, server }: InChromium): Promise<void> {
  const { baseUrl, tokens } = server
  await byHand(baseUrl, tokens)({ who: 'ada', status: 201, take: 0, ...firstTicket })
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await openPage(context, baseUrl, script)
  await page.context().request.get(`${baseUrl}/auth/dev`)
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const [client, hand] = [inPage(t, page, noTokens), byHand(baseUrl, noTokens, { cookie: cookies })]
  for (const item of sessionSteps) {
    const [seen, wanted] = [await client(item), await hand(item)]
    t.equal(seen.status, item.status, `the status of ${item.route} with a session`)
    t.strictSame(seen, wanted, item.route)
  }
}

const firstTicket = {
  route: 'tickets.create',
  provided: { ticket: { subject: 'The invoice is wrong', body: 'It says 20, we pay 10.' } },
}
