/** The application's configuration: `app/config.ts` exports `config = defineApp({ … })`. Its shape is checked at boot.
 *  All settings: templates/docs/reference-settings.md. */
// Source: rules.md, Names.

import type {
  AppMigration,
  BodyLimits,
  CheckToken,
  HttpLimits,
  ParseBytes,
  PluginEntry,
  Responder,
  TrustedProxies,
} from '../contract/application.ts'
import type { HttpRequest } from '../contract/http.ts'
import type { ResourceMetadata, ServerCard } from '../contract/mcp.ts'
import type { ScopesConfig, VerifyToken } from '../contract/scopes.ts'
import type { ProviderConfig } from '../oauth/providers/presets.ts'

/** Settings of the MCP endpoint. See templates/docs/mcp.md. */
// Source: rules.md, MCP server configuration.
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
  /** Headers of the client's request that its tool calls carry, as that which names the tenant; default: none. */
  readonly forwardHeaders?: readonly string[]
  /** How long a successful check is kept per credential, in seconds; default 60. */
  readonly authCacheTtlSeconds?: number
  /** Origins of browsers that may call the endpoint; default: the base URL's (and loopback in development). */
  readonly allowedOrigins?: readonly string[]
  /** How many characters the text of a tool's answer may have; default 100,000 (about 25,000 tokens). */
  readonly answerChars?: number
  /** The same for single tools, by name. */
  readonly answerCharsOf?: Readonly<Record<string, number>>
  /** How many bytes an image, audio or a file may have that is sent with an answer; default 4 MiB. */
  readonly answerBytes?: number
  /** How many tools one page of a list has; default 1,000. */
  readonly listPageSize?: number
  /** Which tools of routes with `@scope` a list has: those that the caller's token may call, or all; default `permitted`. */
  readonly listed?: 'permitted' | 'all'
  /** Serves a server card at `<path>/server-card`, a draft of MCP (SEP-2127); default: none. */
  readonly serverCard?: ServerCard
}

/** What is kept of who did what. See templates/docs/audit.md. */
export interface AuditConfig {
  /** Whether tool calls and changes of access are recorded; default true. */
  readonly enabled?: boolean
  /** For how many days; `false` = for good. Default 365. */
  readonly keepDays?: number | false
  /** Whether each row of a tool call has a digest of its arguments; default false: those of `@audit strict` alone. */
  readonly digest?: boolean
}

/** Which pages a browser gets. */
export interface PagesConfig {
  /** At `/docs`, where the application has no route there: the OpenAPI document, to read and to try, with
   *  `@scalar/fastify-api-reference` if that is installed; default true in development, false in production. */
  readonly docs?: boolean
  /** At the address of the MCP endpoint: how to connect a client, and to who may use it the tools; default true. */
  readonly mcp?: boolean
  /** At `/`, in development and where the application has no route there: what is served; default true. */
  readonly root?: boolean
}

/** What is told of requests and tool calls. */
export interface TelemetryConfig {
  /** `native`: spans, metrics and events, when an OpenTelemetry SDK is there; `propagation`: the trace of the caller goes on, and
   *  no span is made; `off`: nothing. Default `native`. */
  readonly mode?: 'native' | 'propagation' | 'off'
  /** Whether the span of a tool call carries its arguments; default false. */
  readonly toolArguments?: boolean
  /** The same of its result. */
  readonly toolResults?: boolean
}

export interface AppConfig {
  readonly mcp?: McpConfig
  readonly pages?: PagesConfig
  readonly audit?: AuditConfig
  /** Identity providers by name `[a-z0-9-]+`: an OIDC issuer found by discovery, or a preset (google, microsoft, gitlab,
   *  github), by `preset` or by the name alone. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** Whether an https URL may be a `client_id`; default: when the base URL is https. `true` with a loopback base URL also
   *  fetches documents from this machine. */
  readonly clientIdMetadataDocuments?: boolean
  /** The application's own forward migrations (`Migration` of `acmcp/store`), run in the order of their names after the core's. */
  readonly migrations?: Readonly<Record<string, AppMigration>>
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
    /** Calls of one route by one user, or by one address where nobody is known, in a second, minute, hour or day
     *  (`600/min`), where the route has no `@limit`; default false. */
    readonly routeCalls?: string | false
    /** How long a route may take until its answer begins, in seconds, where it has no `@timeout`; default false. */
    readonly routeSeconds?: number | false
    /** How long the event loop of `acmcp serve` may stand still before it is logged what runs, in seconds; a worker is replaced after three
     *  times as long. Default 10. */
    readonly stallSeconds?: number | false
    /** Tool calls of a user, of accepted credentials, or of an address where nobody was accepted; default 6,000. */
    readonly toolCallsPerMinute?: number | false
    /** Tool calls of all clients together that run at once; default 1,000. */
    readonly concurrentToolCalls?: number | false
    /** The same of one of them; default 100. */
    readonly concurrentToolCallsPerUser?: number | false
    /** How long one tool call may run, in seconds; default 300. */
    readonly toolCallSeconds?: number | false
    /** How long one task may run, in seconds; default 3,600. */
    readonly taskSeconds?: number | false
    /** How much longer it is kept than it may run, in seconds; default 3,600. */
    readonly taskKeptSeconds?: number
    /** Tasks of all clients together that run at once in this process; default 100. */
    readonly concurrentTasks?: number | false
    /** Tasks of one of them that have not ended; default 20. */
    readonly tasksPerUser?: number | false
    /** The same, those that have ended and are kept included; default 1,000. */
    readonly keptTasksPerUser?: number | false
    /** Open streams of one of them; default 100. */
    readonly streamsPerUser?: number | false
  }
  /** Spans, metrics and events, through the OpenTelemetry API. See templates/docs/telemetry.md. */
  readonly telemetry?: TelemetryConfig
  /** `checkToken`: the application's own check of a code or refresh token before it is spent. */
  readonly oauth?: { readonly checkToken?: CheckToken }
  /** What a token may do, by name, with words for the consent page; routes ask for them with `@scope`. Default: none, and every
   *  token may do all that its user may. */
  readonly scopes?: ScopesConfig
  /** The application's own check of a bearer token that our keys did not sign; default: no such token is taken by `@scope`. */
  readonly verifyToken?: VerifyToken
  /** Whose `X-Forwarded-For` says where a request comes from: how many proxies stand in front, or their addresses and
   *  networks. Default: nobody's. It decides what the limits count, never a public address. */
  readonly trustProxy?: TrustedProxies
  /** How bodies of further media types are read. */
  readonly parsers?: Readonly<Record<string, ParseBytes>>
  /** How answers of further media types are written. */
  readonly responders?: Readonly<Record<string, Responder>>
  /** Fastify plugins, registered before the routes: their hooks cover them, tool calls included. */
  readonly plugins?: readonly PluginEntry[]
}

/** Declares the application's configuration: TypeScript checks the types, the build and the boot refuse settings that do
 *  not exist. The result's type keeps the names, which the compiler reads. */
export function defineApp<const C extends AppConfig>(config: C): C {
  return config
}
