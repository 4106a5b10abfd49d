/** The settings of the HTTP server that follow from the configuration and the environment. */

import type { AnswerType } from '../../contract/answer-type.ts'
import type { AppBundle } from '../../contract/bundle.ts'
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
import { defaultCookieName } from '../resolve-config.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import type { Watching } from '../watching.ts'
import { defaultOrigins } from './mcp-settings.ts'

export type ErrorMode = Pick<ErrorHandlerOptions, 'production' | 'keepHeaders' | 'mask'>

interface ServerParts {
  readonly config: ResolvedConfig
  readonly errors: ErrorMode
  readonly watching: Pick<Watching, 'watchRequest'>
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
  { config, errors, watching, store, deps }: ServerParts,
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
    watch: watching.watchRequest,
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

/** The names of arguments, and of properties of arguments, that are `@secret`: no log and no span shows their values. */
export function secretArguments({ codecs }: Pick<AppBundle, 'codecs'>): readonly string[] {
  const names = new Set<string>()
  const known = new Map<AnswerType, readonly string[]>()
  for (const { params, filters, handlers } of Object.values(codecs))
    for (const { name, from, codec } of [params, ...filters, ...handlers].flat()) {
      const inside = codec.answer === undefined ? [] : secretsIn(codec.answer, known)
      for (const secret of inside) names.add(secret)
      // in a query an object is a text of JSON, of which a log shows all or nothing
      // the address calls the rest of a path so, whatever the route does
      if (codec.isSecret === true && from === 'rest') names.add('*')
      if (codec.isSecret === true || (from === 'query' && inside.length > 0)) names.add(name)
    }
  return [...names]
}

/** What many arguments are of is looked at once, and so is what is reached by several ways. */
function secretsIn(type: AnswerType, known: Map<AnswerType, readonly string[]>): readonly string[] {
  const start = type.kind === 'ref' ? type.type() : type
  const before = known.get(start)
  if (before !== undefined) return before
  const reached = new Set([start])
  for (const found of reached) for (const part of partsOf(found)) reached.add(part) // grows as it is walked
  const secrets = [...reached].flatMap((found) =>
    found.kind === 'object'
      ? [...found.properties].flatMap(([name, { isSecret }]) => (isSecret ? [name] : []))
      : [],
  )
  known.set(start, secrets)
  return secrets
}

function partsOf(type: AnswerType): readonly AnswerType[] {
  switch (type.kind) {
    case 'whole':
    case 'scalar':
      return []
    case 'ref':
      return [type.type()]
    case 'list':
      return type.items === null ? type.places : [...type.places, type.items]
    case 'union':
      return type.members
    case 'object': {
      const others = type.others?.(null) ?? null
      const inside = [...type.properties.values()].map((property) => property.type)
      return others === null ? inside : [...inside, others]
    }
  }
}
