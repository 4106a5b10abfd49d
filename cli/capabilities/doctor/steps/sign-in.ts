/** How people sign in: at the providers of this folder, and for the walk by the development login of this machine or at a browser. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopbackUrl } from '../../../../runtime/loopback.ts'
import { maxOfPage, postForm, type ReadAnswer } from '../request.ts'
import {
  type AskedProvider,
  type Finding,
  notTried,
  ok,
  type PendingSignIn,
  type Visit,
  wrong,
} from '../step.ts'
import { trouble } from '../troubles.ts'
import { follow, getPage, returnOf } from './authorization.ts'

/** As far as that shows without a person. */
export async function judgeProviders(examine: () => Promise<readonly AskedProvider[]>): Promise<Finding> {
  const found = await examine()
  if (found.length === 0) return notTried('no OpenID provider is configured')
  const first = found.find(({ trouble: kind }) => kind !== null)
  if (first === undefined) return ok(found.map(({ name }) => name).join(', '))
  const detail = found.map(({ name, trouble: kind }) => `${name}: ${kind ?? 'ok'}`).join(', ')
  const change =
    providerChanges.get(first.trouble ?? '') ?? "Look at the server's log, and at that of the provider."
  const facts = { ...first, change: change.replace('<name>', () => first.name) }
  return wrong(detail, trouble('providerFails', facts))
}

/** By the name of a trouble. */
const providerChanges: ReadonlyMap<string, string> = new Map([
  ['name', 'Correct its issuer in the configuration, or the DNS of this machine.'],
  ['connection', 'Look at the network and the firewall between this machine and the provider.'],
  ['certificate', 'Trust its authority (NODE_EXTRA_CA_CERTS), or have its certificate renewed.'],
  ['timeout', 'Look at the network between this machine and the provider, and whether that works.'],
  ['status', 'Wait, or look whether the provider works.'],
  ['issuer', 'Write issuer to the letter as its discovery document has it.'],
  ['keys', 'Look at jwks_uri of its discovery document.'],
  ['clock', 'Set both clocks by NTP: tokens are judged by them.'],
  ['client-id', 'Give clientId the id that the provider knows.'],
  ['client-secret', 'Give clientSecret the secret of that client; it may have expired there.'],
  ['redirect-uri', 'Register {BASE_URL}/auth/<name>/callback there, to the letter.'],
])

/** What the authorization server sent the browser back with. */
export type Return = URLSearchParams

/** Where a browser is sent back to. */
export interface LoopbackListener {
  readonly redirectUri: string
  /** Resolves with the first return that has this state, or with null when none came in time. */
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
export const hasDevelopmentLogin = ({ page }: PendingSignIn): boolean =>
  isLoopbackUrl(page.url.href) && page.body.includes('href="/auth/dev"')

/** Signs the development user in and allows, as a browser does; null when that leads nowhere. */
export async function signInAsDeveloper(visit: Visit, pending: PendingSignIn): Promise<Return | null> {
  const cookies = new Map(pending.cookies)
  const form = consentForm(await follow(visit, getPage(new URL('/auth/dev', pending.page.url)), cookies))
  if (form === null) return null
  const decided = postForm(form.action, { ...form.fields, decision: 'allow' })
  return returnOf(pending, await follow(visit, decided, cookies))
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
