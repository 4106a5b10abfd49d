/** How a process that goes on until it is stopped ends: in order at the first signal, at once at the second. */

const signals = ['SIGTERM', 'SIGINT'] as const

/** Calls `stop` at SIGTERM and at SIGINT, once each. */
export function onStop(stop: () => void): void {
  for (const signal of signals) process.once(signal, stop)
}

/** Aborted by the first of them. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  onStop(() => stopping.abort())
  return stopping.signal
}

/** Supervisors kill after ten seconds. */
const maxStoppingMs = 9_500

/** Ends this process by force when it does not end in order. */
export function endSoon(warn: (line: string) => void, delaySeconds = 0): void {
  const end = (): never => {
    warn('acmcp: it did not stop in time')
    return process.exit(1)
  }
  setTimeout(end, 1000 * delaySeconds + maxStoppingMs).unref()
}

/** Ends this process at the next signal; what a supervisor has started ends with it. */
export function endAtNextSignal(warn: (line: string) => void): void {
  const end = (): never => {
    warn('acmcp: a second signal: it ends at once')
    return process.exit(1)
  }
  onStop(end)
}
