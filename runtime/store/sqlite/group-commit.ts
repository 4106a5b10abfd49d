import { StoreUnavailable } from '../store.ts'

/** Runs one statement at once and answers its rows. */
export type RunNow = (sql: string, parameters: readonly unknown[]) => readonly unknown[]

/** A short write, which runs in one go. It may be run again when it threw or when another work of its group did. */
export type Work<Result> = (run: RunNow) => Result

/** Runs short writes, each in a transaction that ends with a durable commit. */
export interface Commits {
  /** Answers what `work` did, once it is durable. Rejects with what it threw, and as every statement does. */
  durably<Result>(work: Work<Result>): Promise<Result>
}

/** One transaction: takes the write lock, lets `write` run in one go, commits. Rolled back when anything fails. */
export type Transact = (write: (run: RunNow) => void) => Promise<void>

interface Member {
  /** Runs the work and keeps its result. */
  readonly attempt: (run: RunNow) => void
  readonly succeed: () => void
  readonly fail: (error: unknown) => void
}

/** So many small writes take a few milliseconds; then others get their turn. */
const mostTogether = 64

/** Writes that are waiting for the write lock go into one transaction, in the order of asking: many callers cost one
 *  commit, a single one is never kept waiting for others. When one of a group throws, nothing of the group is kept and
 *  each runs again by itself. */
export class GroupCommit implements Commits {
  readonly #transact: Transact
  readonly #waiting: Member[] = []
  #isRunning = false
  constructor(transact: Transact) {
    this.#transact = transact
  }

  durably<Result>(work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let done: { readonly result: Result } | null = null
      const attempt = (run: RunNow): void => {
        done = { result: work(run) }
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

  /** Who asks while the lock is waited for comes along. */
  async #commitWaiting(): Promise<void> {
    const group: Member[] = []
    try {
      await this.#transact((run) => {
        group.push(...this.#waiting.splice(0, mostTogether))
        for (const { attempt } of group) attempt(run)
      })
      for (const { succeed } of group) succeed()
    } catch (error) {
      if (group.length === 0) group.push(...this.#waiting.splice(0)) // nobody can write now
      if (group.length === 1 || error instanceof StoreUnavailable) {
        for (const { fail } of group) fail(error)
      } else {
        for (const member of group) await this.#commitAlone(member)
      }
    }
  }

  async #commitAlone({ attempt, succeed, fail }: Member): Promise<void> {
    await this.#transact(attempt).then(succeed, fail)
  }
}
