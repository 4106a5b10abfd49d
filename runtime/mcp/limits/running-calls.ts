/** The tool calls that run: how many at once, of all clients and of each, and for how long. A call has its place until its work
 *  ends, also when its client has left, and until its time is up at the latest. */
import type { Caller } from '../auth/caller.ts'
import { type CallTime, type DeadlineOptions, Deadlines } from './call-time.ts'
import type { Overload } from './limits.ts'
import { createShares, type Shares } from './shares.ts'

export interface RunningOptions extends DeadlineOptions {
  /** Of all clients together; null = no limit. */
  readonly concurrentToolCalls: number | null
  /** Of one user, of accepted credentials, or of an address where nobody was accepted; null = no limit. */
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

const busy: Overload = { status: 503, retryAfterSeconds: 1 }
const ownShare: Overload = { status: 429, retryAfterSeconds: 1 }

export function createRunningCalls(options: RunningOptions): RunningCalls {
  const { concurrentToolCalls: most } = options
  const places: Places = {
    running: 0,
    shares: createShares(options.concurrentToolCallsPerUser),
    deadlines: new Deadlines(options),
  }
  return {
    overload(caller) {
      if (most !== null && places.running >= most) return busy
      return places.shares.isSpent(caller) ? ownShare : null
    },
    run: (caller, work) => inPlace(places, caller, work),
  }
}

interface Places {
  running: number
  readonly shares: Shares
  readonly deadlines: Deadlines
}

function inPlace<Answer>(
  places: Places,
  caller: Caller,
  { time, run, tooLong }: CallWork<Answer>,
): Promise<Answer> {
  const leave = taken(places, caller)
  return new Promise((resolve, reject) => {
    const over = places.deadlines.set(() => {
      leave()
      resolve(tooLong())
      time.end()
    })
    const ended =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        over()
        leave()
        settle(value)
      }
    run().then(ended(resolve), ended(reject))
  })
}

/** Takes a place; returns what gives it back, once. */
function taken(places: Places, caller: Caller): () => void {
  let isLeft = false
  places.running += 1
  places.shares.take(caller)
  return () => {
    if (isLeft) return
    isLeft = true
    places.running -= 1
    places.shares.giveBack(caller)
  }
}
