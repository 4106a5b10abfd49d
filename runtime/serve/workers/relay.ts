/** The supervisor's part of the bus: what one worker says the others hear. And of `/metrics`: what one is asked for the others tell. */
import { gapTopic } from '../../store/bus/bus-topics.ts'
import type { BusLine } from './ipc-line.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Passes on what `worker` says to those of `workers` that run beside it. What it had said and nobody had read is lost with a worker
 *  that ends out of order: then there is a gap for the others. */
export function relayOf(worker: WorkerProcess, workers: ReadonlySet<WorkerProcess>): void {
  const tellOthers = ({ topic, message }: Omit<BusLine, 'kind'>): void => {
    for (const other of workers) if (other !== worker) other.hear(topic, message)
  }
  worker.onBusLine(tellOthers)
  worker.shareMetrics(async () => {
    const others = [...workers].filter((other) => other !== worker)
    return (await Promise.all(others.map((other) => other.metrics()))).flat()
  })
  void worker.exited.then((how) => {
    if (worker.isStarted && how !== 'exit code 0') tellOthers({ topic: gapTopic, message: null })
  })
}
