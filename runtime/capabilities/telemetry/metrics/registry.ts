/** The measurements of this process, to be read as text. Imports nothing but names. */
import type { AttributeName, MetricDefinition } from '../names.ts'

/** Values by attribute; what is null is left out. */
export type Attributes = Partial<Readonly<Record<AttributeName, string | number | null>>>

/** One combination of attributes. `counts` are those of a histogram: by bucket (not summed up), the last above all bounds. */
export interface Series {
  readonly attributes: Readonly<Record<string, string>>
  /** Of a histogram the sum of what was measured. */
  readonly value: number
  readonly counts: readonly number[] | null
}

/** A metric as it stands now. Plain JSON: processes send it to each other. */
export interface MetricSnapshot {
  readonly definition: MetricDefinition
  readonly series: readonly Series[]
}

interface Kept {
  readonly attributes: Readonly<Record<string, string>>
  value: number
  counts: number[] | null
}

/** Every metric has at most so many series; what would be one more counts for a common one. */
const maxSeries = 2000

/** Source: OpenTelemetry, Metrics SDK, cardinality limits. */
const overflow: Readonly<Record<string, string>> = { 'otel.metric.overflow': 'true' }

export class MetricRegistry {
  readonly #metrics = new Map<string, { definition: MetricDefinition; series: Map<string, Kept> }>()
  readonly #readers: (() => void)[] = []

  /** Adds to a counter, or to what a gauge stands at. */
  add(definition: MetricDefinition, attributes: Attributes, by: number): void {
    this.#kept(definition, attributes).value += by
  }

  /** Notes one measurement of a histogram, in seconds. */
  record(definition: MetricDefinition, attributes: Attributes, seconds: number): void {
    if (definition.kind !== 'histogram') return
    const { buckets } = definition
    const kept = this.#kept(definition, attributes)
    kept.value += seconds
    kept.counts ??= Array(buckets.length + 1).fill(0)
    const at = buckets.findIndex((bound) => seconds <= bound)
    const index = at === -1 ? buckets.length : at
    kept.counts[index] = (kept.counts[index] ?? 0) + 1
  }

  /** Sets a gauge whenever the metrics are read. */
  onRead(
    read: (set: (definition: MetricDefinition, attributes: Attributes, value: number) => void) => void,
  ): void {
    this.#readers.push(() =>
      read((definition, attributes, value) => {
        this.#kept(definition, attributes).value = value
      }),
    )
  }

  /** All metrics by name. */
  snapshot(): readonly MetricSnapshot[] {
    for (const read of this.#readers) read()
    return [...this.#metrics.values()]
      .map(({ definition, series }) => ({ definition, series: [...series.values()].map(copied) }))
      .sort((a, b) => compare(a.definition.name, b.definition.name))
  }

  #kept(definition: MetricDefinition, attributes: Attributes): Kept {
    let metric = this.#metrics.get(definition.name)
    if (metric === undefined) {
      metric = { definition, series: new Map() }
      this.#metrics.set(definition.name, metric)
    }
    const key = keyOf(attributes)
    const known = metric.series.get(key)
    if (known !== undefined) return known
    const isFull = metric.series.size >= maxSeries
    const kept: Kept = { attributes: isFull ? overflow : textsOf(attributes), value: 0, counts: null }
    const place = isFull ? 'overflow' : key
    const found = metric.series.get(place) ?? kept
    metric.series.set(place, found)
    return found
  }
}

/** What several processes come to: counts and histograms are added, a gauge as its definition says. */
export function mergeSnapshots(processes: readonly (readonly MetricSnapshot[])[]): readonly MetricSnapshot[] {
  const merged = new Map<string, { definition: MetricDefinition; series: Map<string, Series> }>()
  for (const { definition, series } of processes.flat()) {
    const { name } = definition
    const metric = merged.get(name) ?? { definition, series: new Map<string, Series>() }
    merged.set(name, metric)
    for (const item of series) {
      const key = JSON.stringify(item.attributes)
      const known = metric.series.get(key)
      metric.series.set(key, known === undefined ? item : together(definition, known, item))
    }
  }
  return [...merged.values()]
    .map(({ definition, series }) => ({ definition, series: [...series.values()] }))
    .sort((a, b) => compare(a.definition.name, b.definition.name))
}

function together(definition: MetricDefinition, a: Series, b: Series): Series {
  const isMax = definition.kind === 'gauge' && definition.across === 'max'
  return {
    attributes: a.attributes,
    value: isMax ? Math.max(a.value, b.value) : a.value + b.value,
    counts: a.counts?.map((count, index) => count + (b.counts?.[index] ?? 0)) ?? null,
  }
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

const copied = ({ attributes, value, counts }: Kept): Series => ({
  attributes,
  value,
  counts: counts && [...counts],
})

/** The callers name attributes in one order. */
function keyOf(attributes: Attributes): string {
  let key = ''
  for (const name in attributes) key += `${attributes[name as AttributeName]}\n` // a key of it
  return key
}

function textsOf(attributes: Attributes): Readonly<Record<string, string>> {
  const present = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]))
}
