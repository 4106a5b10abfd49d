/** Metrics of workers, on their way over the channel between a supervisor and a worker: either may ask the other. */
import type { ProcessMetrics, ShareMetrics } from '../../telemetry/metrics/share.ts'

/** In both directions. A worker that is asked has one process to tell of, a supervisor the other workers. */
export type MetricsMessage =
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'measured'; readonly id: number; readonly processes: readonly ProcessMetrics[] }

/** A worker that does not answer within this time is left out. Whoever scrapes waits ten seconds (Prometheus, `scrape_timeout`). */
const workerPatienceMs = 1_000
/** The supervisor waits for its workers. */
const supervisorPatienceMs = 2_000

interface Ends {
  readonly write: (message: MetricsMessage) => void
  /** What this end has to tell. Never rejects. */
  readonly read: () => Promise<readonly ProcessMetrics[]>
}

/** One end of a channel. */
export class MetricsLine {
  readonly #ends: Ends
  readonly #patienceMs: number
  readonly #asked = new Map<number, (processes: readonly ProcessMetrics[]) => void>()
  #lastId = 0

  constructor(otherEnd: 'worker' | 'supervisor', ends: Ends) {
    this.#ends = ends
    this.#patienceMs = otherEnd === 'worker' ? workerPatienceMs : supervisorPatienceMs
  }

  /** Resolves with what the other end has to tell: nothing when it does not answer in time. */
  ask(): Promise<readonly ProcessMetrics[]> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answered(id, []), this.#patienceMs)
      this.#asked.set(id, (processes) => {
        clearTimeout(timer)
        resolve(processes)
      })
      this.#ends.write({ kind: 'measure', id })
    })
  }

  /** Any message of the channel. */
  hear(message: Partial<MetricsMessage> | null): void {
    if (message?.kind === 'measure' && message.id !== undefined) void this.#tell(message.id)
    if (message?.kind === 'measured' && message.id !== undefined)
      this.#answered(message.id, message.processes ?? [])
  }

  /** The other end is gone. */
  end(): void {
    for (const id of this.#asked.keys()) this.#answered(id, [])
  }

  async #tell(id: number): Promise<void> {
    this.#ends.write({ kind: 'measured', id, processes: await this.#ends.read() })
  }

  #answered(id: number, processes: readonly ProcessMetrics[]): void {
    this.#asked.get(id)?.(processes)
    this.#asked.delete(id)
  }
}

/** Of this process, which a supervisor started. */
export const shareWithWorkers: ShareMetrics = (own) => {
  const line = new MetricsLine('supervisor', { write: writeToSupervisor, read: async () => [own()] })
  process.on('message', (message: Partial<MetricsMessage> | null) => line.hear(message))
  return () => line.ask()
}

/** One that is gone reads nothing: so be it. */
function writeToSupervisor(message: MetricsMessage): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}
