/** Who a request counts for, in limits and in shares. Source: decisions.md, rate limits. */
import type { HeaderMap, HttpRequest } from '../../contract/http.ts'
import { addressKey } from '../../rate-limit.ts'
import { credentialKey } from './credentials.ts'

/** `key` names a user, accepted credentials or an address, and never holds what was sent; `userId` is the `sub` of a token of
 *  ours, or null. */
export interface Caller {
  readonly key: string
  readonly userId: string | null
}

/** One request, and who it counts for. */
export interface Client {
  readonly request: HttpRequest
  readonly caller: Caller
}

export const callerOfUser = (userId: string): Caller => ({ key: `user ${userId}`, userId })

/** Credentials that a check has accepted together. */
export const callerOfCredentials = (headers: HeaderMap): Caller => ({
  key: `credentials ${credentialKey(headers)}`,
  userId: null,
})

/** Of nobody whom a check has accepted. */
export const callerOfAddress = (ip: string): Caller => ({ key: `address ${addressKey(ip)}`, userId: null })
