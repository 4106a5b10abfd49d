/** How many of something each client has at once, so that no one takes what is there for all. */
import type { Caller } from '../auth/caller.ts'

export interface Shares {
  /** Whether the client has taken all that it may have. */
  isSpent(caller: Caller): boolean
  take(caller: Caller): void
  giveBack(caller: Caller): void
}

/** `most` of each client; null = no limit. Nothing is kept of a client that has nothing. */
export function createShares(most: number | null): Shares {
  const taken = new Map<string, number>()
  if (most === null) return { isSpent: () => false, take: () => {}, giveBack: () => {} }
  return {
    isSpent: ({ key }) => (taken.get(key) ?? 0) >= most,
    take: ({ key }) => void taken.set(key, (taken.get(key) ?? 0) + 1),
    giveBack({ key }) {
      const left = (taken.get(key) ?? 0) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
    },
  }
}
