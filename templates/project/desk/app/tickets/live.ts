/** Wakes the streams of this process when something has happened. It carries nothing: each stream reads the database itself. */

let count = 0
const waiting = new Set<() => void>()

/** How often something has happened. */
export const arrivals = (): number => count

/** Says that something has happened, once it is committed. */
export function announce(): void {
  count += 1
  for (const wake of waiting) wake()
}

/** Resolves when something has happened since `arrivals()` was `heard`, when `signal` aborts, and after `ms`. */
export async function arrivalAfter(heard: number, signal: AbortSignal, ms: number): Promise<void> {
  if (count !== heard || signal.aborted) return
  const { promise, resolve } = woken()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', resolve)
  waiting.add(resolve)
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', resolve)
  waiting.delete(resolve)
}

/** `Promise.withResolvers` is there from Node 22 on. */
function woken(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
