/** A small OpenID Connect provider on loopback that can be told to do everything wrong. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** Answers a request in place of the provider. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void

export interface FaultProvider {
  readonly issuer: string
  /** The nonce of the last authorization request; the test carries it over. */
  nonce: string
  /** Claims of the next ID token, over the good ones. */
  claims: JWTPayload
  userInfo: Record<string, unknown>
  /** Members of the discovery document, over the good ones. */
  metadata: Record<string, unknown>
  /** Published beside its own. */
  keys: readonly unknown[]
  /** How long each answer takes. */
  delayMs: number
  /** Makes the ID token, when it is not to be a good one. */
  idToken: (claims: JWTPayload) => Promise<string>
  /** Faults by path: `/token`, `/jwks`, `/userinfo`, `/.well-known/openid-configuration`. */
  readonly faults: Map<string, Fault>
  readonly requests: string[]
  readonly tokenRequests: URLSearchParams[]
  readonly close: () => void
}

/** Making one takes long; the providers of a test file share it. */
const keys = generateKeyPair('RS256')

/** Opens one; ID tokens are RS256. */
export async function openFaultProvider(): Promise<FaultProvider> {
  const { publicKey, privateKey } = await keys
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    provider.requests.push(path)
    const fault = provider.faults.get(path)
    if (fault !== undefined) return fault(request, response)
    let body = ''
    for await (const chunk of request) body += chunk
    if (provider.delayMs > 0) await delay(provider.delayMs)
    const answer = await answerOf(path, body, { provider, jwk })
    response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  const provider: FaultProvider = {
    issuer: `http://127.0.0.1:${port}`,
    nonce: '',
    claims: {},
    userInfo: {},
    metadata: {},
    keys: [],
    delayMs: 0,
    idToken: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(privateKey),
    faults: new Map(),
    requests: [],
    tokenRequests: [],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return provider
}

interface Kept {
  readonly provider: FaultProvider
  readonly jwk: unknown
}

async function answerOf(path: string, body: string, { provider, jwk }: Kept): Promise<unknown> {
  const { issuer } = provider
  switch (path) {
    case '/jwks':
      return { keys: [jwk, ...provider.keys] }
    case '/userinfo':
      return { sub: 'uid-1', ...provider.userInfo }
    case '/token':
      provider.tokenRequests.push(new URLSearchParams(body))
      return {
        access_token: 'at',
        token_type: 'Bearer',
        expires_in: 60,
        id_token: await provider.idToken(goodClaims(provider)),
      }
    case '/.well-known/openid-configuration':
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...provider.metadata,
      }
    default:
      return null
  }
}

function goodClaims({ issuer, nonce, claims }: FaultProvider): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, aud: 'us', sub: 'uid-1', iat: now, exp: now + 60, nonce, ...claims }
}
