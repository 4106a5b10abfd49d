/** The whole application with a clock that the test moves, a registered client and one browser: what attacks, clocks and
 *  fuzzing start from. */
import { createHash } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { openTestApp, type TestApp, type TestAppOptions, type TestClient } from '../../../runtime/testing.ts'

export const start = 1_800_000_000_000
export const baseUrl: string = 'http://localhost:3000'
export const redirectUri = 'https://client.example/cb?keep=me'
export const loopbackUri = 'http://127.0.0.1:7777/callback'
export const verifier: string = 'v'.repeat(43)
export const challenge: string = createHash('sha256').update(verifier).digest('base64url')
export const jwtSecret = 'the key of the scene, at least 32 bytes'

type Test = { teardown(f: () => unknown): void }
type Form = Readonly<Record<string, string>>

/** One browser and a client that is registered. */
export interface Registered {
  readonly client: TestClient
  readonly clientId: string
  /** The authorization request. */
  readonly request: Form
}

export interface Scene extends Registered {
  readonly app: TestApp
  /** Moves the clock to `seconds` after the start. */
  at(seconds: number): void
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
}

/** Opens the application. Rate limits are off: a test asks more than an hour's worth. */
export async function openScene(t: Test, options: TestAppOptions = {}): Promise<Scene> {
  const clock = { now: start }
  const off = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false } as const
  const app = await openTestApp({
    clock: () => clock.now,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), limits: off } }), // defineApp's object
    ...options,
    environment: { jwtSecrets: [jwtSecret], ...options.environment },
  })
  t.teardown(app.close)
  const at = (seconds: number): void => {
    clock.now = start + seconds * 1000
  }
  return { app, ...(await registered(app.client())), at }
}

/** In any application. */
export async function registered(client: TestClient): Promise<Registered> {
  const clientId = await registerClient(client)
  return { client, clientId, request: authorizationRequest(clientId) }
}

export async function registerClient(client: TestClient, metadata: object = {}): Promise<string> {
  const payload = { client_name: 'A client', redirect_uris: [redirectUri, loopbackUri], ...metadata }
  const registered = await client.request({ method: 'POST', url: '/oauth/register', payload })
  return String(registered.json().client_id)
}

export function authorizationRequest(clientId: string): Form {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
  }
}

export const authorizeUrl = (request: Form): string => `/oauth/authorize?${new URLSearchParams(request)}`

/** The CSRF token on the consent page, or the empty text. */
export const csrfIn = (page: LightMyRequestResponse): string =>
  /name="csrf_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''

/** Signs `browser` in, opens the consent page and answers its form. */
export async function consentForm(scene: Registered, browser: TestClient = scene.client): Promise<Form> {
  await browser.get('/auth/dev')
  const page = await browser.get(authorizeUrl(scene.request))
  return { ...scene.request, csrf_token: csrfIn(page) }
}

/** A fresh code, allowed in the scene's browser. */
export async function codeOf(scene: Registered): Promise<string> {
  const form = await consentForm(scene)
  const allowed = await scene.client.submit('/oauth/authorize', { ...form, decision: 'allow' })
  return new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
}

/** The form that redeems `code`. */
export function redemption(scene: Registered, code: string): Form {
  return {
    grant_type: 'authorization_code',
    client_id: scene.clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
}

export const refreshing = (scene: Scene, refresh_token: string): Form => ({
  grant_type: 'refresh_token',
  client_id: scene.clientId,
  refresh_token,
})

export const postToken = (scene: Scene, form: Form): Promise<LightMyRequestResponse> =>
  scene.client.submit('/oauth/token', form)

export async function tokensOf(scene: Scene): Promise<Tokens> {
  return tokensIn(await postToken(scene, redemption(scene, await codeOf(scene))))
}

export function tokensIn(answer: LightMyRequestResponse): Tokens {
  const { access_token, refresh_token } = answer.json()
  return { access: String(access_token), refresh: String(refresh_token) }
}

/** Sends one request outside of any browser. */
export const send = (scene: Scene, request: InjectOptions): Promise<LightMyRequestResponse> =>
  scene.app.application.server.inject(request)

/** The API's answer to a bearer. */
export const callApi = (scene: Scene, access: string): Promise<LightMyRequestResponse> =>
  send(scene, { method: 'GET', url: '/api/users/current', headers: { authorization: `Bearer ${access}` } })

const authorizationPaths = /^\/(oauth|auth)(\/|\?|$)/

/** What no answer may ever be, whatever was asked: a sentence for each breach. */
export function breaches(request: InjectOptions, answer: LightMyRequestResponse): readonly string[] {
  const { statusCode, headers, body } = answer
  const url = String(request.url)
  const location = headers.location === undefined ? null : String(headers.location)
  return [
    ...(statusCode >= 500 ? [`${statusCode} ${body}`] : []),
    ...(/\bat .*\.[jt]s:\d+|node_modules|node:internal/.test(body) ? ['a stack trace'] : []),
    ...(location !== null && !isKnownLocation(location) ? [`Location ${location}`] : []),
    ...(authorizationPaths.test(url) && headers['cache-control'] !== 'no-store' ? ['no no-store'] : []),
  ]
}

/** A path of ours, or one of the registered addresses with a query of ours. */
function isKnownLocation(location: string): boolean {
  if (location === '/auth' || location.startsWith('/oauth/authorize?')) return true
  return (
    location.startsWith(`${redirectUri}&`) ||
    /^http:\/\/127\.0\.0\.1(:\d+)?\/callback\?(code|error)=/.test(location)
  )
}

export type Answer = readonly [status: number, body: unknown, location?: string]

/** Status, body (JSON where it is JSON) and `Location`. */
export function answerOf({ statusCode, headers, body }: LightMyRequestResponse): Answer {
  const isJson = String(headers['content-type']).startsWith('application/json')
  const text = isJson ? JSON.parse(body) : body
  return headers.location === undefined ? [statusCode, text] : [statusCode, text, String(headers.location)]
}

/** An OAuth error as an answer. */
export const refused = (error: string, description: string = error, status = 400): Answer => [
  status,
  { error, error_description: description },
]
