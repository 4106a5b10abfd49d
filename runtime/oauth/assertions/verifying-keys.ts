/** Public keys of others: clients, and identity providers. Which algorithms one is for follows from its type: what an assertion's header says never makes it another
 *  (RFC 8725, 3.1). Source: RFC 7517, 4. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** None that rests on a shared secret. */
export const assertionAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

export type AssertionAlgorithm = (typeof assertionAlgorithms)[number]

export interface VerifyingKey {
  readonly kid: string | null
  readonly algorithms: readonly AssertionAlgorithm[]
  readonly key: KeyObject
}

/** Keys of one of them. */
export interface ClientKeys {
  /** Those that can have made a signature, by its header. Rejects with `KeysUnavailable`. */
  find(algorithm: AssertionAlgorithm, kid: string | null): Promise<readonly VerifyingKey[]>
}

/** Members that only private and secret keys have. Source: RFC 7518, 6. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** The key of a JWK. Throws an error that says what is wrong, and repeats nothing of it. */
export function verifyingKeyOf(jwk: unknown): VerifyingKey {
  if (typeof jwk !== 'object' || jwk === null) throw new Error('is no JSON Web Key')
  const { kid = null, alg, use, key_ops: operations, ...members } = jwk as Record<string, unknown>
  if (privateMembers.some((name) => name in members)) throw new Error('is a private or secret key')
  if (use !== undefined && use !== 'sig') throw new Error('is not for signatures')
  if (Array.isArray(operations) && !operations.includes('verify')) throw new Error('is not for signatures')
  if (kid !== null && typeof kid !== 'string') throw new Error('has a kid that is no text')
  const key = publicKeyOf(members)
  const algorithms = algorithmsOf(key).filter((name) => alg === undefined || name === alg)
  if (algorithms.length === 0)
    throw new Error('must be P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits, and its alg fit')
  return { kid, algorithms, key }
}

const maxKeys = 100

/** Those of a set that are for signatures of ours: it may have keys for other things. */
export const usableKeys = (jwks: readonly unknown[]): readonly VerifyingKey[] =>
  jwks.slice(0, maxKeys).flatMap(orNothing)

function orNothing(jwk: unknown): readonly VerifyingKey[] {
  try {
    return [verifyingKeyOf(jwk)]
  } catch {
    return []
  }
}

/** Those of `keys` that can have made a signature with that header; without a `kid` each that is for the algorithm. */
export const fittingKeys = (
  keys: readonly VerifyingKey[],
  algorithm: AssertionAlgorithm,
  kid: string | null,
): readonly VerifyingKey[] =>
  keys.filter((key) => key.algorithms.includes(algorithm) && (kid === null || key.kid === kid))

function publicKeyOf(members: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: members, format: 'jwk' })
  } catch {
    throw new Error('is no public key')
  }
}

const rsaAlgorithms = ['RS256', 'PS256', 'RS384', 'RS512', 'PS384', 'PS512'] as const

/** The first is what a signature is made with. */
export function algorithmsOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): readonly AssertionAlgorithm[] {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return ['ES256']
  if (asymmetricKeyType === 'ec' && namedCurve === 'secp384r1') return ['ES384']
  if (asymmetricKeyType === 'ec' && namedCurve === 'secp521r1') return ['ES512']
  if (asymmetricKeyType === 'ed25519') return ['EdDSA']
  const isRsa = asymmetricKeyType === 'rsa' && publicExponent >= 3n && publicExponent % 2n === 1n
  return isRsa && modulusLength >= 2048 ? rsaAlgorithms : []
}
