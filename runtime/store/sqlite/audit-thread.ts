/** Rows of the audit on their way to a SQLite file: a thread binds and writes them and waits for the disk, which would take
 *  several times as long as everything else that is done for a row, and none of it is then time of the requests. */
import { Worker } from 'node:worker_threads'
import type { Health } from '../health.ts'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import { type AppendAudit, documentOf } from '../verbs/audit-rows.ts'
import type { Sqlite } from './sqlite.ts'
import type { Identity } from './sqlite-file.ts'

/** What the thread begins with. */
export interface AuditThreadData {
  readonly path: string
  readonly patienceMs: number
  /** The file that was found there; another is not written to. */
  readonly known: Identity | null
}

/** Rows as a JSON document, once the one before is answered; null = the end. */
export type AuditRequest = string | null

/** Null: they are durable. `ready`, once and first: the thread has loaded what it needs. */
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

/** Starts with the first row. The process does not end while a row is under way. Other writes wait for an answer of the thread, but for
 *  twice as long as it may wait for the lock and no longer: until it answers, it is given nothing more. */
export class AuditThread {
  readonly #options: AuditThreadOptions
  #isLate = false
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
    if (this.#isLate) throw noAnswer()
    await this.#options.takeTurn(() => this.#write(documentOf(records)))
  }

  #write(document: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new StoreUnavailable(undefined, { cause: new Error('the store is closed') })
      const worker = this.#worker ?? this.#start()
      const timer = setTimeout(() => this.#gaveUp(), 2 * this.#options.patienceMs)
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
      post(worker, document)
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
  }

  #start(): Worker {
    const { path, patienceMs, identity } = this.#options
    const workerData: AuditThreadData = { path, patienceMs, known: identity() }
    // nothing that the application preloads, and little memory for what lives as long as a batch
    const options = { execArgv: [], env: {}, resourceLimits: { maxYoungGenerationSizeMb: 8 } }
    const worker = new Worker(new URL('./audit-worker.js', import.meta.url), { workerData, ...options })
    worker.on('message', (reply: AuditReply) => this.#answered(worker, reply))
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread of the audit ended')))
    this.#ready = new Promise((resolve) =>
      worker.once('message', () => resolve()).once('exit', () => resolve()),
    )
    this.#worker = worker
    return worker
  }

  /** It may be written yet: rows that are there already stay. */
  #gaveUp(): void {
    this.#isLate = true
    this.#options.health.failed('write', noAnswer().cause)
    this.#pending?.reject(noAnswer())
    this.#pending = null
  }

  #answered(worker: Worker, failure: AuditReply): void {
    if (failure === 'ready') return
    this.#isLate = false
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

  /** The next row starts another one. */
  #ended(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    this.#isLate = false
    this.#pending?.reject(new StoreUnavailable(undefined, { cause }))
    this.#pending = null
  }
}

const noAnswer = (): StoreUnavailable =>
  new StoreUnavailable(undefined, { cause: new Error('the thread of the audit does not answer') })

const post = (worker: Worker, request: AuditRequest): void => worker.postMessage(request)

function errorOf({ kind, message }: AuditFailure): Error {
  const cause = new Error(message)
  if (kind === 'busy') return new StoreBusy({ cause })
  return kind === 'unavailable' ? new StoreUnavailable(undefined, { cause }) : cause
}
