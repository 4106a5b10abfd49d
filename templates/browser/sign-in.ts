/** Signs in as a public client: authorization code with PKCE (RFC 7636), in this tab. Nothing is kept but in the tab's own
 *  storage: while the user is away to sign in the state and the verifier, then the access token. The refresh token is
 *  dropped: a user who comes back later signs in again. */
import { isJsonObject, parsedJson, textOr } from './values.ts'

/** What the page was told. Source: runtime/contract/pages.ts. */
export interface SignIn {
  readonly clientId: string
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint: string
  readonly scope: string
  readonly redirectUri: string
  readonly resource: string
}

const pendingKey = 'acmcp.sign-in'
const tokenKey = 'acmcp.token'

/** The access token of this tab, or null. */
export const keptToken = (): string | null => sessionStorage.getItem(tokenKey)

export const forgetToken = (): void => sessionStorage.removeItem(tokenKey)

/** Whether this browser can: PKCE needs a secure context, and the answer comes to the address of the redirect URI. */
export const canSignIn = ({ redirectUri }: SignIn): boolean =>
  isSecureContext && location.origin === new URL(redirectUri).origin

/** Leaves for the consent page. */
export async function leaveToSignIn(signIn: SignIn): Promise<void> {
  const state = randomText()
  const verifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  sessionStorage.setItem(pendingKey, JSON.stringify({ state, verifier }))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: signIn.clientId,
    redirect_uri: signIn.redirectUri,
    code_challenge: base64Url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    scope: signIn.scope,
    state,
    resource: signIn.resource,
  })
  location.assign(`${signIn.authorizationEndpoint}?${query}`)
}

/** Takes the authorization response out of the address, from where it must not be copied, and exchanges its code. Resolves with
 *  what went wrong, in words, else null. */
export async function finishSignIn(signIn: SignIn): Promise<string | null> {
  const answer = new URLSearchParams(location.search)
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return null
  history.replaceState(null, '', location.pathname)
  const pending = takePending()
  if (pending === null || answer.get('state') !== pending.state || answer.get('iss') !== signIn.issuer)
    return 'This sign-in was not begun in this tab. Begin it here.'
  const code = answer.get('code')
  if (code === null)
    return answer.get('error') === 'access_denied' ? 'You did not allow it.' : 'It was refused.'
  return redeem(signIn, code, pending.verifier)
}

/** Forgets the token, and has the service forget it. Resolves with what went wrong, in words, else null. */
export async function signOut(signIn: SignIn): Promise<string | null> {
  const token = keptToken()
  forgetToken()
  if (token === null) return null
  const answer = await post(signIn.revocationEndpoint, { token, client_id: signIn.clientId })
  return answer?.ok === true
    ? null
    : 'The token is forgotten here, but the service could not be told to end it.'
}

async function redeem(signIn: SignIn, code: string, verifier: string): Promise<string | null> {
  const answer = await post(signIn.tokenEndpoint, {
    grant_type: 'authorization_code',
    client_id: signIn.clientId,
    code,
    redirect_uri: signIn.redirectUri,
    code_verifier: verifier,
    resource: signIn.resource,
  })
  const body = answer === null ? null : parsedJson(await answer.text().catch(() => ''))
  if (!isJsonObject(body)) return 'The service did not answer.'
  if (answer?.ok !== true) return `The service refused: ${textOr(body.error_description, 'no reason given')}.`
  const token = textOr(body.access_token, '')
  if (token === '') return 'The service gave no token.'
  sessionStorage.setItem(tokenKey, token)
  return null
}

function takePending(): { readonly state: string; readonly verifier: string } | null {
  const pending = parsedJson(sessionStorage.getItem(pendingKey) ?? '')
  sessionStorage.removeItem(pendingKey)
  if (!isJsonObject(pending)) return null
  const { state, verifier } = pending
  return typeof state === 'string' && typeof verifier === 'string' ? { state, verifier } : null
}

/** A form to our own origin, without cookies; null when there was no answer. */
const post = (address: string, form: Readonly<Record<string, string>>): Promise<Response | null> =>
  fetch(address, {
    method: 'POST',
    body: new URLSearchParams(form),
    credentials: 'omit',
    cache: 'no-store',
  }).catch(() => null)

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)))

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
