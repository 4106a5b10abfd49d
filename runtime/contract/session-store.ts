/** Sessions at rest: `id` is hashed by the store, `expiresAt` in milliseconds since the epoch. */
export interface SessionStore {
  readSession(id: string): Promise<Readonly<Record<string, unknown>> | null>
  /** Creates or replaces it. */
  writeSession(id: string, data: Readonly<Record<string, unknown>>, expiresAt: number): Promise<void>
  /** Replaces it if it is there still, and resolves with whether it was: one that has been destroyed does not come back. */
  updateSession(id: string, data: Readonly<Record<string, unknown>>, expiresAt: number): Promise<boolean>
  destroySession(id: string): Promise<void>
}
