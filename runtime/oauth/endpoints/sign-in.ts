/** `GET /auth/`, `/auth/:provider` and `/auth/:provider/callback`, and `POST /auth/sign-out`. Source: rules.md, Sign-in. */
import {
  isSignInProblem,
  type SignInProblem,
  type SignInView,
  signInPage,
} from '../../../templates/pages/sign-in.ts'
import type { Endpoint, HttpRequest, HttpResponse, Session } from '../../contract/http.ts'
import { PayloadTooLarge, SignInRefused } from '../../errors.ts'
import { equalInConstantTime } from '../../secret.ts'
import { StoreUnavailable, UserBlocked } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { OAuthError } from '../oauth-error.ts'
import { type AuthorizationServerOptions, serviceOf } from '../options.ts'
import { parameter, readParameters } from '../parameters.ts'
import type { AuthorizationServerPart, ServerRoom } from '../part.ts'
import { admit } from '../providers/admission.ts'
import { developmentUser } from '../providers/dev-login.ts'
import { providerLabel } from '../providers/presets.ts'
import type { IdentityProvider } from '../providers/provider.ts'
import { errorBroughtBack, isPassing, providerTroubleOf } from '../providers/provider-trouble.ts'
import { htmlPage, seeOther, text, withOAuthErrors } from '../responses.ts'
import { isFromElsewhere } from '../same-origin.ts'
import {
  leaveForOtherAccount,
  newLogin,
  type SignedIn,
  signedInUser,
  signIn,
  startSignIn,
  takeSignIn,
  wantsOtherAccount,
} from '../session.ts'
import { isAuthorizationRequest } from './authorize.ts'

interface Context extends ServerRoom {
  readonly parts: readonly AuthorizationServerPart[]
}

const stateLifetimeMs = 10 * 60 * 1000

/** The sign-in pages. A provider called `dev` is hidden by the development login while that is enabled. */
export function signInEndpoints(context: Context): readonly Endpoint[] {
  const { options } = context
  const endpoint = (method: string, path: string, respond: Respond): Endpoint => ({
    methods: [method],
    path,
    handle: withOAuthErrors((request) => respond(request, context), options),
  })
  return [
    endpoint('GET', '/auth/', list),
    endpoint('GET', '/auth/:provider', start),
    endpoint('GET', '/auth/:provider/callback', callback),
    endpoint('POST', '/auth/sign-out', signOut),
  ]
}

type Respond = (request: HttpRequest, context: Context) => Promise<HttpResponse>

async function list({ session }: HttpRequest, { options }: Context): Promise<HttpResponse> {
  const failure = takeFailure(session)
  const user = await signedInUser(session, options.store)
  const { devLogin } = options
  const shown = Object.entries(options.providers).filter(([name]) => !devLogin || name !== 'dev')
  const providers = shown.map(([name, config]) => ({ name, label: providerLabel(name, config) }))
  const userName = user?.name ?? null
  const view = { service: serviceOf(options), providers, devLogin, userName }
  return htmlPage(signInPage({ ...view, failure: shownFailure(failure, options) }))
}

function shownFailure(
  failure: SignInFailure | null,
  { providers }: AuthorizationServerOptions,
): NonNullable<SignInView['failure']> | null {
  if (failure === null) return null
  const { problem, provider } = failure
  const config = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  return { problem, label: config === undefined ? provider : providerLabel(provider, config) }
}

async function start(request: HttpRequest, { options, providers }: Context): Promise<HttpResponse> {
  const name = request.params.provider ?? ''
  if (name === 'dev' && options.devLogin) {
    const identity = { ...developmentUser(request.headers), beganAt: options.clock() }
    return orSignInFailed(request, options, () => signsIn(request, identity, options))
  }
  const provider = knownProvider(name, providers)
  const login = newLogin(name, options)
  return orSignInFailed(request, options, async () => {
    const url = await provider.authorizationUrl(login, wantsOtherAccount(request.session) ? 'account' : null)
    startSignIn(request.session, login)
    return seeOther(url)
  })
}

async function callback(request: HttpRequest, { options, providers, parts }: Context): Promise<HttpResponse> {
  const name = request.params.provider ?? ''
  const provider = knownProvider(name, providers)
  const login = takeSignIn(request.session)
  const state = request.query.get('state') ?? ''
  if (login === null || !equalInConstantTime(state, login.state)) return invalidState(request)
  const isFresh = options.clock() - login.startedAt <= stateLifetimeMs
  if (login.provider !== name || !isFresh) return invalidState(request)
  const beganAt = options.clock()
  const identify = async (): Promise<SignedIn> => ({
    ...(await provider.identify(request.query, login)),
    beganAt,
  })
  const { purpose } = login
  if (purpose !== undefined) {
    const finish = parts.flatMap(({ signIns }) => signIns?.get(purpose.name) ?? [])[0]
    if (finish === undefined) return invalidState(request)
    return finish({ request, options, providers, identify, kept: purpose.kept })
  }
  return orSignInFailed(request, options, async () => signsIn(request, await identify(), options))
}

/** Ends the session and everything in it. A page of another site cannot do it: the cookie is `SameSite=Lax`, and what the
 *  browser says of the form's origin is heeded. With the `return_to` of the consent page the browser goes back to that
 *  authorization request, or page of a part, which asks to sign in again; to no other address. */
async function signOut(request: HttpRequest, { options, parts }: Context): Promise<HttpResponse> {
  const { session } = request
  if (isFromElsewhere(request, options.baseUrl))
    throw new OAuthError('access_denied', 'only a page of this service signs out', 403)
  const returnTo = await formerRequest(request)
  const isResumed =
    isAuthorizationRequest(returnTo) ||
    parts.some(({ isReturnAddress }) => isReturnAddress?.(returnTo) === true)
  const user = await signedInUser(session, options.store)
  await (isResumed ? leaveForOtherAccount(session) : session.regenerate())
  if (user !== null) audit(options, 'sign-out', { ids: { user: user.id } })
  return seeOther(isResumed ? returnTo : '/auth')
}

/** The form's `return_to`; a body of another kind signs out all the same. */
async function formerRequest(request: HttpRequest): Promise<string> {
  try {
    return parameter(await readParameters(request), 'return_to')
  } catch (error) {
    if (error instanceof OAuthError || error instanceof PayloadTooLarge) return ''
    throw error
  }
}

function knownProvider(name: string, providers: ReadonlyMap<string, IdentityProvider>): IdentityProvider {
  const provider = providers.get(name)
  if (provider === undefined) throw new OAuthError('invalid_request', 'unknown provider', 404)
  return provider
}

/** Resolves with what signs them in, once the application has let them. */
async function signsIn(
  { session, params: { provider = '' } }: HttpRequest,
  identity: SignedIn,
  options: AuthorizationServerOptions,
): Promise<() => Promise<HttpResponse>> {
  const admitted = await admit(provider, identity, options)
  return async () => {
    const location = await signIn(session, options, admitted)
    audit(options, 'sign-in', { ids: { user: identity.user.id }, facts: { provider } })
    return seeOther(location)
  }
}

/** The browser learns that it failed, the log why, and the page that is opened next what to do. What the store throws afterwards is not the provider's failure. */
async function orSignInFailed(
  { session, params: { provider = '' } }: HttpRequest,
  options: AuthorizationServerOptions,
  exchange: () => Promise<HttpResponse | (() => Promise<HttpResponse>)>,
): Promise<HttpResponse> {
  const failed = (error: unknown): HttpResponse => {
    if (error instanceof StoreUnavailable) throw error
    options.log.warn({ provider, reason: reasonOf(error) }, 'sign in failed')
    keepFailure(session, { problem: problemOf(error), provider })
    return text(401, 'sign in failed')
  }
  const result = await exchange().catch(failed)
  if (typeof result !== 'function') return result
  return result().catch((error: unknown) => {
    if (error instanceof UserBlocked) return failed(error) // meanwhile
    throw error
  })
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** A user who is signed in has come back to an address of before. */
function invalidState({ session, params: { provider = '' } }: HttpRequest): HttpResponse {
  if (session.get('user_id') === undefined) keepFailure(session, { problem: 'expired', provider })
  return text(400, 'invalid sign-in state')
}

/** What the sign-in page, opened next in that session, says of a sign-in that failed. The answer itself is the specification's plain text.
 *  Source: rules.md, Sign-in; decisions/oauth.md, Sign-in. */
interface SignInFailure {
  readonly problem: SignInProblem
  /** The provider's name. */
  readonly provider: string
}

const broughtBack: ReadonlyMap<string, SignInProblem> = new Map([
  ['access_denied', 'denied'],
  ['consent_required', 'denied'],
  ['login_required', 'denied'],
  ['interaction_required', 'denied'],
  ['temporarily_unavailable', 'away'],
  ['server_error', 'away'],
])

/** The reason of a refusal stays in the log. */
function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInRefused) return 'refused'
  const brought = errorBroughtBack(error)
  if (brought !== null) return broughtBack.get(brought) ?? 'misconfigured'
  const trouble = providerTroubleOf(error)
  if (trouble === null) return 'failed'
  return isPassing(trouble) ? 'away' : 'misconfigured'
}

function keepFailure(session: Session, { problem, provider }: SignInFailure): void {
  session.set('sign_in_failure', { problem, provider })
}

/** It is shown once. */
function takeFailure(session: Session): SignInFailure | null {
  const kept = session.get('sign_in_failure')
  if (kept === undefined) return null
  session.remove('sign_in_failure')
  const { problem, provider } = Object(kept)
  return isSignInProblem(problem) && typeof provider === 'string' ? { problem, provider } : null
}
