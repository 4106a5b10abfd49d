/** Wakes event streams when something has happened, here or at another instance. It carries nothing: each stream reads the
 *  database itself. */
import type { Services } from 'acmcp'

const topic = 'tickets'

/** Says that something has happened, once it is committed. */
export const announce = (services: Services): void => services.publish(topic, null)

/** Rings for one stream. */
export interface Bell {
  /** Resolves when it has rung since this last resolved, when `signal` aborts, and after `ms`. */
  rung(signal: AbortSignal, ms: number): Promise<void>
  /** Its listener has gone. */
  remove(): void
}

/** Rings when something has happened, and when that may have been missed. */
export function bell(services: Services): Bell {
  let hasRung = false
  let wake = (): void => {}
  const ring = (): void => {
    hasRung = true
    wake()
  }
  return {
    remove: services.subscribe(topic, ring, { onGap: ring }),
    async rung(signal, ms) {
      const timer = setTimeout(ring, ms)
      signal.addEventListener('abort', ring)
      await new Promise<void>((resolve) => {
        wake = resolve
        if (hasRung || signal.aborted) resolve()
      })
      clearTimeout(timer)
      signal.removeEventListener('abort', ring)
      hasRung = false
    },
  }
}
