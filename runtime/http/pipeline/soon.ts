/** Values that may be there already: the pipeline waits only where something is really asynchronous, so that a request
 *  without asynchronous work is answered without a single promise. */

export type Soon<T> = T | Promise<T>

/** Whether a value must be waited for. Any thenable counts, as it does for `await`. */
export function isLater(value: unknown): value is Promise<unknown> {
  if (typeof value !== 'object' || value === null) return false
  return typeof (value as { readonly then?: unknown }).then === 'function' // any object may be asked for a property
}

/** The same for what our own functions give, which wait with nothing but promises. */
export function isPending<T>(value: Soon<T>): value is Promise<T> {
  return value instanceof Promise
}

/** `next` with the value, at once when it is there. */
export function whenThere<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return isLater(value) ? Promise.resolve(value).then(next) : next(value)
}

/** What `work` comes to; `failed` decides about an exception, whether it was thrown at once or later. */
export function attempt<T>(work: () => Soon<T>, failed: (error: unknown) => Soon<T>): Soon<T> {
  try {
    const value = work()
    return isLater(value) ? Promise.resolve(value).catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

/** Asks once and keeps the answer; a failure is forgotten, so that who asks next tries again. */
export function rememberSuccess<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null
      throw error
    })
    return known
  }
}
