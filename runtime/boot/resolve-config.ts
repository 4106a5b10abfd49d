/** The application's configuration as the rest of the runtime works with it: checked, and with every default filled in. */
import type {
  BodyLimits,
  CheckToken,
  HttpLimits,
  ParseBytes,
  PluginEntry,
  Responder,
  TrustedProxies,
} from '../contract/application.ts'
import { defaultBodyLimits } from '../http/input/body-limits.ts'
import { defaultHttpLimits } from '../http/server/limits.ts'
import { canonicalPath } from '../mcp/mcp-path.ts'
import type { RateLimits } from '../oauth/limits.ts'
import type { ProviderConfig } from '../oauth/providers/presets.ts'
import type { Migration } from '../store/store.ts'
import type { AppConfig, McpConfig } from './config.ts'
import { checkFields, configFields } from './config-fields.ts'

/** The configuration with every default filled in. */
export interface ResolvedConfig {
  readonly mcp: {
    /** In its canonical form. */
    readonly path: string
    readonly serverName: string
    readonly authProbe: string | null
    readonly authenticator: McpConfig['authenticator'] | null
    readonly resourceMetadata: McpConfig['resourceMetadata'] | null
    readonly authCacheTtlSeconds: number
    readonly allowedOrigins: readonly string[] | null
    readonly answerChars: number
    readonly answerCharsOf: Readonly<Record<string, number>>
    readonly listPageSize: number
  }
  /** Null = no limit. */
  readonly toolLimits: {
    readonly toolCallsPerMinute: number | null
    readonly concurrentToolCalls: number | null
    readonly concurrentToolCallsPerUser: number | null
    readonly toolCallSeconds: number | null
    readonly streamsPerUser: number | null
  }
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly clientIdMetadataDocuments: boolean | null
  readonly migrations: Readonly<Record<string, Migration>>
  readonly cookieName: string | null
  readonly errors: { readonly production: boolean | null; readonly keepHeaders: readonly string[] }
  readonly log: { readonly mask: readonly string[]; readonly ms: boolean }
  readonly httpLimits: HttpLimits
  readonly bodyLimits: BodyLimits
  readonly rateLimits: RateLimits
  readonly checkToken: CheckToken | null
  readonly trustProxy: TrustedProxies | null
  readonly yamlBodies: boolean
  readonly parsers: Readonly<Record<string, ParseBytes>>
  readonly responders: Readonly<Record<string, Responder>>
  readonly plugins: readonly PluginEntry[]
}

/** Checks and completes what `app/config.ts` exported. Throws `ConfigError` with the field's name. */
export function resolveConfig(exported: unknown): ResolvedConfig {
  checkFields('config', exported, configFields)
  const config = exported as AppConfig // every field was checked above
  const mcp = config.mcp ?? {}
  return {
    mcp: {
      path: canonicalPath(mcp.path ?? '/mcp'),
      serverName: mcp.serverName ?? 'acmcp',
      authProbe: mcp.authProbe ?? null,
      authenticator: mcp.authenticator ?? null,
      resourceMetadata: mcp.resourceMetadata ?? null,
      authCacheTtlSeconds: mcp.authCacheTtlSeconds ?? 60,
      allowedOrigins: mcp.allowedOrigins ?? null,
      answerChars: mcp.answerChars ?? 100_000,
      answerCharsOf: mcp.answerCharsOf ?? {},
      listPageSize: mcp.listPageSize ?? 1000,
    },
    toolLimits: {
      toolCallsPerMinute: limit(config.limits?.toolCallsPerMinute, 6000),
      concurrentToolCalls: limit(config.limits?.concurrentToolCalls, 1000),
      concurrentToolCallsPerUser: limit(config.limits?.concurrentToolCallsPerUser, 100),
      toolCallSeconds: limit(config.limits?.toolCallSeconds, 300),
      streamsPerUser: limit(config.limits?.streamsPerUser, 100),
    },
    providers: config.providers ?? {},
    clientIdMetadataDocuments: config.clientIdMetadataDocuments ?? null,
    migrations: config.migrations ?? {},
    cookieName: config.session?.cookieName ?? null,
    errors: { production: config.errors?.production ?? null, keepHeaders: config.errors?.keepHeaders ?? [] },
    log: { mask: config.log?.mask ?? [], ms: config.log?.ms ?? false },
    httpLimits: withDefaults(defaultHttpLimits, config.limits),
    bodyLimits: withDefaults(defaultBodyLimits, config.limits),
    rateLimits: rateLimits(config.limits ?? {}),
    checkToken: config.oauth?.checkToken ?? null,
    trustProxy: config.trustProxy ?? null,
    yamlBodies: config.yamlBodies ?? false,
    parsers: config.parsers ?? {},
    responders: config.responders ?? {},
    plugins: config.plugins ?? [],
  }
}

/** Where the configuration names none; the prefix is for https alone. Source: RFC 6265bis, 4.1.3. */
export const defaultCookieName = (isSecure: boolean): string =>
  isSecure ? '__Host-acmcp_session' : 'acmcp_session'

/** The same fields, each as given or by default. */
function withDefaults<T extends object>(defaults: T, given: Partial<T> = {}): T {
  const fields = Object.entries(defaults).map(([name, value]) => [name, Reflect.get(given, name) ?? value])
  return Object.fromEntries(fields) as T // the names of T, checked against its types
}

/** `false` switches a limit off. */
const limit = (value: number | false | undefined, fallback: number): number | null =>
  value === false ? null : (value ?? fallback)

function rateLimits(limits: NonNullable<AppConfig['limits']>): RateLimits {
  return {
    registerPerHour: limit(limits.registerPerHour, 600),
    authorizePerHour: limit(limits.authorizePerHour, 6000),
    tokenPerHour: limit(limits.tokenPerHour, 6000),
  }
}
