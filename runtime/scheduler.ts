/** Work that is done again and again while the application runs. Imports nothing of ours. */

/** Does `work` every `everyMs` milliseconds. What it returns ends that, after the run under way. `work` never rejects. */
export type Scheduler = (everyMs: number, work: () => Promise<void>) => () => Promise<void>

/** By a timer that keeps no process alive; a run is left out while the one before it lasts. */
export const intervalScheduler: Scheduler = (everyMs, work) => {
  let run: Promise<void> | null = null
  const timer = setInterval(() => {
    run ??= work().finally(() => {
      run = null
    })
  }, everyMs).unref()
  return async () => {
    clearInterval(timer)
    await run
  }
}
