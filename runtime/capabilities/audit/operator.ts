/** What `acmcp audit` does, on the store that `acmcp serve` would use: reads the trail page by page, and goes on with what comes.
 *  Needs no build: it reads nothing of the application. */
import { setTimeout as pause } from 'node:timers/promises'
import { openApplicationStore } from '../../boot/application-store.ts'
import { readStoreAddress, type Variables } from '../../boot/environment.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import type { AuditRecord } from '../../contract/calls.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { firstIdAt } from './audit-rows.ts'
import type { AuditFilter, AuditStore } from './audit-store.ts'
import { auditVerbs } from './audit-verbs.ts'

export type { AuditFilter, AuditRecord }

export interface AuditTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Is told once when the store is away while rows are waited for. */
  readonly warn: (line: string) => void
}

/** Which rows. */
export interface AuditQuery {
  readonly filter: AuditFilter
  /** The newest so many of those that are there. */
  readonly limit: number
  /** Goes on with what is written later until this aborts; null = ends. */
  readonly follow: AbortSignal | null
}

/** Rows that are held at a time, some 6 MB. */
const pageRows = 5000
const pollMs = 1000
/** A row is written up to a second after its time, by instances with clocks of their own. */
const lateMs = 5000

/** The oldest row first, in pages of 5,000 at most; with `follow` in the order in which they are seen. */
export async function* auditPages(
  options: AuditTaskOptions,
  query: AuditQuery,
): AsyncGenerator<readonly AuditRecord[]> {
  try {
    const url = readStoreAddress(options.env, options.cwd)
    const opened = await openApplicationStore({
      url,
      migrations: null,
      migrate: 'refuse',
      clock: () => Date.now(),
    })
    const store = opened.verbs(auditVerbs)
    try {
      const { filter, limit, follow } = query
      if (follow !== null) yield* followed(store, query, { signal: follow, warn: options.warn })
      else if (limit <= pageRows) yield await store.listAudit(filter, limit)
      else yield* listed(store, query, await store.findAuditBefore(filter, limit))
    } finally {
      await opened.close()
    }
  } catch (error) {
    throw storeRefusal(error)
  }
}

/** Those of `limit` that are after `before`; one page at least, which may be empty. */
async function* listed(
  store: AuditStore,
  { filter, limit }: AuditQuery,
  before: string,
): AsyncGenerator<readonly AuditRecord[]> {
  let after = before
  for (let left = limit; left > 0; left -= pageRows) {
    const wanted = Math.min(left, pageRows)
    const page = await store.listAuditAfter(filter, after, wanted)
    yield page
    after = page.at(-1)?.id ?? after
    if (page.length < wanted) return
  }
}

interface Following {
  readonly signal: AbortSignal
  readonly warn: (line: string) => void
}

/** Looks once a second at all of the last seconds, and hands on what it has not yet. */
async function* followed(
  store: AuditStore,
  query: AuditQuery,
  { signal, warn }: Following,
): AsyncGenerator<readonly AuditRecord[]> {
  const before = await store.findAuditBefore(query.filter, query.limit)
  const recent = new RecentRows(before)
  for await (const page of listed(store, query, before)) {
    recent.add(page)
    yield page
    if (signal.aborted) return
  }
  let isAway = false
  while (await isTime(signal)) {
    try {
      yield* unseen(store, query.filter, { recent, signal })
      isAway = false
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isAway) warn(`acmcp: ${error.message}: waiting for it`)
      isAway = true
    }
  }
}

async function* unseen(
  store: AuditStore,
  filter: AuditFilter,
  { recent, signal }: { readonly recent: RecentRows; readonly signal: AbortSignal },
): AsyncGenerator<readonly AuditRecord[]> {
  let after = recent.forget()
  while (!signal.aborted) {
    const page = await store.listAuditAfter(filter, after, pageRows)
    const added = recent.add(page)
    if (added.length > 0) yield added
    after = page.at(-1)?.id ?? after
    if (page.length < pageRows) return
  }
}

/** Whether to look again: no when it was aborted. */
const isTime = (signal: AbortSignal): Promise<boolean> => pause(pollMs, true, { signal }).catch(() => false) // rejects with AbortError alone

/** Which rows of the last seconds have been handed on. */
class RecentRows {
  #ids: ReadonlySet<string> = new Set()
  /** Before it nothing was asked for, or all that can come has come. */
  #from: string
  #newestMs = Date.now()

  constructor(from: string) {
    this.#from = from
  }

  /** Those that are new. */
  add(page: readonly AuditRecord[]): readonly AuditRecord[] {
    const added = page.filter(({ id }) => !this.#ids.has(id))
    const last = added.at(-1)
    if (last === undefined) return added
    this.#newestMs = Number.parseInt(last.id.slice(0, 12), 16)
    this.#ids = new Set([...this.#ids, ...added.map(({ id }) => id)])
    this.forget()
    return added
  }

  /** Drops what is older than late rows may be; the id after which to look. */
  forget(): string {
    const from = firstIdAt(Math.min(this.#newestMs, Date.now()) - lateMs)
    if (from > this.#from) this.#from = from
    this.#ids = new Set([...this.#ids].filter((id) => id > this.#from))
    return this.#from
  }
}
