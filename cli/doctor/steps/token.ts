/** The token endpoint, a token if there is a way to get one, and whether it arrives. */

import { headersOf, replyOf, requestOf } from '../message.ts'
import { isJsonRecord, type JsonRecord, jsonObject, postForm, type ReadAnswer, textIn } from '../request.ts'
import {
  answered,
  type BearerToken,
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type Step,
  type Visit,
  wrong,
} from '../step.ts'
import {
  authorizationRefused,
  authorizationTaken,
  clockIsOff,
  otherSender,
  type Trouble,
  tokenCached,
  tokenExpired,
  tokenNotAccepted,
  tokenOfOthers,
  tokenRefused,
  tokenUnseen,
} from '../troubles.ts'
import { saysOf, troubleOf } from '../unexpected-answer.ts'
import { returnOf } from './authorization.ts'
import { challengeOf, initializeParams } from './endpoint.ts'
import { whyNoSignIn } from './metadata.ts'
import { hasDevelopmentLogin, type LoopbackListener, type Return, signInAsDeveloper } from './sign-in.ts'

export const tokenEndpointStep: Step = { name: 'token endpoint', run: askTokenEndpoint }

/** `listener` is where a browser comes back to; null = no browser is asked. */
export const tokenStep = (listener: LoopbackListener | null): Step => ({
  name: 'token',
  run: (visit) => findToken(visit, listener),
})

export const credentialStep: Step = { name: 'credential', run: sendCredential }

/** A code that nobody issued must be refused as such, which only the token endpoint itself can do. Source: RFC 6749, 5.2. */
async function askTokenEndpoint({ ask, known }: Visit): Promise<Finding> {
  const { server, client } = known
  if (server === null) return notTried(whyNoSignIn(known) ?? '')
  const answer = await ask(
    postForm(server.tokenEndpoint, codeFields(client, 'no-code', 'no-verifier'.repeat(5))),
  )
  if (isCached(answer)) return broken(answered(answer), tokenCached())
  const isOwn = textIn(jsonObject(answer.body), 'error') !== null
  if (isOwn && (answer.status === 400 || answer.status === 401))
    return ok(`${answered(answer)} to a wrong code`)
  return broken(answered(answer), troubleOf(answer))
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

async function findToken(visit: Visit, listener: LoopbackListener | null): Promise<Finding> {
  const { known, options } = visit
  if (known.access === 'open') return notTried('not needed: the endpoint is open')
  if (options.token !== null) return judgeToken({ text: options.token, isOwn: false }, visit)
  const { signInPage, server, client } = known
  if (signInPage === null || server === null || client === null) return notTried(howToGetOne)
  const returned = await signIn(visit, listener)
  if (returned === null) return notTried(howToGetOne)
  const iss = returned.get('iss')
  if (iss === null ? server.namesIssuer : iss !== server.issuer)
    return wrong('the way back', otherSender(iss?.slice(0, 120) ?? null, server.issuer))
  const code = returned.get('code')
  if (code === null || returned.get('state') !== signInPage.state)
    return wrong('the way back', authorizationRefused(returned.get('error') ?? 'no code, or another state'))
  const fields = {
    ...codeFields(client, code, signInPage.verifier),
    resource: known.resource?.resource ?? '',
  }
  const answer = await visit.ask(postForm(server.tokenEndpoint, fields))
  const text = answer.status === 200 ? textIn(jsonObject(answer.body), 'access_token') : null
  if (text !== null) return ok(`${answered(answer)}: a token`, { token: { text, isOwn: true } })
  const isRefused = textIn(jsonObject(answer.body), 'error') !== null
  return broken(answered(answer), isRefused ? tokenRefused(saysOf(answer)) : troubleOf(answer))
}

const howToGetOne =
  'nobody has signed in: add --sign-in, or --token <token>; on the machine of the server acmcp token makes one'

const maxSigningInMs = 5 * 60_000

/** Null when there is nobody who could. */
async function signIn(visit: Visit, listener: LoopbackListener | null): Promise<Return | null> {
  const { known, options } = visit
  const { signInPage, client } = known
  if (signInPage === null || client === null) return null
  const returned = returnOf(signInPage.page, client) // some ask nobody
  if (returned !== null) return returned
  if (listener !== null && options.showSignIn !== null) {
    const coming = listener.returned(signInPage.state, maxSigningInMs)
    options.showSignIn(signInPage.address)
    return coming
  }
  return hasDevelopmentLogin(known) ? signInAsDeveloper(visit, signInPage, client) : null
}

/** Before it is sent anywhere: who is asked must not get to see a token for another server. */
function judgeToken(bearer: BearerToken, { known, options }: Visit): Finding {
  const foreign = foreignAudience(bearer, known)
  if (foreign?.split(', ').some((part) => /^https?:/i.test(part)) === true)
    return wrong('the one given, which is not sent', tokenOfOthers(foreign, addressOfTokens(known)))
  const expiry = claimsOf(bearer)?.exp
  if (typeof expiry === 'number' && expiry * 1000 <= options.clock())
    return wrong('the one given', tokenExpired(new Date(expiry * 1000).toISOString()), { token: bearer })
  return ok('the one given', { token: bearer })
}

/** Of a JWT, which is read and not verified; else null. */
export function claimsOf({ text }: BearerToken): JsonRecord | null {
  const [, payload] = text.split('.')
  return payload === undefined ? null : jsonObject(Buffer.from(payload, 'base64url').toString())
}

/** The header arrives when the answer is another one than without it: the token passes, or its challenge says
 *  `invalid_token`. Without a token one is sent that nobody issued. Source: RFC 6750, 3.1. */
async function sendCredential(visit: Visit): Promise<Finding> {
  const { known } = visit
  if (known.access === 'open') return notTried('not needed: the endpoint is open')
  const sent = known.token ?? { text: 'acmcp-doctor', isOwn: true }
  const message = { method: 'initialize', params: initializeParams, era: 'legacy' } as const
  const answer = await visit.ask(requestOf({ ...known, token: sent }, message))
  if (answer.status !== 401) {
    const { result, error } = replyOf(answer)
    if (result !== null || error !== null) return ok(answered(answer))
    return broken(answered(answer), troubleOf(answer))
  }
  const { error } = challengeOf(answer.headers['www-authenticate'] ?? '')
  const isAsWithout = error === null && answer.body === known.refused?.answer.body
  if (isAsWithout && distinguishesTokens(known)) return broken(answered(answer), authorizationTaken())
  if (known.token === null)
    return isAsWithout ? notTried('no token') : ok(`${answered(answer)} to a wrong token`)
  const trouble = refusalOf(known.token, visit) ?? (isAsWithout ? tokenUnseen() : tokenNotAccepted())
  return broken(answered(answer), trouble)
}

/** acmcp's own 401 that names metadata: it says `invalid_token` to every token that it refuses. */
function distinguishesTokens({ refused }: Known): boolean {
  const error = jsonObject(refused?.answer.body ?? '')?.error
  const isOurs = isJsonRecord(error) && error.code === -32_600 && error.message === 'Unauthorized'
  return isOurs && typeof refused?.challenge?.resourceMetadata === 'string'
}

const maxSkewSeconds = 60

/** Why a server refuses a token, as far as the token itself tells; else null. */
function refusalOf(sent: BearerToken, { known, options }: Visit): Trouble | null {
  const claims = claimsOf(sent)
  const now = options.clock() / 1000
  const { exp, iat } = claims ?? {}
  if (typeof exp === 'number' && exp <= now) return tokenExpired(new Date(exp * 1000).toISOString())
  if (typeof iat === 'number' && iat - now > maxSkewSeconds) return clockIsOff(iat - now)
  const foreign = foreignAudience(sent, known)
  return foreign === null ? null : tokenOfOthers(foreign, addressOfTokens(known))
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

const addressOfTokens = ({ resource, endpoint }: Known): string => resource?.resource ?? endpoint.href

/** Ends what the walk began: a session of the endpoint, and the grant of a token; whether that worked is no finding. Source:
 *  MCP 2025-11-25, Session Management, 5; RFC 7009, 2.1. */
export async function giveBack({ ask, known }: Pick<Visit, 'ask' | 'known'>): Promise<void> {
  const { token: own, server, client, session, endpoint } = known
  if (session !== null)
    await ask({ method: 'DELETE', url: endpoint, headers: headersOf(known), body: null }).catch(() => null)
  if (own?.isOwn !== true || client === null || server === null || server.revocationEndpoint === null) return
  await ask(postForm(server.revocationEndpoint, { token: own.text, client_id: client.id })).catch(() => null)
}
