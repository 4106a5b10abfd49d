/** The settings of the HTTP server that follow from the configuration and the environment. */
import type { Clock, RandomBytes } from '../../contract/store.ts'
import type { LogSettings, LogStream } from '../../http/log/log.ts'
import { maskedByDefault } from '../../http/log/redact.ts'
import { requestIds } from '../../http/log/request-ids.ts'
import type { ErrorHandlerOptions } from '../../http/pipeline/error-handler.ts'
import { trustIn } from '../../http/server/client-address.ts'
import type { Unclaimed } from '../../http/server/not-found.ts'
import type { ServerOptions } from '../../http/server/server.ts'
import type { SessionOptions } from '../../http/session/session-library.ts'
import type { Store } from '../../store/store.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import type { Telemetry } from '../observability/telemetry-settings.ts'
import { defaultCookieName, type ResolvedConfig } from '../resolve-config.ts'
import { defaultOrigins } from './mcp-settings.ts'

export type ErrorMode = Pick<ErrorHandlerOptions, 'production' | 'keepHeaders' | 'mask'>

interface ServerParts {
  readonly config: ResolvedConfig
  readonly errors: ErrorMode
  readonly telemetry: Pick<Telemetry, 'watchRequest'>
  readonly store: Store
  readonly deps: {
    readonly environment: Environment
    readonly clock: Clock
    readonly randomBytes: RandomBytes
    readonly logStream?: LogStream
    readonly unclaimed?: Unclaimed
    readonly isWorker?: boolean
  }
}

/** What of the server is said by the configuration and the environment. */
export function serverSettings(
  { config, errors, telemetry, store, deps }: ServerParts,
  ownHosts: ServerOptions['ownHosts'],
): Omit<ServerOptions, 'endpoints' | 'docs' | 'probes' | 'rootPage' | 'onError'> {
  const { environment, clock } = deps
  return {
    baseUrl: environment.baseUrl,
    sources: { origins: config.mcp.allowedOrigins ?? defaultOrigins(environment), hosts: ownHosts },
    keepHeaders: errors.keepHeaders,
    ownHosts,
    session: sessionOptions(config, environment, { store, clock }),
    limits: config.limits,
    trustProxy: config.trustProxy,
    requestIdOf: requestIds(deps.randomBytes, config.trustProxy === null ? null : trustIn(config.trustProxy)),
    log: logSettings(config, deps),
    watch: telemetry.watchRequest,
    plugins: config.plugins,
    unclaimed: deps.unclaimed ?? (() => null),
  }
}

/** Lines of several workers stand in one log. */
function logSettings(config: ResolvedConfig, deps: ServerParts['deps']): LogSettings {
  const { environment, logStream, isWorker = false } = deps
  const base = isWorker ? { base: { pid: process.pid } } : {}
  const settings = { level: environment.logLevel, ...config.log, ...base }
  return logStream === undefined ? settings : { ...settings, stream: logStream }
}

function sessionOptions(
  config: ResolvedConfig,
  { baseUrl, sessionSecrets }: Environment,
  kept: { readonly store: Store; readonly clock: Clock },
): SessionOptions {
  const secure = baseUrl.startsWith('https:')
  const cookieName = config.session.cookieName ?? defaultCookieName(secure)
  return { cookieName, secrets: sessionSecrets, secure, ...kept }
}

/** The development page must never run in production. */
export function errorMode({ errors, log }: ResolvedConfig, environment: Environment): ErrorMode {
  if (environment.production && errors.production === false) {
    throw new BootError('errors.production: false shows exceptions to everybody: it is refused in production')
  }
  const mask = new Set([...maskedByDefault, ...log.mask])
  const isHidden = environment.production || environment.isOpenByDefault === true
  return { production: errors.production ?? isHidden, keepHeaders: errors.keepHeaders, mask }
}
