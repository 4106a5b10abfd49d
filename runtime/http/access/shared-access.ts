/** What the guards of all routes have in common. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { Clock, Logger, Services } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Scopes } from '../../scopes.ts'
import type { LookUpToken, RequestAccess } from './request-access.ts'

export interface AccessOptions {
  readonly scopes: Scopes
  readonly find: LookUpToken
  /** Whether a token was issued here, whatever became of it. */
  readonly isSignedHere: (token: string) => Promise<boolean>
  /** True once for a grant: its client is told to ask its user again. */
  readonly askOnce: (grantId: string) => Promise<boolean>
  /** Whether the application accepts tokens of others (`verifyToken`). */
  readonly takesForeignTokens: boolean
  /** Whether a part of the server must know the caller of the route. */
  readonly asksCaller: (route: Route) => boolean
  /** What controllers have, but for requests whose token is looked up. */
  readonly services: Services
  /** Where the metadata of the resource that a request was sent to is found; null = it is not configured. */
  readonly metadataUrlOf: ((request: HttpRequest) => string) | null
  /** Of the base URL: a browser's session opens sockets from our own pages alone. */
  readonly origin: string
  /** As our tokens name it: the base URL. */
  readonly issuer: string
  /** Those of these users who are blocked or not there. */
  readonly findGone: (userIds: readonly string[]) => Promise<readonly string[]>
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
  readonly log: Logger
}

export interface SharedAccess {
  readonly options: AccessOptions
  /** The same one for a request, for all parts that ask. */
  ofRequest(request: HttpRequest): RequestAccess
}
