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

type SetUp = (t: Test) => Promise<Examined & { readonly hosts: Hosts }>

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

/** What never comes is waited for. */
const impatiently = (meddling: Meddling) => async (t: Test) => {
  const { baseUrl } = await exampleBehind(t, { meddling })
  return requested(baseUrl, examine(`${baseUrl}/mcp`, { timeoutSeconds: 8 }))
}

/** Each is made, and asked, by its name on the page. */
const setups: Readonly<Record<string, SetUp>> = {
  'the name is not in the DNS': async () => {
    const name = `${'a'.repeat(70)}.example` // no label may be so long: nobody is asked
    const url = `https://${name}/mcp`
    return requested(url, examine(url), { [name]: 'api.example.org' })
  },
  'server or proxy do not run': async () => {
    const url = `http://localhost:${await freePort()}/mcp`
    return requested(url, examine(url))
  },
  'a firewall, or a server that hangs': async (t) => {
    const silent = createTcpServer(() => {})
    const port = await freePort()
    silent.listen(port, 'localhost')
    await once(silent, 'listening')
    t.teardown(() => void silent.close())
    const url = `http://localhost:${port}/mcp`
    return requested(url, examine(url, { timeoutSeconds: 3 }), { 'within 3 s': 'within 10 s' })
  },
  'the certificate of another name': tls(['shop.example.org']),
  'an expired certificate': tls(['localhost'], { until: 2024 }),
  'a certificate without its chain, or of an own authority': tls(['localhost'], { isTrusted: false }),
  '`https` at a port without TLS': async (t) => {
    const { baseUrl } = await proxyFor(t, {})
    const url = `${baseUrl.replace('http:', 'https:')}/mcp`
    return requested(url, examine(url))
  },
  'clients have the `http` address of a server that redirects to `https`': behind({
    answer: redirectTo((host, url) => `https://${host}${url}`),
  }),
  'the proxy adds a slash': behind({ answer: redirectTo((host, url) => `http://${host}${url}/`) }),
  'the wrong path': behind({}, { path: '/api/mcp' }),
  'a sign-in of the company in front (redirect)': behind({
    answer: redirectTo(() => 'https://sso.example.com/login?to=mcp'),
  }),
  'a bot check or web application in front (page)': behind({ answer: pageAt('/', 403, 'Just a moment') }),
  'a password in front (Basic)': behind({
    answer: (_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="staging"' }).end()
      return true
    },
  }),
  'the proxy runs, the server does not': async (t) => {
    const { baseUrl } = await proxyFor(t, {})
    return requested(baseUrl, examine(`${baseUrl}/mcp`))
  },
  'another `Host` is passed on, to a server whose `BASE_URL` is loopback': behind({
    headers: (headers) => ({ ...headers, host: 'backend:3000' }),
  }),
  '`BASE_URL` is not set, so that it is a loopback address': behind(
    {},
    { name: otherName, believes: (upstream) => upstream },
  ),
  '`http` only': behind({}, { name: otherName }),
  '`BASE_URL` is not the address that clients ask': behind({}, { believes: (upstream) => upstream }),
  'the proxy strips `WWW-Authenticate`': behind({
    answerHeaders: ({ 'www-authenticate': _, ...headers }) => headers,
  }),
  'the proxy writes a challenge of its own in place of the server’s': behind({
    answerHeaders: challengedWith(() => 'Negotiate'),
  }),
  'the proxy shortens `WWW-Authenticate`': behind({
    answerHeaders: challengedWith(() => 'Bearer realm="api"'),
  }),
  'the proxy rewrites the address in `WWW-Authenticate`': behind({
    answerHeaders: challengedWith((own) => own.replace(/"http:\/\/[^/"]+/, '"https://inside.invalid')),
  }),
  'a sign-in of the proxy itself (nginx: `auth_request`)': behind({
    answer: pageAt('/', 401, '401 Authorization Required'),
  }),
  '`/.well-known` is not passed on': behind({ answer: notFoundAt('/.well-known') }),
  'of `/.well-known` only a part is passed on': behind({
    answer: (request, response) =>
      notFoundAt('/.well-known/oauth-authorization-server')(request, response) ||
      notFoundAt('/.well-known/openid-configuration')(request, response),
  }),
  'the server stands under a path prefix': behind(
    { path: (url) => url.replace(/^\/shop/, '') },
    { path: '/shop/mcp' },
  ),
  '`mcp.resourceMetadata` names the authorization server in another way than it itself': behind(
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
  '`/oauth` is not passed on': behind({ answer: notFoundAt('/oauth') }),
  '`trustProxy` is not set, so that all clients share one limit': async (t) => {
    const { baseUrl } = await exampleBehind(t, { config: { limits: { registerPerHour: 1 } } })
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${baseUrl}/oauth/register`, { method: 'POST', headers, body })
    return requested(baseUrl, examine(`${baseUrl}/mcp`))
  },
  'the database is away': async (t) => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'data'))
    const { baseUrl } = await exampleBehind(t, { databaseUrl: `sqlite:${folder}/data/acmcp.db` })
    renameSync(join(folder, 'data'), join(folder, 'away'))
    return requested(baseUrl, examine(`${baseUrl}/mcp`))
  },
  'the metadata does not name PKCE': behind({
    body: (text) => text.replace('"code_challenge_methods_supported":["S256"],', ''),
  }),
  '`/auth` is not passed on': behind({ answer: notFoundAt('/auth') }),
  'a firewall for web applications blocks the token endpoint': behind({
    answer: pageAt('/oauth/token', 403, 'Request blocked'),
  }),
  'a cache keeps what the token endpoint answered': behind({
    answerHeaders: (headers, url) => (url === '/oauth/token' ? { ...headers, age: '7' } : headers),
  }),
  'the proxy strips `Authorization`': behind({ headers: without('authorization') }),
  'the proxy strips `MCP-…` headers': behind({
    headers: without('mcp-protocol-version', 'mcp-method', 'mcp-name'),
  }),
  'the proxy takes small bodies only': behind({ maxBytes: 50_000 }),
  'the proxy buffers event streams': impatiently({ isBuffering: true }),
  'the proxy compresses event streams': impatiently({ isCompressing: true }),
  'the clock of the server is wrong': behind(
    {
      answerHeaders: ({ date, ...headers }) => ({
        ...headers,
        date: new Date(Date.parse(String(date)) + 600_000).toUTCString(),
      }),
    },
    { clock: () => Date.now() + 600_000 },
  ),
}

const documented = ({ lines, hosts }: Examined & { readonly hosts: Hosts }): readonly string[] =>
  lines.map((line) => Object.entries(hosts).reduce((said, [from, to]) => said.replaceAll(from, to), line))

/** The rows of the page: what `acmcp doctor` prints of each: the step, the cause, what to change. */
const [, table = ''] = readFileSync('templates/docs/deploying.md', 'utf8').split(
  '| what is wrong | step | what it says | what to change |\n| --- | --- | --- | --- |\n',
)
const rows = (table.split('\n\n', 1)[0] ?? '').split('\n').map((row) => row.slice(2, -2).split(' | '))
const sayings = new Map(rows.map(([setup = '', ...says]) => [setup, says]))

t.test('doctor: the page on deploying tells the same set-ups', async (t) => {
  t.strictSame([...sayings.keys()], Object.keys(setups))
})

/** Some set-ups answer nothing for seconds: they begin, and others are examined meanwhile. */
const isSilent = (setup: string): boolean => /event streams|that hangs/.test(setup)
const silentFirst = Object.entries(setups).sort(([a], [b]) => Number(isSilent(b)) - Number(isSilent(a)))

t.test('doctor: each of them, in the words of the page', { jobs: 4 }, async (t) => {
  for (const [setup, run] of silentFirst) {
    const skip = process.platform === 'darwin' && onlyOtherNames.has(setup) ? 'no 127.0.0.2 there' : false
    void t.test(`doctor: ${setup}`, { skip, buffered: true }, async (t) => {
      const examined = await run(t)
      const lines = documented(examined)
      t.strictSame(failuresOf({ ...examined, lines }), [sayings.get(setup)])
      t.equal(examined.code, 1)
    })
  }
})
