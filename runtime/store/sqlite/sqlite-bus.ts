/** What processes on one SQLite file tell each other: that something may have changed, by a number in the file. */
import type { Bus, BusMessage } from '../../contract/bus.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Prepare } from '../verbs/prepare.ts'
import type { GroupCommit } from './group-commit.ts'

const lookEveryMs = 500

const current = 'select version from acmcp_changes'
const next = 'update acmcp_changes set version = version + 1 returning version'

/** What was there when it joined could not be read: any number is another. */
const unknown = -1

interface Version {
  readonly version: number
}

interface SqliteBusOptions {
  readonly prepare: Prepare
  readonly commits: Pick<GroupCommit, 'enqueue'>
  readonly every: Scheduler
}

/** Carries no message: whatever is published is a gap for the other processes, within half a second. */
export class SqliteBus implements Bus {
  readonly #options: SqliteBusOptions
  readonly #look: () => Promise<readonly Version[]>
  readonly #gapListeners: (() => void)[] = []
  #stopLooking: () => Promise<void> = async () => {}
  /** Null = the file has not been read. */
  #known: number | null = null
  #isJoined = false
  #isUntold = false
  #telling: Promise<void> | null = null

  constructor(options: SqliteBusOptions) {
    this.#options = options
    const read = options.prepare<Version>(current)
    this.#look = () => read([])
  }

  async join(): Promise<void> {
    await this.#compare()
    this.#isJoined = true
    this.#stopLooking = this.#options.every(lookEveryMs, () => this.#compare())
  }

  publish(_topic: string, _message: BusMessage): void {
    this.#isUntold = true
    this.#publish()
  }

  subscribe(): void {}

  onGap(listener: () => void): void {
    this.#gapListeners.push(listener)
  }

  async close(): Promise<boolean> {
    await this.#stopLooking()
    while (this.#telling !== null) await this.#telling
    return !this.#isUntold
  }

  /** One write, however much is published meanwhile. One that fails is made up for at the next look. */
  #publish(): void {
    if (this.#telling !== null || !this.#isUntold) return
    this.#isUntold = false
    this.#telling = this.#options.commits
      .enqueue((exec) => exec(next, []) as readonly Version[]) // as `returning` says
      .then(
        ([row]) => {
          this.#telling = null
          this.#saw(row?.version ?? 0, (this.#known ?? 0) + 1)
          this.#publish()
        },
        () => {
          this.#telling = null
          this.#isUntold = true
        },
      )
  }

  /** While this process writes, the number may be its own. A file that cannot be read now is looked at again. */
  async #compare(): Promise<void> {
    this.#publish()
    if (this.#telling !== null) return
    try {
      const [row] = await this.#look()
      const version = row?.version ?? 0
      if (this.#telling === null) this.#saw(version, this.#known ?? (this.#isJoined ? unknown : version))
    } catch {
      // the store has told of it
    }
  }

  #saw(version: number, expected: number): void {
    this.#known = version
    if (version === expected) return
    for (const listener of this.#gapListeners) listener()
  }
}
