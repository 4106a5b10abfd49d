/** The caller for whom a request counts, in limits and in shares. Source: rules.md, rate limits. */
import type { HeaderMap, HttpRequest } from '../../contract/http.ts'
import type { AuthInfo } from '../../contract/store.ts'
import { addressKey } from '../../rate-limit.ts'
import { credentialKey } from './credentials.ts'

/** `key` names a user, accepted credentials or an address, and never holds what was sent; `auth` is what a token of ours
 *  says, or null. */
export interface Caller {
  readonly key: string
  readonly auth: AuthInfo | null
}

/** One request, and the caller for whom it counts. */
export interface Client {
  readonly request: HttpRequest
  readonly caller: Caller
}

export const callerOfUser = (auth: AuthInfo): Caller => ({ key: `user ${auth.subject}`, auth })

/** Credentials that a check has accepted together. */
export const callerOfCredentials = (headers: HeaderMap): Caller => ({
  key: `credentials ${credentialKey(headers)}`,
  auth: null,
})

/** A caller without accepted credentials. */
export const callerOfAddress = (ip: string): Caller => ({ key: `address ${addressKey(ip)}`, auth: null })
