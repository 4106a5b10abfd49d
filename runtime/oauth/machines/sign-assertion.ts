/** What a client signs to say who it is: the other side of `assertion.ts`, for the command line. Source: RFC 7523, 3. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { privateKeysIn } from '../tokens/keys.ts'
import { algorithmsOf } from './verifying-keys.ts'

/** A private key and the name that the client's set has for it, where the key says one. */
export interface SigningKey {
  readonly key: KeyObject
  readonly kid: string | null
}

/** Throws an error that repeats nothing of the text. */
export function readSigningKey(text: string): SigningKey {
  const [key, ...more] = privateKeysIn(text)
  if (key === undefined || more.length > 0) throw new Error('expected one private key')
  if (algorithmsOf(createPublicKey(key)).length === 0)
    throw new Error('a key must be P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits')
  const { kid }: { readonly kid?: unknown } = text.trimStart().startsWith('{') ? JSON.parse(text) : {}
  return { key, kid: typeof kid === 'string' ? kid : null }
}

export interface AssertionClaims {
  readonly client: string
  /** The issuer of the server. */
  readonly audience: string
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Good for a minute. */
export async function signAssertion(
  { key, kid }: SigningKey,
  { client, audience, jti, now }: AssertionClaims,
): Promise<string> {
  const [alg = ''] = algorithmsOf(createPublicKey(key))
  const { SignJWT } = await import('jose')
  const iat = Math.floor(now / 1000)
  return new SignJWT({ iss: client, sub: client, aud: audience, jti, iat, exp: iat + 60 })
    .setProtectedHeader({ alg, typ: 'JWT', ...(kid === null ? {} : { kid }) })
    .sign(key)
}
