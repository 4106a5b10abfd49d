/** Signing and verifying the authorization server's JWTs with a list of keys. Source: rules.md, Token claims; rules.md, keys
 *  and token text. */
import type { KeyObject, webcrypto } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Clock } from '../../contract/store.ts'
import { lazy } from '../../lazy.ts'
import type { Key } from './keys.ts'

export interface Signer {
  /** The compact JWT of `claims`, which are taken as they are. */
  sign(claims: Readonly<Record<string, string | number>>): Promise<string>
  /** The claims of a token that one of our keys signed, issued by us and not expired; otherwise null, whatever is wrong.
   *  A token is expired when now ≥ `exp` (seconds). */
  verify(token: string): Promise<JWTPayload | null>
  /** Whether one of our keys signed it, whatever else is wrong with it. */
  isSignedHere(token: string): Promise<boolean>
}

/** A signer for `issuer`. The first of `keys` signs, all verify. Throws without any. */
export function createSigner(issuer: string, keys: readonly Key[], clock: Clock): Signer {
  const [newest] = keys
  if (newest === undefined) throw new Error('a JWT secret is required')
  return {
    sign: (claims) => sign(claims, newest),
    verify: (token) => verify(token, keys, { issuer, currentDate: new Date(clock()) }),
    isSignedHere: (token) => isSigned(token, keys),
  }
}

/** Loaded with the first token: a start need not wait for it. */
const jose = lazy(() => import('jose'))

async function sign(claims: Readonly<Record<string, string | number>>, key: Key): Promise<string> {
  const { SignJWT } = await jose()
  const { signing } = await key.imported()
  const header = { alg: key.algorithm, typ: 'JWT', kid: key.kid }
  return new SignJWT({ ...claims }).setProtectedHeader(header).sign(signing)
}

/** `kid` is optional: every key is tried, each with its own algorithm only. */
async function verify(
  token: string,
  keys: readonly Key[],
  expected: { readonly issuer: string; readonly currentDate: Date },
): Promise<JWTPayload | null> {
  if (!isCanonical(token)) return null
  const { errors, jwtVerify } = await jose()
  for (const key of keys) {
    const { verifying } = await key.imported()
    try {
      const options = { ...expected, algorithms: [key.algorithm], requiredClaims: ['exp', 'iss'] }
      return (await jwtVerify(token, verifying, options)).payload
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JOSEAlgNotAllowed) continue
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
  return null
}

/** Also when the text is not canonical: it decodes to what we signed. */
async function isSigned(token: string, keys: readonly Key[]): Promise<boolean> {
  for (const { algorithm, imported } of keys)
    if (await isSignedBy(token, algorithm, (await imported()).verifying)) return true
  return false
}

/** Whether that key has made its signature, by that algorithm. */
export async function isSignedBy(
  jwt: string,
  algorithm: string,
  key: KeyObject | webcrypto.CryptoKey,
): Promise<boolean> {
  const { compactVerify, errors } = await jose()
  try {
    await compactVerify(jwt, key, { algorithms: [algorithm] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

/** Whether the text is the only one that decodes to these bytes: altered trailing bits would make a second one. */
export function isCanonical(token: string): boolean {
  const parts = token.split('.')
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  )
}
