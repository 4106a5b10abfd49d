/** Access to the routes: how their guards find the user of a token. Source: decisions/http.md, The guard of scopes. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { VerifyToken } from '../../contract/scopes.ts'
import type { AuthInfo, Clock, Logger, Services } from '../../contract/store.ts'
import { errorName, Overloaded } from '../../errors.ts'
import { AccessControl } from '../../http/access/access-control.ts'
import type { LookUpToken } from '../../http/access/request-access.ts'
import { metadataUrl } from '../../mcp/auth/resource-metadata.ts'
import type { AuthorizationServer } from '../../oauth/server.ts'
import { isClientSubject } from '../../oauth/tokens/subjects.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import type { Scopes } from '../../scopes.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { withAttributesOf } from '../../user-attributes.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import { askedBaseUrl } from './asked-base-url.ts'

export interface AccessDependencies {
  readonly store: Pick<Store, 'askOnce' | 'findGone'>
  readonly authorization: Pick<AuthorizationServer, 'findAuthInfo' | 'isSignedHere' | 'clientSetting'>
  readonly services: Services
  readonly baseUrl: string
  readonly clock: Clock
  readonly monotonic?: Clock
  readonly every?: Scheduler
  readonly log: Logger
  readonly asksCaller: (route: Route) => boolean
}

/** A route is part of the resource that is the base URL: so its challenge names the document at the root, not the endpoint's (RFC
 *  9728, 3.3). */
export function accessControl(config: ResolvedConfig, deps: AccessDependencies): AccessControl {
  const { store, services, clock, log, baseUrl } = deps
  const baseUrlOf = askedBaseUrl(config, baseUrl)
  return new AccessControl({
    scopes: config.scopes,
    find: lookUpToken(config, deps),
    isSignedHere: (token) => deps.authorization.isSignedHere(token),
    askOnce: (grantId) => store.askOnce(grantId),
    findGone: (userIds) => store.findGone(userIds),
    takesForeignTokens: config.verifyToken !== null,
    asksCaller: deps.asksCaller,
    services,
    origin: new URL(baseUrl).origin,
    issuer: baseUrl,
    metadataUrlOf:
      config.mcp.resourceMetadata === null ? null : (request) => metadataUrl(baseUrlOf(request), ''),
    clock,
    monotonic: deps.monotonic ?? clock,
    every: deps.every ?? intervalScheduler,
    log,
  })
}

/** Whose a bearer token is: ours first, and what our keys did not sign is the application's to judge. */
function lookUpToken(
  { verifyToken, scopes }: ResolvedConfig,
  { authorization, clock, log }: AccessDependencies,
): LookUpToken {
  if (verifyToken === null) return (token) => authorization.findAuthInfo(token)
  const { clientSetting } = authorization
  return async (token, request) => {
    const own = await authorization.findAuthInfo(token)
    if (own !== null || (await authorization.isSignedHere(token))) return own
    return foreign(token, request, { verifyToken, clientSetting, scopes, clock, log })
  }
}

interface Foreign {
  readonly verifyToken: VerifyToken
  /** What names clients that have tokens for themselves: no user has the subject of one; null = there are none. */
  readonly clientSetting: string | null
  readonly scopes: Scopes
  readonly clock: Clock
  readonly log: Logger
}

/** A token that the application fails to judge is refused; that its database is away says nothing about a token. */
async function foreign(
  token: string,
  request: HttpRequest,
  { verifyToken, clientSetting, scopes, clock, log }: Foreign,
): Promise<AuthInfo | null> {
  // Only the name of an error: its message could repeat the token.
  const refused = (reason: string, fields: object = {}): null => {
    log.error({ requestId: request.id, ...fields }, `verifyToken ${reason}: the token is refused`)
    return null
  }
  try {
    const found: unknown = await verifyToken(token, request)
    if (found === null) return null
    if (!isAccess(found)) return refused('returned neither an Access nor null')
    if (clientSetting !== null && isClientSubject(found.user.id))
      return refused(`returned a user with the id of one of ${clientSetting}`)
    const { user, client, grant, expiresAt = Number.POSITIVE_INFINITY } = found
    if (expiresAt <= clock()) return null
    const { id, name, email } = user
    const granted = scopes.granted(found.scopes, null)
    const known = withAttributesOf({ id, name, email }, user)
    return { user: known, subject: id, clientId: client, grantId: grant, scopes: granted, expiresAt }
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof Overloaded) throw error
    return refused('threw', { error: errorName(error) })
  }
}

type Verified = NonNullable<Awaited<ReturnType<VerifyToken>>>

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)

function isAccess(found: unknown): found is Verified {
  const { user, client, grant, scopes, expiresAt = 0 } = Object(found)
  const { id, name, email } = Object(user)
  const isUser = isText(id) && isText(name) && isTextOrNull(email)
  const areScopes = Array.isArray(scopes) && scopes.every(isText)
  const isTime = typeof expiresAt === 'number' && !Number.isNaN(expiresAt)
  return isUser && isTextOrNull(client) && isTextOrNull(grant) && areScopes && isTime
}
