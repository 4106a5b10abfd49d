/** Many changes of one thing become few messages. */
import type { Scheduler } from '../../scheduler.ts'

const everyMs = 1000
/** So many texts are kept an eye on at once; further ones are all said. */
const maxRecent = 10_000

export interface Coalesced {
  readonly say: (text: string) => void
  /** Says what waits. From then on nothing waits. */
  readonly end: () => void
}

/** A text is said at once; if it comes again within the next second, then once more at its end, and so on each second. The last one is
 *  never lost. */
export function coalesced(say: (text: string) => void, every: Scheduler): Coalesced {
  const recent = new Map<string, { isAgain: boolean }>()
  let stop: (() => Promise<void>) | null = null
  let isOver = false
  const look = async (): Promise<void> => {
    for (const [text, since] of [...recent]) {
      if (since.isAgain) say(text)
      else recent.delete(text)
      since.isAgain = false
    }
    if (recent.size === 0) rest()
  }
  const rest = (): void => {
    void stop?.()
    stop = null
  }
  return {
    say(text) {
      const since = recent.get(text)
      if (since !== undefined) {
        since.isAgain = true
        return
      }
      if (!isOver && recent.size < maxRecent) {
        recent.set(text, { isAgain: false })
        stop ??= every(everyMs, look)
      }
      say(text)
    },
    end() {
      isOver = true
      for (const [text, { isAgain }] of recent) if (isAgain) say(text)
      recent.clear()
      rest()
    },
  }
}
