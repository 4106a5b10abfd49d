/** Of the bus between instances: who listens to what, and how much is carried. */
import type { Bus, BusMessage } from '../../contract/bus.ts'

/** As text of JSON, with topic and sender: the payload must be shorter than 8,000 bytes. Source: PostgreSQL, NOTIFY. */
const maxBytes = 7_500
/** While nobody takes them. */
export const maxWaiting = 10_000

/** A topic that no room uses. */
export const gapTopic = ' gap'

/** Whether a bus carries it. */
export const isShortEnough = (sent: { readonly topic: string; readonly message: BusMessage }): boolean =>
  Buffer.byteLength(JSON.stringify(sent)) <= maxBytes

/** Who listens, in one instance. */
export class BusListeners implements Pick<Bus, 'subscribe' | 'onGap'> {
  readonly #topics = new Map<string, ((message: unknown) => void)[]>()
  readonly #gapListeners: (() => void)[] = []

  subscribe(topic: string, listener: (message: unknown) => void): void {
    this.#topics.set(topic, [...(this.#topics.get(topic) ?? []), listener])
  }

  onGap(listener: () => void): void {
    this.#gapListeners.push(listener)
  }

  /** Tells what another instance said. */
  hear(topic: string, message: unknown): void {
    if (topic === gapTopic) this.gap()
    else for (const listener of this.#topics.get(topic) ?? []) listener(message)
  }

  gap(): void {
    for (const listener of this.#gapListeners) listener()
  }
}
