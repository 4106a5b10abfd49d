/** What the page of an approval shows, and what ties an answer to it. Source: decisions/oauth.md, Approval. */

import type { HttpRequest } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { spelledOut } from '../../http/output/hidden-characters.ts'
import { documentHost } from '../../oauth/clients/document-id.ts'
import { digestOf } from '../../oauth/consent/shown-digest.ts'
import { type AuthorizationServerOptions, serviceOf } from '../../oauth/options.ts'
import type { ApprovalView, WaitingCall } from './page.ts'
import type { ShownApproval } from './types.ts'

export const approvalAddress = (id: string): string => `/auth/approvals/${id}`

/** Whether a text is the address of such a page, as its form to sign out sends it. */
export const isApprovalAddress = (text: string): boolean => /^\/auth\/approvals\/[\w-]{1,64}$/.test(text)

/** Of everything that the answer is about, under a key of the session: neither another page's nor another session's answer counts. */
export function approvalDigest(
  { row, client, name, sentence, arguments: shown }: ShownApproval,
  { session }: Pick<HttpRequest, 'session'>,
  { randomBytes }: Pick<AuthorizationServerOptions, 'randomBytes'>,
): string {
  const call = shown.map((argument) => [argument.name, argument.text])
  const about = ['approval', row.user, row.id, row.digest, row.client, client, name, sentence, call]
  return digestOf(about, session, randomBytes)
}

export interface ApprovalPage {
  readonly shown: ShownApproval
  readonly user: User
  readonly request: HttpRequest
  readonly options: AuthorizationServerOptions
  /** How long ago, in milliseconds, the provider may have identified the user; null = it does not matter. */
  readonly freshSignInMs: number | null
  /** Why it is shown again; null = it is not. */
  readonly notice: ApprovalView['notice']
}

export function approvalView({
  shown,
  user,
  request,
  options,
  freshSignInMs,
  notice,
}: ApprovalPage): ApprovalView {
  const { row, client, name, sentence, arguments: args } = shown
  return {
    service: serviceOf(options),
    userName: user.name,
    client,
    clientHost: row.client === null ? null : documentHost(row.client),
    isSetUpHere: options.confidentialClients.has(row.client ?? ''),
    sentence: spelledOut(sentence),
    name,
    arguments: args.map((argument) => ({
      name: spelledOut(argument.name),
      text: spelledOut(argument.text),
    })),
    askedAt: isoTime(row.createdAt),
    until: isoTime(row.expiresAt),
    minutesLeft: Math.max(1, Math.ceil((row.expiresAt - options.clock()) / 60_000)),
    decision: row.decision,
    decided: row.decidedAt === null ? null : isoTime(row.decidedAt),
    hasRun: row.spentAt !== null,
    asksSignIn: freshSignInMs !== null,
    notice,
    address: approvalAddress(row.id),
    shown: approvalDigest(shown, request, options),
  }
}

/** As the inbox lists it. */
export const waitingCall = ({ row, client, sentence }: ShownApproval): WaitingCall => ({
  address: approvalAddress(row.id),
  client,
  sentence: spelledOut(sentence),
  askedAt: isoTime(row.createdAt),
})

const isoTime = (time: number): string => new Date(time).toISOString()
