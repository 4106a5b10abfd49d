/** Every metric: those of telemetry, and the counters of the other capabilities. */
import { capabilities } from '../../runtime/capabilities/index.ts'
import { type MetricDefinition, metric } from '../../runtime/capabilities/telemetry/names.ts'

const counters = capabilities.flatMap((capability) => capability.counters ?? [])

export const allMetrics: readonly MetricDefinition[] = [
  ...Object.values(metric),
  ...counters.map(
    ({ name, unit, description }): MetricDefinition => ({ kind: 'counter', name, unit, description }),
  ),
]

/** What we name ourselves. */
export const counterAttributes: readonly string[] = counters.map(({ attribute }) => attribute)
