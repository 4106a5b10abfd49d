/** The supervisor's part of the bus: what one worker says the others hear. And of `/metrics` and `acmcp health`: what one is asked for the
 *  others tell. */
import { gapTopic } from '../../store/bus/bus-topics.ts'
import type { BusLine } from './ipc-line.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Returns what passes on what a worker says to those of `workers` that run beside it. What it had said and nobody had read is lost with
 *  a worker that ends out of order: then there is a gap for the others. */
export function relayAmong(workers: ReadonlySet<WorkerProcess>): (worker: WorkerProcess) => void {
  return (worker) => {
    const publishToOthers = ({ topic, message }: Omit<BusLine, 'kind'>): void => {
      for (const other of workers) if (other !== worker) other.hear(topic, message)
    }
    worker.onBusLine(publishToOthers)
    const others = (): readonly WorkerProcess[] =>
      [...workers].filter((other) => other !== worker && other.isServing)
    worker.answerBy({
      metrics: async () => (await Promise.all(others().map((other) => other.metrics()))).flat(),
      async pulse() {
        const silent = await Promise.all(others().map((other) => other.isSilent()))
        return { others: silent.length, silent: silent.filter(Boolean).length }
      },
    })
    void worker.exited.then((how) => {
      if (worker.isStarted && how !== 'exit code 0') publishToOthers({ topic: gapTopic, message: null })
    })
  }
}
