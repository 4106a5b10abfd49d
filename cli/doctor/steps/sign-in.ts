/** How the walk gets a code: from the development login of this machine, or from a person at a browser. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopbackUrl } from '../../../runtime/loopback.ts'
import { get, maxOfPage, postForm, type ReadAnswer } from '../request.ts'
import type { Known, PendingSignIn, RegisteredClient, Visit } from '../step.ts'
import { follow, pageHeaders, returnOf } from './authorization.ts'

/** What the authorization server sent the browser back with. */
export type Return = URLSearchParams

/** Where a browser is sent back to. */
export interface LoopbackListener {
  readonly redirectUri: string
  /** Resolves with the first return that has this state, or with null when nobody came in time. */
  readonly returned: (state: string, maxMs: number) => Promise<Return | null>
  close(): void
}

/** On loopback, at a free port. Source: RFC 8252, 7.3. */
export async function listenOnLoopback(): Promise<LoopbackListener> {
  let settle: (outcome: Return | null) => void = () => {}
  const outcome = new Promise<Return | null>((resolve) => {
    settle = resolve
  })
  let awaited: string | null = null
  const server = createServer(({ url = '/' }, response) => {
    const [pathname, ...query] = url.split('?') // URL throws on `//`
    const sent = new URLSearchParams(query.join('?'))
    const isAnswer = pathname === '/callback' && (sent.has('code') || sent.has('error'))
    const isReturn = isAnswer && awaited !== null && sent.get('state') === awaited // any page may send a browser here
    response.writeHead(isReturn ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(
      isReturn ? 'acmcp doctor goes on in its terminal; this page can be closed.\n' : 'not found\n',
    )
    if (isReturn) settle(sent)
  })
  await listening(server)
  const { port } = server.address() as AddressInfo // of a server that listens on a port
  return {
    redirectUri: `http://127.0.0.1:${port}/callback`,
    returned: (state, maxMs) => {
      awaited = state
      setTimeout(settle, maxMs, null).unref()
      return outcome
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', resolve)
  })

/** Whether this machine's development login stands on the page where people sign in. Source: rules.md, Sign-in. */
export function hasDevelopmentLogin({ signInPage }: Known): boolean {
  if (signInPage === null || !isLoopbackUrl(signInPage.page.url.href)) return false
  return signInPage.page.body.includes('href="/auth/dev"')
}

/** Signs the development user in and allows, as a browser does; null when that leads nowhere. */
export async function signInAsDeveloper(
  visit: Visit,
  pending: PendingSignIn,
  client: RegisteredClient,
): Promise<Return | null> {
  const cookies = new Map(pending.cookies)
  const login = get(new URL('/auth/dev', pending.page.url), pageHeaders)
  const consent = await follow(visit, login.url, cookies, login)
  const form = consentForm(consent)
  if (form === null) return null
  const decided = postForm(form.action, { ...form.fields, decision: 'allow' })
  const done = await follow(visit, form.action, cookies, decided)
  return returnOf(done, client)
}

interface ConsentForm {
  readonly action: URL
  readonly fields: Readonly<Record<string, string>>
}

/** All else is ticked: a client that may only look sees fewer tools. */
const readOnlyTick = 'read_only'

/** The form of a page that asks for a decision. */
function consentForm({ body, url }: ReadAnswer): ConsentForm | null {
  const forms = body.slice(0, maxOfPage).split(/<form\b/i)
  const form = forms.find((part) => part.includes('name="decision"'))
  const action = /\baction="([^"]*)"/.exec(form ?? '')?.[1]
  if (form === undefined || action === undefined || !URL.canParse(unescapeHtml(action), url)) return null
  const inputs = [...form.matchAll(/<input\b[^<>]*>/g)].map(([input]) => input)
  const fields = inputs.map((input) => [attributeOf(input, 'name'), attributeOf(input, 'value')])
  return {
    action: new URL(unescapeHtml(action), url),
    fields: Object.fromEntries(fields.filter(([name]) => name !== '' && name !== readOnlyTick)),
  }
}

const attributeOf = (tag: string, name: string): string =>
  unescapeHtml(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
