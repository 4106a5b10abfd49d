/** The settings under `mcp`. Source: rules.md, MCP server configuration. */
import { whyNeverForwarded } from '../../caller-headers.ts'
import type { HttpRequest } from '../../contract/http.ts'
import type { ResourceMetadata, ServerCard } from '../../contract/mcp.ts'
import { canonicalPath, PathMistake } from '../../mcp/protocol/mcp-path.ts'
import {
  type Check,
  callable,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  flag,
  is,
  nonEmptyText,
  notNegative,
  oneOf,
  positive,
  positives,
  texts,
  wrongSetting,
} from './checks.ts'
import { type Optional, type Setting, setting, settingOrNull } from './setting.ts'

/** Settings of the MCP endpoint. See templates/docs/mcp.md. */
export class McpSettings {
  /** Any path, written plainly or percent-encoded; default `/mcp`. */
  readonly path: Setting<string> = { check: mcpPath, byDefault: '/mcp', read: canonicalPath }
  /** What clients show; default `acmcp`. */
  readonly serverName: Setting<string> = setting(nonEmptyText, 'acmcp')
  /** Path of a GET route that is called in-process with the client's headers; 2xx = authenticated. */
  readonly authProbe: Optional<string> = settingOrNull(nonEmptyText)
  /** For logic that is not a route; beside `authProbe` both must pass. */
  readonly authenticator: Optional<(request: HttpRequest) => boolean | Promise<boolean>> =
    settingOrNull(callable)
  /** Enables the challenge and the protected resource metadata document. */
  readonly resourceMetadata: Optional<
    (request: HttpRequest, app: { readonly baseUrl: string }) => ResourceMetadata
  > = settingOrNull(callable)
  /** Headers of the client's request that its tool calls carry, as that which names the tenant; default: none. */
  readonly forwardHeaders: Setting<readonly string[]> = {
    check: forwardHeaders,
    byDefault: [],
    read: (names) => [...new Set(names.map((name) => name.toLowerCase()))],
  }
  /** How long a successful check is kept per credential, in seconds; default 60; 0 checks every message. */
  readonly authCacheTtlSeconds: Setting<number> = setting(notNegative, 60)
  /** Origins of browsers that may call the endpoint; default: the base URL's (and loopback in development). */
  readonly allowedOrigins: Optional<readonly string[]> = settingOrNull(texts)
  /** How many characters the text of a tool's answer may have; default 48,000: a client puts what is longer than 50,000 into a file, which its
   *  model does not read. */
  readonly answerChars: Setting<number> = setting(positive, 48_000)
  /** The same for single tools, by name. */
  readonly answerCharsOf: Setting<Readonly<Record<string, number>>> = setting(positives, {})
  /** How many bytes an image, audio or a file may have that is sent with an answer; default 4,194,304. */
  readonly answerBytes: Setting<number> = setting(positive, 4 * 1024 * 1024)
  /** How many tools one page of a list has; default 1,000. */
  readonly listPageSize: Setting<number> = setting(positive, 1000)
  /** Which tools of routes with `@scope` a list has: those that the caller's token may call, or all; default `permitted`. */
  readonly listed: Setting<'permitted' | 'all'> = setting(oneOf('permitted', 'all'), 'permitted')
  /** Whether the endpoint has only what reads: tools, prompts and resources that may change something are left out for every caller.
   *  Nothing changes over HTTP. Default false. */
  readonly readOnly: Setting<boolean> = setting(flag, false)
  /** Of which routes it makes tools: all that are not hidden, or those with `@mcp show` alone; default `all`. */
  readonly expose: Setting<'all' | 'marked'> = setting(oneOf('all', 'marked'), 'all')
  /** Serves a server card at `<path>/server-card`, a draft of MCP (SEP-2127); default: none. */
  readonly serverCard: Optional<ServerCard> = settingOrNull(serverCard)
}

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

const matches = (expected: string, pattern: RegExp, most: number): Check =>
  is(expected, (value) => typeof value === 'string' && value.length <= most && pattern.test(value))

const name = matches(
  "a reversed domain and a name, such as 'org.example/orders'",
  /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
  200,
)
const description = matches('a text of 100 characters at most', /\S/, 100)
const website = is(
  'an http or https address',
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
)

const fields: Fields = fieldsOf<ServerCard>({ name, description, websiteUrl: website })

/** Name and description must be there. Source: SEP-2127 (a draft), schema of 2026-11. */
const serverCard: Check = describedCheck('an object with name and description', (at, value) => {
  checkFields(at, value, fields)
  const { name: cardName, description: text } = { name: undefined, description: undefined, ...Object(value) }
  name(`${at}.name`, cardName)
  description(`${at}.description`, text)
})
