/** The application's configuration: `app/config.ts` exports `config = defineApp({ … })`. Its shape is checked at boot.
 *  Source: decisions.md, Names. */
import type { HttpRequest, ResourceMetadata } from './contract.ts'
import type { ProviderConfig } from './oauth/options.ts'
import type { Migration } from './store/store.ts'

/** Settings of the MCP endpoint. Source: specification, MCP server configuration. */
export interface McpConfig {
  /** Any path; default `/mcp`. */
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
  /** Identity providers by name `[a-z0-9-]+`; each an OIDC issuer found by discovery. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  /** The application's own forward migrations, run in the order of their names after the core's. */
  readonly migrations?: Readonly<Record<string, Migration>>
  /** The session cookie; the name is used unchanged. */
  readonly session?: { readonly cookieName?: string }
  /** `production: false` is the development page, refused in production; `keepHeaders`: names of response headers that
   *  survive when the answer to an unhandled exception is reset. */
  readonly errors?: { readonly production?: boolean; readonly keepHeaders?: readonly string[] }
  /** `mask`: further parameter names that never reach the log; `ms`: log times in milliseconds. */
  readonly log?: { readonly mask?: readonly string[]; readonly ms?: boolean }
  readonly limits?: {
    readonly bodyBytes?: number
    /** Per credential, else per address; default 6,000. */
    readonly toolCallsPerMinute?: number | false
    /** Of all clients together; default 1,000. */
    readonly concurrentToolCalls?: number | false
  }
}

/** The configuration with every default filled in. */
export interface ResolvedConfig {
  readonly mcp: {
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
  }
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly migrations: Readonly<Record<string, Migration>>
  readonly cookieName: string | null
  readonly errors: { readonly production: boolean | null; readonly keepHeaders: readonly string[] }
  readonly log: { readonly mask: readonly string[]; readonly ms: boolean }
  readonly bodyLimitBytes: number
}

/** The configuration does not have the shape that it must have; the message names the field. */
export class ConfigError extends Error {}

/** Declares the application's configuration; TypeScript checks the shape, the boot checks it again. */
export function defineApp(config: AppConfig): AppConfig {
  return config
}

/** Checks and completes what `app/config.ts` exported. Throws `ConfigError` with the field's name. */
export function resolveConfig(exported: unknown): ResolvedConfig {
  checkFields('config', exported, configFields)
  const config = exported as AppConfig // every field was checked above
  const mcp = config.mcp ?? {}
  return {
    mcp: {
      path: mcp.path ?? '/mcp',
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
    },
    providers: config.providers ?? {},
    migrations: config.migrations ?? {},
    cookieName: config.session?.cookieName ?? null,
    errors: { production: config.errors?.production ?? null, keepHeaders: config.errors?.keepHeaders ?? [] },
    log: { mask: config.log?.mask ?? [], ms: config.log?.ms ?? false },
    bodyLimitBytes: config.limits?.bodyBytes ?? 1024 * 1024,
  }
}

const limit = (value: number | false | undefined, fallback: number): number | null =>
  value === false ? null : (value ?? fallback)

type Check = (at: string, value: unknown) => void
type Fields = ReadonlyMap<string, Check>

function is(expected: string, test: (value: unknown) => boolean): Check {
  return (at, value) => {
    if (!test(value)) throw new ConfigError(`app/config.ts: ${at} must be ${expected}`)
  }
}

const text: Check = is('a text', (value) => typeof value === 'string' && value !== '')
const texts: Check = is(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
)
const callable: Check = is('a function', (value) => typeof value === 'function')
const flag: Check = is('true or false', (value) => typeof value === 'boolean')
const positive: Check = is('a positive number', (value) => typeof value === 'number' && value > 0)
const positiveOrFalse: Check = is(
  'a positive number or false',
  (value) => value === false || (typeof value === 'number' && value > 0),
)
const positives: Check = is(
  'positive numbers by name',
  (value) => typeof value === 'object' && value !== null && Object.values(value).every((one) => one > 0),
)
const path: Check = is(
  'a path that starts with / and ends without',
  (value) => typeof value === 'string' && /^\/(.*[^/])?$/.test(value),
)
const plainObject: Check = is('an object', (value) => typeof value === 'object' && value !== null)

const nested =
  (fields: Fields): Check =>
  (at, value) =>
    checkFields(at, value, fields)

const providers: Check = (at, value) => {
  plainObject(at, value)
  for (const [name, provider] of Object.entries(value as object)) {
    is('named with a-z, 0-9 and -', () => /^[a-z0-9-]+$/.test(name) && name !== 'dev')(`${at}.${name}`, null)
    checkFields(`${at}.${name}`, provider, providerFields)
  }
}

const providerFields: Fields = new Map([
  ['issuer', text],
  ['clientId', text],
  ['clientSecret', text],
])

const mcpFields: Fields = new Map([
  ['path', path],
  ['serverName', text],
  ['authProbe', text],
  ['authenticator', callable],
  ['resourceMetadata', callable],
  ['authCacheTtlSeconds', positive],
  ['allowedOrigins', texts],
  ['answerChars', positive],
  ['answerCharsOf', positives],
  ['listPageSize', positive],
])

const configFields: Fields = new Map([
  ['mcp', nested(mcpFields)],
  ['providers', providers],
  ['migrations', plainObject],
  ['session', nested(new Map([['cookieName', text]]))],
  [
    'log',
    nested(
      new Map([
        ['mask', texts],
        ['ms', flag],
      ]),
    ),
  ],
  [
    'errors',
    nested(
      new Map([
        ['production', flag],
        ['keepHeaders', texts],
      ]),
    ),
  ],
  [
    'limits',
    nested(
      new Map([
        ['bodyBytes', positive],
        ['toolCallsPerMinute', positiveOrFalse],
        ['concurrentToolCalls', positiveOrFalse],
      ]),
    ),
  ],
])

function checkFields(at: string, value: unknown, fields: Fields): void {
  plainObject(at, value)
  for (const [name, field] of Object.entries(value as object)) {
    if (field === undefined) continue
    const check = fields.get(name)
    if (check === undefined) throw new ConfigError(`app/config.ts: ${at} has no setting ${name}`)
    check(`${at}.${name}`, field)
  }
}
