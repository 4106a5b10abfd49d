/** Measurements by the meter of an SDK. */
import type { Counter, Histogram, Meter, Observable, UpDownCounter } from '@opentelemetry/api'
import { defined, type Instruments, type SetGauge } from '../metrics/instruments.ts'
import type { Attributes } from '../metrics/registry.ts'
import type { MetricDefinition } from '../names.ts'

type Instrument = Counter | UpDownCounter | Histogram

/** Instruments are made with their first use. */
export class MeterInstruments implements Instruments {
  readonly #meter: Meter
  readonly #made = new Map<string, Instrument>()

  constructor(meter: Meter) {
    this.#meter = meter
  }

  add(definition: MetricDefinition, attributes: Attributes, by: number): void {
    const instrument = this.#instrument(definition)
    if ('add' in instrument) instrument.add(by, defined(attributes))
  }

  record(definition: MetricDefinition, attributes: Attributes, seconds: number): void {
    const instrument = this.#instrument(definition)
    if ('record' in instrument) instrument.record(seconds, defined(attributes))
  }

  onRead(gauges: readonly MetricDefinition[], read: (set: SetGauge) => void): void {
    const observed = new Map(gauges.map((gauge) => [gauge.name, this.#observable(gauge)]))
    this.#meter.addBatchObservableCallback(
      (result) =>
        read((definition, attributes, value) => {
          const observable = observed.get(definition.name)
          if (observable !== undefined) result.observe(observable, value, defined(attributes))
        }),
      [...observed.values()],
    )
  }

  #instrument(definition: MetricDefinition): Instrument {
    const known = this.#made.get(definition.name)
    if (known !== undefined) return known
    const made = this.#make(definition)
    this.#made.set(definition.name, made)
    return made
  }

  #make(definition: MetricDefinition): Instrument {
    const { kind, name, unit, description } = definition
    if (kind === 'counter') return this.#meter.createCounter(name, { unit, description })
    if (kind === 'gauge') return this.#meter.createUpDownCounter(name, { unit, description })
    const advice = { explicitBucketBoundaries: [...definition.buckets] }
    return this.#meter.createHistogram(name, { unit, description, advice })
  }

  #observable(definition: MetricDefinition): Observable {
    const { name, unit, description } = definition
    const isSum = definition.kind === 'gauge' && definition.across === 'sum'
    return isSum
      ? this.#meter.createObservableUpDownCounter(name, { unit, description })
      : this.#meter.createObservableGauge(name, { unit, description })
  }
}
