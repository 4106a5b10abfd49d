/** The keys of the authorization server. Each has one algorithm, fixed by its own type: what a token's header says never
 *  chooses one (RFC 8725, 3.1). Source: rules.md, Token claims; rules.md, keys. */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, webcrypto } from 'node:crypto'
import { lazy } from '../../lazy.ts'
import { sha256Base64Url, sha256Hex } from '../../secret.ts'

/** A public key as RFC 7517 writes it. */
export type PublicJwk = Readonly<Record<string, string>>

export interface Key {
  readonly kid: string
  readonly algorithm: 'HS256' | 'ES256' | 'EdDSA' | 'RS256'
  readonly imported: () => Promise<ImportedKey>
  /** Null for a secret key: there is nothing of it to publish. */
  readonly publicJwk: PublicJwk | null
}

/** As jose takes it at no further cost: an asymmetric `KeyObject` it imports once by itself, a secret one every time. */
interface ImportedKey {
  readonly signing: KeyObject | webcrypto.CryptoKey
  readonly verifying: KeyObject | webcrypto.CryptoKey
}

/** HS256 with the UTF-8 bytes of `secret`. */
export function secretKey(secret: string): Key {
  // A hash of a hash, cut short: it names the key and tells nothing about it.
  const kid = sha256Hex(`kid:${sha256Hex(secret)}`).slice(0, 16)
  const imported = lazy(async () => {
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await webcrypto.subtle.importKey('raw', Buffer.from(secret), hmac, false, ['sign', 'verify'])
    return { signing: key, verifying: key }
  })
  return { kid, algorithm: 'HS256', imported, publicJwk: null }
}

/** ES256, EdDSA or RS256 with a private key; `kid` is its thumbprint (RFC 7638). Throws on any other kind of key. */
export function asymmetricKey(signing: KeyObject): Key {
  const algorithm = algorithmOf(signing)
  const verifying = createPublicKey(signing)
  // The export holds the required members of RFC 7638, 3.2 and no other; sorted they are its input.
  const members = Object.entries(verifying.export({ format: 'jwk' })).sort(([a], [b]) => (a < b ? -1 : 1))
  const jwk = Object.fromEntries(members.map(([name, value]) => [name, String(value)]))
  const kid = sha256Base64Url(JSON.stringify(jwk))
  const imported = async (): Promise<ImportedKey> => ({ signing, verifying })
  return { kid, algorithm, imported, publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' } }
}

/** Those that the authorization server can sign with. Throws like `privateKeysIn`. */
export function readPrivateKeys(text: string): readonly KeyObject[] {
  const keys = privateKeysIn(text)
  for (const key of keys) algorithmOf(key)
  return keys
}

/** The private keys in `text`: PKCS#8 PEM blocks one after another, or JSON: a JWK, a list of them, or a JWK set. Throws
 *  an error that repeats nothing of the text. */
export function privateKeysIn(text: string): readonly KeyObject[] {
  const keys = /^\s*[[{]/.test(text) ? readJwks(text) : readPem(text)
  if (keys.length === 0) throw malformed()
  return keys
}

function algorithmOf(key: KeyObject): 'ES256' | 'EdDSA' | 'RS256' {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048) return 'RS256'
  throw new Error('a key must be P-256, Ed25519, or RSA of at least 2048 bits')
}

const pemBlock = /-----BEGIN PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----/g

/** In a variable, line breaks are often written as `\n`. */
function readPem(text: string): readonly KeyObject[] {
  const pem = text.replaceAll('\\n', '\n')
  if (pem.replace(pemBlock, '').trim() !== '') throw malformed()
  return (pem.match(pemBlock) ?? []).map((block) => orMalformed(() => createPrivateKey(block)))
}

function readJwks(text: string): readonly KeyObject[] {
  const value: unknown = orMalformed(() => JSON.parse(text))
  const list = Array.isArray(value) ? value : jwksOf(value)
  // Node checks the members of what it is given.
  return list.map((jwk) => orMalformed(() => createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })))
}

function jwksOf(value: unknown): readonly unknown[] {
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : [value]
  return Array.isArray(keys) ? keys : []
}

function orMalformed<Value>(read: () => Value): Value {
  try {
    return read()
  } catch {
    throw malformed()
  }
}

function malformed(): Error {
  return new Error('expected private keys as PKCS#8 PEM, or as JSON Web Keys')
}
