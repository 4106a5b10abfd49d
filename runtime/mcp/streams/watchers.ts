/** Which streams hear of which resource. */
import type { Heard } from './subscriptions.ts'

interface Hearing {
  readonly heard: Heard
}

const nobody: ReadonlySet<never> = new Set()

/** A change is told to those who hear of it, without a look at the others. */
export class Watchers<Stream extends Hearing> {
  readonly #byKey = new Map<string, Set<Stream>>()

  add(stream: Stream): void {
    for (const { key } of stream.heard.resources)
      this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(stream))
  }

  remove(stream: Stream): void {
    for (const { key } of stream.heard.resources) {
      const streams = this.#byKey.get(key)
      streams?.delete(stream)
      if (streams?.size === 0) this.#byKey.delete(key)
    }
  }

  /** Each once. */
  of(key: string): ReadonlySet<Stream> {
    return this.#byKey.get(key) ?? nobody
  }
}
