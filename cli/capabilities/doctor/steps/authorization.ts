/** Registration, the authorization request with PKCE, and the way to the page on which a person signs in. */
import { randomBytes } from 'node:crypto'
import { sha256Base64Url } from '../../../../runtime/secret.ts'
import { get, jsonObject, postJson, type ReadAnswer, redirectTarget, type Sent, textIn } from '../request.ts'
import {
  answered,
  broken,
  type Finding,
  notTried,
  ok,
  type PendingSignIn,
  type RegisteredClient,
  type ServerDocument,
  type Visit,
  wrong,
} from '../step.ts'
import { addressOf, trouble } from '../troubles.ts'
import { isPage, saysOf, troubleOf } from '../unexpected-answer.ts'

/** `redirectUri` is where this process waits for the code, or would. Source: RFC 7591, 3. */
export async function register({ ask, known }: Visit<'server'>, redirectUri: string): Promise<Finding> {
  const { server } = known
  if (server.registrationEndpoint === null) {
    if (server.takesClientDocuments) return notTried('clients are known by their metadata documents alone')
    return notTried('clients are registered by hand: give each its client_id')
  }
  const metadata = {
    client_name: 'acmcp doctor',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  const answer = await ask(postJson(server.registrationEndpoint, metadata))
  const id =
    answer.status === 200 || answer.status === 201 ? textIn(jsonObject(answer.body), 'client_id') : null
  if (id !== null) return ok(answered(answer), { client: { id, redirectUri } })
  const isOwnRefusal = jsonObject(answer.body)?.error !== undefined && [400, 401, 403].includes(answer.status)
  const refusal = trouble('registrationRefused', { says: saysOf(answer) })
  return broken(answer, isOwnRefusal ? refusal : troubleOf(answer))
}

/** Source: RFC 7636, 4.3; MCP 2025-11-25, Authorization Code Protection; RFC 8707. */
export async function authorize(visit: Visit<'server' | 'resource'>): Promise<Finding> {
  const { server, client, resource } = visit.known
  if (server.challengeMethods?.includes('S256') !== true) return broken('no S256', trouble('noPkce'))
  if (client === null) return notTried('there is no client to ask for')
  const scope = visit.known.refused?.challenge?.scope ?? null
  const request = requestFor(server, client, { resource: resource.resource, scope })
  const cookies = new Map<string, string>()
  const page = await follow(visit, getPage(request.address), cookies)
  const error = errorOf(page)
  if (error !== null) return wrong(page, trouble('authorizationRefused', { says: error }))
  const signInPage = { ...request, server, client, page, cookies }
  if (returnOf(signInPage, page) !== null) return ok('leads back at once', { signInPage })
  const elsewhere = otherServer(page)
  if (elsewhere === null && (page.status !== 200 || !isPage(page))) return broken(page, troubleOf(page))
  return ok(`leads to ${addressOf(elsewhere ?? page.url)}`, { signInPage })
}

/** What a browser is sent back to the client with, else null. */
export function returnOf({ client }: PendingSignIn, answer: ReadAnswer): URLSearchParams | null {
  const { location } = answer.headers
  const isBack = location?.startsWith(client.redirectUri) === true && URL.canParse(location, answer.url)
  return isBack ? new URL(location, answer.url).searchParams : null
}

/** Where people sign in at another server, else null. */
function otherServer(answer: ReadAnswer): URL | null {
  const to = redirectTarget(answer)
  return to?.protocol === 'https:' && to.hostname !== answer.url.hostname ? to : null
}

/** With PKCE and a state of its own. */
export function requestFor(
  server: ServerDocument,
  client: RegisteredClient,
  wanted: { readonly resource: string; readonly scope: string | null },
): Pick<PendingSignIn, 'address' | 'verifier' | 'state'> {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const address = new URL(server.authorizationEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: sha256Base64Url(verifier),
    code_challenge_method: 'S256',
    state,
    resource: wanted.resource,
    ...(wanted.scope === null ? {} : { scope: wanted.scope }),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return { address, verifier, state }
}

/** What an authorization server refuses with: in JSON, or in the query of the redirect URI. */
export function errorOf(answer: ReadAnswer): string | null {
  const isRefusal = answer.status === 400 || answer.status === 401
  if (isRefusal && jsonObject(answer.body)?.error !== undefined) return saysOf(answer)
  const { location } = answer.headers
  if (location === undefined || !URL.canParse(location, answer.url)) return null
  return new URL(location, answer.url).searchParams.get('error')
}

const maxRedirects = 8

/** Goes on through redirects as a browser does, as far as they lead to pages of the same host; keeps its cookies. */
export async function follow({ ask }: Visit, first: Sent, cookies: Map<string, string>): Promise<ReadAnswer> {
  let sent = first
  for (let count = 0; ; count += 1) {
    const answer = await ask(withCookies(sent, cookies))
    for (const line of answer.headers['set-cookie'] ?? []) keepCookie(line, cookies)
    const to = redirectTarget(answer)
    if (to === null || count === maxRedirects || to.origin !== first.url.origin) return answer
    sent = getPage(to)
  }
}

export const getPage = (url: URL): Sent => get(url, { accept: 'text/html,*/*;q=0.8' })

function withCookies(sent: Sent, cookies: ReadonlyMap<string, string>): Sent {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return cookie === '' ? sent : { ...sent, headers: { ...sent.headers, cookie } }
}

function keepCookie(line: string, cookies: Map<string, string>): void {
  const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
  if (name !== '') cookies.set(name, value)
}
