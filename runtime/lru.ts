/** A map of at most `capacity` entries: above that, the least recently used one is forgotten. Imports nothing of ours. */
export class LruMap<Key, Value> {
  readonly #capacity: number
  /** In the order of use: a Map iterates in the order of insertion, and a use inserts anew. */
  readonly #entries = new Map<Key, Value>()
  /** Goes on from eviction to eviction: a new iterator passes all that were deleted since the map was last rehashed. */
  #oldest: Iterator<Key> = this.#entries.keys()
  #changes = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  /** The value, which becomes the most recently used. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** The value, whose place in the order stays. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#oldest.next().value)
    this.#changes += 1
    if (this.#changes > this.#capacity) this.#renewIterator()
  }

  /** V8 keeps every table that the map has outgrown since the iterator last moved. */
  #renewIterator(): void {
    this.#oldest = this.#entries.keys()
    this.#changes = 0
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries()
  }
}
