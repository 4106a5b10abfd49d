/** When the database cannot be used, and when it can again: each is told once, however many verbs fail in between. */
import type { Clock } from '../contract/store.ts'

/** Writes may fail alone: a full disk, a file or server that only reads. */
export type Use = 'read' | 'write'

/** What an engine tells of every use. Waiting for others (`StoreBusy`) is no failure. */
export interface Health {
  failed(use: Use, cause: unknown): void
  worked(use: Use): void
}

/** Called when the store fails or works again. */
export interface OutageListener {
  /** `cause`: what the driver said. */
  began(cause: unknown): void
  ended(afterMs: number): void
}

/** Has no listener. */
export const unwatched: Health = { failed: () => {}, worked: () => {} }

export interface WatchedHealth extends Health {
  /** Whether a write failed, and none has worked since. */
  isWriteOut(): boolean
  close(): void
}

/** Tells `listener`, until `close`. */
export function watchHealth(listener: OutageListener, clock: Clock): WatchedHealth {
  let outage: { readonly use: Use; readonly since: number } | null = null
  let isClosed = false
  return {
    failed(use, cause) {
      if (isClosed || outage !== null) return
      outage = { use, since: clock() }
      listener.began(cause)
    },
    worked(use) {
      if (outage === null || (use === 'read' && outage.use === 'write')) return
      const { since } = outage
      outage = null
      listener.ended(clock() - since)
    },
    isWriteOut: () => outage?.use === 'write',
    close() {
      isClosed = true
    },
  }
}
