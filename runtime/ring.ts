/** Items in the order in which they came, each of which leaves at any time. A Set of what comes and goes does the same and is rehashed every
 *  few items: with it a tool call costs 3 % more. Imports nothing of ours. */
export abstract class RingItem {
  /** Of an item that stands for the ring: the last one. */
  before: this = this
  /** The same: the first one; the item itself = the ring is empty. */
  after: this = this

  /** Comes in as the last one. */
  join(ring: this): void {
    this.before = ring.before
    this.after = ring
    ring.before.after = this
    ring.before = this
  }

  /** Once it has left nothing happens. */
  leave(): void {
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
  }
}
