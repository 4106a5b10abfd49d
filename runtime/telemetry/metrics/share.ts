/** Several processes that are read as one, whichever of them is asked. */
import { attribute } from '../names.ts'
import { type MetricRegistry, type MetricSnapshot, mergeSnapshots } from './registry.ts'
import type { ReadMetrics } from './scrape.ts'

/** All metrics of one process. Plain JSON. */
export type ProcessMetrics = readonly MetricSnapshot[]

/** Lets the other processes read this one, by `own`. The function that it returns reads them: it resolves with what each of them has that
 *  answers in time, and never rejects. */
export type ShareMetrics = (own: () => ProcessMetrics) => () => Promise<readonly ProcessMetrics[]>

/** `share`: undefined = this process is alone. Among others each has series of its own, by its id: when one is replaced its counters
 *  end, and no sum of counters goes back. */
export function readerOf(registry: MetricRegistry, share: ShareMetrics | undefined): ReadMetrics {
  if (share === undefined) return () => registry.snapshot()
  const own = (): ProcessMetrics => registry.snapshot().map(ofThisProcess)
  const readOthers = share(own)
  return async () => mergeSnapshots([own(), ...(await readOthers())])
}

const ofThisProcess = ({ definition, series }: MetricSnapshot): MetricSnapshot => ({
  definition,
  series: series.map((item) => ({
    ...item,
    attributes: { ...item.attributes, [attribute.processId]: String(process.pid) },
  })),
})
