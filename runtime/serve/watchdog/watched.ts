/** What the event loop and the thread that watches it have in common. Imports nothing. */

/** Places in the memory that both see. */
export const cell = {
  /** Counts up while the loop turns. */
  turns: 0,
  /** The call that began last, counted from 1 in the order of `WatchedProcess.calls`. */
  call: 1,
  /** How often it stood still. */
  stalls: 2,
  /** 1 = somebody debugs it. */
  isInspected: 3,
  /** When the process must have ended, in seconds of `process.uptime()`; 0 = it need not. */
  endBy: 4,
} as const

export const cellCount = 5

/** What ends a worker that stands still: nobody else sends it, so that the supervisor knows why it ended. */
export const watchedSignal = 'SIGALRM'

/** How often the loop says that it turns, and the thread looks, in milliseconds. */
export const lookEveryMs = (stallMs: number): number => Math.min(500, stallMs / 20)

/** What the thread is told. */
export interface WatchedProcess {
  readonly shared: SharedArrayBuffer
  /** How long the loop stands still before a line is logged, in milliseconds. */
  readonly stallMs: number
  /** The process that starts another one when this one is ended; null = nobody does. */
  readonly supervisor: number | null
  /** Whether lines are for people. */
  readonly isReadable: boolean
  /** What each line says besides; null = nothing is logged. */
  readonly base: Readonly<Record<string, number>> | null
  readonly calls: readonly WatchedCall[]
}

export interface WatchedCall {
  /** `GET /notes (notes_index)`: the route, and what it is as a tool. */
  readonly name: string
  /** As a stack has it: `Notes.index`; null = unknown. */
  readonly method: string | null
}
