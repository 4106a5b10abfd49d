import { hash } from 'node:crypto'

/** How a bearer identifier is kept: SHA-256, lower-case hex. A copy of the database opens nothing. */
export function hashOf(bearer: string): string {
  return hash('sha256', bearer, 'hex')
}
