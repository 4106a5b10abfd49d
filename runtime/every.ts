/** Work that is done again and again while the application runs. Imports nothing of ours. */

/** Does `work` every `everyMs` milliseconds. What it answers ends that, after the turn under way. `work` never rejects. */
export type Regularly = (everyMs: number, work: () => Promise<void>) => () => Promise<void>

/** By a timer that keeps no process alive; a turn is left out while the one before it runs. */
export const byTimer: Regularly = (everyMs, work) => {
  let turn: Promise<void> | null = null
  const timer = setInterval(() => {
    turn ??= work().finally(() => {
      turn = null
    })
  }, everyMs).unref()
  return async () => {
    clearInterval(timer)
    await turn
  }
}
