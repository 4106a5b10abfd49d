/** Small primitives for secrets. Imports nothing of ours. */
import { hash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a text, lower-case hex: how bearer identifiers are kept, so that a copy of the database opens nothing. */
export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}

/** SHA-256 of a text, base64url without padding (RFC 7636, S256). */
export function sha256Base64Url(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Whether two texts are equal, in time that does not depend on where they differ (both are hashed first). */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}
