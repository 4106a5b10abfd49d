/** A process of its own, so that its parent reads everything that it logs: the example with an identity provider goes
 *  through the whole flow, and through requests that carry secrets where they do not belong. What was secret goes to the
 *  parent by message. */

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { type Application, createApplication } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { defaultPool } from '../../runtime/store/pool.ts'
import { freePort } from '../support/free-port.ts'
import { Browser, isCallback, redirectUri } from './support.ts'

const secrets = new Set<string>()

/** Remembers a secret. */
const secret = (value: string | null): string => {
  if (value !== null && value !== '') secrets.add(value)
  return value ?? ''
}

const keys = {
  jwt: secret(randomBytes(32).toString('base64url')),
  session: secret(randomBytes(32).toString('base64url')),
  provider: secret(randomBytes(32).toString('hex')),
}

/** What travels in an address and must not be logged. */
const secretParameters = [
  'code',
  'state',
  'nonce',
  'code_verifier',
  'access_token',
  'refresh_token',
  'csrf_token',
]

/** A browser that remembers every cookie, code, state and CSRF token that passes through it. */
class CollectingBrowser extends Browser {
  override async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    collectFrom(new URL(url))
    const response = await super.fetch(url, init)
    for (const cookie of response.headers.getSetCookie()) secret(/=([^;]{8,})/.exec(cookie)?.[1] ?? null)
    const location = response.headers.get('location')
    if (location !== null) collectFrom(new URL(location, url))
    const page = await response.clone().text()
    secret(/name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? null)
    return response
  }
}

function collectFrom(url: URL): void {
  for (const name of secretParameters) secret(url.searchParams.get(name))
}

async function startProvider(port: number, callback: string): Promise<() => void> {
  const provider = new Provider(`http://localhost:${port}`, {
    clients: [
      {
        client_id: 'acmcp',
        client_secret: keys.provider,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    cookies: { keys: ['a key for the test'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, name: 'Ada' }) }),
  })
  const server = createServer(provider.callback()).listen(port, 'localhost')
  await once(server, 'listening')
  return () => {
    server.closeAllConnections()
    server.close()
  }
}

async function startApplication(port: number, issuer: string): Promise<Application> {
  const bundle = await loadBundle(process.cwd())
  const providers = {
    local: { issuer, clientId: 'acmcp', clientSecret: keys.provider },
    gone: { issuer: 'http://localhost:9', clientId: 'acmcp', clientSecret: keys.provider },
  }
  const config = { ...(bundle.config as object), providers } // an object, exported by app/config.ts
  const application = await createApplication(
    { ...bundle, config },
    {
      environment: {
        production: false,
        host: '127.0.0.1',
        port,
        baseUrl: `http://localhost:${port}`,
        databasePool: defaultPool,
        databaseUrl: 'sqlite::memory:',
        jwtSecrets: [keys.jwt],
        jwtPrivateKeys: [],
        shutdownDelaySeconds: 0,
        sessionSecrets: [keys.session],
        devLogin: true,
        logLevel: 'trace',
        metrics: null,
      },
      migrate: true,
      clock: () => Date.now(),
      randomBytes: (count) => randomBytes(count),
    },
  )
  await application.server.listen({ port, host: 'localhost' })
  return application
}

type Form = Readonly<Record<string, string>>

interface Flow {
  readonly baseUrl: string
  readonly clientId: string
  readonly verifier: string
  readonly authorizeUrl: string
}

async function startFlow(baseUrl: string): Promise<Flow> {
  const registered = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], client_name: 'leak' }),
  })
  const clientId = String((await registered.json()).client_id)
  const verifier = secret(randomBytes(32).toString('base64url'))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: secret(randomBytes(16).toString('hex')),
  })
  return { baseUrl, clientId, verifier, authorizeUrl: `${baseUrl}/oauth/authorize?${query}` }
}

/** Signs in through the provider, denies once and allows once; answers the code. */
async function codeByProvider({ baseUrl, authorizeUrl }: Flow): Promise<string> {
  const browser = new CollectingBrowser()
  await browser.follow(authorizeUrl, isCallback)
  const login = await browser.follow(`${baseUrl}/auth/local`, isCallback)
  const granting = await browser.submit(login, { login: 'ada', password: 'any' }, isCallback)
  const consent = await browser.submit(granting, {}, isCallback)
  await browser.submit(consent, { decision: 'deny' }, isCallback)
  const allowed = await browser.submit(consent, { decision: 'allow' }, isCallback)
  return secret(allowed.url.searchParams.get('code'))
}

async function post(url: string, form: Form): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ ...form }) })
  const text = await response.text()
  const answer: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
  for (const name of ['access_token', 'refresh_token']) {
    if (typeof answer[name] === 'string') secret(String(answer[name]))
  }
  return answer
}

/** Tokens, their refresh, a reuse, a replay and a revocation. */
async function spend(flow: Flow, code: string): Promise<{ readonly access: string; readonly form: Form }> {
  const { baseUrl, clientId: client_id, verifier } = flow
  const form = {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
  const first = await post(`${baseUrl}/oauth/token`, form)
  const refresh_token = String(first.refresh_token)
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token }
  const second = await post(`${baseUrl}/oauth/token`, refresh)
  await post(`${baseUrl}/oauth/token`, refresh)
  await post(`${baseUrl}/oauth/revoke`, { client_id, token: String(second.refresh_token) })
  await post(`${baseUrl}/oauth/token`, form)
  return { access: String(second.access_token), form }
}

/** Requests that carry secrets in every place where a log line might pick them up. */
async function misplace(flow: Flow, access: string, form: Form): Promise<void> {
  const { baseUrl } = flow
  const query = new URLSearchParams({ ...form, access_token: access, token: access, state: form.code ?? '' })
  const proofs = new URLSearchParams(
    ['assertion', 'client_assertion', 'client_secret'].map((name) => [
      name,
      secret(randomBytes(16).toString('hex')),
    ]),
  )
  const bearer = { authorization: `Bearer ${access}`, 'x-api-key': access, cookie: `acmcp_session=${access}` }
  const json = { 'content-type': 'application/json' }
  const broken = `{"code":"${form.code}",`
  const mcp = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: access, arguments: { code: access } },
  }
  const requests: readonly (readonly [string, RequestInit])[] = [
    [`/oauth/token?${query}`, { method: 'POST', headers: bearer }],
    [`/oauth/token?${query}&${proofs}`, { method: 'POST' }],
    [`/nowhere?${proofs}`, {}],
    [`/oauth/token?${query}&code=twice`, { method: 'POST' }],
    [`/oauth/token?${query}`, { method: 'GET', headers: bearer }],
    ['/oauth/token', { method: 'POST', headers: json, body: JSON.stringify(form) }],
    ['/oauth/revoke', { method: 'POST', headers: json, body: JSON.stringify(form) }],
    ['/oauth/register', { method: 'POST', headers: json, body: broken }],
    [`/oauth/authorize?${query}`, { headers: bearer }],
    [`/auth/local/callback?${query}`, { headers: bearer, redirect: 'manual' }],
    [`/auth/nobody?${query}`, { headers: bearer }],
    ['/auth/gone', { redirect: 'manual' }],
    [`/nowhere?${query}`, { headers: bearer }],
    [`/api/notes/?${query}`, { headers: bearer }],
    [`/api/notes/?${query}`, { method: 'DELETE', headers: bearer }],
    ['/api/notes/', { method: 'POST', headers: { ...bearer, ...json }, body: broken }],
    [`/mcp?${query}`, { method: 'POST', headers: { ...bearer, ...json }, body: JSON.stringify(mcp) }],
    [`/api/notes/%zz?${query}`, { headers: bearer }],
    [`/oauth/authorize?c%6Fde=${form.code}&st%61te=${access}`, {}],
  ]
  for (const [path, init] of requests) await (await fetch(baseUrl + path, init)).arrayBuffer()
}

const [port, providerPort] = [await freePort(), await freePort()]
const baseUrl = `http://localhost:${port}`
const closeProvider = await startProvider(providerPort, `${baseUrl}/auth/local/callback`)
const application = await startApplication(port, `http://localhost:${providerPort}`)
const flow = await startFlow(baseUrl)
const { access, form } = await spend(flow, await codeByProvider(flow))
await misplace(flow, access, form)
await application.close()
closeProvider()
process.send?.([...secrets])
process.disconnect?.()
