/** Signing and verifying the authorization server's JWTs: HS256 with a list of keys. Source: specification, Token
 *  claims; decisions.md, keys and token text. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../contract.ts'
import { sha256Hex } from '../secret.ts'

export interface Signer {
  /** The compact JWT of `claims`, which are taken as they are. */
  sign(claims: Readonly<Record<string, string | number>>): Promise<string>
  /** The claims of a token that one of our keys signed, issued by us and not expired; otherwise null, whatever is wrong.
   *  A token is expired when now ≥ `exp` (seconds). */
  verify(token: string): Promise<JWTPayload | null>
}

interface Key {
  readonly kid: string
  readonly secret: KeyObject
}

/** A signer for `issuer`. The first of `secrets` signs, all verify; the key is the UTF-8 bytes. Throws without any. */
export function createSigner(issuer: string, secrets: readonly string[], clock: Clock): Signer {
  const keys = secrets.map(keyOf)
  const [newest] = keys
  if (newest === undefined) throw new Error('a JWT secret is required')
  return {
    sign: (claims) => sign(claims, newest),
    verify: (token) => verify(token, keys, { issuer, currentDate: new Date(clock()) }),
  }
}

function keyOf(secret: string): Key {
  // A hash of a hash, cut short: it names the key and tells nothing about it.
  const kid = sha256Hex(`kid:${sha256Hex(secret)}`).slice(0, 16)
  return { kid, secret: createSecretKey(secret, 'utf8') }
}

function sign(claims: Readonly<Record<string, string | number>>, key: Key): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.kid })
    .sign(key.secret)
}

async function verify(
  token: string,
  keys: readonly Key[],
  expected: { readonly issuer: string; readonly currentDate: Date },
): Promise<JWTPayload | null> {
  if (!isCanonical(token)) return null
  for (const key of keys) {
    try {
      const options = { ...expected, algorithms: ['HS256'], requiredClaims: ['exp', 'iss'] }
      return (await jwtVerify(token, key.secret, options)).payload
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
  return null
}

/** Whether the text is the only one that decodes to these bytes: altered trailing bits would make a second one. */
function isCanonical(token: string): boolean {
  const parts = token.split('.')
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  )
}
