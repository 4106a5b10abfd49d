/** One task that this process works on. */
import type { EndedBy, HttpRequest } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { lateSession } from '../../http/session/too-late.ts'
import { DetachedRequest } from '../../mcp/tools/detached-request.ts'
import { failedTask } from './task-answers.ts'
import type { TaskChange, TaskRecord, TaskStore } from './task-record.ts'

/** Work that this process has taken: the store has it as the runner. */
export interface TaskWork {
  readonly task: TaskRecord
  /** Whether another process may run it again. */
  readonly isIdempotent: boolean
  /** Resolves with what becomes of it. */
  readonly run: (running: RunningTask) => Promise<TaskChange>
}

interface RunningTaskParts {
  readonly store: TaskStore
  readonly log: Logger
  /** Is told once when there is nothing more to do for it. */
  readonly left: (task: RunningTask) => void
}

/** Its changes go to the store one after the other: each is made of the one before. */
export class RunningTask {
  readonly key: string
  readonly #work: TaskWork
  readonly #parts: RunningTaskParts
  #task: TaskRecord
  #written: Promise<unknown> = Promise.resolve()
  #progress: string | null = null
  /** Its end, which could not be written yet. */
  #unsaved: TaskChange | null = null
  /** Whether it is no longer this process that says what becomes of it. */
  #isLost = false
  #endedBy: EndedBy | null = null
  /** The first end counts. */
  #hasEnded = false
  readonly #listeners = new Set<(by: EndedBy) => void>()

  constructor(work: TaskWork, parts: RunningTaskParts) {
    this.key = work.task.key
    this.#work = work
    this.#task = work.task
    this.#parts = parts
  }

  /** The id of whose it is. */
  get user(): string | null {
    return this.#task.user
  }

  run(): void {
    this.#work.run(this).then(
      (change) => this.#end(change),
      (error: unknown) => {
        this.#parts.log.error({ tool: this.#task.tool, err: error }, 'a task threw')
        return this.#end(failedTask('Internal error'))
      },
    )
  }

  /** Is told the store with the next beat. */
  progress(text: string): void {
    this.#progress = text
  }

  /** Calls `gone` when its answer is wanted no more, or the server stops; at once when that is so. */
  whenEnded(gone: (by: EndedBy) => void): () => void {
    if (this.#endedBy !== null) gone(this.#endedBy)
    else this.#listeners.add(gone)
    return () => void this.#listeners.delete(gone)
  }

  async beat(): Promise<void> {
    if (this.#unsaved !== null) return this.#save(this.#unsaved)
    if (this.#progress === null || this.#isLost) return
    const message = this.#progress
    this.#progress = null
    if ((await this.#write({ message })) === null) this.lose()
  }

  /** The store says otherwise: cancelled, or another process has taken it. What it comes to is dropped. */
  lose(): void {
    this.#isLost = true
    this.#stop('client')
  }

  /** The process ends. */
  async giveUp(): Promise<void> {
    this.#stop('server')
    const handedOver = { runner: null, leaseUntil: null }
    const ended = this.#work.isIdempotent ? handedOver : failedTask('the server stopped before it was done')
    await (this.#unsaved === null ? this.#end(ended) : this.#save(this.#unsaved))
  }

  #stop(by: EndedBy): void {
    if (this.#endedBy !== null) return
    this.#endedBy = by
    for (const listener of this.#listeners) listener(by)
    this.#listeners.clear()
  }

  async #end(change: TaskChange): Promise<void> {
    if (this.#isLost) return this.#parts.left(this)
    if (this.#hasEnded) return
    this.#hasEnded = true
    await this.#save(change)
  }

  async #save(change: TaskChange): Promise<void> {
    this.#unsaved = change
    try {
      await this.#write(change) // null: another process has written how it ended
    } catch (error) {
      this.#parts.log.warn({ tool: this.#task.tool, err: error }, 'the end of a task could not be stored yet')
      return
    }
    this.#unsaved = null
    this.#isLost = true
    this.#parts.left(this)
  }

  #write(change: TaskChange): Promise<TaskRecord | null> {
    const written = this.#written.then(async () => {
      const changed = await this.#parts.store.changeTask(this.#task, change)
      if (changed !== null) this.#task = changed
      return changed
    })
    this.#written = written.catch(() => {})
    return written
  }
}

/** What the route sees of the client's request once that has been answered. */
export class TaskRequest extends DetachedRequest {
  readonly #task: RunningTask

  constructor(request: HttpRequest, task: RunningTask) {
    super(request, lateSession)
    this.#task = task
  }

  onDisconnect(gone: (by: EndedBy) => void): () => void {
    return this.#task.whenEnded(gone)
  }
}
