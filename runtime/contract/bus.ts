/** What instances of one application tell each other. */

/** Any value of JSON. */
export type BusMessage =
  | string
  | number
  | boolean
  | null
  | readonly BusMessage[]
  | { readonly [name: string]: BusMessage }

/** Carries messages to the other instances that share the store, each at most once. An instance does not hear itself. */
export interface Bus {
  /** Neither waits nor throws. What cannot be carried, because it is too long or too much waits, is a gap for the others. */
  publish(topic: string, message: BusMessage): void
  /** What another instance published under `topic`. */
  subscribe(topic: string, listener: (message: unknown) => void): void
  /** Something may have been missed: whatever another instance can have changed may have changed. */
  onGap(listener: () => void): void
  /** Says what was published before, and leaves. Resolves with whether all of it was said. */
  close(): Promise<boolean>
}
