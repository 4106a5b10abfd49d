/** What stands before the method of a route and is told as problem details (RFC 9457): nothing of the method has run. */

/** Answered with its status, past every handler. */
export abstract class ProblemError extends Error {
  declare readonly code: string
  declare readonly status: number
  /** Whole seconds after which asking again makes sense; null = it makes none, or it is not known. */
  abstract readonly retryAfterSeconds: number | null

  /** What problem details say of it (RFC 9457, 3.1 and 3.2), without `status` and `detail`. */
  abstract problem(): Readonly<Record<'type' | 'title', string>> & Readonly<Record<string, unknown>>
}

/** Gives a class its code and status, on the prototype: what prints an error's own fields says no more than these. */
export function describeError(
  { prototype }: { readonly prototype: Error },
  code: string,
  status: number,
): void {
  const inherited = { writable: true, configurable: true }
  Object.defineProperties(prototype, {
    code: { value: code, ...inherited },
    status: { value: status, ...inherited },
  })
}
