/** The application's configuration as the rest of the runtime works with it: checked, and with every default filled in. */
import type { BodyLimits, CheckToken, HttpLimits } from '../contract/application.ts'
import type { Logger } from '../contract/store.ts'
import { defaultBodyLimits } from '../http/input/body-limits.ts'
import type { RouteLimitOptions } from '../http/limits/route-limits.ts'
import { defaultHttpLimits } from '../http/server/limits.ts'
import { canonicalPath } from '../mcp/protocol/mcp-path.ts'
import type { RateLimits } from '../oauth/limits.ts'
import { createScopes, type Scopes } from '../scopes.ts'
import { BootError } from './boot-error.ts'
import type { AppConfig, AuditConfig, McpConfig, PagesConfig, TelemetryConfig } from './config.ts'
import { configFields, defaultRateLimits, defaultTaskLimits, defaultToolLimits } from './config-fields.ts'
import type { Environment } from './environment.ts'
import { callLimit } from './settings/call-limit.ts'
import { ConfigError, checkFields } from './settings/checks.ts'

/** Every setting there, null for one that has no default; `Without` names those. */
type Complete<Settings, Without extends keyof Settings> = Required<Omit<Settings, Without>> & {
  readonly [Name in Without]-?: NonNullable<Settings[Name]> | null
}

type Limits = NonNullable<AppConfig['limits']>

/** Null = no limit. */
type Switchable<Name extends keyof Limits> = { readonly [One in Name]: number | null }

/** Those outside of the groups. */
type PlainSettings = Complete<
  Omit<
    AppConfig,
    'mcp' | 'pages' | 'audit' | 'session' | 'errors' | 'log' | 'limits' | 'oauth' | 'scopes' | 'telemetry'
  >,
  'clientIdMetadataDocuments' | 'trustProxy' | 'verifyToken'
>

/** The configuration with every default filled in. */
export interface ResolvedConfig extends PlainSettings {
  /** The path in its canonical form. */
  readonly mcp: Complete<
    McpConfig,
    'authProbe' | 'authenticator' | 'resourceMetadata' | 'allowedOrigins' | 'serverCard'
  >
  readonly pages: Complete<PagesConfig, 'docs'>
  readonly audit: Required<AuditConfig>
  /** The name of the service as the application gives it, or null. */
  readonly serviceName: string | null
  readonly toolLimits: Switchable<keyof typeof defaultToolLimits>
  readonly taskLimits: Switchable<keyof typeof defaultTaskLimits> & { readonly taskKeptSeconds: number }
  readonly rateLimits: RateLimits
  /** Null = no limit. */
  /** How long the event loop may stand still; null = as long as it does. */
  readonly stallSeconds: number | null
  readonly routeLimits: Pick<RouteLimitOptions, 'routeCalls' | 'routeSeconds'>
  readonly httpLimits: HttpLimits
  readonly bodyLimits: BodyLimits
  readonly cookieName: string | null
  readonly errors: Complete<NonNullable<AppConfig['errors']>, 'production'>
  readonly log: Required<NonNullable<AppConfig['log']>>
  readonly telemetry: Required<TelemetryConfig>
  readonly checkToken: CheckToken | null
  readonly scopes: Scopes
}

const defaultMcp: ResolvedConfig['mcp'] = {
  path: '/mcp',
  serverName: 'acmcp',
  authProbe: null,
  authenticator: null,
  resourceMetadata: null,
  forwardHeaders: [],
  authCacheTtlSeconds: 60,
  allowedOrigins: null,
  answerChars: 100_000,
  answerCharsOf: {},
  answerBytes: 4 * 1024 * 1024,
  listPageSize: 1000,
  listed: 'permitted',
  serverCard: null,
}

const defaultTelemetry: ResolvedConfig['telemetry'] = {
  mode: 'native',
  toolArguments: false,
  toolResults: false,
}

const defaults: PlainSettings = {
  providers: {},
  clientIdMetadataDocuments: null,
  migrations: {},
  trustProxy: null,
  verifyToken: null,
  parsers: {},
  responders: {},
  plugins: [],
}

/** Checks and completes what `app/config.ts` exported. Throws `ConfigError` with the field's name. */
export function resolveConfig(exported: unknown): ResolvedConfig {
  checkFields('config', exported, configFields)
  const config = exported as AppConfig // every field was checked above
  const mcp = withDefaults(defaultMcp, config.mcp)
  return {
    ...withDefaults(defaults, config),
    mcp: {
      ...mcp,
      path: canonicalPath(mcp.path),
      forwardHeaders: [...new Set(mcp.forwardHeaders.map((name) => name.toLowerCase()))],
    },
    pages: withDefaults<ResolvedConfig['pages']>({ docs: null, mcp: true, root: true }, config.pages),
    audit: withDefaults<ResolvedConfig['audit']>(
      { enabled: true, keepDays: 365, digest: false },
      config.audit,
    ),
    serviceName: config.mcp?.serverName ?? null,
    toolLimits: limitsOf(defaultToolLimits, config.limits),
    taskLimits: {
      ...limitsOf(defaultTaskLimits, config.limits),
      taskKeptSeconds: config.limits?.taskKeptSeconds ?? 3600,
    },
    rateLimits: limitsOf(defaultRateLimits, config.limits),
    routeLimits: {
      routeCalls: callLimit(config.limits?.routeCalls),
      routeSeconds: config.limits?.routeSeconds || null,
    },
    stallSeconds: config.limits?.stallSeconds === false ? null : (config.limits?.stallSeconds ?? 10),
    httpLimits: withDefaults(defaultHttpLimits, config.limits),
    bodyLimits: withDefaults(defaultBodyLimits, config.limits),
    cookieName: config.session?.cookieName ?? null,
    errors: withDefaults({ production: null, keepHeaders: [] }, config.errors),
    log: withDefaults({ mask: [], ms: false }, config.log),
    telemetry: withDefaults(defaultTelemetry, config.telemetry),
    checkToken: config.oauth?.checkToken ?? null,
    scopes: createScopes(config.scopes ?? {}),
  }
}

/** The same for a command. Throws `BootError`. */
export function startableConfig(exported: unknown): ResolvedConfig {
  try {
    return resolveConfig(exported)
  } catch (error) {
    if (error instanceof ConfigError) throw new BootError(error.message)
    throw error
  }
}

const dayMs = 24 * 60 * 60 * 1000

/** For how long rows of the audit are kept, in milliseconds; null = for good. */
export const auditKeptMs = ({ audit: { keepDays } }: Pick<ResolvedConfig, 'audit'>): number | null =>
  keepDays === false ? null : keepDays * dayMs

/** What people call the service. */
export const serviceNameOf = ({ serviceName }: ResolvedConfig, baseUrl: string): string =>
  serviceName ?? new URL(baseUrl).host

/** Nobody can sign in: an application with API keys alone wants that, any other has forgotten something. */
export function warnOfNobody(
  { providers }: ResolvedConfig,
  { production, devLogin }: Pick<Environment, 'production' | 'devLogin'>,
  log: Logger,
): void {
  if (!production || devLogin || Object.keys(providers).length > 0) return
  log.warn({}, 'no identity provider is configured: nobody can sign in')
}

/** Where the configuration names none; the prefix is for https alone. Source: RFC 6265bis, 4.1.3. */
export const defaultCookieName = (isSecure: boolean): string =>
  isSecure ? '__Host-acmcp_session' : 'acmcp_session'

/** The fields of the defaults, each as given or by default. */
function withDefaults<T extends object>(defaults: T, given: object = {}): T {
  const fields = Object.entries(defaults).map(([name, value]) => [name, Reflect.get(given, name) ?? value])
  return Object.fromEntries(fields) as T // the names of T, checked against its types
}

/** `false` switches a limit off. */
function limitsOf<Name extends keyof Limits>(
  defaults: Readonly<Record<Name, number>>,
  given: Limits = {},
): Switchable<Name> {
  const fields = Object.entries(withDefaults(defaults, given)).map(([name, limit]) => [name, limit || null])
  return Object.fromEntries(fields) as Switchable<Name> // the names of the defaults, checked: false or above zero
}
