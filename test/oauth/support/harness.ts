/** Drives the endpoints as a browser and a client would: path matching, a cookie-less session, forms. */
import { createHash } from 'node:crypto'
import type { ClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import { documentParts } from '../../../runtime/capabilities/client-documents/start.ts'
import { backchannelLogoutEndpoints } from '../../../runtime/capabilities/logout/backchannel-logout.ts'
import type {
  Endpoint,
  HttpRequest,
  HttpResponse,
  RequestBody,
  Session,
} from '../../../runtime/contract/http.ts'
import { knownNativeSchemes } from '../../../runtime/oauth/clients/redirect-uri.ts'
import { type AuthorizationServerOptions, maxRefreshRetries } from '../../../runtime/oauth/options.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { type AuthorizationServer, createAuthorizationServer } from '../../../runtime/oauth/server.ts'
import type { TokenPart } from '../../../runtime/oauth/token-part.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import type { Store } from '../../../runtime/store/store.ts'
import { noServices } from '../../boot/no-services.ts'
import { openStore } from '../../support/whole-store.ts'

export const baseUrl = 'https://app.example'
export const start = 1_800_000_000_000
export const redirectUri = 'https://client.example/cb'
export const verifier = 'a-verifier-that-is-long-enough-for-rfc-7636-43'
export const challenge: string = createHash('sha256').update(verifier).digest('base64url')

export interface Browser extends Session {
  readonly values: Map<string, unknown>
  generation: number
}

export interface Call {
  readonly form?: Readonly<Record<string, string>> | string
  readonly raw?: string
  readonly contentType?: string | null
  readonly browser?: Browser
  readonly ip?: string
  readonly headers?: HttpRequest['headers']
}

export interface World {
  readonly server: AuthorizationServer
  readonly options: AuthorizationServerOptions
  readonly parts: readonly TokenPart[]
  readonly store: Store
  readonly clock: { now: number }
  readonly logged: string[]
  readonly call: (method: string, url: string, call?: Call) => Promise<HttpResponse>
}

type Test = { teardown(f: () => unknown): void }

/** What a world has in place of the usual. */
export type WorldChanges = Partial<AuthorizationServerOptions> & {
  readonly parts?: readonly TokenPart[]
  readonly clientDocuments?: ClientDocuments
}

export async function world(
  t: Test,
  { parts = [], clientDocuments, ...changes }: WorldChanges = {},
): Promise<World> {
  const clock = { now: start }
  const logged: string[] = []
  const write = (fields: unknown, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const store = await openStore({
    url: 'sqlite::memory:',
    clock: () => clock.now,
    migrations: {},
    migrate: 'apply',
  })
  t.teardown(() => store.close())
  let counter = 0
  const options: AuthorizationServerOptions = {
    baseUrl,
    serviceName: 'Notes',
    mcpPath: '/mcp',
    forwardHeaders: [],
    ownPages: [],
    nativeSchemes: null,
    heldAddresses: new Set(),
    store,
    jwtSecrets: ['a secret of at least 32 bytes, the newest'],
    jwtPrivateKeys: [],
    limits: { registerPerHour: null, authorizePerHour: null, tokenPerHour: null },
    checkToken: null,
    profile: profiles.specification,
    scopes: createScopes({}),
    changes: [],
    cover: 'shown',
    onSignIn: null,
    signInWithinMs: null,
    refreshGrace: null,
    services: () => ({ ...noServices, ...server, clock: () => clock.now }),
    clock: () => clock.now,
    randomBytes: (count) =>
      new Uint8Array(createHash('sha512').update(String(counter++)).digest().subarray(0, count)),
    devLogin: true,
    providers: {},
    providerTimeoutMs: 2_000,
    confidentialClients: new Map(),
    log: { info: write, warn: write, error: write },
    auditLog: { info: write, warn: write, error: write },
    auditTrail: { record: () => {}, recordDurably: async () => {}, flush: async () => {} },
    onRevoked: () => {},
    onGranted: () => {},
    ...changes,
  }
  const documents = clientDocuments === undefined ? [] : [documentParts(() => clientDocuments)]
  const all = [
    ...documents,
    ...parts,
    { endpoints: backchannelLogoutEndpoints, calledTools: store.listCalledTools },
  ]
  const server: AuthorizationServer = createAuthorizationServer(options, all)
  return { server, options, parts: all, store: options.store, clock, logged, call: caller(server.endpoints) }
}

/** The same with the profile `compatible`. */
export const compatibleWorld = (t: Test, changes: WorldChanges = {}): Promise<World> =>
  world(t, {
    profile: profiles.compatible,
    nativeSchemes: new Set(knownNativeSchemes),
    refreshGrace: { ms: 60_000, maxRetries: maxRefreshRetries },
    ...changes,
  })

export function newBrowser(): Browser {
  const values = new Map<string, unknown>()
  const browser: Browser = {
    values,
    generation: 0,
    get: (name) => values.get(name),
    set: (name, value) => void values.set(name, value),
    remove: (name) => void values.delete(name),
    regenerate: async () => {
      browser.generation += 1
      values.clear()
    },
  }
  return browser
}

/** What sends requests to `endpoints`. */
export function caller(endpoints: readonly Endpoint[]): World['call'] {
  return async (method, url, call = {}) => {
    const { pathname, searchParams } = new URL(url, baseUrl)
    for (const endpoint of endpoints) {
      const params = endpoint.methods.includes(method) ? match(endpoint.path, pathname) : null
      if (params !== null) return endpoint.handle(request(method, url, pathname, searchParams, params, call))
    }
    throw new Error(`no endpoint for ${method} ${pathname}`)
  }
}

function request(
  method: string,
  url: string,
  path: string,
  query: URLSearchParams,
  params: Readonly<Record<string, string>>,
  call: Call,
): HttpRequest {
  const session = call.browser ?? newBrowser()
  const signal = new AbortController().signal
  return {
    id: '1',
    method,
    url,
    path,
    query,
    params,
    headers: { host: 'localhost:3000', ...call.headers },
    cookies: {},
    ip: call.ip ?? '127.0.0.1',
    session,
    body: bodyOf(call),
    signal,
  }
}

function bodyOf(call: Call): RequestBody {
  const body = call.raw ?? new URLSearchParams(call.form ?? {}).toString()
  const formType = call.form === undefined ? null : 'application/x-www-form-urlencoded'
  const contentType = call.contentType === undefined ? formType : call.contentType
  return { kind: 'bytes', contentType, read: async () => new TextEncoder().encode(body) }
}

function match(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.replace(/\/$/, '').split('/')
  const provided = path.replace(/\/$/, '').split('/')
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? {} : null
  if (wanted.length !== provided.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = provided[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value)
    else if (part !== value) return null
  }
  return params
}

export function jsonOf(outcome: HttpResponse): Record<string, unknown> {
  return JSON.parse(String(outcome.body))
}

/** Status and JSON body, for whole-value comparison. */
export function seen(outcome: HttpResponse): readonly [number, unknown] {
  return [outcome.status, jsonOf(outcome)]
}

export function oauthError(
  error: string,
  description: string = error,
  status = 400,
): readonly [number, unknown] {
  return [status, { error, error_description: description }]
}

export function location(outcome: HttpResponse): string {
  return String(outcome.headers.location)
}

export async function register(
  world: World,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const raw = JSON.stringify({ redirect_uris: [redirectUri], client_name: 'Client <&"\'>', ...metadata })
  const outcome = await world.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
  return String(jsonOf(outcome).client_id)
}

export function authorizeParameters(clientId: string): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
}

export async function signedInBrowser(world: World): Promise<Browser> {
  const browser = newBrowser()
  await world.call('GET', '/auth/dev', { browser })
  return browser
}

export function query(parameters: Readonly<Record<string, string>>): string {
  return `/oauth/authorize?${new URLSearchParams(parameters)}`
}

/** Shows the consent page and presses a button on it; `changes` alter the submitted form. */
export async function decide(
  world: World,
  browser: Browser,
  parameters: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string>> = { decision: 'allow' },
): Promise<HttpResponse> {
  const page = await world.call('GET', query(parameters), { browser })
  const fields = [...String(page.body).matchAll(/name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
    name,
    value,
  ])
  const hidden = Object.fromEntries(fields.filter(([name]) => name !== 'decision'))
  return world.call('POST', '/oauth/authorize', { browser, form: { ...hidden, ...changes } })
}

/** A fresh code and the form that redeems it. */
export async function codeForm(world: World, clientId: string): Promise<Record<string, string>> {
  const browser = await signedInBrowser(world)
  const outcome = await decide(world, browser, authorizeParameters(clientId))
  const code = new URL(location(outcome)).searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
}

/** The payload of a JWT, unverified. */
export function payloadOf(jwt: unknown): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString())
}
