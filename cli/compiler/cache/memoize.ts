/** What was made of objects, kept as long as these live. Objects of a program and of a model are never edited, so that an object
 *  stands for its content: after one edit most of the next build is the same. Imports nothing of ours. */

/** `make`, once for each object. */
export function memoize<T extends object, Result>(make: (item: T) => Result): (item: T) => Result {
  const known = new WeakMap<T, Result>()
  return (item) => {
    const found = known.get(item)
    if (found !== undefined) return found
    const made = make(item)
    known.set(item, made)
    return made
  }
}

/** `make`, once for each object and key. */
export function memoizeBy<T extends object, Key, Result>(
  make: (item: T, key: Key) => Result,
): (item: T, key: Key) => Result {
  const resultsOf = memoize((_item: T) => new Map<Key, Result>())
  return (item, key) => {
    const known = resultsOf(item)
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(item, key)
    known.set(key, made)
    return made
  }
}

/** `make`, once for each object as long as its key is that of the last time; what follows the key is not compared. */
export function memoizeLast<T extends object, Key, Rest extends readonly unknown[], Result>(
  make: (item: T, key: Key, ...rest: Rest) => Result,
): (item: T, key: Key, ...rest: Rest) => Result {
  const known = new WeakMap<T, { readonly key: Key; readonly result: Result }>()
  return (item, key, ...rest) => {
    const last = known.get(item)
    if (last !== undefined && last.key === key) return last.result
    const result = make(item, key, ...rest)
    known.set(item, { key, result })
    return result
  }
}
