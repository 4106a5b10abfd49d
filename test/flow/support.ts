/** What the end-to-end tests share: a served application, a browser with a cookie jar, OAuth providers for MCP clients. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { type Application, createApplication } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { freePort } from '../support/free-port.ts'
import { surroundings } from '../support/surroundings.ts'

export interface ServedApplication {
  readonly application: Application
  readonly baseUrl: string
  /** Moves the server's clock. */
  advance(seconds: number): void
}

/** The example of this repository on a real socket, with a clock that the test moves. */
export async function serveExample(
  change: (bundle: AppBundle) => AppBundle = (bundle) => bundle,
  environment: Partial<Environment> = {},
): Promise<ServedApplication> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  let now = Date.now()
  const application = await createApplication(change(await loadBundle(process.cwd())), {
    ...surroundings(baseUrl, { devLogin: true, ...environment }),
    clock: () => now,
  })
  await application.server.listen({ port, host: 'localhost' })
  return {
    application,
    baseUrl,
    advance: (seconds) => {
      now += seconds * 1000
    },
  }
}

export interface SpawnedServer {
  readonly baseUrl: string
  readonly process: ChildProcess
  readonly lines: readonly string[]
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'acmcp-'))

/** `acmcp serve` as a process of its own; resolves when it says where it serves. */
export async function spawnServe(
  folder: string,
  env: Readonly<Record<string, string>>,
  main: string = join(process.cwd(), 'dist/cli/main.js'),
): Promise<SpawnedServer> {
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.includes('MCP endpoint')) break
  }
  if (lines.length === 0) throw new Error('acmcp serve ended before it served')
  return { baseUrl: `http://localhost:${env.PORT ?? '3000'}`, process: child, lines }
}

/** A browser without scripts: it keeps cookies and follows redirects inside `baseUrl`. */
export class Browser {
  readonly #jar = new Map<string, string>()

  /** One request; redirects are not followed. */
  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url)
    const cookies = [...this.#jar].filter(([key]) => key.startsWith(`${host} `))
    const cookie = cookies.map(([key, value]) => `${key.slice(host.length + 1)}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string> | undefined), cookie } // plain objects only, here
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const mark = pair.indexOf('=')
      this.#jar.set(`${host} ${pair.slice(0, mark)}`, pair.slice(mark + 1))
    }
    return response
  }

  /** Follows redirects until a page answers or `stop` says that the address is the client's; answers that address or
   *  the page. */
  async follow(url: string | URL, stop: (url: URL) => boolean, init: RequestInit = {}): Promise<Landing> {
    let at = new URL(url)
    let next = init
    for (let hops = 0; hops < 20; hops += 1) {
      if (stop(at)) return { url: at, page: '' }
      const response = await this.fetch(at, next)
      const location = response.headers.get('location')
      if (location === null) return { url: at, page: await response.text() }
      at = new URL(location, at)
      next = {}
    }
    throw new Error(`too many redirects at ${at}`)
  }

  /** Sends the only form of a page, with `extra` fields. */
  submit(
    landing: Landing,
    extra: Readonly<Record<string, string>>,
    stop: (url: URL) => boolean,
  ): Promise<Landing> {
    const action = /<form[^>]*action="([^"]+)"/.exec(landing.page)?.[1] ?? ''
    const fields = [...landing.page.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
    const body = new URLSearchParams(fields.map((field) => [field[1] ?? '', unescapeHtml(field[2] ?? '')]))
    body.delete('read_only') // to look is not enough
    for (const [name, value] of Object.entries(extra)) body.set(name, value)
    return this.follow(new URL(unescapeHtml(action), landing.url), stop, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    })
  }
}

export interface Landing {
  readonly url: URL
  readonly page: string
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Where clients are sent back to; nothing listens there, the browser stops in front of it. */
export const redirectUri = 'http://127.0.0.1:7777/callback'
export const isCallback = (url: URL): boolean => url.href.startsWith(redirectUri)

export interface AuthorizationRequest {
  readonly url: URL
  readonly clientId: string
  readonly verifier: string
}

/** Registers a client and makes its authorization request (PKCE, S256). */
export async function authorizationRequest(baseUrl: string): Promise<AuthorizationRequest> {
  const registered = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri] }),
  })
  const clientId = String((await registered.json()).client_id)
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(`${baseUrl}/oauth/authorize`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  return { url, clientId, verifier }
}

/** Opens an authorization address, signs in with the development login and allows; answers the client's callback. */
export async function allowInBrowser(
  browser: Browser,
  authorizationUrl: URL,
  callback: string = redirectUri,
): Promise<URL> {
  const isBack = (url: URL): boolean => url.href.startsWith(callback)
  const signIn = await browser.follow(authorizationUrl, isBack)
  if (isBack(signIn.url)) return signIn.url
  const consent = signIn.page.includes('name="csrf_token"')
    ? signIn
    : await browser.follow(new URL('/auth/dev', signIn.url), isBack)
  const done = await browser.submit(consent, { decision: 'allow' }, isBack)
  return done.url
}

export interface RecordingProvider extends OAuthClientProvider {
  authorizationUrl: URL | null
  refreshes: number
}

/** An OAuth provider for an SDK client: keeps everything in memory and records where the user should go. */
export function recordingProvider(): RecordingProvider {
  let information: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  let verifier = ''
  const provider: RecordingProvider = {
    authorizationUrl: null,
    refreshes: 0,
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'A test client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'some state',
    clientInformation: () => information,
    saveClientInformation: (saved) => {
      information = saved
    },
    tokens: () => tokens,
    invalidateCredentials: () => {
      tokens = undefined
    },
    saveTokens: (saved) => {
      if (tokens !== undefined) provider.refreshes += 1
      tokens = saved
    },
    redirectToAuthorization: (url) => {
      provider.authorizationUrl = url
    },
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
  return provider
}
