/** How users are blocked and erased, by operators and by the application. Each step may be done again: after a crash another instance does
 *  all of them. Source: decisions/oauth.md, People who leave. */

import { setTimeout as pause } from 'node:timers/promises'
import type { MaybePromise } from '../../contract/http.ts'
import type { Clock, Logger, RandomBytes, Services, UserStanding } from '../../contract/store.ts'
import { randomHex } from '../../oauth/options.ts'
import { inTime } from '../../oauth/providers/in-time.ts'
import { erasedPrefix } from '../../store/pseudonyms.ts'
import type { Store } from '../../store/store.ts'
import { revokeInBatches } from '../../store/verbs/revoke-grants.ts'
import type { KeptRows, LeavingStore, OnErase, UserDesk } from './types.ts'

export interface LeavingOptions {
  readonly store: LeavingStore & Pick<Store, 'findStanding' | 'revokeGrants' | 'revokeSessions'>
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly randomBytes: RandomBytes
  readonly log: Logger
  /** The actor, in the audit. */
  readonly by: 'operator' | 'application'
  /** Tells every instance that a user's access has ended. */
  readonly revoked: (userId: string) => MaybePromise<void>
  readonly record: (event: LeavingEvent, user: string, facts: Facts) => MaybePromise<void>
  /** Null where there is no audit. Resolves when what waits here is written. */
  readonly flush: (() => Promise<void>) | null
  readonly onErase: OnErase | null
  /** For `onErase`. */
  readonly services: () => Services
}

export type LeavingEvent = 'block' | 'unblock' | 'erasure'

type Facts = Readonly<Record<string, string | number>>

/** Rows of the audit wait at other instances for a second. */
const settleMs = 2000
const onEraseMs = 10 * 60_000
/** Between two attempts: twice as long after each failure. */
const retryMs = { first: 60_000, most: 60 * 60_000 }
const erasedTogether = 500

interface Failure {
  readonly waitMs: number
  readonly retryAt: number
}

export class LeavingUsers implements UserDesk {
  readonly #options: LeavingOptions
  readonly #erasing = new Map<string, Promise<KeptRows>>()
  readonly #failures = new Map<string, Failure>()

  constructor(options: LeavingOptions) {
    this.#options = options
  }

  readonly show = (id: string): Promise<UserStanding | null> => this.#options.store.findStanding(id)

  readonly block = async (id: string): Promise<boolean> => {
    const { store, by, record } = this.#options
    const isNew = await store.blockUser(id)
    if (!isNew && ((await store.findStanding(id))?.blockedAt ?? null) === null) return false
    const ended = await this.#endAccess(id, 'blocked')
    if (isNew) await record('block', id, { by, ...ended })
    return true
  }

  readonly unblock = async (id: string): Promise<boolean> => {
    const { store, by, record } = this.#options
    const standing = await store.findStanding(id)
    if (standing === null || standing.erasedAs !== null) return false
    if (standing.blockedAt === null) return true
    await this.#endAccess(id, 'blocked') // what was under way when they were blocked
    if (await store.unblockUser(id)) await record('unblock', id, { by })
    return true
  }

  readonly erase: UserDesk['erase'] = async (id, { dryRun = false } = {}) => {
    const { store, randomBytes } = this.#options
    if ((await store.findStanding(id)) === null) return null
    if (dryRun) return store.countRows(id)
    await store.beginErasure(id, `${erasedPrefix}${randomHex(randomBytes, 16)}`)
    return this.#eraseOnce(id)
  }

  /** Goes on with those that were begun, but for what failed lately. */
  async continueErasures(signal: AbortSignal | null = null): Promise<void> {
    const { store, monotonic } = this.#options
    for (const { user } of await store.listErasures(erasedTogether)) {
      if (signal?.aborted === true) return
      if ((this.#failures.get(user.id)?.retryAt ?? 0) <= monotonic())
        await this.#eraseOnce(user.id).catch(() => {}) // is logged
    }
  }

  /** Resolves when what this process erases has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#erasing.values())
  }

  /** A caller that asks for it meanwhile waits for the same. */
  #eraseOnce(id: string): Promise<KeptRows> {
    const running = this.#erasing.get(id)
    if (running !== undefined) return running
    const erasing = this.#erase(id)
      .then((kept) => {
        this.#failures.delete(id)
        return kept
      })
      .catch((error: unknown) => {
        this.#failed(id, error)
        throw error
      })
      .finally(() => this.#erasing.delete(id))
    this.#erasing.set(id, erasing)
    return erasing
  }

  #failed(id: string, error: unknown): void {
    const { log, monotonic } = this.#options
    const last = this.#failures.get(id)
    const waitMs = last === undefined ? retryMs.first : Math.min(2 * last.waitMs, retryMs.most)
    this.#failures.set(id, { waitMs, retryAt: monotonic() + waitMs })
    log.error({ err: error }, 'a user could not be erased yet')
  }

  async #erase(id: string): Promise<KeptRows> {
    const { store, monotonic, by, record, flush, onErase, services } = this.#options
    const standing = await store.findStanding(id)
    if (standing === null || standing.erasedAs === null) return store.noRows // another instance has done it
    const isDone = async (): Promise<boolean> =>
      (await store.findStanding(id))?.erasedAs !== standing.erasedAs // a user who is there then is another
    await this.#endAccess(id, 'erased')
    const endedAt = monotonic()
    if (onErase !== null)
      await inTime((async () => onErase(standing.user, services()))(), onEraseMs, 'onErase')
    if (await isDone()) return store.noRows
    const kept = await store.eraseRows(standing)
    if (flush !== null) {
      await flush()
      await pause(Math.max(0, endedAt + settleMs - monotonic()))
    }
    if (await isDone()) return store.noRows
    const rows = { ...kept, ...(await store.eraseUser(standing)) }
    await record('erasure', standing.erasedAs, { by, ...rows })
    return rows
  }

  /** A blocked user's sessions and tokens are none already: instances are told before anything else can go wrong. */
  async #endAccess(id: string, reason: string): Promise<Facts> {
    const { store, revoked } = this.#options
    await revoked(id)
    let connections = 0
    for await (const { live } of revokeInBatches(store, { userId: id }, reason)) connections += live.length
    const sessions = await store.revokeSessions(id)
    return { connections, sessions, ...(await store.endRows(id)) }
  }
}
