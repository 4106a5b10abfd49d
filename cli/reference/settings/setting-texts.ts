/** What the settings mean, by path. */
import { defaultCookieName } from '../../../runtime/boot/resolve-config.ts'
import { auditTexts } from './audit-texts.ts'
import { limitTexts } from './limit-texts.ts'
import { pageTexts } from './page-texts.ts'
import { scopeSettings } from './scope-texts.ts'
import type { SettingText } from './setting-text.ts'
import { telemetryTexts } from './telemetry-texts.ts'

const seconds = 'seconds'

const provider = (meaning: string, example: string, byDefault: string): SettingText => ({
  meaning,
  example,
  default: byDefault,
})
const githubAddress = (what: string, example: string): SettingText =>
  provider(`For GitHub Enterprise Server: ${what}.`, example, "that of GitHub's own")

const mcp: Readonly<Record<string, SettingText>> = {
  'mcp.path': {
    meaning:
      'Where the MCP endpoint is; each toolbox has an address of its own below it. The path itself must be free: /auth, /oauth, /.well-known and paths of routes are not. Below it a route of the application wins over a toolbox.',
    example: "'/mcp'",
  },
  'mcp.serverName': {
    meaning:
      'The name that clients show for the server; the sign-in and consent pages too, which else show the host.',
    example: "'Orders'",
  },
  'mcp.authProbe': {
    meaning:
      'The path of a GET route that is called in-process with the headers of the client: 2xx means authenticated, anything else is answered with 401, and with the challenge where there is `resourceMetadata`. Without it and without `authenticator` the endpoint is open, and each route decides.',
    example: "'/api/users/current'",
  },
  'mcp.authenticator': {
    meaning:
      'A function of the request that says whether it is authenticated, for logic that is no route. Instead of `authProbe`.',
    example: "(request) => request.headers['x-api-key'] === process.env.API_KEY",
  },
  'mcp.resourceMetadata': {
    meaning:
      'Makes the protected resource metadata document (RFC 9728) and switches the challenge of a 401 on, by which clients find the authorization server.',
    example: "(_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] })",
  },
  'mcp.forwardHeaders': {
    meaning:
      "The headers of the client's own request that its tool calls carry, beside its credentials: one that names the tenant, or a language. They are no credential and no argument of a tool. Those that say who calls, by which way, or what one message is are refused.",
    example: "['x-clinic']",
    default: 'none',
  },
  'mcp.authCacheTtlSeconds': {
    meaning:
      'How long a successful check is kept for the same credentials. What is revoked here ends at once.',
    example: '60',
    unit: seconds,
  },
  'mcp.allowedOrigins': {
    meaning: 'The origins of browsers that may call the endpoint.',
    example: "['https://app.example.org']",
    default: 'the origin of BASE_URL; in development loopback on any port too',
  },
  'mcp.answerChars': {
    meaning:
      "How long the text of a tool's answer may be. A longer one is cut at whole items, or a link stands in its place, and the model is told how to get the rest. `@mcp budget` says it of a toolbox or a tool.",
    example: '50_000',
    unit: 'characters',
  },
  'mcp.answerCharsOf': {
    meaning: 'The same for single tools, by the name of the tool; before `@mcp budget`.',
    example: '{ orders_index: 200_000 }',
    unit: 'characters',
  },
  'mcp.answerBytes': {
    meaning:
      'How large an image, audio or a file may be that is sent with an answer, and what is read of a resource. A larger one of a tool is a link with its name, type and size; a larger resource is an error.',
    example: '1024 * 1024',
    unit: 'bytes',
  },
  'mcp.listed': {
    meaning:
      'Which tools of routes with `@scope` a list has: those that the caller may call (`permitted`), or all (`all`).',
    example: "'all'",
  },
  'mcp.serverCard': {
    meaning:
      'Serves a server card at `<mcp.path>/server-card`: what the server is and where, for catalogues that look before they connect. A draft of MCP (SEP-2127), so it may change with any version. `name` is a reversed domain and a name, `description` has 100 characters at most, `websiteUrl` may be left out.',
    example: "{ name: 'org.example/orders', description: 'Orders of a shop.' }",
    default: 'none',
  },
  'mcp.listPageSize': { meaning: 'How many tools one page of a list has.', example: '200', unit: 'tools' },
}

const providers: Readonly<Record<string, SettingText>> = {
  'providers.*.issuer': provider(
    'The OpenID Connect issuer, whose addresses are found by discovery.',
    "'https://id.example.org'",
    'that of the preset; required without one',
  ),
  'providers.*.trustEmail': provider(
    'For an issuer of your own that verifies every e-mail address and does not say so: an address without `email_verified` is kept too.',
    'true',
    'false',
  ),
  'providers.*.clientId': provider('The client id that the provider gave you. Required.', "'notes'", 'none'),
  'providers.*.clientSecret': provider(
    'The client secret that the provider gave you. Required. Take it from the environment.',
    "process.env.OIDC_SECRET ?? ''",
    'none',
  ),
  'providers.*.preset': provider(
    'A well-known provider: google, microsoft, gitlab or github. A provider that is called like one needs none.',
    "'github'",
    'the name of the provider, where it is one of these and has no issuer',
  ),
  'providers.*.tenant': provider(
    "With the preset microsoft: a tenant's id or domain, organizations, consumers or common.",
    "'organizations'",
    'common',
  ),
  'providers.*.addresses.issuer': githubAddress(
    'what the users of its accounts are known by',
    "'https://git.example.org/login/oauth'",
  ),
  'providers.*.addresses.authorization': githubAddress(
    'where people sign in',
    "'https://git.example.org/login/oauth/authorize'",
  ),
  'providers.*.addresses.token': githubAddress(
    'where codes are exchanged',
    "'https://git.example.org/login/oauth/access_token'",
  ),
  'providers.*.addresses.profile': githubAddress(
    'where the profile is read',
    "'https://git.example.org/api/v3/user'",
  ),
  'providers.*.addresses.emails': githubAddress(
    'where the e-mail addresses are read',
    "'https://git.example.org/api/v3/user/emails'",
  ),
}

const others: Readonly<Record<string, SettingText>> = {
  clientIdMetadataDocuments: {
    meaning:
      'Whether an https address may be a `client_id`, whose document says who the client is. With a loopback BASE_URL, `true` also fetches documents from this machine.',
    example: 'false',
    default: 'true where BASE_URL is https',
  },
  migrations: {
    meaning:
      "The application's own forward migrations by name (`Migration` of `acmcp/store`). They run in the order of their names, after those of acmcp.",
    example: "{ '001_orders': orders }",
  },
  'session.cookieName': {
    meaning: 'The name of the session cookie, used unchanged.',
    example: "'shop_session'",
    default: `${defaultCookieName(true)} where BASE_URL is https, else ${defaultCookieName(false)}`,
  },
  'log.mask': {
    meaning:
      'Names of further parameters whose values never reach the log, beside those of OAuth such as `code`, `state` and `token`.',
    example: "['pin']",
  },
  'log.ms': { meaning: 'Whether log lines tell times in milliseconds.', example: 'true' },
  'errors.production': {
    meaning:
      'Whether unhandled exceptions are answered as in production, without a word about them. `false` shows the development page; it is refused in production.',
    example: 'true',
    default: 'true where NODE_ENV is production',
  },
  'errors.keepHeaders': {
    meaning: 'Names of response headers that survive when the answer to an unhandled exception is made anew.',
    example: "['access-control-allow-origin']",
  },
  'oauth.checkToken': {
    meaning:
      "The application's own check of a code or refresh token that has passed all others, before it is spent: a function of its claims that refuses by throwing.",
    example:
      "(claims) => { if (claims.sub === 'blocked') throw new AuthServerError('access_denied', 'blocked', 403) }",
    at: 'checkToken',
  },
  trustProxy: {
    meaning:
      'Whose `X-Forwarded-For` says where a request comes from: how many proxies stand in front, or their addresses and networks. It decides what the limits count, never a public address.',
    example: "['10.0.0.0/8']",
  },
  yamlBodies: {
    meaning: 'Whether bodies may be YAML, of 16 KB at most. Answers always may.',
    example: 'true',
  },
  parsers: {
    meaning:
      'How bodies of further media types are read: by media type, a function of the bytes and the request.',
    example: "{ 'application/msgpack': (bytes) => decode(bytes) }",
  },
  responders: {
    meaning:
      'How answers of further media types are written: by media type, a function of the value and the request.',
    example: "{ 'text/csv': (rows) => toCsv(rows) }",
  },
  plugins: {
    meaning:
      'Fastify plugins, registered before the routes. Their hooks cover every route, tool calls included.',
    example: '[cors, [helmet, { hidePoweredBy: true }]]',
  },
}

export const settingTexts: Readonly<Record<string, SettingText>> = {
  ...mcp,
  ...auditTexts,
  ...pageTexts,
  ...providers,
  ...limitTexts,
  ...scopeSettings,
  ...telemetryTexts,
  ...others,
}
