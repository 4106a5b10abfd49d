/** `GET` and `POST /auth/approvals/:id`: the user of a call decides whether it may run. GET decides nothing. Source: decisions/oauth.md,
 *  Approval. */

import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { lazy } from '../../lazy.ts'
import { isDigestOf } from '../../oauth/consent/shown-digest.ts'
import { wantsState } from '../../oauth/limits.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { serviceOf } from '../../oauth/options.ts'
import { parameter, readParameters } from '../../oauth/parameters.ts'
import type { ServerRoom } from '../../oauth/part.ts'
import { htmlPage, json, seeOther, withOAuthErrors } from '../../oauth/responses.ts'
import { isFromElsewhere } from '../../oauth/same-origin.ts'
import { authTimeOf, signedInUser } from '../../oauth/session.ts'
import { isFresh, signInAnew } from './fresh-sign-in.ts'
import type { ApprovalView } from './page.ts'
import { approvalAddress, approvalDigest, approvalView, isApprovalAddress } from './shown-approval.ts'
import type { ApprovalDecision, ApprovalDesk, ShownApproval } from './types.ts'

interface Context extends ServerRoom {
  readonly desk: ApprovalDesk
  /** How long ago, in milliseconds, the provider may have identified the user; null = it does not matter. */
  readonly freshSignInMs: number | null
}

export function approvalPages(context: Context): readonly Endpoint[] {
  const endpoint = (method: string, respond: Respond): Endpoint => ({
    methods: [method],
    path: approvalAddress(':id'),
    handle: withOAuthErrors((request) => asUser(request, context, respond), context.options),
  })
  return [endpoint('GET', show), endpoint('POST', decide)]
}

/** A request of the user about a call of theirs. */
interface ApprovalRequest extends Context {
  readonly request: HttpRequest
  readonly user: User
  readonly shown: ShownApproval
}

type Respond = (pageRequest: ApprovalRequest) => Promise<HttpResponse>

/** Few users look: it is loaded for the first of them. */
const loadPage = lazy(() => import('./page.ts'))

/** Another user's call, one that has gone, and one that never was are the same to everybody. */
async function asUser(request: HttpRequest, context: Context, respond: Respond): Promise<HttpResponse> {
  const { options, desk } = context
  // before all else: a page of another site sends no cookie, and would leave the browser with an empty session
  if (request.method === 'POST' && isNotThisPage(request, options.baseUrl))
    throw new OAuthError('access_denied', 'only a page of this service decides', 403)
  const { id = '' } = request.params
  const address = approvalAddress(id)
  const isKnownForm = isApprovalAddress(address)
  const user = await signedInUser(request.session, options.store)
  if (user === null && isKnownForm && !wantsState(request)) {
    request.session.set('return_to', address)
    return seeOther('/auth')
  }
  const shown = user === null || !isKnownForm ? null : await desk.find(id, user.id)
  if (user !== null && shown !== null) return respond({ ...context, request, user, shown })
  if (wantsState(request)) return json(404, { error: 'not found' })
  const { approvalGonePage } = await loadPage()
  const view = { service: serviceOf(options), userName: user?.name ?? null }
  return htmlPage(approvalGonePage({ ...view, address: isKnownForm ? address : null }), 404)
}

/** What a browser of today says of its own page is asked for, where it says anything. */
function isNotThisPage(request: HttpRequest, baseUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  return isFromElsewhere(request, baseUrl) || (site !== undefined && site !== 'same-origin')
}

async function show(pageRequest: ApprovalRequest): Promise<HttpResponse> {
  const { request, shown } = pageRequest
  const { decision, spentAt } = shown.row
  if (wantsState(request)) return json(200, { decision, hasRun: spentAt !== null })
  const kept = request.session.get('approval_notice')
  request.session.remove('approval_notice')
  const { isApprovalNotice } = await loadPage()
  return pageOf(pageRequest, isApprovalNotice(kept) ? kept : null)
}

const answers: ReadonlyMap<string, ApprovalDecision> = new Map([
  ['approve', 'approved'],
  ['deny', 'denied'],
])

async function decide(pageRequest: ApprovalRequest): Promise<HttpResponse> {
  const { request, options, desk, freshSignInMs, shown } = pageRequest
  const parameters = await readParameters(request)
  const decision = answers.get(parameter(parameters, 'decision'))
  const isOfThisPage = isDigestOf(parameter(parameters, 'shown'), approvalDigest(shown, request, options))
  if (decision === undefined || !isOfThisPage) return pageOf(pageRequest, 'unusable', 403)
  if (shown.row.decision !== null) return pageOf(pageRequest, 'late', 409)
  const authTime = freshSignInMs === null ? null : authTimeOf(request.session)
  if (decision === 'approved' && !isFresh(authTime, freshSignInMs, options)) return askAnew(pageRequest)
  const { id, user, digest } = shown.row
  const row = await desk.decide({ id, user, digest, decision, method: 'page', authTime })
  if (row === null) request.session.set('approval_notice', 'late')
  return seeOther(approvalAddress(id))
}

/** Nothing is approved before the provider has identified the user. */
async function askAnew(pageRequest: ApprovalRequest): Promise<HttpResponse> {
  const { id, digest } = pageRequest.shown.row
  const outcome = await signInAnew({ ...pageRequest, approves: { id, digest } })
  return typeof outcome === 'string' ? pageOf(pageRequest, outcome, 403) : outcome
}

async function pageOf(
  pageRequest: ApprovalRequest,
  notice: ApprovalView['notice'],
  status = 200,
): Promise<HttpResponse> {
  const { approvalPage } = await loadPage()
  return htmlPage(approvalPage(approvalView({ ...pageRequest, notice })), status)
}
