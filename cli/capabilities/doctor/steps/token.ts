/** The token endpoint, a token if there is a way to get one, and whether it arrives. */
import { headersOf, initialize, replyOf, requestOf } from '../message.ts'
import { isJsonRecord, jsonObject, postForm, type ReadAnswer, textIn } from '../request.ts'
import {
  answered,
  type BearerToken,
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type PendingSignIn,
  type Visit,
  wrong,
} from '../step.ts'
import { type Trouble, trouble } from '../troubles.ts'
import { saysOf, troubleOf } from '../unexpected-answer.ts'
import { returnOf } from './authorization.ts'
import { claimsOf, clockIsOff, maxSkewSeconds } from './clock.ts'
import { challengeOf } from './endpoint.ts'
import { hasDevelopmentLogin, type LoopbackListener, type Return, signInAsDeveloper } from './sign-in.ts'

/** A code that was never issued must be refused as such, which only the token endpoint itself can do. Source: RFC 6749, 5.2. */
export async function askTokenEndpoint({ ask, known }: Visit<'server'>): Promise<Finding> {
  const { server, client } = known
  const fields = codeFields(client, 'no-code', 'no-verifier'.repeat(5))
  const answer = await ask(postForm(server.tokenEndpoint, fields))
  if (isCached(answer)) return broken(answer, trouble('tokenCached'))
  const isOwn = textIn(jsonObject(answer.body), 'error') !== null
  if (isOwn && (answer.status === 400 || answer.status === 401))
    return ok(`${answered(answer)} to a wrong code`)
  return broken(answer, troubleOf(answer))
}

const codeFields = (client: Known['client'], code: string, verifier: string) => ({
  grant_type: 'authorization_code',
  client_id: client?.id ?? 'acmcp-doctor',
  redirect_uri: client?.redirectUri ?? 'http://127.0.0.1/callback',
  code,
  code_verifier: verifier,
})

/** Source: RFC 9111, 5.1. */
const isCached = ({ headers }: ReadAnswer): boolean =>
  Number(headers.age ?? 0) > 0 || /\bHIT\b/.test(`${headers['x-cache']} ${headers['cf-cache-status']}`)

/** `listener` is where a browser comes back to; null = no browser is asked. */
export async function findToken(visit: Visit, listener: LoopbackListener | null): Promise<Finding> {
  const { known, options } = visit
  if (options.token !== null) return judgeToken({ text: options.token, isOwn: false }, visit)
  const { signInPage } = known
  const returned = signInPage === null ? null : await signIn(visit, signInPage, listener)
  if (signInPage === null || returned === null) return notTried(howToGetOne)
  const { server, client, verifier, state } = signInPage
  const iss = returned.get('iss')
  if (iss === null ? server.namesIssuer : iss !== server.issuer)
    return wrong('the way back', otherSender(iss, server.issuer))
  const code = returned.get('code')
  if (code === null || returned.get('state') !== state)
    return wrong('the way back', authorizationRefused(returned.get('error')))
  const resource = known.resource?.resource ?? ''
  const fields = { ...codeFields(client, code, verifier), resource }
  const answer = await visit.ask(postForm(server.tokenEndpoint, fields))
  const text = answer.status === 200 ? textIn(jsonObject(answer.body), 'access_token') : null
  if (text !== null) return ok(`${answered(answer)}: a token`, { token: { text, isOwn: true } })
  const isRefused = textIn(jsonObject(answer.body), 'error') !== null
  const refusal = trouble('tokenRefused', { says: saysOf(answer) })
  return broken(answer, isRefused ? refusal : troubleOf(answer))
}

const otherSender = (iss: string | null, issuer: string): Trouble =>
  trouble('otherSender', { said: iss === null ? 'no iss' : `iss ${iss.slice(0, 120)}`, issuer })

const authorizationRefused = (error: string | null): Trouble =>
  trouble('authorizationRefused', { says: error ?? 'no code, or another state' })

const howToGetOne =
  'nobody has signed in: add --sign-in, or --token <token>; on the machine of the server acmcp token makes one'

const maxSigningInMs = 5 * 60_000

/** Null when there is no operator who could. */
async function signIn(
  visit: Visit,
  pending: PendingSignIn,
  listener: LoopbackListener | null,
): Promise<Return | null> {
  const { showSignIn } = visit.options
  const returned = returnOf(pending, pending.page) // some ask no user
  if (returned !== null) return returned
  if (listener !== null && showSignIn !== null) {
    const coming = listener.returned(pending.state, maxSigningInMs)
    showSignIn(pending.address)
    return coming
  }
  return hasDevelopmentLogin(pending) ? signInAsDeveloper(visit, pending) : null
}

/** Before it is sent anywhere: a server must not get to see a token for another one. */
function judgeToken(bearer: BearerToken, { known, options }: Visit): Finding {
  const foreign = foreignAudience(bearer, known)
  if (foreign?.split(', ').some((part) => /^https?:/i.test(part)) === true)
    return wrong('the one given, which is not sent', tokenOfOthers(foreign, known))
  const expired = expiryOf(bearer, options.clock() / 1000)
  if (expired !== null) return wrong('the one given', expired, { token: bearer })
  return ok('the one given', { token: bearer })
}

const tokenOfOthers = (audience: string, { resource, endpoint }: Known): Trouble =>
  trouble('tokenOfOthers', { audience, resource: resource?.resource ?? endpoint.href })

/** Null = it has not expired, or does not tell. */
function expiryOf(bearer: BearerToken, now: number): Trouble | null {
  const expiry = claimsOf(bearer)?.exp
  if (typeof expiry !== 'number' || expiry > now) return null
  return trouble('tokenExpired', { at: new Date(expiry * 1000).toISOString() })
}

/** The header arrives when the answer is another one than without it: the token passes, or its challenge says
 *  `invalid_token`. Without a token one is sent that was never issued. Source: RFC 6750, 3.1. */
export async function sendCredential(visit: Visit): Promise<Finding> {
  const { known } = visit
  const sent = known.token ?? { text: 'acmcp-doctor', isOwn: true }
  const answer = await visit.ask(requestOf({ ...known, token: sent }, initialize))
  if (answer.status !== 401) {
    const { result, error } = replyOf(answer)
    return result === null && error === null ? broken(answer, troubleOf(answer)) : ok(answered(answer))
  }
  const { error } = challengeOf(answer.headers['www-authenticate'] ?? '')
  const isAsWithout = error === null && answer.body === known.refused?.answer.body
  if (isAsWithout && distinguishesTokens(known)) return broken(answer, trouble('authorizationTaken'))
  if (known.token === null)
    return isAsWithout ? notTried('no token') : ok(`${answered(answer)} to a wrong token`)
  const unknown = trouble(isAsWithout ? 'tokenUnseen' : 'tokenNotAccepted')
  return broken(answer, refusalOf(known.token, visit) ?? unknown)
}

/** acmcp's own 401 that names metadata: it says `invalid_token` to every token that it refuses. */
function distinguishesTokens({ refused }: Known): boolean {
  const error = jsonObject(refused?.answer.body ?? '')?.error
  const isOurs = isJsonRecord(error) && error.code === -32_600 && error.message === 'Unauthorized'
  return isOurs && typeof refused?.challenge?.resourceMetadata === 'string'
}

/** Why a server refuses a token, as far as the token itself tells; else null. */
function refusalOf(sent: BearerToken, { known, options }: Visit): Trouble | null {
  const now = options.clock() / 1000
  const expired = expiryOf(sent, now)
  if (expired !== null) return expired
  const iat = claimsOf(sent)?.iat
  if (typeof iat === 'number' && iat - now > maxSkewSeconds) return clockIsOff(iat - now)
  const foreign = foreignAudience(sent, known)
  return foreign === null ? null : tokenOfOthers(foreign, known)
}

/** For whom a token is that is not for this server; null = for it, or it does not tell. An issuer counts only at the same origin: a
 *  server may name whom it likes as the one that issues its tokens. */
function foreignAudience(token: BearerToken, { endpoint, resource, server }: Known): string | null {
  const audiences = [claimsOf(token)?.aud ?? []].flat().map(String)
  const issuer = server?.issuer ?? endpoint.origin
  const isNear = URL.canParse(issuer) && new URL(issuer).origin === endpoint.origin
  const ours = [endpoint.origin, endpoint.href, resource?.resource, isNear ? issuer : undefined]
  const plain = ours.map((our) => our?.replace(/\/$/, ''))
  const isForeign =
    audiences.length > 0 && !audiences.some((audience) => plain.includes(audience.replace(/\/$/, '')))
  return isForeign ? audiences.join(', ') : null
}

/** Ends what the walk began: a session of the endpoint, and the grant of a token; whether that worked is no finding. Source:
 *  MCP 2025-11-25, Session Management, 5; RFC 7009, 2.1. */
export async function giveBack({ ask, known }: Pick<Visit, 'ask' | 'known'>): Promise<void> {
  const { token: own, server, client, session, endpoint } = known
  if (session !== null)
    await ask({ method: 'DELETE', url: endpoint, headers: headersOf(known), body: null }).catch(() => null)
  if (own?.isOwn !== true || client === null || server === null || server.revocationEndpoint === null) return
  await ask(postForm(server.revocationEndpoint, { token: own.text, client_id: client.id })).catch(() => null)
}
