/** What can be broken between a client and a server, in words for the person who runs the server: the cause in one sentence, and what to
 *  change. `<name>` stands for a fact; those of an address are `addressFacts` it. */
import { printableInLine } from '../../terminal/table.ts'

const troubles = {
  // the address
  nothingListens: [
    'Nothing listens at <origin>.',
    'Start the server, or the proxy in front of it; with HOST=127.0.0.1 only its own machine reaches it.',
  ],
  nameNotInDns: [
    'The DNS has no address for <hostname>.',
    'Add an A or AAAA record, or correct the address.',
  ],
  unreachable: [
    '<origin> cannot be reached (<reason>).',
    'Look at the DNS record, the network and the firewall.',
  ],
  noAnswer: [
    '<origin> does not answer within <seconds> s.',
    'Open the port in the firewall; if it is open, look whether the server hangs.',
  ],
  hungUp: [
    '<origin> closes the connection without an answer.',
    'Look at the logs of the proxy and the server; a port that speaks TLS wants https.',
  ],
  wrongCertificateName: [
    'The TLS certificate is for <names>, not for <hostname>.',
    'Get a certificate for <hostname>, and give it to the server block of that name.',
  ],
  expiredCertificate: [
    'The TLS certificate expired on <until>.',
    'Renew it, and let the proxy load the new one.',
  ],
  earlyCertificate: [
    'The TLS certificate is valid only from <from> on.',
    'Set the clock of this machine; if it is right, use a certificate that is valid now.',
  ],
  untrustedCertificate: [
    'The TLS certificate is signed by nobody whom clients trust (<code>).',
    'Serve the whole chain (fullchain.pem) of a public authority; for one of your own say --ca, here and to clients.',
  ],
  noTls: ['<origin> speaks no TLS.', 'Set TLS up in the proxy, or ask the http address.'],
  plainHttp: [
    'Over plain http anybody on the way reads tokens, and clients refuse to sign in.',
    'Set TLS up in the proxy, and BASE_URL=https://<host>.',
  ],

  // what stands in front of the server
  redirectedToHttps: [
    'The http address redirects to https, and a POST does not survive that.',
    'Give clients the address <to>.',
  ],
  redirectedBySlash: [
    'The proxy redirects because of a slash at the end, and a POST does not survive that.',
    'Switch that redirect off, or give clients the address <toWhole>.',
  ],
  redirected: [
    '<address> redirects to <to> instead of answering.',
    'Pass <segment> on to the server; a sign-in in front of it keeps MCP clients out.',
  ],
  webPage: [
    'A web page<titled> answers at <address> in place of the server.',
    'Pass <segment> on to the server, past any sign-in, bot check or web application in front of it.',
  ],
  passwordRequired: [
    'Something in front of the server asks for a password of its own (Basic).',
    'Let <segment> through without it: clients send a Bearer token in that header.',
  ],
  proxySignIn: [
    'A web page<titled> answers 401 at <address>: a sign-in, or an error page, of the proxy itself.',
    'Let <segment> through without it (nginx: no auth_request, no proxy_intercept_errors): clients sign in at the server.',
  ],
  tooLarge: [
    'The proxy refuses a message of <bytes> (413).',
    'Raise its limit to limits.bodyBytes or more (nginx: client_max_body_size 11m).',
  ],
  serverIsDown: [
    'The proxy answers, but not the server behind it (<status>).',
    'Start acmcp serve, and look at the address to which the proxy passes requests.',
  ],
  notAvailable: [
    'The server is there, but cannot work now (503<reason>).',
    'Look at its log: most likely its database cannot be reached (acmcp store status).',
  ],
  tooManyRequests: [
    'Too many requests have come from one address (429).',
    "Set trustProxy, or all clients count as the proxy's one address; else wait.",
  ],
  failedInside: ['The server fails (<status>).', 'Look at its log: the error stands there.'],
  notPassedOn: [
    '<address> does not reach the server (<status>).',
    'Pass <segment> on to the server, unchanged and at the root of the host.',
  ],
  notExpected: [
    '<address> answers <status>, which is not what is expected.',
    'Look at the log of the server; if the request is not there, something in front of it answered.',
  ],

  // the endpoint, its challenge and its public address
  noEndpoint: [
    'There is no MCP endpoint at <href>.',
    'mcp.path says where it is (/mcp if not set); the proxy must pass that path on unchanged.',
  ],
  endpointElsewhere: ['There is no MCP endpoint at <href>.', 'Give clients the address <found>.'],
  wrongHost: [
    'The request reaches the server under another Host, which it does not serve.',
    'Pass Host on (nginx: proxy_set_header Host $host).',
  ],
  baseUrlIsLocal: [
    'The server takes itself for one that only its own machine may ask, and refuses this Host.',
    'Set BASE_URL=<origin> where it runs.',
  ],
  wrongOrigin: [
    'The server refuses the Origin of the request, and this client sent none.',
    'Let the proxy add no Origin; name those of web clients in mcp.allowedOrigins.',
  ],
  challengeTaken: [
    'The 401 comes without WWW-Authenticate: the proxy takes that header out of answers.',
    'Pass it on: clients learn from it that, and where, they can sign in.',
  ],
  challengeReplaced: [
    "The server's 401 comes with WWW-Authenticate: <scheme>: the proxy writes another challenge in its place.",
    'Pass on the one of the server: clients learn from it where they can sign in, and know Bearer alone.',
  ],
  challengeShortened: [
    'The challenge names no resource_metadata, though the document is there: the proxy rewrites WWW-Authenticate.',
    'Pass it on: clients learn from it that, and where, they can sign in.',
  ],
  challengeChanged: [
    'The challenge names <said>, the document is at <wanted>: the proxy rewrites WWW-Authenticate.',
    'Pass it on: clients learn from it that, and where, they can sign in.',
  ],
  otherAddress: [
    'The server takes <said> for its address, clients ask <origin>.',
    'Set BASE_URL=<origin> where it runs; one that is not acmcp may want X-Forwarded-Proto and Host.',
  ],
  otherLoopbackName: [
    'The server takes <said> for its address, clients ask <origin>.',
    "Give clients the address with <said>, or set oauth: { profile: 'compatible' } in app/config.ts: it answers to each loopback name.",
  ],
  otherPath: [
    'The server takes <said> for its endpoint, clients ask <href>.',
    'Give it a host of its own, where the proxy changes no path: under a prefix nobody can sign in.',
  ],

  // where clients sign in
  noAuthorizationServer: [
    'The resource metadata names no authorization server.',
    'Set authorizationServers in mcp.resourceMetadata.',
  ],
  otherIssuer: [
    'The authorization server calls itself <said>, the resource metadata calls it <wanted>.',
    'Let both be the same, to the letter: BASE_URL of the one, mcp.resourceMetadata of the other.',
  ],
  noServerMetadata: [
    'The metadata of the authorization server <issuer> cannot be read (<status>).',
    'Pass /.well-known on to the server, all of it and at the root of the host.',
  ],
  incompleteMetadata: [
    'The metadata of the authorization server has no <missing>.',
    'Let it tell what it has: clients find its endpoints nowhere else.',
  ],
  providerFails: ['Nobody can sign in by <name>: <words>.', '<change>'],
  noPkce: [
    'The authorization server does not say that it takes PKCE with S256, and clients refuse to sign in.',
    'Let its metadata have "code_challenge_methods_supported": ["S256"].',
  ],
  registrationRefused: [
    'The authorization server registers no clients (<says>).',
    'Allow dynamic client registration there, or register each client by hand.',
  ],
  authorizationRefused: ['The authorization is refused (<says>).', "Look at the authorization server's log."],
  otherSender: [
    'The browser comes back with <said>, which is not <issuer>.',
    'Let answers name their issuer to the letter (RFC 9207); else another server sent this one, and clients refuse it.',
  ],

  // tokens
  tokenRefused: ['The token endpoint refuses the code (<says>).', "Look at the authorization server's log."],
  tokenCached: [
    'A cache answers in place of the token endpoint.',
    'Let nothing under /oauth be cached: its answers say Cache-Control: no-store.',
  ],
  authorizationTaken: [
    'The proxy takes the Authorization header away: the server answers as if there were no token.',
    'Pass Authorization on to the server (nginx: no proxy_set_header Authorization, no auth_basic).',
  ],
  tokenExpired: ['The token expired at <at>.', 'Get a new one: acmcp token, or --sign-in.'],
  tokenOfOthers: [
    'The token is for <audience>, not for <resource>.',
    'Get one from the authorization server that the resource metadata names.',
  ],
  tokenNotAccepted: [
    'The server refuses the token.',
    'It is not from its own authorization server, revoked, or refused by the route of mcp.authProbe: ask that route.',
  ],
  tokenUnseen: [
    'The server answers to the token as if there were none.',
    'Pass Authorization on to the server; if it arrives, the token is none that the server takes.',
  ],

  // the protocol
  headersTaken: [
    'The proxy takes the MCP-Protocol-Version, Mcp-Method or Mcp-Name header away.',
    'Pass all request headers on to the server.',
  ],
  protocolRefused: ['The server refuses <what> (<says>).', "Look at the server's log."],
  bufferedStream: [
    'The proxy holds event streams back: what the server sends at once does not arrive.',
    'Switch buffering and compression of text/event-stream off (nginx: proxy_buffering off).',
  ],
  clockIsOff: [
    "The server's clock is <span> this machine's.",
    'Set both by NTP: tokens and codes are judged by the clock.',
  ],

  // a client that people have
  noWayIn: [
    'The server neither registers clients nor takes their metadata documents.',
    'Allow one of them there, or register this client by hand.',
  ],
  documentsNotTaken: [
    'The server takes no metadata documents of clients, and what this client registers is not published.',
    'Let it take them: clientIdMetadataDocuments, which is on where BASE_URL is https.',
  ],
  metadataRefused: [
    'It registers <what>, which the server refuses (<says>).',
    "Set oauth: { profile: 'compatible' } in app/config.ts.",
  ],
  scopeRefused: [
    'It asks for the scope <scope>, which the server refuses (<says>).',
    "Set oauth: { profile: 'compatible' } in app/config.ts.",
  ],
  secretsUnknown: [
    'It comes with a client id and a secret that its owner enters, and the server knows no client with a secret.',
    "Name it in oauth.confidentialClients, which needs oauth: { profile: 'compatible' }.",
  ],
  documentUnreachable: [
    'The server cannot fetch its document <url>, which <answers> here too.',
    "Ask again from the server's own network; with clientIdMetadataDocuments: false the client registers itself instead.",
  ],
  documentRefused: [
    'The server does not take its document <url>, which can be read from here (<says>).',
    'Look at its log: it may be that its network lets no requests out, or that this host refuses its address.',
  ],
} as const

export interface Trouble {
  /** One sentence. */
  readonly cause: string
  readonly change: string
}

export type TroubleName = keyof typeof troubles

type FactsIn<Text> = Text extends `${string}<${infer Name}>${infer Rest}` ? Name | FactsIn<Rest> : never

type Facts<Name extends TroubleName> = Readonly<
  Record<FactsIn<(typeof troubles)[Name][number]>, string | number>
>

/** What a trouble says, by the facts that stand in its texts, if any do. */
export function trouble<Name extends TroubleName>(
  name: Name,
  ...facts: keyof Facts<Name> extends never ? [] : [Facts<Name>]
): Trouble {
  const values: Readonly<Record<string, string | number>> = { ...facts[0] }
  const filled = (text: string): string =>
    printableInLine(text.replace(/<(\w+)>/g, (_, fact) => String(values[fact])))
  const [cause, change] = troubles[name]
  return { cause: filled(cause), change: filled(change) }
}

/** The facts of an address; `segment` is `/oauth` of `/oauth/token`: what a proxy is told to pass on. A query may hold
 *  secrets. */
export const addressFacts = (
  url: URL,
): Readonly<Record<'origin' | 'host' | 'hostname' | 'href' | 'address' | 'segment', string>> => {
  const { origin, host, hostname, href, pathname } = url
  return {
    origin,
    host,
    hostname,
    href,
    address: addressOf(url),
    segment: `/${pathname.split('/')[1] ?? ''}`,
  }
}

export const addressOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`
