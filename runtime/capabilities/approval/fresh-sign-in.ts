/** Approving by a sign-in of just now (`approval.reauthenticate`): a program that drives the browser of a signed-in user cannot do it.
 *  Source: decisions/oauth.md, Approval; OpenID Connect Core, 3.1.2.1 (`max_age`) and 2 (`auth_time`). */

import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import type { AuthorizationServerOptions } from '../../oauth/options.ts'
import type { FinishedSignIn } from '../../oauth/part.ts'
import { admit } from '../../oauth/providers/admission.ts'
import type { Providers } from '../../oauth/providers/provider.ts'
import { seeOther } from '../../oauth/responses.ts'
import { keepAuthTime, keepSid, keepSignIn, newLogin, startSignIn } from '../../oauth/session.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { ApprovalView } from './page.ts'
import { approvalAddress } from './shown-approval.ts'
import type { ApprovalDesk } from './types.ts'

type Notice = Exclude<ApprovalView['notice'], null>

const skewMs = 60_000

/** Whether the provider asked so lately that an approval counts. */
export function isFresh(
  authTime: number | null,
  freshSignInMs: number | null,
  { clock }: Pick<AuthorizationServerOptions, 'clock'>,
): boolean {
  if (freshSignInMs === null) return true
  const age = authTime === null ? Number.POSITIVE_INFINITY : clock() - authTime
  return age <= freshSignInMs && age >= -skewMs
}

export interface SigningInAnew {
  readonly user: User
  readonly approves: ApprovedCall
  readonly request: HttpRequest
  readonly options: AuthorizationServerOptions
  readonly providers: Providers
}

/** To the provider of the user, or why the user is not sent there. */
export async function signInAnew({
  user,
  approves,
  request,
  options,
  providers,
}: SigningInAnew): Promise<HttpResponse | Notice> {
  const [name = ''] = user.id.split(':', 1)
  const provider = name === 'dev' && options.devLogin ? undefined : providers.get(name)
  if (provider?.tellsAuthTime !== true) return 'no-auth-time'
  const login = { ...newLogin(name, options), purpose: { name: 'approval', kept: approves } }
  try {
    const url = await provider.authorizationUrl(login, 'sign-in')
    startSignIn(request.session, login)
    return seeOther(url)
  } catch (error) {
    options.log.warn({ provider: name, reason: String(error) }, 'sign in failed')
    return 'sign-in-failed'
  }
}

/** As its page showed it. */
export interface ApprovedCall {
  readonly id: string
  readonly digest: string
}

function isApprovedCall(value: unknown): value is ApprovedCall {
  const { id, digest } = Object(value)
  return typeof id === 'string' && typeof digest === 'string'
}

/** After that sign-in, back on the page, which says what came of it. No other user is signed in by it. */
export const approvingBySignIn =
  (desk: ApprovalDesk, freshSignInMs: number | null) =>
  async (back: FinishedSignIn): Promise<HttpResponse> => {
    const { request, kept } = back
    if (!isApprovedCall(kept)) return seeOther('/auth')
    const notice = await approved({ desk, freshSignInMs }, kept, back)
    if (notice !== null) request.session.set('approval_notice', notice)
    return seeOther(approvalAddress(kept.id))
  }

async function approved(
  { desk, freshSignInMs }: { readonly desk: ApprovalDesk; readonly freshSignInMs: number | null },
  call: ApprovedCall,
  { request: { session, params }, options, identify }: FinishedSignIn,
): Promise<Notice | null> {
  const failed = (error: unknown): null => {
    if (error instanceof StoreUnavailable) throw error
    options.log.warn({ provider: params.provider, reason: String(error) }, 'sign in failed')
    return null
  }
  const identity = await identify().catch(failed)
  if (identity === null) return 'sign-in-failed'
  const { user, authTime } = identity
  if (user.id !== session.get('user_id')) return 'other-user'
  if (authTime === null) return 'no-auth-time'
  if (!isFresh(authTime, freshSignInMs, options)) return 'stale'
  const admitted = await admit(params.provider ?? '', identity, options).catch(failed)
  if (admitted === null) return 'sign-in-failed'
  await keepSignIn(admitted, options)
  keepAuthTime(session, authTime)
  keepSid(session, identity, options)
  const answer = { ...call, user: user.id, decision: 'approved', method: 'page', authTime } as const
  return (await desk.decide(answer)) === null ? 'late' : null
}
