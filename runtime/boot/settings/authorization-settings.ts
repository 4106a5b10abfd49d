/** The settings of the authorization server that follow from the environment and the configuration. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Clock, Logger, RandomBytes } from '../../contract/store.ts'
import { createConfidentialClients, heldAddresses } from '../../oauth/clients/confidential-clients.ts'
import type { RedirectRules } from '../../oauth/clients/own-endpoints.ts'
import { ownPageUris } from '../../oauth/clients/own-pages.ts'
import { knownNativeSchemes } from '../../oauth/clients/redirect-uri.ts'
import { PartClash } from '../../oauth/joined-parts.ts'
import { internet, type Network } from '../../oauth/network.ts'
import { type AuthorizationServerOptions, maxRefreshRetries } from '../../oauth/options.ts'
import type { AuthorizationServerPart } from '../../oauth/part.ts'
import { profiles } from '../../oauth/profile.ts'
import { type AuthorizationServer, createAuthorizationServer } from '../../oauth/server.ts'
import type { RefreshGrace, Store } from '../../store/store.ts'
import { changeOf, type ScopedChange } from '../../surface.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import { startableClients } from './confidential-clients.ts'

interface Parts {
  readonly bundle: Pick<AppBundle, 'routes' | 'catalogue'>
  readonly config: ResolvedConfig
  /** Null = there is no `/docs`. */
  readonly ui: object | null
  readonly store: Store
  readonly log: Logger
  readonly deps: {
    readonly environment: Environment
    readonly clock: Clock
    readonly monotonic?: Clock
    readonly randomBytes: RandomBytes
    readonly network?: Network
  }
}

/** What the authorization server tells the others of, and asks of them. */
type Observers = Pick<
  AuthorizationServerOptions,
  'auditLog' | 'auditTrail' | 'onRevoked' | 'onGranted' | 'services'
>

export function authorizationServer(
  parts: Parts,
  observers: Observers,
  used: readonly AuthorizationServerPart[],
): AuthorizationServer {
  const { config, store, log, deps } = parts
  const { environment, clock, monotonic, randomBytes } = deps
  const { jwtSecrets, jwtPrivateKeys, devLogin } = environment
  const { providers, limits, oauth, scopes, serviceName, grants, onSignIn } = config
  const confidentialClients = createConfidentialClients(
    startableClients(oauth.confidentialClients, environment, { ...redirectRules(parts), providers }),
    environment.secretsOf ?? (() => []),
  )
  const redirects = { ...redirectRules(parts), heldAddresses: heldAddresses(confidentialClients) }
  const network = deps.network ?? internet
  const options = {
    ...redirects,
    forwardHeaders: config.mcp.forwardHeaders,
    serviceName,
    store,
    jwtSecrets,
    jwtPrivateKeys,
    clock,
    monotonic,
    randomBytes,
    devLogin,
    providers,
    limits,
    checkToken: oauth.checkToken,
    profile: profiles[oauth.profile],
    scopes,
    cover: grants.cover,
    onSignIn,
    signInWithinMs: grants.signInWithin,
    refreshGrace: refreshGrace(oauth),
    changes: changesOf(parts.bundle),
    providerTimeoutMs: network.providerTimeoutMs,
    confidentialClients,
    log,
    ...observers,
  }
  try {
    return createAuthorizationServer(options, used)
  } catch (error) {
    throw error instanceof PartClash ? new BootError(error.message) : error
  }
}

function refreshGrace({ profile, refreshGraceSeconds }: ResolvedConfig['oauth']): RefreshGrace | null {
  const isOn = profiles[profile].hasRefreshGrace && refreshGraceSeconds > 0
  return isOn ? { ms: refreshGraceSeconds * 1000, maxRetries: maxRefreshRetries } : null
}

/** What routes change under a scope, by the titles of their tools; without one its address says what it is. */
function changesOf({ routes, catalogue: { tools } }: Parts['bundle']): readonly ScopedChange[] {
  const titles = new Map(tools.map(({ route, title, summary }) => [route, title ?? summary]))
  return routes.flatMap((route) => {
    const change = changeOf(route)
    if (change === null || route.scope === undefined) return []
    return [{ change, names: route.scope.names, title: titles.get(route.id) ?? change }]
  })
}

function redirectRules({
  config: { mcp, pages, oauth },
  ui,
  deps,
}: Parts): Omit<RedirectRules, 'heldAddresses'> {
  const at = { baseUrl: deps.environment.baseUrl, mcpPath: mcp.path }
  const ownPages = ownPageUris({ docs: ui !== null, mcp: pages.mcp }, at)
  const schemes = [...knownNativeSchemes, ...oauth.nativeSchemes]
  return {
    ...at,
    ownPages,
    nativeSchemes: profiles[oauth.profile].takesNativeRedirects ? new Set(schemes) : null,
  }
}
