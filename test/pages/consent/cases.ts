/** The consent page where scopes are declared, as a browser comes to it. */
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { ScopesConfig } from '../../../runtime/contract/scopes.ts'
import type { PageCase } from '../cases.ts'
import type { Scene } from '../scene.ts'

const scopes: ScopesConfig = {
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add and change notes', implies: ['notes:read'] },
  'notes:delete': { text: 'Delete notes for good, those of others that you share too', sensitive: true },
}

export const consentCases: readonly PageCase[] = [
  {
    name: 'consent-scopes',
    open: async (page, scene) => {
      await openConsent(page, scene, 'api notes:delete')
    },
  },
  {
    name: 'consent-nothing',
    open: async (page, scene) => {
      await openConsent(page, scene, 'api notes:delete')
      for (const name of ['notes:write', 'notes:read']) await page.uncheck(`input[name="allow:${name}"]`)
      await page.click('button[value=allow]')
    },
  },
  {
    name: 'consent-step-up',
    open: async (page, scene) => {
      const client = await openConsent(page, scene, 'notes:read')
      await redeem(client, await allowed(page))
      await page.goto(requestOf(client, 'api notes:delete'))
    },
  },
]

const hosted = 'https://claude.ai/api/mcp/auth_callback'
const verifier = 'a verifier of the tests in a browser, long enough'

export interface Registered {
  readonly baseUrl: string
  readonly clientId: string
  readonly redirectUri: string
}

/** Signs in, and opens the page for a client of its own, which is one of the web unless it receives its answer at a path of the
 *  application itself. */
export async function openConsent(
  page: Page,
  scene: Scene,
  scope: string,
  callbackPath: string | null = null,
): Promise<Registered> {
  const baseUrl = await scene.serve('scopes', { config: { scopes } })
  const redirectUri = callbackPath === null ? hosted : `${baseUrl}${callbackPath}`
  const answer = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirectUri] }),
  })
  const client = { baseUrl, clientId: String((await answer.json()).client_id), redirectUri }
  await page.goto(`${baseUrl}/auth/dev`)
  await page.goto(requestOf(client, scope))
  return client
}

const requestOf = ({ baseUrl, clientId, redirectUri }: Registered, scope: string): string =>
  `${baseUrl}/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope,
    state: 'a state',
  })}`

/** Where the client receives the answer. */
export async function callbackOf(page: Page, { redirectUri }: Registered): Promise<URL> {
  await page.waitForURL(`${redirectUri}**`)
  return new URL(page.url())
}

/** Sends the form without leaving the page, and resolves with where the browser would go. */
async function allowed(page: Page): Promise<URL> {
  const form = await page.evaluate('Object.fromEntries(new FormData(document.forms[0]))')
  const answer = await page.context().request.post(new URL('/oauth/authorize', page.url()).href, {
    form: { ...(form as Record<string, string>), decision: 'allow' }, // texts, by the script above
    maxRedirects: 0,
  })
  return new URL(answer.headers().location ?? '')
}

/** The scope of the tokens that the client gets. */
export async function redeem({ baseUrl, clientId, redirectUri }: Registered, callback: URL): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  })
  return String((await answer.json()).scope)
}
