/** The application's configuration: `app/config.ts` exports `config = defineApp({ … })`. Its shape is checked at boot.
 *  Source: decisions.md, Names. */

import type { HttpRequest } from '../contract/http.ts'
import type { ResourceMetadata } from '../contract/mcp.ts'
import { type BodyLimits, defaultBodyLimits } from '../http/input/body-limits.ts'
import type { ParseBytes } from '../http/output/formats.ts'
import type { Responder } from '../http/output/responders.ts'
import type { PluginEntry } from '../http/plugins/plugins.ts'
import type { TrustedProxies } from '../http/server/client-address.ts'
import { defaultHttpLimits, type HttpLimits } from '../http/server/limits.ts'
import { canonicalPath } from '../mcp/mcp-path.ts'
import type { RateLimits } from '../oauth/limits.ts'
import type { CheckToken } from '../oauth/options.ts'
import type { ProviderConfig } from '../oauth/providers/presets.ts'
import type { Migration } from '../store/store.ts'
import { checkFields, configFields } from './config-fields.ts'

/** Settings of the MCP endpoint. Source: specification, MCP server configuration. */
export interface McpConfig {
  /** Any path, written plainly or percent-encoded; default `/mcp`. */
  readonly path?: string
  readonly serverName?: string
  /** Path of a GET route that is called in-process with the client's headers; 2xx = authenticated. */
  readonly authProbe?: string
  /** Alternative to `authProbe` for logic that is not a route. */
  readonly authenticator?: (request: HttpRequest) => boolean | Promise<boolean>
  /** Enables the challenge and the protected resource metadata document. */
  readonly resourceMetadata?: (request: HttpRequest, app: { readonly baseUrl: string }) => ResourceMetadata
  /** How long a successful check is kept per credential, in seconds; default 60. */
  readonly authCacheTtlSeconds?: number
  /** Origins of browsers that may call the endpoint; default: the base URL's (and loopback in development). */
  readonly allowedOrigins?: readonly string[]
  /** How many characters the text of a tool's answer may have; default 100,000 (about 25,000 tokens). */
  readonly answerChars?: number
  /** The same for single tools, by name. */
  readonly answerCharsOf?: Readonly<Record<string, number>>
  /** How many tools one page of a list has; default 1,000. */
  readonly listPageSize?: number
}

export interface AppConfig {
  readonly mcp?: McpConfig
  /** Identity providers by name `[a-z0-9-]+`: an OIDC issuer found by discovery, or a preset (google, microsoft, gitlab,
   *  github), by `preset` or by the name alone. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Whether an https URL may be a `client_id`; default: when the base URL is https. `true` with a loopback base URL also
   *  fetches documents from this machine. */
  readonly clientIdMetadataDocuments?: boolean
  /** The application's own forward migrations, run in the order of their names after the core's. */
  readonly migrations?: Readonly<Record<string, Migration>>
  /** The session cookie; the name is used unchanged. */
  readonly session?: { readonly cookieName?: string }
  /** `production: false` is the development page, refused in production; `keepHeaders`: names of response headers that
   *  survive when the answer to an unhandled exception is reset. */
  readonly errors?: { readonly production?: boolean; readonly keepHeaders?: readonly string[] }
  /** `mask`: further parameter names that never reach the log; `ms`: log times in milliseconds. */
  readonly log?: { readonly mask?: readonly string[]; readonly ms?: boolean }
  /** Sizes in bytes, times in seconds: `bodyBytes` (1 MiB) bounds a body without its files, `headerBytes` (16 KiB),
   *  `urlBytes` (8 KiB), `headersSeconds` (20), `requestSeconds` (60), `keepAliveSeconds` (72). Of a multipart form
   *  `fileBytes` (10 MiB) bounds each file, `files` (10) and `fields` (1000) their number, `fieldBytes` (1 MiB) each
   *  field. The others are calls per address and hour, where `false` switches a limit off. */
  readonly limits?: Partial<HttpLimits & BodyLimits> & {
    /** Default 600. */
    readonly registerPerHour?: number | false
    /** Authorization and sign-in pages; default 6000. */
    readonly authorizePerHour?: number | false
    /** Token and revocation; default 6000. */
    readonly tokenPerHour?: number | false
    /** Tool calls of a user, of accepted credentials, or of an address where nobody was accepted; default 6,000. */
    readonly toolCallsPerMinute?: number | false
    /** Tool calls of all clients together that run at once; default 1,000. */
    readonly concurrentToolCalls?: number | false
    /** The same of one of them; default 100. */
    readonly concurrentToolCallsPerUser?: number | false
    /** How long one tool call may run, in seconds; default 300. */
    readonly toolCallSeconds?: number | false
    /** Open streams of one of them; default 100. */
    readonly streamsPerUser?: number | false
  }
  /** `checkToken`: the application's own check of a code or refresh token before it is spent. */
  readonly oauth?: { readonly checkToken?: CheckToken }
  /** Whose `X-Forwarded-For` says where a request comes from: how many proxies stand in front, or their addresses and
   *  networks. Default: nobody's. It decides what the limits count, never a public address. */
  readonly trustProxy?: TrustedProxies
  /** Whether bodies may be YAML (`application/yaml`, `text/yaml`), of 16 KB at most; default: no. Answers always may. */
  readonly yamlBodies?: boolean
  /** How bodies of further media types are read. */
  readonly parsers?: Readonly<Record<string, ParseBytes>>
  /** How answers of further media types are written. */
  readonly responders?: Readonly<Record<string, Responder>>
  /** Fastify plugins, registered before the routes: their hooks cover them, tool calls included. */
  readonly plugins?: readonly PluginEntry[]
}

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

/** Declares the application's configuration: TypeScript checks the types, the build and the boot refuse settings that do
 *  not exist. The result's type keeps the names, which the compiler reads. */
export function defineApp<const C extends AppConfig>(config: C): C {
  return config
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
