/** The tool calls that run: how many at once, of all clients and of each, and for how long. A call has its place until its work
 *  ends, also when its client has left, and until its time is up at the latest. */
import { type CallTime, type DeadlineOptions, Deadlines } from '../../http/limits/call-time.ts'
import type { Caller } from '../auth/caller.ts'
import type { Overload } from '../protocol/http-refusal.ts'
import { createShares } from './shares.ts'

export interface RunningOptions extends Omit<DeadlineOptions, 'seconds'> {
  /** How long one call may run; null = no limit. */
  readonly toolCallSeconds: number | null
  /** Of all clients together; null = no limit. */
  readonly concurrentToolCalls: number | null
  /** Of one user, of accepted credentials, or of an address without accepted credentials; null = no limit. */
  readonly concurrentToolCallsPerUser: number | null
}

/** The work of one call, and what it comes to when its time is up. */
export interface CallWork<Answer> {
  readonly time: CallTime
  readonly run: () => Promise<Answer>
  readonly tooLong: () => Answer
}

export interface RunningCalls {
  /** Why no further call of that client may run now, or null. */
  overload(caller: Caller): Overload | null
  run<Answer>(caller: Caller, work: CallWork<Answer>): Promise<Answer>
}

const busy: Overload = { status: 503, retryAfterSeconds: 1, of: 'calls' }
const ownShare: Overload = { status: 429, retryAfterSeconds: 1, of: 'calls' }

export function createRunningCalls(options: RunningOptions): RunningCalls {
  const { concurrentToolCalls: most, toolCallSeconds: seconds, monotonic, every } = options
  const shares = createShares(options.concurrentToolCallsPerUser)
  const deadlines = new Deadlines({ seconds, monotonic, every })
  let running = 0
  return {
    overload(caller) {
      if (most !== null && running >= most) return busy
      return shares.isSpent(caller) ? ownShare : null
    },
    run(caller, { time, run, tooLong }) {
      running += 1
      shares.take(caller)
      return new Promise((resolve, reject) => {
        let isLeft = false
        const leave = (): void => {
          if (isLeft) return
          isLeft = true
          deadline.leave()
          running -= 1
          shares.giveBack(caller)
        }
        const deadline = deadlines.set(() => {
          leave()
          resolve(tooLong())
          time.end()
        })
        run().then(
          (answer) => {
            leave()
            resolve(answer)
          },
          (error: unknown) => {
            leave()
            reject(error)
          },
        )
      })
    },
  }
}
