/** Of the bus between instances: the listeners of each topic, how much is carried, and its seal. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Bus, BusMessage } from '../../contract/bus.ts'

/** As text of JSON, with topic and sender: the payload must be shorter than 8,000 bytes. Source: PostgreSQL, NOTIFY. */
const maxBytes = 7_500
/** How many messages wait for their listener. */
export const maxWaiting = 10_000

/** A topic that no room uses. */
export const gapTopic = ' gap'

/** Whether a bus carries it. */
export const isShortEnough = (sent: { readonly topic: string; readonly message: BusMessage }): boolean =>
  Buffer.byteLength(JSON.stringify(sent)) <= maxBytes

/** The listeners of one instance. */
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

/** Seals what instances tell each other through a database that others may connect to: any role there can listen and speak. It says
 *  that an instance spoke, and hides nothing. */
export interface BusSeal {
  seal(text: string): string
  /** What was sealed, or null when its sender does not know a secret. */
  open(sealed: string): string | null
}

const sealLabel = 'acmcp bus v1\n'
/** Of the seal, before the text. */
const sealLength = 43

/** `secrets` rotate: the first seals, all open. */
export function busSeal(secrets: readonly string[]): BusSeal {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update(sealLabel).digest())
  const sealOf = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  return {
    seal(text) {
      const [key] = keys
      if (key === undefined) throw new Error('a bus between instances needs a secret')
      return sealOf(key, text).toString('base64url') + text
    },
    open(sealed) {
      const [sent, text] = [Buffer.from(sealed.slice(0, sealLength), 'base64url'), sealed.slice(sealLength)]
      const isOurs = keys.some((key) => sent.length === 32 && timingSafeEqual(sealOf(key, text), sent))
      return isOurs ? text : null
    },
  }
}
