/** An OpenID Connect provider that asks nothing: whoever comes with its cookie is who they were, anybody else is a new user.
 *  Source: OpenID Connect Core and Discovery. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { freePort } from '../../support/free-port.ts'

export interface IdentityProvider {
  readonly issuer: string
  close(): void
}

/** Of a code that it gave out. */
interface Provided {
  readonly user: string
  readonly nonce: string | null
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const issuer = `http://localhost:${await freePort()}`
  const codes = new Map<string, Provided>()
  const idToken = ({ user, nonce }: Provided): Promise<string> =>
    new SignJWT({ name: user, ...(nonce === null ? {} : { nonce }) })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setSubject(user)
      .setAudience('accounts')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  const answers: Readonly<Record<string, (request: IncomingMessage, to: ServerResponse) => unknown>> = {
    '/.well-known/openid-configuration': (_request, to) => json(to, discovery(issuer)),
    '/keys': (_request, to) => json(to, { keys: [key] }),
    '/authorize': (request, to) => redirect(request, to, codes),
    '/token': async (request, to) => {
      const code = new URLSearchParams(await text(request)).get('code') ?? ''
      const provided = codes.get(code)
      codes.delete(code)
      if (provided === undefined) return json(to, { error: 'invalid_grant' }, 400)
      const token = { access_token: code, token_type: 'Bearer', expires_in: 300 }
      return json(to, { ...token, id_token: await idToken(provided) })
    },
    '/userinfo': (_request, to) => json(to, {}, 404),
  }
  const server = createServer((request, to) => {
    const answer = answers[request.url?.split('?')[0] ?? '']
    if (answer === undefined) json(to, {}, 404)
    else Promise.resolve(answer(request, to)).catch((error: unknown) => to.destroy(new Error(String(error))))
  })
  await listening(server, Number(new URL(issuer).port))
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { issuer, close }
}

const discovery = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
})

function redirect(request: IncomingMessage, to: ServerResponse, codes: Map<string, Provided>): void {
  const requested = new URL(request.url ?? '', 'http://localhost').searchParams
  const known = /who=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  const user = known ?? randomUUID()
  const code = randomUUID()
  codes.set(code, { user, nonce: requested.get('nonce') })
  const back = new URL(requested.get('redirect_uri') ?? '')
  back.searchParams.set('code', code)
  back.searchParams.set('state', requested.get('state') ?? '')
  to.writeHead(303, { location: back.href, 'set-cookie': `who=${user}; Path=/` }).end()
}

function json(to: ServerResponse, value: unknown, status = 200): void {
  to.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function listening(server: Server, port: number): Promise<void> {
  server.listen(port, 'localhost')
  await once(server, 'listening')
}
