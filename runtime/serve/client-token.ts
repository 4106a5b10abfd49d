/** A token of a client that acts for no user, asked for over the wire as any client would, for `acmcp token --client`. */
import { randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Variables } from '../boot/environment.ts'
import { isLoopbackUrl } from '../loopback.ts'
import { readSigningKey, type SigningKey, signAssertion } from '../oauth/assertions/client-assertion.ts'
import { localAddress } from './health.ts'

export interface ClientTokenOptions {
  /** Where a relative `key` begins. */
  readonly cwd: string
  readonly env: Variables
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly warn: (line: string) => void
  readonly client: string
  /** The file of its private key. */
  readonly key: string
  /** The server; null = `BASE_URL`, else the one of this machine. */
  readonly url: URL | null
  /** With blanks between them; the empty text = all that the client has. */
  readonly scope: string
}

/** As the server answered it. */
export interface ClientToken {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

/** Says why there is none, for people. */
export class ClientTokenRefused extends Error {}

/** Throws `ClientTokenRefused`. */
export async function clientToken(options: ClientTokenOptions): Promise<ClientToken> {
  const { client, clock, scope } = options
  const key = await signingKey(options)
  const { origin } = serverOf(options)
  if (!origin.startsWith('https:') && !isLoopbackUrl(origin))
    throw new ClientTokenRefused(`${origin} is not https: the token would come in the clear`)
  const assertion = await signAssertion(key, { client, audience: origin, jti: randomUUID(), now: clock() })
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    ...(scope === '' ? {} : { scope }),
  })
  return answerOf(await post(new URL('/oauth/token', origin), form), origin)
}

/** As the server reads its `BASE_URL`, the origin is its name. */
function serverOf({ env, url }: ClientTokenOptions): URL {
  if (url !== null) return url
  const { BASE_URL: base, PORT: port } = env
  if (base) {
    if (URL.canParse(base)) return new URL(base)
    throw new ClientTokenRefused('BASE_URL is no address')
  }
  const local = localAddress({ PORT: port })
  local.hostname = 'localhost' // as `acmcp serve` calls itself in development
  return local
}

async function signingKey({ cwd, key, warn }: ClientTokenOptions): Promise<SigningKey> {
  const file = resolve(cwd, key)
  try {
    const { mode } = await stat(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      warn(`acmcp: ${key} can be read by others: chmod 600 ${key}`)
    return readSigningKey(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ClientTokenRefused(`${key}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function post(url: URL, body: URLSearchParams): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(15_000) })
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new ClientTokenRefused(
      `${url.origin} cannot be asked: ${cause instanceof Error ? cause.message : cause}`,
    )
  }
}

async function answerOf(response: Response, origin: string): Promise<ClientToken> {
  const answer: unknown = await response.json().catch(() => null)
  const { access_token: token, error, error_description: description } = Object(answer)
  if (response.ok && typeof token === 'string') {
    if (/^[\x20-\x7e]+$/.test(token)) return answer as ClientToken // as RFC 6749, 5.1 and A.12 have it
    throw new ClientTokenRefused('the server answers a token with characters that no token has')
  }
  const said = typeof error === 'string' ? `${error}: ${description}` : `status ${response.status}`
  const hint =
    error === 'invalid_client'
      ? `. Its log has the reason; aud, which must be its BASE_URL, was ${origin}`
      : ''
  throw new ClientTokenRefused(`the server refused it: ${said}${hint}`)
}
