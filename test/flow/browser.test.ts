/** Sign-in and consent in a real browser, under the pages' own policy. Skipped with a notice where there is none; in CI
 *  (`ACMCP_NOTHING_SKIPPED`) a missing browser fails. Source: specification, Authorize 6-9. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from 'playwright-core'
import t from 'tap'
import { serveExample } from './support.ts'

const executablePath = '/usr/bin/chromium'
const hasBrowser = existsSync(executablePath) || process.env.ACMCP_NOTHING_SKIPPED === '1'
const notice = hasBrowser ? false : `no browser at ${executablePath}: apt-get install chromium`

/** The client's own address: it answers a page and remembers where it was called. */
async function listeningClient(): Promise<{ redirectUri: string; calls: URL[]; close: () => void }> {
  const calls: URL[] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) calls.push(new URL(request.url, 'http://127.0.0.1'))
    response.end('back at the client')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { redirectUri: `http://127.0.0.1:${port}/callback`, calls, close }
}

async function authorizeUrl(baseUrl: string, redirectUri: string, clientName: string): Promise<string> {
  const registered = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: clientName, redirect_uris: [redirectUri] }),
  })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: String((await registered.json()).client_id),
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'from the browser',
  })
  return `${baseUrl}/oauth/authorize?${query}`
}

async function openConsent(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.click('a[href="/auth/dev"]')
  await page.waitForSelector('button[value="allow"]')
}

t.test('a person signs in, reads the consent page, allows or denies', { skip: notice }, async (t) => {
  const { application, baseUrl } = await serveExample()
  t.teardown(application.close)
  const client = await listeningClient()
  t.teardown(client.close)
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  })
  t.teardown(() => browser.close())
  const markup = '<img src=x onerror="document.title=1">'
  for (const decision of ['allow', 'deny']) {
    const page = await (await browser.newContext()).newPage()
    await openConsent(page, await authorizeUrl(baseUrl, client.redirectUri, markup))
    const text = await page.textContent('main')
    for (const shown of ['Developer', markup, 'api', client.redirectUri]) t.match(text, shown)
    t.equal(await page.locator('img').count(), 0, 'markup in a client name stays text')
    await page.click(`button[value="${decision}"]`)
    await page.waitForURL(`${client.redirectUri}**`)
    t.equal(await page.textContent('body'), 'back at the client')
  }
  const [allowed, denied] = client.calls
  t.match(allowed?.searchParams.get('code'), /^[\w-]+\.[\w-]+\.[\w-]+$/)
  t.equal(allowed?.searchParams.get('state'), 'from the browser')
  t.strictSame(Object.fromEntries(denied?.searchParams ?? []), {
    error: 'access_denied',
    state: 'from the browser',
    iss: baseUrl,
  })
})
