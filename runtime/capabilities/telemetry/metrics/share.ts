/** Several processes that are read as one, whichever of them is asked. */
import type { ShareMetrics } from '../../../boot/watching.ts'
import { attribute } from '../names.ts'
import { type MetricRegistry, type MetricSnapshot, mergeSnapshots } from './registry.ts'
import type { ReadMetrics } from './scrape.ts'

type Snapshots = readonly MetricSnapshot[]

/** `share`: undefined = this process is alone. Among others each has series of its own, by its id: when one is replaced its counters
 *  end, and no sum of counters goes back. */
export function readerOf(registry: MetricRegistry, share: ShareMetrics | undefined): ReadMetrics {
  if (share === undefined) return () => registry.snapshot()
  const own = (): Snapshots => registry.snapshot().map(ofThisProcess)
  const readOthers = share(own)
  return async () => mergeSnapshots([own(), ...((await readOthers()) as readonly Snapshots[])]) // other processes of this build wrote them
}

const ofThisProcess = ({ definition, series }: MetricSnapshot): MetricSnapshot => ({
  definition,
  series: series.map((item) => ({
    ...item,
    attributes: { ...item.attributes, [attribute.processId]: String(process.pid) },
  })),
})
