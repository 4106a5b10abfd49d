/** `acmcp doctor` at set-ups that are broken on purpose: it names the cause in each. The page on deploying has the same table. */

import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../flow/support.ts'
import { selfSigned } from '../../oauth/support/certificate.ts'
import { freePort } from '../../support/free-port.ts'
import {
  type BehindOptions,
  caFile,
  type Examined,
  examine,
  exampleBehind,
  failuresOf,
} from '../support/doctor.ts'
import { type Meddling, proxyFor } from '../support/reverse-proxy.ts'

t.setTimeout(600_000)

interface Broken {
  /** As the page on deploying has it. */
  readonly setup: string
  /** What `acmcp doctor` prints: the step, the cause, what to change. */
  readonly says: readonly [step: string, cause: string, change: string]
  /** Makes it, and asks. */
  readonly run: (t: Test) => Promise<Examined & { readonly hosts: Hosts }>
}

/** Addresses of the test, and what stands for them. */
type Hosts = Readonly<Record<string, string>>

const requested = async (url: string, examined: Promise<Examined>, hosts: Hosts = {}) => {
  const { host } = new URL(url)
  const published = 'https://api.example.org'
  return {
    ...(await examined),
    hosts: { ...hosts, [`http://${host}`]: published, [`https://${host}`]: published },
  }
}

const behind =
  (meddling: Meddling, { path = '/mcp', ...options }: BehindOptions & { readonly path?: string } = {}) =>
  async (t: Test) => {
    const { baseUrl, upstream } = await exampleBehind(t, { meddling, ...options })
    const url = `${baseUrl}${path}`
    return requested(url, examine(url), { [upstream]: 'http://localhost:3000' })
  }

const notFoundAt =
  (prefix: string): NonNullable<Meddling['answer']> =>
  ({ url = '' }, response) => {
    if (!url.startsWith(prefix)) return false
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>404 Not Found</title>')
    return true
  }

const pageAt =
  (prefix: string, status: number, title: string): NonNullable<Meddling['answer']> =>
  ({ url = '' }, response) => {
    if (!url.startsWith(prefix)) return false
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<!doctype html><title>${title}</title>`)
    return true
  }

const redirectTo =
  (location: (host: string, url: string) => string): NonNullable<Meddling['answer']> =>
  ({ url = '', headers }, response) => {
    response.writeHead(301, { location: location(headers.host ?? '', url) }).end()
    return true
  }

const without =
  (...names: readonly string[]): NonNullable<Meddling['headers']> =>
  (headers) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

const challengedWith =
  (change: (own: string) => string): NonNullable<Meddling['answerHeaders']> =>
  (headers) => {
    const own = headers['www-authenticate']
    return own === undefined ? headers : { ...headers, 'www-authenticate': change(own) }
  }

/** Of this machine, but no loopback name of the house; on macOS nothing answers there. */
const otherName = '127.0.0.2'
const onlyOtherNames: ReadonlySet<string> = new Set([
  '`BASE_URL` is not set, so that it is a loopback address',
  '`http` only',
])

/** TLS with a certificate of `names`, which is trusted unless said otherwise. */
const tls =
  (names: readonly string[], { until = 2049, isTrusted = true } = {}) =>
  async (t: Test) => {
    const certificate = selfSigned(names, { until })
    const { baseUrl } = await proxyFor(t, { certificate })
    const options = isTrusted ? { caFile: caFile(t, certificate.cert) } : {}
    return requested(baseUrl, examine(`${baseUrl}/mcp`, options), { localhost: 'api.example.org' })
  }

const heldBack: Broken['says'] = [
  'stream',
  'The proxy holds event streams back: what the server sends at once does not arrive.',
  'Switch buffering and compression of text/event-stream off (nginx: proxy_buffering off).',
]

/** What never comes is waited for. */
const impatiently = (meddling: Meddling) => async (t: Test) => {
  const { baseUrl } = await exampleBehind(t, { meddling })
  return requested(baseUrl, examine(`${baseUrl}/mcp`, { timeoutSeconds: 8 }))
}

const setups: readonly Broken[] = [
  {
    setup: 'the name is not in the DNS',
    says: [
      'address',
      'The DNS has no address for api.example.org.',
      'Add an A or AAAA record, or correct the address.',
    ],
    run: async () => {
      const name = `${'a'.repeat(70)}.example` // no label may be so long: nobody is asked
      const url = `https://${name}/mcp`
      return requested(url, examine(url), { [name]: 'api.example.org' })
    },
  },
  {
    setup: 'server or proxy do not run',
    says: [
      'address',
      'Nothing listens at https://api.example.org.',
      'Start the server, or the proxy in front of it; with HOST=127.0.0.1 only its own machine reaches it.',
    ],
    run: async () => {
      const url = `http://localhost:${await freePort()}/mcp`
      return requested(url, examine(url))
    },
  },
  {
    setup: 'a firewall, or a server that hangs',
    says: [
      'endpoint',
      'https://api.example.org does not answer within 10 s.',
      'Open the port in the firewall; if it is open, look whether the server hangs.',
    ],
    run: async (t) => {
      const silent = createTcpServer(() => {})
      const port = await freePort()
      silent.listen(port, 'localhost')
      await once(silent, 'listening')
      t.teardown(() => void silent.close())
      const url = `http://localhost:${port}/mcp`
      return requested(url, examine(url, { timeoutSeconds: 3 }), { 'within 3 s': 'within 10 s' })
    },
  },
  {
    setup: 'the certificate of another name',
    says: [
      'address',
      'The TLS certificate is for shop.example.org, 127.0.0.1, not for api.example.org.',
      'Get a certificate for api.example.org, and give it to the server block of that name.',
    ],
    run: tls(['shop.example.org']),
  },
  {
    setup: 'an expired certificate',
    says: [
      'address',
      'The TLS certificate expired on 2024-12-31.',
      'Renew it, and let the proxy load the new one.',
    ],
    run: tls(['localhost'], { until: 2024 }),
  },
  {
    setup: 'a certificate without its chain, or of an own authority',
    says: [
      'address',
      'The TLS certificate is signed by nobody whom clients trust (DEPTH_ZERO_SELF_SIGNED_CERT).',
      'Serve the whole chain (fullchain.pem) of a public authority; for one of your own say --ca, here and to clients.',
    ],
    run: tls(['localhost'], { isTrusted: false }),
  },
  {
    setup: '`https` at a port without TLS',
    says: [
      'address',
      'https://api.example.org speaks no TLS.',
      'Set TLS up in the proxy, or ask the http address.',
    ],
    run: async (t) => {
      const { baseUrl } = await proxyFor(t, {})
      const url = `${baseUrl.replace('http:', 'https:')}/mcp`
      return requested(url, examine(url))
    },
  },
  {
    setup: 'clients have the `http` address of a server that redirects to `https`',
    says: [
      'endpoint',
      'The http address redirects to https, and a POST does not survive that.',
      'Give clients the address https://api.example.org/mcp.',
    ],
    run: behind({ answer: redirectTo((host, url) => `https://${host}${url}`) }),
  },
  {
    setup: 'the proxy adds a slash',
    says: [
      'endpoint',
      'The proxy redirects because of a slash at the end, and a POST does not survive that.',
      'Switch that redirect off, or give clients the address https://api.example.org/mcp/.',
    ],
    run: behind({ answer: redirectTo((host, url) => `http://${host}${url}/`) }),
  },
  {
    setup: 'the wrong path',
    says: [
      'endpoint',
      'There is no MCP endpoint at https://api.example.org/api/mcp.',
      'Give clients the address https://api.example.org/mcp.',
    ],
    run: behind({}, { path: '/api/mcp' }),
  },
  {
    setup: 'a sign-in of the company in front (redirect)',
    says: [
      'endpoint',
      'https://api.example.org/mcp redirects to https://sso.example.com/login instead of answering.',
      'Pass /mcp on to the server; a sign-in in front of it keeps MCP clients out.',
    ],
    run: behind({ answer: redirectTo(() => 'https://sso.example.com/login?to=mcp') }),
  },
  {
    setup: 'a bot check or web application in front (page)',
    says: [
      'endpoint',
      'A web page (“Just a moment”) answers at https://api.example.org/mcp in place of the server.',
      'Pass /mcp on to the server, past any sign-in, bot check or web application in front of it.',
    ],
    run: behind({ answer: pageAt('/', 403, 'Just a moment') }),
  },
  {
    setup: 'a password in front (Basic)',
    says: [
      'endpoint',
      'Something in front of the server asks for a password of its own (Basic).',
      'Let /mcp through without it: clients send a Bearer token in that header.',
    ],
    run: behind({
      answer: (_, response) => {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="staging"' }).end()
        return true
      },
    }),
  },
  {
    setup: 'the proxy runs, the server does not',
    says: [
      'endpoint',
      'The proxy answers, but not the server behind it (502).',
      'Start acmcp serve, and look at the address to which the proxy passes requests.',
    ],
    run: async (t) => {
      const { baseUrl } = await proxyFor(t, {})
      return requested(baseUrl, examine(`${baseUrl}/mcp`))
    },
  },
  {
    setup: 'another `Host` is passed on, to a server whose `BASE_URL` is loopback',
    says: [
      'endpoint',
      'The request reaches the server under another Host, which it does not serve.',
      'Pass Host on (nginx: proxy_set_header Host $host).',
    ],
    run: behind({ headers: (headers) => ({ ...headers, host: 'backend:3000' }) }),
  },
  {
    setup: '`BASE_URL` is not set, so that it is a loopback address',
    says: [
      'endpoint',
      'The server takes itself for one that only its own machine may ask, and refuses this Host.',
      'Set BASE_URL=https://api.example.org where it runs.',
    ],
    run: behind({}, { name: otherName, believes: (upstream) => upstream }),
  },
  {
    setup: '`http` only',
    says: [
      'endpoint',
      'Over plain http anybody on the way reads tokens, and clients refuse to sign in.',
      'Set TLS up in the proxy, and BASE_URL=https://api.example.org.',
    ],
    run: behind({}, { name: otherName }),
  },
  {
    setup: '`BASE_URL` is not the address that clients ask',
    says: [
      'resource metadata',
      'The server takes http://localhost:3000 for its address, clients ask https://api.example.org.',
      'Set BASE_URL=https://api.example.org where it runs; one that is not acmcp may want X-Forwarded-Proto and Host.',
    ],
    run: behind({}, { believes: (upstream) => upstream }),
  },
  {
    setup: 'the proxy strips `WWW-Authenticate`',
    says: [
      'endpoint',
      'The 401 comes without WWW-Authenticate: the proxy takes that header out of answers.',
      'Pass it on: clients learn from it that, and where, they can sign in.',
    ],
    run: behind({ answerHeaders: ({ 'www-authenticate': _, ...headers }) => headers }),
  },
  {
    setup: 'the proxy writes a challenge of its own in place of the server’s',
    says: [
      'endpoint',
      "The server's 401 comes with WWW-Authenticate: Negotiate: the proxy writes another challenge in its place.",
      'Pass on the one of the server: clients learn from it where they can sign in, and know Bearer alone.',
    ],
    run: behind({ answerHeaders: challengedWith(() => 'Negotiate') }),
  },
  {
    setup: 'the proxy shortens `WWW-Authenticate`',
    says: [
      'resource metadata',
      'The challenge names no resource_metadata, though the document is there: the proxy rewrites WWW-Authenticate.',
      'Pass it on: clients learn from it that, and where, they can sign in.',
    ],
    run: behind({ answerHeaders: challengedWith(() => 'Bearer realm="api"') }),
  },
  {
    setup: 'the proxy rewrites the address in `WWW-Authenticate`',
    says: [
      'resource metadata',
      'The challenge names https://inside.invalid/.well-known/oauth-protected-resource/mcp, the document is at https://api.example.org/.well-known/oauth-protected-resource/mcp: the proxy rewrites WWW-Authenticate.',
      'Pass it on: clients learn from it that, and where, they can sign in.',
    ],
    run: behind({
      answerHeaders: challengedWith((own) => own.replace(/"http:\/\/[^/"]+/, '"https://inside.invalid')),
    }),
  },
  {
    setup: 'a sign-in of the proxy itself (nginx: `auth_request`)',
    says: [
      'endpoint',
      'A web page (“401 Authorization Required”) answers 401 at https://api.example.org/mcp: a sign-in, or an error page, of the proxy itself.',
      'Let /mcp through without it (nginx: no auth_request, no proxy_intercept_errors): clients sign in at the server.',
    ],
    run: behind({ answer: pageAt('/', 401, '401 Authorization Required') }),
  },
  {
    setup: '`/.well-known` is not passed on',
    says: [
      'resource metadata',
      'https://api.example.org/.well-known/oauth-protected-resource/mcp does not reach the server (404).',
      'Pass /.well-known on to the server, unchanged and at the root of the host.',
    ],
    run: behind({ answer: notFoundAt('/.well-known') }),
  },
  {
    setup: 'of `/.well-known` only a part is passed on',
    says: [
      'server metadata',
      'The metadata of the authorization server https://api.example.org cannot be read (404).',
      'Pass /.well-known on to the server, all of it and at the root of the host.',
    ],
    run: behind({
      answer: (request, response) =>
        notFoundAt('/.well-known/oauth-authorization-server')(request, response) ||
        notFoundAt('/.well-known/openid-configuration')(request, response),
    }),
  },
  {
    setup: 'the server stands under a path prefix',
    says: [
      'resource metadata',
      'The server takes https://api.example.org/mcp for its endpoint, clients ask https://api.example.org/shop/mcp.',
      'Give it a host of its own, where the proxy changes no path: under a prefix nobody can sign in.',
    ],
    run: behind({ path: (url) => url.replace(/^\/shop/, '') }, { path: '/shop/mcp' }),
  },
  {
    setup: '`mcp.resourceMetadata` names the authorization server in another way than it itself',
    says: [
      'server metadata',
      'The authorization server calls itself https://api.example.org, the resource metadata calls it https://api.example.org/auth.',
      'Let both be the same, to the letter: BASE_URL of the one, mcp.resourceMetadata of the other.',
    ],
    run: behind(
      {},
      {
        config: {
          mcp: {
            authProbe: '/api/users/current',
            resourceMetadata: (_: unknown, { baseUrl }: { readonly baseUrl: string }) => ({
              authorizationServers: [`${baseUrl}/auth`],
              scopesSupported: ['api'],
            }),
          },
        },
      },
    ),
  },
  {
    setup: '`/oauth` is not passed on',
    says: [
      'registration',
      'https://api.example.org/oauth/register does not reach the server (404).',
      'Pass /oauth on to the server, unchanged and at the root of the host.',
    ],
    run: behind({ answer: notFoundAt('/oauth') }),
  },
  {
    setup: '`trustProxy` is not set, so that all clients share one limit',
    says: [
      'registration',
      'Too many requests have come from one address (429).',
      "Set trustProxy, or all clients count as the proxy's one address; else wait.",
    ],
    run: async (t) => {
      const { baseUrl } = await exampleBehind(t, { config: { limits: { registerPerHour: 1 } } })
      const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] })
      const headers = { 'content-type': 'application/json' }
      await fetch(`${baseUrl}/oauth/register`, { method: 'POST', headers, body })
      return requested(baseUrl, examine(`${baseUrl}/mcp`))
    },
  },
  {
    setup: 'the database is away',
    says: [
      'registration',
      'The server is there, but cannot work now (503: temporarily_unavailable: the store is not available).',
      'Look at its log: most likely its database cannot be reached (acmcp store status).',
    ],
    run: async (t) => {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'data'))
      const { baseUrl } = await exampleBehind(t, { databaseUrl: `sqlite:${folder}/data/acmcp.db` })
      renameSync(join(folder, 'data'), join(folder, 'away'))
      return requested(baseUrl, examine(`${baseUrl}/mcp`))
    },
  },
  {
    setup: 'the metadata does not name PKCE',
    says: [
      'authorization',
      'The authorization server does not say that it takes PKCE with S256, and clients refuse to sign in.',
      'Let its metadata have "code_challenge_methods_supported": ["S256"].',
    ],
    run: behind({ body: (text) => text.replace('"code_challenge_methods_supported":["S256"],', '') }),
  },
  {
    setup: '`/auth` is not passed on',
    says: [
      'authorization',
      'https://api.example.org/auth does not reach the server (404).',
      'Pass /auth on to the server, unchanged and at the root of the host.',
    ],
    run: behind({ answer: notFoundAt('/auth') }),
  },
  {
    setup: 'a firewall for web applications blocks the token endpoint',
    says: [
      'token endpoint',
      'A web page (“Request blocked”) answers at https://api.example.org/oauth/token in place of the server.',
      'Pass /oauth on to the server, past any sign-in, bot check or web application in front of it.',
    ],
    run: behind({ answer: pageAt('/oauth/token', 403, 'Request blocked') }),
  },
  {
    setup: 'a cache keeps what the token endpoint answered',
    says: [
      'token endpoint',
      'A cache answers in place of the token endpoint.',
      'Let nothing under /oauth be cached: its answers say Cache-Control: no-store.',
    ],
    run: behind({
      answerHeaders: (headers, url) => (url === '/oauth/token' ? { ...headers, age: '7' } : headers),
    }),
  },
  {
    setup: 'the proxy strips `Authorization`',
    says: [
      'credential',
      'The proxy takes the Authorization header away: the server answers as if there were no token.',
      'Pass Authorization on to the server (nginx: no proxy_set_header Authorization, no auth_basic).',
    ],
    run: behind({ headers: without('authorization') }),
  },
  {
    setup: 'the proxy strips `MCP-…` headers',
    says: [
      'discover',
      'The proxy takes the MCP-Protocol-Version, Mcp-Method or Mcp-Name header away.',
      'Pass all request headers on to the server.',
    ],
    run: behind({ headers: without('mcp-protocol-version', 'mcp-method', 'mcp-name') }),
  },
  {
    setup: 'the proxy takes small bodies only',
    says: [
      'long message',
      'The proxy refuses a message of 100 KiB (413).',
      'Raise its limit to limits.bodyBytes or more (nginx: client_max_body_size 11m).',
    ],
    run: behind({ maxBytes: 50_000 }),
  },
  {
    setup: 'the proxy buffers event streams',
    says: heldBack,
    run: impatiently({ isBuffering: true }),
  },
  {
    setup: 'the proxy compresses event streams',
    says: heldBack,
    run: impatiently({ isCompressing: true }),
  },
  {
    setup: 'the clock of the server is wrong',
    says: [
      'clock',
      "The server's clock is 10 minutes ahead of this machine's.",
      'Set both by NTP: tokens and codes are judged by the clock.',
    ],
    run: behind(
      {
        answerHeaders: ({ date, ...headers }) => ({
          ...headers,
          date: new Date(Date.parse(String(date)) + 600_000).toUTCString(),
        }),
      },
      { clock: () => Date.now() + 600_000 },
    ),
  },
]

const documented = ({ lines, hosts }: Examined & { readonly hosts: Hosts }): readonly string[] =>
  lines.map((line) => Object.entries(hosts).reduce((said, [from, to]) => said.replaceAll(from, to), line))

t.test('doctor: the page on deploying tells the same set-ups in the same words', async (t) => {
  const page = readFileSync('templates/docs/deploying.md', 'utf8')
  const [, table = ''] = page.split('| what is wrong | step | what it says | what to change |\n')
  const rows = table.split('\n\n', 1)[0]?.split('\n').slice(1)
  t.strictSame(
    rows,
    setups.map(({ setup, says }) => `| ${[setup, ...says].join(' | ')} |`),
  )
})

/** Some set-ups answer nothing for seconds: they begin, and others are examined meanwhile. */
const isSilent = ({ says: [step, cause] }: Broken): boolean =>
  step === 'stream' || cause.includes('does not answer within')
const silentFirst = [...setups].sort((a, b) => Number(isSilent(b)) - Number(isSilent(a)))

t.test('doctor: each of them', { jobs: 4 }, async (t) => {
  for (const { setup, says, run } of silentFirst) {
    const skip = process.platform === 'darwin' && onlyOtherNames.has(setup) ? 'no 127.0.0.2 there' : false
    void t.test(`doctor: ${setup}`, { skip, buffered: true }, async (t) => {
      const examined = await run(t)
      const lines = documented(examined)
      t.strictSame(failuresOf({ ...examined, lines }), [says])
      t.equal(examined.code, 1)
    })
  }
})
