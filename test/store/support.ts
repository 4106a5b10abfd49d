/** What the tests of the store share. */
import type { Kysely } from 'kysely'
import { openStore } from '../../runtime/store/open.ts'
import type { Grant, Issued, Migration, Store, StoreOptions, TokenPair } from '../../runtime/store/store.ts'

export const start = 1_800_000_000_000
export const hourMs = 3_600_000
export const grant: Grant = {
  id: 'g1',
  userId: 'dev:developer',
  clientId: 'c1',
  scope: 'api',
  resource: '',
  allowed: null,
}
export const code: Issued = { jti: 'code-1', expiresAt: start + 300_000 }

export const notes: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.createTable('notes').addColumn('text', 'text').execute()
  },
}

export function pair(name: string): TokenPair {
  return {
    access: { jti: `access-${name}`, expiresAt: start + hourMs },
    refresh: { jti: `refresh-${name}`, expiresAt: start + 24 * hourMs },
  }
}

export interface Opened {
  readonly store: Store
  readonly url: string
  /** The one clock of all stores that `open` opens. */
  readonly clock: { now: number }
  /** Another store on the same database, as another process would open it. */
  readonly open: (options?: Partial<StoreOptions>) => Promise<Store>
}

/** A store on the database at `url`, closed at the end of the test `t`. */
export async function openedAt(url: string, t: { teardown(f: () => unknown): void }): Promise<Opened> {
  const clock = { now: start }
  const stores: Store[] = []
  const open: Opened['open'] = async (options = {}) => {
    const store = await openStore({
      url,
      clock: () => clock.now,
      migrations: {},
      migrate: 'apply',
      ...options,
    })
    stores.push(store)
    return store
  }
  t.teardown(async () => {
    for (const store of stores) await store.close()
  })
  return { store: await open(), url, clock, open }
}

/** How many of each kind. */
export function tally(results: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { kind } of results) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in answer) return answer.error
  throw new Error('it did not reject')
}
