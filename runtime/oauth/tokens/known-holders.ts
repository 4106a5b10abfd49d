/** Whose access token a request brought, without verifying it again. */
import { hash } from 'node:crypto'
import type { UserOfToken } from '../../store/store.ts'

/** Whose a valid access token is; `clientId` is null when it names none. */
export interface TokenHolder extends UserOfToken {
  readonly clientId: string | null
}

/** The holders of the tokens that passed last, by digest. */
export interface KnownHolders {
  /** Notes how a look-up ended; null = the token is no good (any more). */
  note(token: string, holder: TokenHolder | null): void
  /** Null for a token that was not looked up here, or not with success. */
  of(token: string): TokenHolder | null
}

const capacity = 10_000
const keyOf = (token: string): string => hash('sha256', token, 'hex')

/** At most 10,000; who was looked up least recently is forgotten. */
export function createKnownHolders(): KnownHolders {
  const holders = new Map<string, TokenHolder>()
  return {
    note(token, holder) {
      if (holder === null && holders.size === 0) return
      const key = keyOf(token)
      holders.delete(key)
      if (holder === null) return
      holders.set(key, holder)
      if (holders.size > capacity) for (const oldest of holders.keys()) return void holders.delete(oldest)
    },
    of: (token) => holders.get(keyOf(token)) ?? null,
  }
}
