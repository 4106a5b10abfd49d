/** What each setting of the application's configuration must be: one table. */
import { isIP } from 'node:net'
import { whyNeverForwarded } from '../caller-headers.ts'
import type { ScopesConfig } from '../contract/scopes.ts'
import { isMediaType } from '../http/input/media-type.ts'
import { defaultHttpLimits } from '../http/server/limits.ts'
import { canonicalPath, PathMistake } from '../mcp/protocol/mcp-path.ts'
import { type ProviderConfig, ProviderConfigError, resolveProvider } from '../oauth/providers/presets.ts'
import { createScopes } from '../scopes.ts'
import { callLimit, longestRouteSeconds } from './settings/call-limit.ts'
import {
  type Check,
  checkAll,
  checkFields,
  checks,
  describedCheck,
  type Fields,
  is,
  wrongSetting,
} from './settings/checks.ts'
import { serverCard } from './settings/server-card.ts'

const { text, texts, callable, flag, positive, wholeOrFalse, positives, plainObject, count, nested, each } =
  checks

const proxies: Check = is(
  'the number of proxies, or a list of addresses and networks',
  (value) =>
    (Number.isInteger(value) && Number(value) > 0) ||
    (Array.isArray(value) && value.length > 0 && value.every(isNetwork)),
)
const mcpPath: Check = describedCheck('a path', (at, value) => {
  try {
    canonicalPath(typeof value === 'string' ? value : '')
  } catch (error) {
    if (error instanceof PathMistake) throw wrongSetting(at, `${at} ${error.message}`)
    throw error
  }
})

const forwardHeaders: Check = describedCheck('a list of header names', (at, value) => {
  texts(at, value)
  for (const name of value as readonly string[]) {
    const why = whyNeverForwarded(name)
    if (why !== null) throw wrongSetting(at, `${at}: ${JSON.stringify(name)} ${why}`)
  }
})

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

/** Of the sign-in pages themselves. */
const reservedNames: ReadonlySet<string> = new Set(['dev', 'sign-out', 'connections'])

function checkProviders(at: string, value: unknown): void {
  plainObject(at, value)
  checkAll(
    Object.entries(value as object).map(([name, provider]) => () => {
      is('named with a-z, 0-9 and -', () => /^[a-z0-9-]+$/.test(name))(`${at}.${name}`, null)
      is(`called otherwise: /auth/${name} is reserved`, () => !reservedNames.has(name))(`${at}.${name}`, null)
      checkProvider(`${at}.${name}`, name, provider)
    }),
  )
}

const credentials = ['clientId', 'clientSecret'] as const

function checkProvider(at: string, name: string, provider: unknown): void {
  plainObject(at, provider)
  const config = provider as ProviderConfig // every field that is there is checked here
  const missing = credentials.filter((name) => config[name] === undefined)
  checkAll([
    () => checkFields(at, provider, providerFields),
    ...missing.map((name) => () => text(`${at}.${name}`, undefined)),
  ])
  try {
    resolveProvider(name, config)
  } catch (error) {
    if (error instanceof ProviderConfigError) throw wrongSetting(at, `${at}: ${error.message}`)
    throw error
  }
}

const providerAddress: Check = is(
  'an https address, or http on loopback',
  (value) =>
    typeof value === 'string' &&
    URL.canParse(value) &&
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(value),
)

const providerFields: Fields = new Map([
  ['issuer', providerAddress],
  ['trustEmail', flag],
  ['clientId', text],
  ['clientSecret', text],
  ['preset', text],
  [
    'tenant',
    is(
      "a tenant's id or domain",
      (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.-]*$/i.test(value),
    ),
  ],
  [
    'addresses',
    nested(
      new Map(
        ['issuer', 'authorization', 'token', 'profile', 'emails'].map((name) => [name, providerAddress]),
      ),
    ),
  ],
])

const providers: Check = describedCheck('providers by name', checkProviders, providerFields)

const mcpFields: Fields = new Map([
  ['path', mcpPath],
  ['serverName', text],
  ['authProbe', text],
  ['authenticator', callable],
  ['resourceMetadata', callable],
  ['forwardHeaders', forwardHeaders],
  ['authCacheTtlSeconds', positive],
  ['allowedOrigins', texts],
  ['answerChars', positive],
  ['answerCharsOf', positives],
  ['answerBytes', positive],
  ['listPageSize', positive],
  ['listed', is("'permitted' or 'all'", (value) => value === 'permitted' || value === 'all')],
  ['serverCard', serverCard],
])

const scopeFields: Fields = new Map([
  ['text', text],
  ['implies', texts],
  ['sensitive', flag],
  ['mayHave', callable],
])

/** The shape of each, then what they say of each other. */
const scopes: Check = describedCheck(
  'texts, or objects with a text, by name',
  (at, value) => {
    plainObject(at, value)
    checkAll(
      Object.entries(value as object).map(([name, scope]) => () => {
        const inside = `${at}['${name}']`
        if (typeof scope === 'string') return text(inside, scope)
        checkFields(inside, scope, scopeFields)
        text(`${inside}.text`, scope.text)
      }),
    )
    try {
      createScopes(value as ScopesConfig) // every field was checked above
    } catch (error) {
      throw wrongSetting(at, error instanceof Error ? error.message : String(error))
    }
  },
  scopeFields,
)

/** Calls per address. */
export const defaultRateLimits = { registerPerHour: 600, authorizePerHour: 6000, tokenPerHour: 6000 }

export const defaultToolLimits = {
  toolCallsPerMinute: 6000,
  concurrentToolCalls: 1000,
  concurrentToolCallsPerUser: 100,
  toolCallSeconds: 300,
  streamsPerUser: 100,
}

/** `taskKeptSeconds` beside them: what is kept for good would grow for good. */
export const defaultTaskLimits = {
  taskSeconds: 3600,
  concurrentTasks: 100,
  tasksPerUser: 20,
  keptTasksPerUser: 1000,
}

const limitFields: Fields = new Map([
  ...each(defaultHttpLimits, positive),
  ['fileBytes', positive],
  ['files', count],
  ['fields', count],
  ['fieldBytes', positive],
  ...each({ ...defaultRateLimits, ...defaultToolLimits, ...defaultTaskLimits }, wholeOrFalse),
  ['taskKeptSeconds', is('a positive whole number', (value) => Number.isInteger(value) && Number(value) > 0)],
  [
    'routeCalls',
    is(
      'calls per s, min, h or day (600/min) or false',
      (value) => value === false || callLimit(value) !== null,
    ),
  ],
  ['stallSeconds', is('a positive number or false', (value) => value === false || Number(value) > 0)],
  ['routeSeconds', is('whole seconds up to 3600 or false', isRouteTime)],
])

function isRouteTime(value: unknown): boolean {
  return (
    value === false || (Number.isInteger(value) && Number(value) > 0 && Number(value) <= longestRouteSeconds)
  )
}

const modes: readonly unknown[] = ['native', 'propagation', 'off']

const telemetryFields: Fields = new Map([
  ['mode', is("'native', 'propagation' or 'off'", (value) => modes.includes(value))],
  ['toolArguments', flag],
  ['toolResults', flag],
])

/** The settings of `app/config.ts`, each with what it must be. */
export const configFields: Fields = new Map([
  ['mcp', nested(mcpFields)],
  [
    'pages',
    nested(
      new Map([
        ['docs', flag],
        ['mcp', flag],
        ['root', flag],
      ]),
    ),
  ],
  [
    'audit',
    nested(
      new Map([
        ['enabled', flag],
        ['keepDays', wholeOrFalse],
        ['digest', flag],
      ]),
    ),
  ],
  ['providers', providers],
  ['clientIdMetadataDocuments', flag],
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
  ['limits', nested(limitFields)],
  ['telemetry', nested(telemetryFields)],
  ['oauth', nested(new Map([['checkToken', callable]]))],
  ['scopes', scopes],
  ['verifyToken', callable],
  ['trustProxy', proxies],
  ['parsers', byMediaType],
  ['responders', byMediaType],
  ['plugins', is('a list of Fastify plugins or [plugin, options] pairs', isPluginList)],
])

function isPluginList(value: unknown): boolean {
  const isPair = (entry: unknown): boolean =>
    Array.isArray(entry) &&
    entry.length === 2 &&
    typeof entry[0] === 'function' &&
    typeof entry[1] === 'object'
  return Array.isArray(value) && value.every((entry) => typeof entry === 'function' || isPair(entry))
}
