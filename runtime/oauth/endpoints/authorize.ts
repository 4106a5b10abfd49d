/** `GET` and `POST /oauth/authorize`. Source: rules.md, Authorize: the list below is its list. */
import { type ConsentView, consentPage } from '../../../templates/pages/consent.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { lazy } from '../../lazy.ts'
import { equalInConstantTime } from '../../secret.ts'
import { isUrlText } from '../../text-formats.ts'
import { audit } from '../audit.ts'
import type { Client } from '../clients/client.ts'
import { findClient, isRedirectUriOf } from '../clients/clients.ts'
import { documentHost } from '../clients/document-id.ts'
import { settingForSchemes, withQuery } from '../clients/redirect-uri.ts'
import { consentView, isReadOnlyTicked, tickedIn } from '../consent/consent-view.ts'
import {
  type AllowedScopes,
  fullPermission,
  type Offer,
  offerTo,
  permissionFor,
  scopesIn,
} from '../consent/offer.ts'
import { type ConsentSubject, isDigestOf, shownDigest } from '../consent/shown-digest.ts'
import { OAuthError, type OAuthRefusal, refused } from '../oauth-error.ts'
import { randomHex, randomState, type SigningOptions } from '../options.ts'
import { type Parameters, parameter, readParameters, requiredParameter } from '../parameters.ts'
import { liftedBy, profiles } from '../profile.ts'
import { foreignResource } from '../resource.ts'
import { disclosedError, htmlPage, seeOther, withOAuthErrors } from '../responses.ts'
import { isFromElsewhere } from '../same-origin.ts'
import { recentlySignedInUser } from '../session.ts'
import { signCode } from '../tokens/claims.ts'

/** One request and what is known about it before any rule has run. */
interface AuthorizationRequest {
  readonly options: SigningOptions
  readonly request: HttpRequest
  readonly parameters: Parameters
  readonly client: Client | null
  readonly user: User | null
  /** What the user is asked to allow. */
  readonly offer: () => Promise<Offer>
}

/** One rule: throws the error, responds, or passes the request on with null. */
type Step = (authorization: AuthorizationRequest) => HttpResponse | null | Promise<HttpResponse | null>

const path = '/oauth/authorize'
const decisions: ReadonlySet<string> = new Set(['allow', 'deny'])

/** What a request is made of; a decision and the consent page's token are no part of it. */
const requestParameters: readonly string[] = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'state',
  'resource',
]

/** After rule 1, the known client and its redirect URI. */
const authorizeSteps: readonly Step[] = [
  codeResponseType, // 2
  pkceS256, // 3
  resourceIsOurs, // 4
  scopeIsKnown, // 5
  userIsSignedIn, // 6
  somethingIsOffered,
  userHasDecided, // 7
  denied, // 8
  userIsStillSignedIn,
  allowed, // 9
]

/** Bytes; what is over is malformed, before any rule. The code carries the challenge (128 is the most that RFC 7636, 4.2
 *  allows), the session or the grant the others. */
const limits: readonly (readonly [string, number])[] = [
  ['state', 2048],
  ['resource', 2048],
  ['scope', 2048],
  ['code_challenge', 128],
]

/** The authorization endpoint. Errors are JSON; what a client may be told is redirected to it: `access_denied`, and in the profile `compatible`
 *  each error after rule 1. */
export function authorizeEndpoint(options: SigningOptions): Endpoint {
  const handle = withOAuthErrors((request) => authorize(request, options), options)
  return { methods: ['GET', 'POST'], path, handle }
}

async function authorize(request: HttpRequest, options: SigningOptions): Promise<HttpResponse> {
  const parameters = await readParameters(request, options.profile)
  for (const [name, bytes] of limits) {
    if (Buffer.byteLength(parameter(parameters, name)) > bytes)
      throw new OAuthError('invalid_request', `${name} is longer than ${bytes} bytes`)
  }
  const client = await findClient(parameter(parameters, 'client_id'), request.ip, options)
  const user = await recentlySignedInUser(request.session, options)
  const requested = scopesIn(parameter(parameters, 'scope'), options.profile)
  const offer = lazy(() => offerTo(passed(user), requested, options))
  const authorization: AuthorizationRequest = { options, request, parameters, client, user, offer }
  knownClientAndRedirect(authorization) // 1
  try {
    return await answered(authorization)
  } catch (error) {
    if (!options.profile.redirectsErrors || !(error instanceof OAuthError)) throw error
    const { error: code, description } = disclosedError(error, request.id, options)
    return redirect(parameters, { error: code, error_description: description, iss: options.baseUrl })
  }
}

async function answered(authorization: AuthorizationRequest): Promise<HttpResponse> {
  for (const step of authorizeSteps) {
    const outcome = await step(authorization)
    if (outcome !== null) return outcome
  }
  throw new Error('no rule answered the authorization request')
}

function knownClientAndRedirect({ client, parameters, options }: AuthorizationRequest): void {
  const redirectUri = parameter(parameters, 'redirect_uri')
  if (client !== null && isRedirectUriOf(client, redirectUri, options)) return
  throw refused(
    'invalid_request',
    client === null
      ? unknownClient(parameter(parameters, 'client_id'))
      : unknownRedirect(client, redirectUri, options),
    'unknown client or redirect_uri',
  )
}

function unknownClient(id: string): OAuthRefusal {
  const host = isUrlText(id) ? documentHost(id) : null
  if (host === null) return { reason: 'no client has this id here, or not any more' }
  return { reason: `the document that describes the client could not be read from ${host}, or is refused` }
}

/** Without the address that was sent: the error page must not show text that a stranger wrote into a link. */
function unknownRedirect(
  { redirectUris }: Client,
  redirectUri: string,
  { profile }: SigningOptions,
): OAuthRefusal {
  if (redirectUri === '') return { reason: 'redirect_uri is missing' }
  if (!redirectUris.includes(redirectUri))
    return { reason: 'the redirect address is not among those of the client' }
  return {
    reason: 'the redirect address of the client has a scheme that is not allowed here',
    hint: settingForSchemes([redirectUri], profile),
  }
}

function codeResponseType({ parameters }: AuthorizationRequest): null {
  if (requiredParameter(parameters, 'response_type') === 'code') return null
  throw refused('unsupported_response_type', { reason: 'response_type must be code' })
}

function pkceS256({ parameters }: AuthorizationRequest): null {
  const isS256 = parameter(parameters, 'code_challenge_method') === 'S256'
  if (isS256 && parameter(parameters, 'code_challenge') !== '') return null
  throw new OAuthError('invalid_request', 'PKCE with S256 is required')
}

function resourceIsOurs({ parameters, options }: AuthorizationRequest): null {
  if (options.areOwnResources(parameters)) return null
  throw foreignResource(parameters, options)
}

function scopeIsKnown({ parameters, options }: AuthorizationRequest): null {
  const { scopes, profile } = options
  const unknown = scopesIn(parameter(parameters, 'scope'), profile).filter((name) => !scopes.isKnown(name))
  if (unknown.length === 0) return null
  throw refused('invalid_scope', {
    reason: `this server has no scope '${unknown.join(' ').slice(0, 200)}'`,
    hint: unknown.every((name) => profiles.compatible.ignoredScopes.has(name)) ? liftedBy : null,
  })
}

function userIsSignedIn({ user, request, parameters }: AuthorizationRequest): HttpResponse | null {
  if (user !== null) return null
  request.session.set('return_to', returnTo(request, parameters))
  return seeOther('/auth')
}

/** Of known scopes, but of none that this user can have. No redirect: the user has seen no page of ours, and an attacker who registers
 *  a client could send people anywhere (RFC 9700, 4.11.2). */
async function somethingIsOffered({ offer, options }: AuthorizationRequest): Promise<null> {
  if (fullPermission(await offer(), options.scopes).named.length > 0) return null
  throw new OAuthError('access_denied', 'you can have none of these scopes')
}

async function userHasDecided(authorization: AuthorizationRequest): Promise<HttpResponse | null> {
  const { request, parameters, options } = authorization
  const csrfToken = csrfTokenOf(request, options)
  const isGenuine = equalInConstantTime(parameter(parameters, 'csrf_token'), csrfToken)
  const decision = parameter(parameters, 'decision')
  const isOwnForm = request.method === 'POST' && !isFromElsewhere(request, options.baseUrl)
  if (!isOwnForm || !isGenuine || !decisions.has(decision))
    return consent(authorization, csrfToken, request.method === 'POST' && decision !== '' ? 'unusable' : null)
  if (decision === 'deny') return null
  if (!(await isAnswerToThis(authorization))) return consent(authorization, csrfToken, 'unusable')
  const { named } = await permissionOf(authorization)
  return named.length > 0 ? null : consent(authorization, csrfToken, 'nothing')
}

/** Whether an allow was given on a page that showed what would be granted now. Without declared scopes every page shows the
 *  same. */
async function isAnswerToThis(authorization: AuthorizationRequest): Promise<boolean> {
  const { request, parameters, options } = authorization
  if (options.scopes.declared.length === 0) return true
  const digest = shownDigest(await subjectOf(authorization), request.session, options)
  return isDigestOf(parameter(parameters, 'shown'), digest)
}

async function subjectOf({ parameters, options, ...request }: AuthorizationRequest): Promise<ConsentSubject> {
  const client = passed(request.client)
  const user = passed(request.user)
  const offer = await request.offer()
  const { coverage, store } = options
  const held = coverage === null ? [] : await store.findLiveGrants(user.id, client.id)
  const names = offer.shown.map(({ name }) => name)
  return {
    client,
    user,
    redirectUri: parameter(parameters, 'redirect_uri'),
    challenge: parameter(parameters, 'code_challenge'),
    resource: parameter(parameters, 'resource'),
    offer,
    held,
    joined: (await coverage?.joined(held, names)) ?? [],
  }
}

async function permissionOf(authorization: AuthorizationRequest): Promise<AllowedScopes> {
  const { parameters, options } = authorization
  const offer = await authorization.offer()
  return permissionFor(offer, tickedIn(parameters, offer), options.scopes)
}

async function denied(authorization: AuthorizationRequest): Promise<HttpResponse | null> {
  const { parameters, options, client, user, offer } = authorization
  if (parameter(parameters, 'decision') !== 'deny') return null
  const ids = { client: parameter(parameters, 'client_id'), user: passed(user).id }
  const facts = { decision: 'deny', ...scopeFacts(await offer(), { named: [], allowed: [] }) }
  audit(options, 'consent', { ids, facts, clientName: passed(client).name })
  return redirect(parameters, { error: 'access_denied', iss: options.baseUrl })
}

/** What the application is asked may take long: a session that was ended meanwhile connects no client. */
async function userIsStillSignedIn(authorization: AuthorizationRequest): Promise<HttpResponse | null> {
  const { request, user } = authorization
  await request.session.read?.()
  const isStill = request.session.get('user_id') === passed(user).id
  return isStill ? null : userIsSignedIn({ ...authorization, user: null })
}

async function allowed(authorization: AuthorizationRequest): Promise<HttpResponse> {
  const { options, parameters, client, user } = authorization
  const clientId = parameter(parameters, 'client_id')
  const redirectUri = parameter(parameters, 'redirect_uri')
  const challenge = parameter(parameters, 'code_challenge')
  const userId = passed(user).id
  const permission = await permissionOf(authorization)
  const scope = permission.named.join(' ')
  const code = await signCode({ clientId, userId, redirectUri, scope, challenge }, options)
  const id = randomHex(options.randomBytes, 16)
  const resource = parameter(parameters, 'resource')
  const { coverage } = options
  const grant = { id, userId, clientId, scope, resource, allowed: permission.allowed }
  const readOnly = coverage !== null && isReadOnlyTicked(parameters)
  const terms = coverage === null ? {} : { readOnly, surface: coverage.surface }
  await options.store.issueCode({ ...grant, ...terms }, code)
  const ids = { client: clientId, user: userId, grant: id, to: code.jti }
  const facts = {
    decision: 'allow',
    ...scopeFacts(await authorization.offer(), permission),
    ...(readOnly ? { readOnly } : {}),
  }
  audit(options, 'consent', { ids, facts, clientName: passed(client).name })
  return redirect(parameters, { code: code.jwt, iss: options.baseUrl })
}

/** For the audit log: what was allowed of what was shown. Nothing where no page showed a choice. */
function scopeFacts({ shown }: Offer, { allowed }: AllowedScopes): Readonly<Record<string, string>> {
  if (shown.length === 0) return {}
  const refused = shown.map(({ name }) => name).filter((name) => !allowed?.includes(name))
  return { granted: allowed?.join(' ') ?? '', refused: refused.join(' ') }
}

/** After sign-in the browser comes back with GET: to the same path and query, as they were sent (bytes that no header
 *  carries are escaped); a form's own parameters become a query, without the decision and unknown parameters. */
function returnTo(request: HttpRequest, parameters: Parameters): string {
  if (request.method !== 'POST') return request.url.replace(/[^\x21-\x7e]/g, percentEncoded)
  return addressOf(parameters)
}

function addressOf(parameters: Parameters): string {
  const named = requestParameters.map((name) => [name, parameter(parameters, name)])
  const kept = named.filter(([, value]) => value !== '')
  return `${path}?${new URLSearchParams(kept)}`
}

/** Whether a text is the address of an authorization request here, as the consent page's form to sign out sends it. No longer
 *  than proxies take a `Location`. */
export function isAuthorizationRequest(text: string): boolean {
  return text.length <= 8192 && text.startsWith(`${path}?`) && /^[\x21-\x7e]*$/.test(text)
}

const percentEncoded = (byte: string): string =>
  `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

function csrfTokenOf({ session }: HttpRequest, options: SigningOptions): string {
  const kept = session.get('csrf_token')
  if (typeof kept === 'string') return kept
  const csrfToken = randomState(options.randomBytes)
  session.set('csrf_token', csrfToken)
  return csrfToken
}

async function consent(
  authorization: AuthorizationRequest,
  csrfToken: string,
  again: ConsentView['again'],
): Promise<HttpResponse> {
  const { options, request, parameters } = authorization
  const returnTo = addressOf(parameters)
  const shown = await subjectOf(authorization)
  const view = await consentView({ ...shown, options, request, parameters, csrfToken, again, returnTo })
  return htmlPage(consentPage(view))
}

/** `iss` stands in both redirects (RFC 9207). */
function redirect(parameters: Parameters, response: Readonly<Record<string, string>>): HttpResponse {
  const state = parameter(parameters, 'state')
  return seeOther(withQuery(parameter(parameters, 'redirect_uri'), { ...response, state }))
}

/** What an earlier rule of the list has made sure of. */
function passed<Value>(value: Value | null): Value {
  if (value === null) throw new Error('a rule ran before the rule that guards it')
  return value
}
