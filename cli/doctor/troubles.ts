/** What can be broken between a client and a server, in the words of whoever runs the server: the cause, and what to change. */
import { isLoopbackUrl } from '../../runtime/loopback.ts'
import { printableInLine } from '../terminal/table.ts'

export interface Trouble {
  /** One sentence. */
  readonly cause: string
  readonly change: string
}

export const trouble = (cause: string, change: string): Trouble => ({
  cause: printableInLine(cause),
  change: printableInLine(change),
})

/** `/oauth` of `/oauth/token`: what a proxy is told to pass on. */
export const firstSegment = ({ pathname }: URL): string => `/${pathname.split('/')[1] ?? ''}`

// the address

export const nothingListens = ({ origin }: URL): Trouble =>
  trouble(
    `Nothing listens at ${origin}.`,
    'Start the server, or the proxy in front of it; with HOST=127.0.0.1 only its own machine reaches it.',
  )

export const nameNotInDns = ({ hostname }: URL): Trouble =>
  trouble(`The DNS has no address for ${hostname}.`, 'Add an A or AAAA record, or correct the address.')

export const unreachable = ({ origin }: URL, reason: string): Trouble =>
  trouble(`${origin} cannot be reached (${reason}).`, 'Look at the DNS record, the network and the firewall.')

export const noAnswer = ({ origin }: URL, seconds: number): Trouble =>
  trouble(
    `${origin} does not answer within ${seconds} s.`,
    'Open the port in the firewall; if it is open, look whether the server hangs.',
  )

export const hungUp = (url: URL): Trouble =>
  trouble(
    `${url.origin} closes the connection without an answer.`,
    'Look at the logs of the proxy and the server; a port that speaks TLS wants https.',
  )

export const wrongCertificateName = ({ hostname }: URL, names: string): Trouble =>
  trouble(
    `The TLS certificate is for ${names}, not for ${hostname}.`,
    `Get a certificate for ${hostname}, and give it to the server block of that name.`,
  )

export const expiredCertificate = (day: string): Trouble =>
  trouble(`The TLS certificate expired on ${day}.`, 'Renew it, and let the proxy load the new one.')

export const earlyCertificate = (day: string): Trouble =>
  trouble(
    `The TLS certificate is valid only from ${day} on.`,
    'Set the clock of this machine; if it is right, use a certificate that is valid now.',
  )

export const untrustedCertificate = (code: string): Trouble =>
  trouble(
    `The TLS certificate is signed by nobody whom clients trust (${code}).`,
    'Serve the whole chain (fullchain.pem) of a public authority; for one of your own say --ca, here and to clients.',
  )

export const noTls = ({ origin }: URL): Trouble =>
  trouble(`${origin} speaks no TLS.`, 'Set TLS up in the proxy, or ask the http address.')

export const plainHttp = ({ host }: URL): Trouble =>
  trouble(
    'Over plain http anybody on the way reads tokens, and clients refuse to sign in.',
    `Set TLS up in the proxy, and BASE_URL=https://${host}.`,
  )

// what stands in front of the server

export const redirectedToHttps = (to: string): Trouble =>
  trouble(
    'The http address redirects to https, and a POST does not survive that.',
    `Give clients the address ${to}.`,
  )

export const redirectedBySlash = (to: string): Trouble =>
  trouble(
    'The proxy redirects because of a slash at the end, and a POST does not survive that.',
    `Switch that redirect off, or give clients the address ${to}.`,
  )

export const redirected = (requested: URL, to: string): Trouble =>
  trouble(
    `${addressWithoutQuery(requested)} redirects to ${to} instead of answering.`,
    `Pass ${firstSegment(requested)} on to the server; a sign-in in front of it keeps MCP clients out.`,
  )

export const webPage = (requested: URL, title: string): Trouble =>
  trouble(
    `A web page${title === '' ? '' : ` (“${title}”)`} answers at ${addressWithoutQuery(requested)} in place of the server.`,
    `Pass ${firstSegment(requested)} on to the server, past any sign-in, bot check or web application in front of it.`,
  )

export const passwordRequired = (requested: URL): Trouble =>
  trouble(
    'Something in front of the server asks for a password of its own (Basic).',
    `Let ${firstSegment(requested)} through without it: clients send a Bearer token in that header.`,
  )

export const tooLarge = (bytes: string): Trouble =>
  trouble(
    `The proxy refuses a message of ${bytes} (413).`,
    'Raise its limit to limits.bodyBytes or more (nginx: client_max_body_size 11m).',
  )

export const serverIsDown = (status: number): Trouble =>
  trouble(
    `The proxy answers, but not the server behind it (${status}).`,
    'Start acmcp serve, and look at the address to which the proxy passes requests.',
  )

export const notAvailable = (says: string): Trouble =>
  trouble(
    `The server is there, but cannot work now (503${says === '' ? '' : `: ${says}`}).`,
    'Look at its log: most likely its database cannot be reached (acmcp store status).',
  )

export const tooManyRequests = (): Trouble =>
  trouble(
    'Too many requests have come from one address (429).',
    "Set trustProxy, or all clients count as the proxy's one address; else wait.",
  )

export const failedInside = (status: number): Trouble =>
  trouble(`The server fails (${status}).`, 'Look at its log: the error stands there.')

export const notPassedOn = (requested: URL, status: number): Trouble =>
  trouble(
    `${addressWithoutQuery(requested)} does not reach the server (${status}).`,
    `Pass ${firstSegment(requested)} on to the server, unchanged and at the root of the host.`,
  )

export const notExpected = (requested: URL, what: string): Trouble =>
  trouble(
    `${addressWithoutQuery(requested)} answers ${what}.`,
    'Look at the log of the server; if the request is not there, something in front of it answered.',
  )

export const addressWithoutQuery = ({ origin, pathname }: URL): string => `${origin}${pathname}`

// the endpoint and its public address

export const noEndpoint = (requested: URL, found: URL | null): Trouble =>
  trouble(
    `There is no MCP endpoint at ${requested.href}.`,
    found === null
      ? 'mcp.path says where it is (/mcp if not set); the proxy must pass that path on unchanged.'
      : `Give clients the address ${found.href}.`,
  )

export const wrongHost = (): Trouble =>
  trouble(
    'The request reaches the server under another Host, which it does not serve.',
    'Pass Host on (nginx: proxy_set_header Host $host).',
  )

export const baseUrlIsLocal = (requested: URL): Trouble =>
  trouble(
    'The server takes itself for one that only its own machine may ask, and refuses this Host.',
    `Set BASE_URL=${requested.origin} where it runs.`,
  )

export const wrongOrigin = (): Trouble =>
  trouble(
    'The server refuses the Origin of the request, and this client sent none.',
    'Let the proxy add no Origin; name those of web clients in mcp.allowedOrigins.',
  )

export const otherAddress = (said: string, requested: URL): Trouble =>
  trouble(
    `The server takes ${said} for its address, clients ask ${requested.origin}.`,
    isSameLoopback(said, requested)
      ? `Give clients the address with ${said}, or set oauth: { profile: 'compatible' } in app/config.ts: it answers to each loopback name.`
      : `Set BASE_URL=${requested.origin} where it runs; one that is not acmcp may want X-Forwarded-Proto and Host.`,
  )

/** Two names of one port of this machine. */
const isSameLoopback = (said: string, { href, port }: URL): boolean =>
  URL.canParse(said) && isLoopbackUrl(said) && isLoopbackUrl(href) && new URL(said).port === port

export const otherPath = (said: string, requested: URL): Trouble =>
  trouble(
    `The server takes ${said} for its endpoint, clients ask ${requested.href}.`,
    'Give it a host of its own, where the proxy changes no path: under a prefix nobody can sign in.',
  )

export const noAuthorizationServer = (): Trouble =>
  trouble(
    'The resource metadata names no authorization server.',
    'Set authorizationServers in mcp.resourceMetadata.',
  )

export const otherIssuer = (said: string, wanted: string): Trouble =>
  trouble(
    `The authorization server calls itself ${said}, the resource metadata calls it ${wanted}.`,
    'Let both be the same, to the letter: BASE_URL of the one, mcp.resourceMetadata of the other.',
  )

export const noServerMetadata = (issuer: string, status: number): Trouble =>
  trouble(
    `The metadata of the authorization server ${issuer} cannot be read (${status}).`,
    'Pass /.well-known on to the server, all of it and at the root of the host.',
  )

export const incompleteMetadata = (missing: string): Trouble =>
  trouble(
    `The metadata of the authorization server has no ${missing}.`,
    'Let it tell what it has: clients find its endpoints nowhere else.',
  )

const providerChanges: ReadonlyMap<string, string> = new Map([
  ['name', 'Correct its issuer in the configuration, or the DNS of this machine.'],
  ['connection', 'Look at the network and the firewall between this machine and the provider.'],
  ['certificate', 'Trust its authority (NODE_EXTRA_CA_CERTS), or have its certificate renewed.'],
  ['timeout', 'Look at the network between this machine and the provider, and whether that works.'],
  ['status', 'Wait, or look whether the provider works.'],
  ['issuer', 'Write issuer to the letter as its discovery document has it.'],
  ['keys', 'Look at jwks_uri of its discovery document.'],
  ['clock', 'Set both clocks by NTP: tokens are judged by them.'],
  ['client-id', 'Give clientId the id that the provider knows.'],
  ['client-secret', 'Give clientSecret the secret of that client; it may have expired there.'],
])

export const providerFails = (name: string, kind: string, words: string): Trouble =>
  kind === 'redirect-uri'
    ? troubled(name, words, `Register {BASE_URL}/auth/${name}/callback there, to the letter.`)
    : troubled(
        name,
        words,
        providerChanges.get(kind) ?? "Look at the server's log, and at that of the provider.",
      )

const troubled = (name: string, words: string, change: string): Trouble =>
  trouble(`Nobody can sign in by ${name}: ${words}.`, change)

export const noPkce = (): Trouble =>
  trouble(
    'The authorization server does not say that it takes PKCE with S256, and clients refuse to sign in.',
    'Let its metadata have "code_challenge_methods_supported": ["S256"].',
  )

export const registrationRefused = (says: string): Trouble =>
  trouble(
    `The authorization server registers no clients (${says}).`,
    'Allow dynamic client registration there, or register each client by hand.',
  )

export const authorizationRefused = (says: string): Trouble =>
  trouble(`The authorization is refused (${says}).`, "Look at the authorization server's log.")

export const otherSender = (said: string | null, issuer: string): Trouble =>
  trouble(
    `The browser comes back with ${said === null ? 'no iss' : `iss ${said}`}, which is not ${issuer}.`,
    'Let answers name their issuer to the letter (RFC 9207); else another server sent this one, and clients refuse it.',
  )

export const tokenRefused = (says: string): Trouble =>
  trouble(`The token endpoint refuses the code (${says}).`, "Look at the authorization server's log.")

export const tokenCached = (): Trouble =>
  trouble(
    'A cache answers in place of the token endpoint.',
    'Let nothing under /oauth be cached: its answers say Cache-Control: no-store.',
  )

export const authorizationTaken = (): Trouble =>
  trouble(
    'The proxy takes the Authorization header away: the server answers as if there were no token.',
    'Pass Authorization on to the server (nginx: no proxy_set_header Authorization, no auth_basic).',
  )

export const tokenExpired = (at: string): Trouble =>
  trouble(`The token expired at ${at}.`, 'Get a new one: acmcp token, or --sign-in.')

export const tokenOfOthers = (audience: string, resource: string): Trouble =>
  trouble(
    `The token is for ${audience}, not for ${resource}.`,
    'Get one from the authorization server that the resource metadata names.',
  )

export const tokenNotAccepted = (): Trouble =>
  trouble(
    'The server refuses the token.',
    'It is not from its own authorization server, revoked, or refused by the route of mcp.authProbe: ask that route.',
  )

export const tokenUnseen = (): Trouble =>
  trouble(
    'The server answers to the token as if there were none.',
    'Pass Authorization on to the server; if it arrives, the token is none that the server takes.',
  )

export const headersTaken = (): Trouble =>
  trouble(
    'The proxy takes the MCP-Protocol-Version, Mcp-Method or Mcp-Name header away.',
    'Pass all request headers on to the server.',
  )

export const protocolRefused = (what: string, says: string): Trouble =>
  trouble(`The server refuses ${what} (${says}).`, "Look at the server's log.")

export const bufferedStream = (): Trouble =>
  trouble(
    'The proxy holds event streams back: what the server sends at once does not arrive.',
    'Switch buffering and compression of text/event-stream off (nginx: proxy_buffering off).',
  )

export const clockIsOff = (seconds: number): Trouble =>
  trouble(
    `The server's clock is ${spanOf(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} this machine's.`,
    'Set both by NTP: tokens and codes are judged by the clock.',
  )

function spanOf(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'seconds'] : [seconds / 60, 'minutes']
  return `${Math.round(count)} ${unit}`
}
