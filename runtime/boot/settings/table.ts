/** The settings of `app/config.ts`: of each its type, what it must be and what holds without it. What they are for is told at length in
 *  templates/docs/reference-settings.md. */
import { isIP } from 'node:net'
import type {
  AcceptedChange,
  AppMigration,
  CheckToken,
  ConfidentialClientConfig,
  OnSignIn,
  ParseBytes,
  PluginEntry,
  Responder,
  TrustedProxies,
} from '../../contract/application.ts'
import type { ScopesConfig, VerifyToken } from '../../contract/scopes.ts'
import { isMediaType } from '../../http/input/media-type.ts'
import { isForbiddenScheme } from '../../oauth/clients/redirect-uri.ts'
import type { ProviderConfig } from '../../oauth/providers/presets.ts'
import { acceptedChanges, scopes } from './checked-entries.ts'
import {
  type Check,
  callable,
  describedCheck,
  flag,
  is,
  isUpTo,
  milliseconds,
  nonEmptyText,
  oneOf,
  plainObject,
  texts,
  wrongSetting,
} from './checks.ts'
import { confidentialClients } from './confidential-clients.ts'
import { LimitSettings } from './limit-table.ts'
import { McpSettings } from './mcp-table.ts'
import { providers } from './providers.ts'
import { type Group, group, type Optional, type Setting, setting, settingOrNull } from './setting.ts'

export class Settings {
  readonly mcp: Group<McpSettings> = group(new McpSettings())
  readonly pages: Group<PagesSettings> = group(new PagesSettings())
  /** Identity providers by name `[a-z0-9-]+`: an OIDC issuer found by discovery, or a preset (google, microsoft, gitlab,
   *  github), by `preset` or by the name alone. */
  readonly providers: Setting<Readonly<Record<string, ProviderConfig>>> = setting(providers, {})
  /** Called at each sign-in before the user is signed in: what is kept with the user (`attributesOf`), or `SignInRefused`. */
  readonly onSignIn: Optional<OnSignIn> = settingOrNull(callable)
  /** The application's own forward migrations (`Migration` of `acmcp/store`), run in the order of their names after the core's. */
  readonly migrations: Setting<Readonly<Record<string, AppMigration>>> = setting(plainObject, {})
  /** The session cookie. */
  readonly session: Group<SessionSettings> = group(new SessionSettings())
  readonly log: Group<LoggingSettings> = group(new LoggingSettings())
  readonly errors: Group<ErrorSettings> = group(new ErrorSettings())
  /** Sizes in bytes, times in seconds, calls; `false` switches one off that may be so. */
  readonly limits: Group<LimitSettings> = group(new LimitSettings())
  readonly oauth: Group<OAuthSettings> = group(new OAuthSettings())
  /** What a token may do, by name, with words for the consent page; routes ask for them with `@scope`. Default: none, and every
   *  token may do all that its user may. */
  readonly scopes: Setting<ScopesConfig> = setting(scopes, {})
  readonly grants: Group<GrantSettings> = group(new GrantSettings())
  /** The application's own check of a bearer token that our keys did not sign; default: no such token is taken by `@scope`. */
  readonly verifyToken: Optional<VerifyToken> = settingOrNull(callable)
  /** Whose `X-Forwarded-For` says where a request comes from: how many proxies stand in front, or their addresses and
   *  networks. Default: none. It decides what the limits count, never a public address. */
  readonly trustProxy: Optional<TrustedProxies> = settingOrNull(proxies)
  /** How bodies of further media types are read. */
  readonly parsers: Setting<Readonly<Record<string, ParseBytes>>> = setting(byMediaType, {})
  /** How answers of further media types are written. */
  readonly responders: Setting<Readonly<Record<string, Responder>>> = setting(byMediaType, {})
  /** What of an answer leaves: what its type declares, or all of it (`whole`). Default `declared`. */
  readonly answers: Setting<'declared' | 'whole'> = setting(oneOf('declared', 'whole'), 'declared')
  /** Readers that do not get properties that are `@secret`: models and tokens that were issued here, or models alone (`tools`).
   *  Default `delegated`. */
  readonly secrets: Setting<'delegated' | 'tools'> = setting(oneOf('delegated', 'tools'), 'delegated')
  /** Fastify plugins, registered before the routes: their hooks cover them, tool calls included. */
  readonly plugins: Setting<readonly PluginEntry[]> = setting(plugins, [])
  /** What `acmcp build --against` compares. See templates/docs/contract.md. */
  readonly contract: Group<ContractSettings> = group(new ContractSettings())
}

/** What the committed contract promises. The build reads it, and nothing at run time. */
export class ContractSettings {
  /** Changes that pass though a rule names them: literals, each with rule, place, last day and reason. Default: none. */
  readonly accept: Setting<readonly AcceptedChange[]> = setting(acceptedChanges, [])
}

/** Which pages a browser gets. */
export class PagesSettings {
  /** At `/docs`, where the application has no route there: the OpenAPI document, to read and to try, with
   *  `@scalar/fastify-api-reference` if that is installed; default true in development, false in production. */
  readonly docs: Optional<boolean> = settingOrNull(flag)
  /** At the address of the MCP endpoint: how to connect a client, and for permitted users the tools; default true. */
  readonly mcp: Setting<boolean> = setting(flag, true)
  /** At `/`, in development and where the application has no route there: what is served; default true. */
  readonly root: Setting<boolean> = setting(flag, true)
}

export class SessionSettings {
  /** Used unchanged. */
  readonly cookieName: Optional<string> = settingOrNull(nonEmptyText)
}

export class LoggingSettings {
  /** Further parameter names that never reach the log. */
  readonly mask: Setting<readonly string[]> = setting(texts, [])
  /** Whether times are logged in milliseconds; default false. */
  readonly ms: Setting<boolean> = setting(flag, false)
}

export class ErrorSettings {
  /** `false` is the development page, refused in production; default: true in production, and off loopback where NODE_ENV is not set. */
  readonly production: Optional<boolean> = settingOrNull(flag)
  /** Names of response headers that survive when the answer to an unhandled exception is reset. */
  readonly keepHeaders: Setting<readonly string[]> = setting(texts, [])
}

export class OAuthSettings {
  /** `specification`: each answer by the letter; `compatible`: clients that people have come in too (Cursor, Perplexity, hosted Claude …). See
   *  templates/docs/sign-in.md. Default `specification`. */
  readonly profile: Setting<'specification' | 'compatible'> = setting(
    oneOf('specification', 'compatible'),
    'specification',
  )
  /** Private-use schemes that redirect addresses of clients may have, beside those with a dot and of known clients (cursor, vscode,
   *  vscode-insiders, claude); for the profile `compatible`. Default: none. */
  readonly nativeSchemes: Setting<readonly string[]> = setting(nativeSchemes, [])
  /** Clients with a secret (`client_secret_basic`, `client_secret_post`), set up by hand; for the profile `compatible`. Default: none. See
   *  templates/docs/sign-in.md. */
  readonly confidentialClients: Setting<readonly ConfidentialClientConfig[]> = setting(
    confidentialClients,
    [],
  )
  /** For how long a client that used a refresh token may use it again, as when the answer was lost; 0 = never. For the profile `compatible`.
   *  Default 60. */
  readonly refreshGraceSeconds: Setting<number> = setting(refreshGraceSeconds, 60)
  /** The application's own check of a code or refresh token before it is spent. */
  readonly checkToken: Optional<CheckToken> = settingOrNull(callable)
}

/** What people allow clients. */
export class GrantSettings {
  /** What a grant lets its client change: what its scopes covered when the user was asked (`shown`), or all that they cover today
   *  (`scopes`). Default `shown`. */
  readonly cover: Setting<'shown' | 'scopes'> = setting(oneOf('shown', 'scopes'), 'shown')
  /** How lately the user must have signed in for a refresh token to be exchanged, as `12h` or `7d`. Default: it does not matter. */
  readonly signInWithin: Setting<string, number | null> = {
    check: is("a time in s, m, h or d up to 365d, as '7d'", isUpTo(365 * 24, 'smhd')),
    byDefault: null,
    read: milliseconds,
  }
}

const proxies: Check = is(
  'the number of proxies, or a list of addresses and networks',
  (value) =>
    (Number.isInteger(value) && Number(value) > 0) ||
    (Array.isArray(value) && value.length > 0 && value.every(isNetwork)),
)

/** An address, or a network as `10.0.0.0/8`. */
function isNetwork(value: unknown): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(String(value)) ?? []
  return isIP(address) !== 0 && Number(bits ?? 0) <= (isIP(address) === 4 ? 32 : 128)
}

/** Functions by media type. */
const byMediaType: Check = describedCheck('functions by media type', (at, value) => {
  plainObject(at, value)
  for (const [type, format] of Object.entries(value as object)) {
    const isNamed = is('named with a media type in lower case without parameters', () => isMediaType(type))
    isNamed(`${at}['${type}']`, null)
    callable(`${at}['${type}']`, format)
  }
})

/** An answer is not on its way for longer, and a thief of the token has the grace too. */
const refreshGraceSeconds: Check = is(
  'a whole number from 0 to 600',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 600,
)

/** Without the colon, in small letters. Source: RFC 3986, 3.1; RFC 8252, 7.1. */
const nativeSchemes: Check = describedCheck('a list of private-use schemes', (at, value) => {
  texts(at, value)
  for (const [index, scheme] of (value as readonly string[]).entries()) {
    is("a scheme in small letters without its colon, as 'myapp'", () => /^[a-z][a-z0-9+.-]*$/.test(scheme))(
      `${at}[${index}]`,
      scheme,
    )
    is('a scheme on which no browser acts by itself', () => !isForbiddenScheme(scheme))(
      `${at}[${index}]`,
      scheme,
    )
  }
})

const plugins: Check = describedCheck('a list of Fastify plugins or [plugin, options] pairs', (at, value) => {
  if (!Array.isArray(value))
    throw wrongSetting(at, `${at} must be a list of Fastify plugins or [plugin, options] pairs`)
  for (const [index, entry] of value.entries()) pluginEntry(`${at}[${index}]`, entry)
})

function pluginEntry(at: string, entry: unknown): void {
  const [plugin, options = {}, ...more]: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  const isPair = typeof options === 'object' && options !== null && more.length === 0
  if (typeof plugin === 'function' && isPair) return
  throw wrongSetting(
    at,
    `${at} must be a Fastify plugin or a [plugin, options] pair: ${whatIsWrong(plugin, isPair)}`,
  )
}

/** As a package in CommonJS comes to an `import` that TypeScript compiled as a module. */
const hasDefault = (plugin: unknown): boolean =>
  typeof plugin === 'object' && plugin !== null && 'default' in plugin && typeof plugin.default === 'function'

function whatIsWrong(plugin: unknown, isPair: boolean): string {
  if (hasDefault(plugin)) return `the plugin is the 'default' of this object, write .default behind its name`
  if (typeof plugin !== 'function')
    return `the plugin is ${plugin === null ? 'null' : `of type ${typeof plugin}`} and no function`
  return isPair ? 'it is none' : `behind '${plugin.name}' stands no object of options`
}

/** Those of the core; `all-settings.ts` has the whole table. */
export const coreSettings: Group<Settings> = group(new Settings())
