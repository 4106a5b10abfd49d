/** The in-process test client (`acmcp/testing`): the whole application without a socket, with a cookie jar and a
 *  sign-in. Its database is SQLite in memory unless the environment names another. */
import { createHash, randomBytes } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { type Application, createApplication } from './application.ts'
import { loadBundle } from './bundle.ts'
import type { AppBundle, Clock } from './contract.ts'
import type { Environment } from './environment.ts'

export interface TestAppOptions {
  /** The application's folder, with its bundle; default: the working directory. */
  readonly cwd?: string
  /** Overrides, for example `production` or `databaseUrl`. */
  readonly environment?: Partial<Environment>
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly clock?: Clock
  /** Changes the bundle before it is used, for example its configuration. */
  readonly change?: (bundle: AppBundle) => AppBundle
}

/** One browser: it keeps cookies. */
export interface TestClient {
  request(options: InjectOptions): Promise<LightMyRequestResponse>
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
  /** Sends a form. */
  submit(url: string, fields: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
}

export interface TestApp {
  readonly application: Application
  readonly baseUrl: string
  client(): TestClient
  /** An access token of the development user, by the whole flow: registration, sign-in, consent, token. */
  accessToken(): Promise<string>
  close(): Promise<void>
}

/** Opens the application for a test; close it at the end. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const loaded = await loadBundle(options.cwd ?? process.cwd())
  const environment = { ...testEnvironment(), ...options.environment }
  const application = await createApplication(options.change?.(loaded) ?? loaded, {
    environment,
    migrate: true,
    clock: options.clock ?? ((): number => Date.now()),
    randomBytes: (count) => randomBytes(count),
  })
  await application.server.ready()
  const client = (): TestClient => createClient(application)
  return {
    application,
    baseUrl: environment.baseUrl,
    client,
    accessToken: () => signInForToken(client()),
    close: application.close,
  }
}

function testEnvironment(): Environment {
  return {
    production: false,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'http://localhost:3000',
    databaseUrl: 'sqlite::memory:',
    jwtSecrets: [randomBytes(32).toString('hex')],
    jwtPrivateKeys: [],
    sessionSecrets: [randomBytes(32).toString('hex')],
    devLogin: true,
    logLevel: 'silent',
  }
}

function createClient({ server }: Application): TestClient {
  const jar = new Map<string, string>()
  const request = async (options: InjectOptions): Promise<LightMyRequestResponse> => {
    const response = await server.inject({
      ...options,
      cookies: { ...Object.fromEntries(jar), ...options.cookies },
    })
    for (const cookie of response.cookies) jar.set(cookie.name, cookie.value)
    return response
  }
  return {
    request,
    get: (url, headers = {}) => request({ method: 'GET', url, headers }),
    submit: (url, fields) =>
      request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      }),
  }
}

const redirectUri = 'http://127.0.0.1:7777/callback'

async function signInForToken(client: TestClient): Promise<string> {
  const registered = await client.request({
    method: 'POST',
    url: '/oauth/register',
    payload: { client_name: 'test', redirect_uris: [redirectUri] },
  })
  const verifier = randomBytes(32).toString('base64url')
  const fields = {
    response_type: 'code',
    client_id: String(registered.json().client_id),
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  await client.get('/auth/dev')
  const page = await client.get(`/oauth/authorize?${new URLSearchParams(fields)}`)
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const allowed = await client.submit('/oauth/authorize', { ...fields, csrf_token: csrf, decision: 'allow' })
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
  const token = await client.submit('/oauth/token', {
    grant_type: 'authorization_code',
    client_id: fields.client_id,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  })
  return String(token.json().access_token)
}
