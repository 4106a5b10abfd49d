/** Whether a server answers, asked over the wire, for `acmcp health`. Loads nothing of the application and makes nothing. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { listenHost, type Variables } from '../boot/environment.ts'
import { variableDefaults } from '../boot/variables.ts'

export interface HealthOptions {
  readonly env: Variables
  /** The server, or with a path one address of it that must answer 2xx; null = `acmcp serve` with these variables. */
  readonly url: URL | null
  /** Asks for something that is read from the store too. */
  readonly store: boolean
}

/** What was asked, and what is wrong (null = nothing). */
export interface HealthAnswer {
  readonly what: string
  readonly wrong: string | null
}

/** Asks `/livez`, or `/readyz` for the store too, of all workers: another one may stand still. Where the application has a route of its own
 *  there, asked is the authorization server's metadata, which needs no store and no credentials, and for the store the authorization of a client that does not exist. */
export async function askHealth({ env, url, store }: HealthOptions): Promise<readonly HealthAnswer[]> {
  const base = url ?? localAddress(env)
  const host = url === null ? ownHost(env) : null
  if (base.pathname !== '/' || base.search !== '') return [await ask(base, host, isSuccess)]
  const probed = await ask(
    new URL(store ? '/readyz?workers' : '/livez?workers', base),
    host,
    says(store ? 'ready' : 'live'),
  )
  if (probed.wrong !== notOurs) return [probed]
  const first = await ask(new URL('/.well-known/oauth-authorization-server', base), host, isMetadata)
  if (!store || first.wrong !== null) return [first]
  return [first, await ask(new URL('/oauth/authorize?client_id=acmcp-health', base), host, isStoreThere)]
}

/** Of `acmcp serve` with these variables, on this machine. */
export function localAddress({ HOST, PORT: port }: Variables): URL {
  const host = HOST ? listenHost({ HOST }) : ''
  const isAny = ['', '0.0.0.0', '::'].includes(host)
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return new URL(`http://${name}:${port || variableDefaults.PORT}`)
}

/** What a proxy would name: the public host. */
const ownHost = ({ BASE_URL: url }: Variables): string | null =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : null

interface Answer {
  readonly status: number
  readonly body: string
}

type Judge = (answer: Answer) => string | null

const isSuccess: Judge = ({ status }) => (status >= 200 && status < 300 ? null : 'not a success')

const isMetadata: Judge = (answer) =>
  isSuccess(answer) ?? (/^\{.*"issuer":/s.test(answer.body) ? null : 'not the metadata of an acmcp server')

const notOurs = 'not what an acmcp server answers'

/** The answer of a probe: this one, or why not. */
const says =
  (wanted: string): Judge =>
  ({ body }) => {
    const status = /^\{"status":"([\w ]+)"\}$/.exec(body)?.[1] ?? null
    if (status === null) return notOurs
    return status === wanted ? null : status
  }

/** The client is unknown, which only the store can tell. */
const isStoreThere: Judge = ({ status }) => {
  if (status === 400) return null
  return status === 503 ? 'the store is not available' : notOurs
}

const maxMs = 5_000

async function ask(url: URL, host: string | null, judge: Judge): Promise<HealthAnswer> {
  const what = `GET ${url.href}`
  let isConnected = false
  const connected = (): void => {
    isConnected = true
  }
  try {
    const answer = await get(url, host, connected)
    const why = judge(answer)
    return { what: `${what} answered ${answer.status}`, wrong: why }
  } catch (error) {
    return { what, wrong: isConnected && isTimeout(error) ? standsStill : reasonOf(error) }
  }
}

/** The system takes connections, whatever the process does. */
const standsStill = `no answer within ${maxMs / 1000} s, though it takes connections: its event loop stands still?`

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')

async function get(url: URL, host: string | null, connected: () => void): Promise<Answer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const headers = host === null ? {} : { host }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers, agent: false, signal: AbortSignal.timeout(maxMs) }, resolve)
      .on('socket', (socket) => socket.once('connect', connected))
      .on('error', reject)
      .end()
  })
  return { status: response.statusCode ?? 0, body: await text(response) }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isTimeout(error)) return `no answer within ${maxMs / 1000} s`
  const code = 'code' in error ? String(error.code) : ''
  return code === 'ECONNREFUSED' ? 'nothing listens there: is acmcp serve running?' : error.message || code
}
