/** How a known client proves at the token endpoint to be itself: by a secret, by its key, or not at all. Source: RFC 6749, 2.3.1; RFC 7523, 2.2. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { PublishedMetadata, Way } from '../../../cli/capabilities/doctor/hosts/host.ts'
import type { DocumentHost } from './document-host.ts'
import { assertionType } from './machine.ts'

export interface Proof {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, string>>
}

interface Prover {
  readonly id: string
  /** The token endpoint. */
  readonly audience: string
  /** Of a client that comes by hand. */
  readonly secret: string
}

export function proofOf(way: Way, prover: Prover): Proof {
  const named = { client_id: prover.id }
  if (way.by === 'hand' && way.authentication === 'client_secret_post')
    return { headers: {}, body: { ...named, client_secret: prover.secret } }
  if (way.by === 'hand') {
    const pair = Buffer.from(`${prover.id}:${prover.secret}`).toString('base64')
    return { headers: { authorization: `Basic ${pair}` }, body: {} }
  }
  if (way.by !== 'document' || !hasKeyAlone(way.metadata)) return { headers: {}, body: named }
  return {
    headers: {},
    body: { ...named, client_assertion_type: assertionType, client_assertion: assertionOf(prover) },
  }
}

/** A client that may also come without its key does so. */
const hasKeyAlone = (metadata: PublishedMetadata): boolean => {
  const { token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: methods = [] } = metadata
  return method === 'private_key_jwt' && !Object(methods).includes('none')
}

const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function assertionOf({ id, audience }: Prover): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: id, sub: id, aud: audience, iat: now, exp: now + 60, jti: randomUUID() }
  const signed = `${part({ alg: 'RS256', kid: 'replay' })}.${part(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key.privateKey).toString('base64url')}`
}

/** Its document, with keys of ours in place of its own. */
export function publishClient(documents: DocumentHost, metadata: PublishedMetadata): void {
  const jwks = { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: 'replay', alg: 'RS256' }] }
  const document = 'jwks_uri' in metadata ? { ...metadata, jwks_uri: documents.url('/jwks.json') } : metadata
  documents.answer = ({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(JSON.stringify(url === '/jwks.json' ? jwks : document))
  }
}
