/** Batches of the audit on their way to a SQLite file: a thread writes them and waits for the disk, which would keep requests waiting. */
import { Worker } from 'node:worker_threads'
import type { Health } from '../../store/health.ts'
import type { Sqlite } from '../../store/sqlite/sqlite.ts'
import type { Identity } from '../../store/sqlite/sqlite-file.ts'
import { StoreBusy, StoreUnavailable } from '../../store/store.ts'
import { type AppendAudit, type AuditBatch, batchOf } from './audit-rows.ts'

/** What the thread begins with. */
export interface AuditThreadData {
  readonly path: string
  readonly patienceMs: number
  /** The file that was found there; another is not written to. */
  readonly known: Identity | null
}

/** A batch, once the one before is answered; null = the end. */
export type AuditRequest = AuditBatch | null

/** Null: it is durable. `ready`, once and first: the thread has loaded what it needs. */
export type AuditReply = AuditFailure | 'ready' | null

/** What was thrown, as far as it can be told to another thread. */
export interface AuditFailure {
  readonly kind: 'busy' | 'unavailable' | 'error'
  readonly message: string
}

export interface AuditThreadOptions
  extends Omit<AuditThreadData, 'known'>,
    Pick<Sqlite, 'takeTurn' | 'identity'> {
  readonly health: Health
}

interface Pending {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Of threads that were given up and do not end: then no further one is started. */
const maxHung = 2
/** How long a thread may take to load what it needs, on a busy machine. */
const startMs = 20_000

/** Starts with the first batch. The process does not end while one is under way. Other writes wait for an answer of the thread, but for
 *  twice as long as it may wait for the lock and no longer: then another takes its place. What it had not answered is rejected, and comes
 *  again; a batch that it has written all the same stays once. */
export class AuditThread {
  readonly #options: AuditThreadOptions
  readonly #hung = new Set<Worker>()
  #pending: Pending | null = null
  #worker: Worker | null = null
  #ready = Promise.resolve()
  #isClosed = false
  constructor(options: AuditThreadOptions) {
    this.#options = options
  }

  /** A thread that starts keeps no other write waiting: on a busy machine that takes seconds. */
  readonly append: AppendAudit = async (records) => {
    if (this.#worker === null && !this.#isClosed) this.#start()
    await this.#ready
    await this.#options.takeTurn(() => this.#write(batchOf(records)))
  }

  #write(batch: AuditBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new StoreUnavailable(undefined, { cause: new Error('the store is closed') })
      const worker = this.#worker ?? this.#start()
      const timer = setTimeout(() => this.#gaveUp(worker), 2 * this.#options.patienceMs)
      this.#pending = {
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      worker.ref()
      post(worker, batch)
    })
  }

  /** What was appended is written first. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === null) return
    worker.ref()
    post(worker, null)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 2 * this.#options.patienceMs)
      worker.once('exit', () => resolve(clearTimeout(timer))) // also after an error
    })
    if (this.#worker === worker) this.#gaveUp(worker)
  }

  /** Throws `StoreUnavailable` where too many do not end. */
  #start(): Worker {
    if (this.#hung.size >= maxHung) throw noAnswer()
    const { path, patienceMs, identity } = this.#options
    const workerData: AuditThreadData = { path, patienceMs, known: identity() }
    // nothing that the application preloads, and little memory for what lives as long as a batch
    const options = { execArgv: [], env: {}, resourceLimits: { maxYoungGenerationSizeMb: 8 } }
    const worker = new Worker(new URL('./audit-worker.js', import.meta.url), { workerData, ...options })
    worker.on('message', (reply: AuditReply) => this.#answered(worker, reply))
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread of the audit ended')))
    this.#ready = new Promise((resolve) => {
      const timer = setTimeout(() => this.#gaveUp(worker), startMs)
      const begin = (): void => resolve(clearTimeout(timer))
      worker.once('message', begin).once('exit', begin)
    })
    this.#worker = worker
    return worker
  }

  /** What it was given may be written yet: a batch that is there already stays. The thread ends by itself when the operating system
   *  returns, and nothing waits for it: `terminate()` amid a call of the database's library can abort the whole process. */
  #gaveUp(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#hung.add(worker)
    worker.once('exit', () => this.#hung.delete(worker))
    worker.unref()
    if (!this.#isClosed) post(worker, null)
    this.#options.health.failed('write', noAnswer().cause)
    this.#ended(worker, noAnswer().cause)
  }

  #answered(worker: Worker, failure: AuditReply): void {
    if (failure === 'ready' || this.#worker !== worker) return
    const pending = this.#pending
    this.#pending = null
    if (!this.#isClosed) worker.unref()
    if (failure === null) {
      this.#options.health.worked('write')
      pending?.resolve()
      return
    }
    if (failure.kind === 'unavailable') this.#options.health.failed('write', new Error(failure.message))
    pending?.reject(errorOf(failure))
  }

  /** The next batch starts another one. */
  #ended(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#pending?.reject(new StoreUnavailable(undefined, { cause }))
    this.#pending = null
  }
}

const noAnswer = (): StoreUnavailable =>
  new StoreUnavailable(undefined, {
    cause: new Error('the thread of the audit does not answer: another takes its place'),
  })

const post = (worker: Worker, request: AuditRequest): void => worker.postMessage(request)

function errorOf({ kind, message }: AuditFailure): Error {
  const cause = new Error(message)
  if (kind === 'busy') return new StoreBusy({ cause })
  return kind === 'unavailable' ? new StoreUnavailable(undefined, { cause }) : cause
}
