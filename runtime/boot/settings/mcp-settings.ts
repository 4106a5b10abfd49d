/** The settings of the MCP endpoint that follow from the environment and the authorization server. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Endpoint, HttpRequest, RunGuards } from '../../contract/http.ts'
import type { Catalogue, ResourceMetadata } from '../../contract/mcp.ts'
import type { PageSignIn } from '../../contract/pages.ts'
import type { Clock, Logger, Services } from '../../contract/store.ts'
import { loopbackNames, ownHostsOf } from '../../loopback.ts'
import { withoutTakenPaths } from '../../mcp/protocol/mcp-path.ts'
import { createMcpServer, type McpEndpointOptions, type McpServer } from '../../mcp/server.ts'
import { exposedBy } from '../../mcp/tools/exposure.ts'
import { profiles } from '../../oauth/profile.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import type { Scopes } from '../../scopes.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import { serviceNameOf } from '../resolve-config.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import type { RunRoute } from '../routes.ts'
import type { Watching } from '../watching.ts'
import { askedBaseUrl } from './asked-base-url.ts'

/** The base URL's own origin, and in development loopback on any port: a page under work has a server of its own
 *  (rules.md, origins). */
export function defaultOrigins({ baseUrl, production }: Environment): readonly string[] {
  const { origin } = new URL(baseUrl)
  if (production) return [origin]
  return [origin, ...loopbackNames.flatMap((host) => [`http://${host}:*`, `https://${host}:*`])]
}

export interface McpDependencies {
  readonly environment: Environment
  readonly clock: Clock
  readonly monotonic?: Clock
  readonly every?: Scheduler
  readonly onToolsChanged: McpEndpointOptions['onToolsChanged']
  readonly log: Logger
  readonly run: RunRoute
  readonly guard: RunGuards
  readonly services: Services
  readonly findAuthInfo: McpEndpointOptions['findAuthInfo']
  readonly isSignedHere: (token: string) => Promise<boolean>
  readonly pageSignIn: PageSignIn | null
  readonly others: readonly Endpoint[]
  /** Are told of every tool call, beside the log. */
  readonly observers: McpEndpointOptions['observers']
  readonly parts: McpEndpointOptions['parts']
  readonly watching: Pick<Watching, 'watchMessage' | 'onLookUp'>
}

/** The endpoint as the configuration asks for it. Throws `BootError` for a path that is taken, and for a probe or a tool
 *  that names no route. */
export function mcpEndpoint(bundle: AppBundle, config: ResolvedConfig, deps: McpDependencies): McpServer {
  const { baseUrl, production, isOpenByDefault = false, logLevel } = deps.environment
  const { resourceMetadata, authenticator, allowedOrigins, answerCharsOf, readOnly, expose, ...mcp } =
    config.mcp
  const exposed = exposedBy({ readOnly, expose }, bundle)
  try {
    const mounted = createMcpServer({
      ...mcp,
      ...config.limits,
      answerCharsOf: ofExposed(answerCharsOf, bundle.catalogue, exposed.catalogue),
      isSdkOnly: false,
      otherExtensions: deps.parts.flatMap(({ extensions = [] }) => extensions),
      stateSecrets: deps.environment.sessionSecrets,
      serverVersion: bundle.version,
      baseUrl,
      baseUrlOf: askedBaseUrl(config, baseUrl),
      catalogue: exposed.catalogue,
      routes: new Map(bundle.routes.map((route) => [route.id, route])),
      invoke: deps.run,
      guard: deps.guard,
      scopes: config.scopes,
      services: deps.services,
      findAuthInfo: deps.findAuthInfo,
      isSignedHere: deps.isSignedHere,
      judgesForeign: config.verifyToken !== null,
      page: config.pages.mcp
        ? {
            serviceName: serviceNameOf(config, baseUrl),
            signIn: deps.pageSignIn,
            admits: Object.assign(admission(config), ...deps.parts.map(({ admits }) => admits)),
          }
        : null,
      authenticator: authenticator ?? null,
      resourceMetadata: resourceMetadata
        ? warningOfScopes((request) => resourceMetadata(request, { baseUrl }), config.scopes, deps.log)
        : null,
      allowedOrigins: allowedOrigins ?? defaultOrigins(deps.environment),
      allowedHosts: ownHostsOf(baseUrl),
      observers: deps.observers,
      parts: deps.parts,
      watch: deps.watching.watchMessage,
      onLookUp: deps.watching.onLookUp,
      callLog: { isWritten: ['trace', 'debug', 'info'].includes(logLevel), ms: config.log.ms },
      clock: deps.clock,
      monotonic: deps.monotonic ?? deps.clock,
      every: deps.every ?? intervalScheduler,
      onToolsChanged: deps.onToolsChanged,
      log: deps.log,
      production: production || isOpenByDefault,
    })
    return { ...mounted, endpoints: withoutTakenPaths(mounted.endpoints, deps.others) }
  } catch (error) {
    throw new BootError(error instanceof Error ? error.message : String(error))
  }
}

type Admission = NonNullable<McpEndpointOptions['page']>['admits']

/** What the page at the address says of clients that sign in here. */
function admission({ oauth }: ResolvedConfig): Admission {
  const profile = profiles[oauth.profile]
  return {
    nativeRedirects: profile.takesNativeRedirects,
    offlineAccess: profile.ignoredScopes.has('offline_access'),
    secrets: oauth.confidentialClients.length > 0,
    documents: false,
  }
}

/** By tool. One that a setting leaves out may be named all the same: the setting may be of this start alone. */
function ofExposed<Value>(
  values: Readonly<Record<string, Value>>,
  whole: Catalogue,
  { tools }: Catalogue,
): ReadonlyMap<string, Value> {
  const kept = new Set(tools.map(({ name }) => name))
  const leftOut = new Set(whole.tools.flatMap(({ name }) => (kept.has(name) ? [] : [name])))
  return new Map(Object.entries(values).filter(([name]) => !leftOut.has(name)))
}

type ResourceMetadataOf = (request: HttpRequest) => ResourceMetadata

/** A client asks for whatever the protected resource metadata names: a sensitive scope there would be asked of everybody, and one that is
 *  not declared is refused to all. The same function, which warns once of each such scope that it names: now, if it looks at no request, else with the first request
 *  for which it does. */
function warningOfScopes(get: ResourceMetadataOf, scopes: Scopes, log: Logger): ResourceMetadataOf {
  if (scopes.declared.length === 0) return get
  const named = new Set<string>()
  const watched: ResourceMetadataOf = (request) => {
    const metadata = get(request)
    for (const scope of metadata.scopesSupported) {
      const trouble = troubleWith(scope, scopes)
      if (trouble === null || named.has(scope)) continue
      named.add(scope)
      log.warn({ scope }, `mcp.resourceMetadata names ${trouble}`)
    }
    return metadata
  }
  try {
    watched(noRequest)
  } catch {
    // It looks at the request, or fails; the first request will tell.
  }
  return watched
}

function troubleWith(name: string, scopes: Scopes): string | null {
  if (!scopes.isKnown(name)) return 'a scope that is not declared: whoever asks for it is refused'
  const isSensitive = scopes.declared.some((scope) => scope.name === name && scope.sensitive)
  return isSensitive ? 'a sensitive scope: every client will ask for it' : null
}

const noRequest = new Proxy(
  {},
  {
    get: () => {
      throw new Error('there is no request yet')
    },
  },
) as HttpRequest // reading any of it throws
