/** How the process itself is doing. Source: semantic-conventions, docs/runtime/nodejs-metrics.md; semantic-conventions, docs/database/database-metrics.md,
 *  connection pools. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { PoolUse } from '../../../contract/store.ts'
import { errorName } from '../../../errors.ts'
import { attribute, metric } from '../names.ts'
import type { Instruments } from './instruments.ts'

export interface ProcessSources {
  /** Streams that are open, by kind. */
  readonly streams: () => Readonly<Record<string, number>>
  /** Null where there is no pool. */
  readonly pool: () => PoolUse | null
}

/** Reports from now on. Returns what ends it. */
export function reportProcess(instruments: Instruments, { streams, pool }: ProcessSources): () => void {
  instruments.onRead([metric.openStreams], (set) => {
    for (const [kind, open] of Object.entries(streams()))
      set(metric.openStreams, { [attribute.streamKind]: kind }, open)
  })
  instruments.onRead([metric.poolConnections, metric.poolWaiting], (set) => {
    const use = pool()
    if (use === null) return
    const named = { [attribute.poolName]: 'acmcp' }
    for (const state of ['used', 'idle'] as const)
      set(metric.poolConnections, { ...named, [attribute.poolState]: state }, use[state])
    set(metric.poolWaiting, named, use.waiting)
  })
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  reportDelay(instruments, delay)
  return () => void delay.disable()
}

/** Of the time since it was read last. */
function reportDelay(instruments: Instruments, delay: IntervalHistogram): void {
  const { delayMean, delayP50, delayP99, delayMax } = metric
  instruments.onRead([delayMean, delayP50, delayP99, delayMax], (set) => {
    if (delay.count === 0) return
    set(delayMean, {}, delay.mean / 1e9)
    set(delayP50, {}, delay.percentile(50) / 1e9)
    set(delayP99, {}, delay.percentile(99) / 1e9)
    set(delayMax, {}, delay.max / 1e9)
    delay.reset()
  })
}

/** The same object, each of whose functions in `verbs` is measured from call to answer, by its name, and whether it failed. */
export function timed<Verbs extends object>(
  verbs: Verbs,
  names: readonly (keyof Verbs & string)[],
  instruments: Instruments,
): Verbs {
  const measured = names.map((name) => [name, timedVerb(name, verbs[name], instruments)])
  return { ...verbs, ...Object.fromEntries(measured) }
}

function timedVerb(name: string, verb: unknown, instruments: Instruments): unknown {
  if (typeof verb !== 'function') return verb
  const note = (startedAt: number, error: unknown): void => {
    const errorType = error === null ? null : errorName(error)
    const attributes = { [attribute.storeVerb]: name, [attribute.errorType]: errorType }
    instruments.record(metric.storeDuration, attributes, (performance.now() - startedAt) / 1000)
  }
  return async (...args: unknown[]) => {
    const startedAt = performance.now()
    try {
      const answer: unknown = await verb(...args)
      note(startedAt, null)
      return answer
    } catch (error) {
      note(startedAt, error)
      throw error
    }
  }
}
