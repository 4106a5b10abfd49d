/** Where measurements go: to the registry of this process, to the meter of an SDK (`meter.ts`), or to both. */
import type { AttributeName, MetricDefinition } from '../names.ts'
import type { Attributes, MetricRegistry } from './registry.ts'

export type SetGauge = (definition: MetricDefinition, attributes: Attributes, value: number) => void

/** Attributes are named in one order whenever a metric is used. */
export interface Instruments {
  add(definition: MetricDefinition, attributes: Attributes, by: number): void
  /** A measurement of a histogram. */
  record(definition: MetricDefinition, attributes: Attributes, seconds: number): void
  /** `read` says what these gauges stand at, each time that a reader asks. */
  onRead(gauges: readonly MetricDefinition[], read: (set: SetGauge) => void): void
}

export const registryInstruments = (registry: MetricRegistry): Instruments => ({
  add: (definition, attributes, by) => registry.add(definition, attributes, by),
  record: (definition, attributes, seconds) => registry.record(definition, attributes, seconds),
  onRead: (_gauges, read) => registry.onRead(read),
})

/** Those that have a value, as the API takes them. */
export function defined(attributes: Attributes): Record<string, string | number> {
  const found: Record<string, string | number> = {}
  for (const name in attributes) {
    const value = attributes[name as AttributeName] // a key of it
    if (value !== null && value !== undefined) found[name] = value
  }
  return found
}
