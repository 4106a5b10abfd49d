import { StoreUnavailable } from '../store.ts'

/** Runs one statement at once and returns its rows. */
export type Exec = (sql: string, parameters: readonly unknown[]) => readonly unknown[]

/** A few statements that run in one go. They may run again when they threw or when another batch of their group did. */
export type WriteBatch<Result> = (exec: Exec) => Result

/** One transaction: takes the write lock, lets `write` run in one go, commits. Rolled back when anything fails. */
export type Transact = (write: WriteBatch<void>) => Promise<void>

interface Member {
  /** Runs the batch and keeps its result. */
  readonly attempt: WriteBatch<void>
  readonly succeed: () => void
  readonly fail: (error: unknown) => void
}

/** So many small writes take a few milliseconds; then others may run. */
const maxTogether = 64

/** Batches that wait for the write lock go into one transaction, in the order of asking: many callers cost one commit, a
 *  single one is never kept waiting for others. When one of a group throws, nothing of the group is kept and each runs
 *  again by itself. */
export class GroupCommit {
  readonly #transact: Transact
  readonly #waiting: Member[] = []
  #isRunning = false
  constructor(transact: Transact) {
    this.#transact = transact
  }

  /** Resolves with what `write` returned once that is durable. Rejects with what it threw, and as every statement does. */
  enqueue<Result>(write: WriteBatch<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let done: { readonly result: Result } | null = null
      const attempt = (exec: Exec): void => {
        done = { result: write(exec) }
      }
      const succeed = (): void => {
        if (done !== null) resolve(done.result)
      }
      this.#waiting.push({ attempt, succeed, fail: reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) await this.#commitWaiting()
    this.#isRunning = false
  }

  /** What is enqueued while the lock is waited for comes along. */
  async #commitWaiting(): Promise<void> {
    const group: Member[] = []
    try {
      await this.#transact((exec) => {
        group.push(...this.#waiting.splice(0, maxTogether))
        for (const { attempt } of group) attempt(exec)
      })
      for (const { succeed } of group) succeed()
    } catch (error) {
      if (group.length === 0) group.push(...this.#waiting.splice(0)) // the file cannot be written now
      if (group.length === 1 || error instanceof StoreUnavailable) {
        for (const { fail } of group) fail(error)
      } else {
        for (const { attempt, succeed, fail } of group) await this.#transact(attempt).then(succeed, fail)
      }
    }
  }
}
