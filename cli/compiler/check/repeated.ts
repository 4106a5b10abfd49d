/** Each of several with an equal key, with the first of the others: both must be known to change one. */
export function repeated<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [first: T, other: T])[] {
  const firstByKey = new Map<string, { readonly first: T; isReported: boolean }>()
  const found: (readonly [T, T])[] = []
  for (const item of items) {
    const key = keyOf(item)
    const known = firstByKey.get(key)
    if (known === undefined) firstByKey.set(key, { first: item, isReported: false })
    else {
      if (!known.isReported) found.push([known.first, item])
      known.isReported = true
      found.push([item, known.first])
    }
  }
  return found
}
