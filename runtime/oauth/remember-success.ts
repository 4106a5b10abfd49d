/** Asks once, when first asked, and keeps the answer; a failure is forgotten, so that the next call tries again. */
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
