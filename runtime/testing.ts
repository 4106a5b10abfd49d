/** The in-process test client (`acmcp/testing`): the whole application without a socket, with cookie jars, forms, files
 *  and a sign-in. Its database is SQLite in memory unless the environment names another. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type Application, createApplication } from './boot/application.ts'
import { BootError } from './boot/boot-error.ts'
import { loadBundle } from './boot/bundle.ts'
import type { Environment } from './boot/environment.ts'
import { staleSources, staleText } from './boot/stale-build.ts'
import type { AppBundle } from './contract/bundle.ts'
import type { Clock, Services, User, UserAttributes } from './contract/store.ts'
import { ErrorLog, explainFailures } from './http/log/error-log.ts'
import type { LogStream } from './http/log/log.ts'
import { traceSources } from './http/log/stack-traces.ts'
import { developer } from './oauth/providers/dev-login.ts'
import { sha256Hex } from './secret.ts'
import { defaultPool } from './store/pool.ts'
import type { Store } from './store/store.ts'
import { tokenByFlow } from './testing/access-token.ts'

export interface TestAppOptions {
  /** The application's folder, with its bundle; default: the working directory. */
  readonly cwd?: string
  /** Overrides, for example `production` or `databaseUrl`. */
  readonly environment?: Partial<Environment>
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly clock?: Clock
  /** Changes the bundle before it is used, for example its configuration. */
  readonly change?: (bundle: AppBundle) => AppBundle
  /** `allow`: a bundle that is older than the sources is tested all the same; by default it is refused. */
  readonly stale?: 'allow' | 'refuse'
  /** Receives the log lines; they start at `environment.logLevel`, by default there are none. */
  readonly logStream?: LogStream
}

type Headers = Readonly<Record<string, string>>
type Fields = Readonly<Record<string, string>>

/** A field of a multipart form: a text, or a file. */
export type Part =
  | string
  | { readonly filename: string; readonly content: string | Uint8Array; readonly contentType?: string }

/** One browser, or one API client: it keeps cookies, and each has a jar of its own. */
export interface TestClient {
  request(options: InjectOptions): Promise<LightMyRequestResponse>
  get(url: string, headers?: Headers): Promise<LightMyRequestResponse>
  /** Sends JSON: POST unless told otherwise. */
  json(
    url: string,
    value: unknown,
    method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  ): Promise<LightMyRequestResponse>
  /** Sends a form. */
  submit(url: string, fields: Fields): Promise<LightMyRequestResponse>
  /** Sends a multipart form, with files. */
  upload(url: string, parts: Readonly<Record<string, Part>>): Promise<LightMyRequestResponse>
  /** GET, and on through every redirect inside the application, at most ten; a redirect elsewhere is the answer. */
  follow(url: string, headers?: Headers): Promise<LightMyRequestResponse>
  /** Signs the development user in to this browser, or another user, whose record is made or replaced. With `attributes` as if
   *  `onSignIn` had returned them; a user that is named has no others. */
  signIn(user?: User, options?: SignInOptions): Promise<void>
  /** A client with this jar that sends the token with every request. */
  withBearer(token: string): TestClient
  /** A client with this jar that sends the headers with every request. */
  withHeaders(headers: Headers): TestClient
  /** What the tool answers at the MCP endpoint, as a client of revision 2025-11-25 sees it. Throws when the endpoint refuses
   *  the call (401, an unknown tool); a tool that fails answers with `isError`. */
  tool(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResult>
  /** The cookies it holds, by name. */
  readonly cookies: ReadonlyMap<string, string>
}

/** Source: MCP 2025-11-25, tools/call. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** The application itself. */
export interface TestedApplication {
  readonly server: FastifyInstance
  readonly store: Store
  readonly mcpPath: string
  /** @internal */
  readonly watching: Application['watching']
  /** @internal */
  readonly purge: Application['purge']
  /** @internal */
  readonly invoke: Application['invoke']
  /** @internal */
  readonly parts: Application['parts']
  /** @internal */
  readonly streams: Application['streams']
  /** @internal */
  readonly developmentToken: Application['developmentToken']
  /** @internal */
  readonly saveSignIn: Application['saveSignIn']
  /** @internal */
  readonly drain: Application['drain']
  /** @internal */
  readonly close: Application['close']
}

export interface SignInOptions {
  /** What `attributesOf(user)` returns from then on. */
  readonly attributes?: UserAttributes
}

export interface AccessTokenOptions extends SignInOptions {
  /** What it may do, as a client asks for it: names with blanks between them. Default: none are named, which is `api`. */
  readonly scope?: string
  /** Whether its user ticks that it may look, and change nothing. Default: no. */
  readonly readOnly?: boolean
}

export interface TestApp {
  readonly application: TestedApplication
  readonly baseUrl: string
  /** What its controllers have as `this.services`: `databaseOf(app.services)` of `acmcp/store` is the application's database. */
  readonly services: Services
  /** The last exception that no handler took, or that ended a stream, with its stack; null = there was none. */
  readonly lastError: Error | null
  /** A new client with an empty jar. */
  client(): TestClient
  /** An access token of the development user or another one, by the whole flow: registration, sign-in, consent with all that it
   *  offers ticked, token. Throws when a scope that it names is not granted. */
  accessToken(user?: User, options?: AccessTokenOptions): Promise<string>
  close(): Promise<void>
}

/** Opens the application for a test; close it at the end. Throws `BootError`, also for a bundle that was built from other
 *  sources. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const cwd = options.cwd ?? process.cwd()
  const stale = options.stale === 'allow' ? [] : staleSources(cwd)
  if (stale.length > 0) throw new BootError(staleText(stale))
  traceSources()
  const loaded = await loadBundle(cwd)
  const merged = { ...testEnvironment(), ...options.environment }
  const isSilent = merged.logLevel === 'silent'
  const environment = { ...merged, logLevel: isSilent ? 'error' : merged.logLevel }
  const log = new ErrorLog(isSilent ? null : (options.logStream ?? process.stdout))
  const clock = options.clock ?? ((): number => Date.now())
  const application = await createApplication(options.change?.(loaded) ?? loaded, {
    environment,
    migrate: true,
    clock,
    randomBytes: (count) => randomBytes(count),
    logStream: log,
  })
  await application.server.ready()
  const client = (): TestClient =>
    clientOf({ application, log, clock, baseUrl: environment.baseUrl, jar: new Map(), headers: {} })
  return {
    application,
    baseUrl: environment.baseUrl,
    services: application.services,
    get lastError() {
      return log.last
    },
    client,
    accessToken: async (user, options = {}) => {
      const browser = client()
      await browser.signIn(user, options)
      return tokenByFlow(browser, options)
    },
    close: application.close,
  }
}

const newSecret = (): string => randomBytes(32).toString('hex')

/** Of this process: on one database its applications are instances of one, and those of another process are not. */
const [jwtSecret, sessionSecret] = [newSecret(), newSecret()]

function testEnvironment(): Environment {
  return {
    production: false,
    host: '127.0.0.1',
    port: 0,
    baseUrl: 'http://localhost:3000',
    databasePool: defaultPool,
    databaseUrl: 'sqlite::memory:',
    jwtSecrets: [jwtSecret],
    jwtPrivateKeys: [],
    shutdownDelaySeconds: 0,
    sessionSecrets: [sessionSecret],
    secretsOf: (variable) => [sha256Hex(`${jwtSecret} ${variable}`)], // a test needs no variables of clients
    devLogin: true,
    logLevel: 'silent',
    metrics: null,
  }
}

interface Browser {
  readonly application: Application
  readonly log: ErrorLog
  readonly baseUrl: string
  readonly jar: Map<string, string>
  readonly clock: Clock
  /** Sent with every request. */
  readonly headers: Headers
}

function clientOf(browser: Browser): TestClient {
  const request: TestClient['request'] = (options) => send(browser, options)
  const get: TestClient['get'] = (url, headers = {}) => request({ method: 'GET', url, headers })
  const withHeaders: TestClient['withHeaders'] = (headers) =>
    clientOf({ ...browser, headers: { ...browser.headers, ...headers } })
  return {
    request,
    get,
    json: (url, value, method = 'POST') =>
      request({ method, url, ...typed('application/json', JSON.stringify(value)) }),
    submit: (url, fields) =>
      request({ method: 'POST', url, ...typed(formType, new URLSearchParams(fields).toString()) }),
    upload: (url, parts) => request({ method: 'POST', url, ...multipart(parts) }),
    follow: (url, headers) => follow(browser, url, headers ?? {}),
    signIn: async (user, { attributes } = {}) => {
      const answer = await get('/auth/dev')
      if (answer.statusCode !== 303) throw new Error(`the development login answered ${answer.statusCode}`)
      if (user !== undefined || attributes !== undefined)
        await becomeUser(browser, user ?? developer, attributes ?? null)
    },
    tool: (name, args = {}) => callTool(browser, name, args),
    withBearer: (token) => withHeaders({ authorization: `Bearer ${token}` }),
    withHeaders,
    cookies: browser.jar,
  }
}

async function send(
  { application, log, jar, headers }: Browser,
  options: InjectOptions,
): Promise<LightMyRequestResponse> {
  const config = {
    ...options,
    headers: { ...headers, ...options.headers },
    cookies: { ...Object.fromEntries(jar), ...options.cookies },
  }
  const response = await explainFailures(() => application.server.inject(config), log)
  for (const { name, value, maxAge, expires } of response.cookies) {
    const isGone = maxAge === 0 || (expires !== undefined && expires.getTime() <= 0)
    if (isGone) jar.delete(name)
    else jar.set(name, value)
  }
  return response
}

/** Gives the session of the development user to another one. */
async function becomeUser(
  { application: { store, saveSignIn }, jar, clock }: Browser,
  user: User,
  attributes: UserAttributes | null,
): Promise<void> {
  await saveSignIn(user, attributes)
  for (const value of jar.values()) {
    const [id = ''] = value.split('.') // the rest signs it
    const session = await store.readSession(id)
    if (session !== null) await store.writeSession(id, { ...session, user_id: user.id }, clock() + dayMs)
  }
}

const dayMs = 86_400_000

async function callTool(browser: Browser, name: string, args: object): Promise<ToolResult> {
  const { statusCode, body } = await send(browser, {
    method: 'POST',
    url: browser.application.mcpPath,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  })
  const { result } = statusCode === 200 ? JSON.parse(body) : { result: undefined }
  if (result === undefined) throw new Error(`the tool ${name} was not called: ${statusCode} ${body}`)
  return result
}

const maxRedirects = 10

async function follow(browser: Browser, from: string, headers: Headers): Promise<LightMyRequestResponse> {
  let url = from
  for (let count = 0; count <= maxRedirects; count += 1) {
    const response = await send(browser, { method: 'GET', url, headers })
    const { location } = response.headers
    if (response.statusCode < 300 || response.statusCode > 399 || typeof location !== 'string')
      return response
    const target = new URL(location, `${browser.baseUrl}${url}`)
    if (target.origin !== new URL(browser.baseUrl).origin) return response
    url = target.pathname + target.search
  }
  throw new Error(`${from} redirects more than ${maxRedirects} times`)
}

const formType = 'application/x-www-form-urlencoded'

const typed = (type: string, payload: string | Buffer): Pick<InjectOptions, 'headers' | 'payload'> => ({
  headers: { 'content-type': type },
  payload,
})

/** RFC 7578. */
function multipart(parts: Readonly<Record<string, Part>>): Pick<InjectOptions, 'headers' | 'payload'> {
  const boundary = `acmcp-${randomBytes(12).toString('hex')}`
  const quoted = (text: string): string =>
    `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`
  const pieces = Object.entries(parts).flatMap(([name, part]) => {
    const file = typeof part === 'string' ? null : part
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name=${quoted(name)}${file === null ? '' : `; filename=${quoted(file.filename)}`}`,
      ...(file === null ? [] : [`Content-Type: ${file.contentType ?? 'application/octet-stream'}`]),
    ]
    const content = typeof part === 'string' ? part : part.content
    return [Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(content as string), Buffer.from('\r\n')] // or bytes
  })
  return typed(
    `multipart/form-data; boundary=${boundary}`,
    Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  )
}
