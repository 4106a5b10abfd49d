/** Registration, the authorization request with PKCE, and the way to the page on which a person signs in. */
import { randomBytes } from 'node:crypto'
import { sha256Base64Url } from '../../../runtime/secret.ts'
import { get, jsonObject, postJson, type ReadAnswer, type Sent, textIn } from '../request.ts'
import {
  addressOf,
  answered,
  broken,
  type Finding,
  notTried,
  ok,
  type PendingSignIn,
  type RegisteredClient,
  type ServerDocument,
  type Step,
  type Visit,
  wrong,
} from '../step.ts'
import { authorizationRefused, noPkce, registrationRefused } from '../troubles.ts'
import { saysOf, troubleOf } from '../unexpected-answer.ts'
import { whyNoSignIn } from './metadata.ts'

/** `redirectUri` is where this process waits for the code, or would. */
export const registrationStep = (redirectUri: string): Step => ({
  name: 'registration',
  run: (visit) => register(visit, redirectUri),
})

export const authorizationStep: Step = { name: 'authorization', run: authorize }

/** Source: RFC 7591, 3. */
async function register({ ask, known }: Visit, redirectUri: string): Promise<Finding> {
  const { server } = known
  if (server === null) return notTried(whyNoSignIn(known) ?? '')
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
  return broken(answered(answer), isOwnRefusal ? registrationRefused(saysOf(answer)) : troubleOf(answer))
}

/** Source: RFC 7636, 4.3; MCP 2025-11-25, Authorization Code Protection; RFC 8707. */
async function authorize(visit: Visit): Promise<Finding> {
  const { server, client, resource } = visit.known
  if (server === null) return notTried(whyNoSignIn(visit.known) ?? '')
  if (server.challengeMethods?.includes('S256') !== true) return broken('no S256', noPkce())
  if (client === null || resource === null) return notTried('there is no client to ask for')
  const request = requestFor(server, client, {
    resource: resource.resource,
    scope: visit.known.refused?.challenge?.scope ?? null,
  })
  const cookies = new Map<string, string>()
  const page = await follow(visit, request.address, cookies)
  const error = errorOf(page)
  if (error !== null) return wrong(answered(page), authorizationRefused(error))
  if (returnOf(page, client) !== null)
    return ok('leads back at once', { signInPage: { ...request, page, cookies } })
  const elsewhere = otherServer(page)
  if (elsewhere === null && (page.status !== 200 || !isPage(page)))
    return broken(answered(page), troubleOf(page))
  return ok(`leads to ${addressOf(elsewhere ?? page.url)}`, { signInPage: { ...request, page, cookies } })
}

/** What a browser is sent back to the client with, else null. */
export function returnOf(
  { headers, url }: ReadAnswer,
  { redirectUri }: RegisteredClient,
): URLSearchParams | null {
  const { location } = headers
  const isBack = location?.startsWith(redirectUri) === true && URL.canParse(location, url)
  return isBack ? new URL(location, url).searchParams : null
}

/** Where people sign in at another server, else null. */
function otherServer({ status, headers, url }: ReadAnswer): URL | null {
  const { location } = headers
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, url)) return null
  const to = new URL(location, url)
  return to.protocol === 'https:' && to.hostname !== url.hostname ? to : null
}

type Authorization = Pick<PendingSignIn, 'address' | 'verifier' | 'state'>

/** With PKCE and a state of its own. */
export function requestFor(
  server: ServerDocument,
  client: RegisteredClient,
  wanted: { readonly resource: string; readonly scope: string | null },
): Authorization {
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

const isPage = ({ headers }: ReadAnswer): boolean => headers['content-type']?.startsWith('text/html') === true

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
export async function follow(
  { ask }: Pick<Visit, 'ask'>,
  start: URL,
  cookies: Map<string, string>,
  first: Sent = get(start, pageHeaders),
): Promise<ReadAnswer> {
  let sent = first
  for (let count = 0; ; count += 1) {
    const answer = await ask(withCookies(sent, cookies))
    for (const line of answer.headers['set-cookie'] ?? []) keepCookie(line, cookies)
    const to = answer.headers.location
    const isRedirect = answer.status >= 300 && answer.status < 400 && to !== undefined
    if (!isRedirect || count === maxRedirects || !URL.canParse(to, answer.url)) return answer
    const next = new URL(to, answer.url)
    if (next.origin !== start.origin) return answer
    sent = get(next, pageHeaders)
  }
}

export const pageHeaders: Sent['headers'] = { accept: 'text/html,*/*;q=0.8' }

function withCookies(sent: Sent, cookies: ReadonlyMap<string, string>): Sent {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return cookie === '' ? sent : { ...sent, headers: { ...sent.headers, cookie } }
}

function keepCookie(line: string, cookies: Map<string, string>): void {
  const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
  if (name !== '') cookies.set(name, value)
}
