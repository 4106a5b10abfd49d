/** What instances say on the bus, on its way over the channel between a supervisor and a worker. */
import type { BusMessage } from '../../contract/bus.ts'
import { gapTopic, maxWaiting } from '../../store/bus/bus-topics.ts'

/** In both directions. */
export interface BusLine {
  readonly kind: 'bus'
  readonly topic: string
  readonly message: BusMessage
}

/** One direction of a channel. When the other end does not read, what is too much is left out, and a gap is told as soon as it reads
 *  again. */
export class IpcLine {
  readonly #write: (line: BusLine, sent: () => void) => void
  #unsent = 0
  #hasGap = false
  #emptied: (() => void) | null = null

  /** `write` calls `sent` when the line has left, or never will. */
  constructor(write: (line: BusLine, sent: () => void) => void) {
    this.#write = write
  }

  send(topic: string, message: BusMessage): void {
    if (this.#hasGap || this.#unsent >= maxWaiting) this.#hasGap = true
    else this.#send(topic, message)
  }

  /** Resolves when all has left, with whether it was all that there was to say. */
  async flushed(): Promise<boolean> {
    const hadGap = this.#hasGap
    if (this.#unsent > 0)
      await new Promise<void>((resolve) => {
        this.#emptied = resolve
      })
    return !hadGap
  }

  #send(topic: string, message: BusMessage): void {
    this.#unsent += 1
    this.#write({ kind: 'bus', topic, message }, () => {
      this.#unsent -= 1
      if (this.#unsent === 0) this.#isEmpty()
    })
  }

  #isEmpty(): void {
    if (this.#hasGap) {
      this.#hasGap = false
      this.#send(gapTopic, null)
    } else this.#emptied?.()
  }
}
